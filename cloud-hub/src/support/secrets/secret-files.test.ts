import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadConfig } from '../../config.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'secret-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string, content: string) => {
  const place = path.join(folder, name)
  writeFileSync(place, content)
  return place
}
const key = 'k'.repeat(40)

it('a secret in a file is read without the line break at its end', () => {
  for (const end of ['', '\n', '\r\n'])
    expect(loadConfig({ SECRET_KEY_FILE: file('key', key + end) }).secretKey?.reveal()).toBe(key)
  const url = 'postgres://a:b@c/d'
  const config = loadConfig({ DATABASE_URL_FILE: file('url', `${url}\n`), SECRET_KEY_FILE: file('key', key) })
  expect(config.databaseUrl?.reveal()).toBe(url)
})

it('a file that is missing, empty, too long, not a file, or set together with its setting is an error that names the setting', () => {
  const faultOf = (env: Record<string, string>) => {
    try {
      return String(loadConfig(env))
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(faultOf({ SECRET_KEY_FILE: path.join(folder, 'none') })).toMatch(/SECRET_KEY_FILE: .* cannot be read \(ENOENT\)/)
  expect(faultOf({ SECRET_KEY_FILE: folder })).toMatch(/SECRET_KEY_FILE: .* cannot be read \(EISDIR\)/)
  expect(faultOf({ SECRET_KEY_FILE: file('long', 'x'.repeat(70_000)) })).toMatch(/longer than 64 KiB/)
  expect(faultOf({ SMTP_URL_FILE: file('empty', '\n') })).toMatch(/SMTP_URL_FILE: .* is empty/)
  expect(faultOf({ SECRET_KEY: key, SECRET_KEY_FILE: file('key', key) })).toMatch(/SECRET_KEY_FILE: cannot be set together with SECRET_KEY/)
  expect(faultOf({ SECRET_KEY_FILE: file('short', 'secret') })).not.toContain('secret\n')
})
