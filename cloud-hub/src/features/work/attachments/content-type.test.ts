import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { detectContentType } from './content-type.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'content type '))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function typeOf(bytes: string | Buffer, name: string): Promise<string> {
  const file = path.join(folder, 'file')
  writeFileSync(file, bytes)
  return detectContentType({ path: file, name })
}
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

it('follows the bytes, whatever the name of the file says', async () => {
  expect(await typeOf(PNG, 'report.pdf')).toBe('image/png')
  expect(await typeOf('%PDF-1.7\n%âãÏÓ\n', 'photo.png')).toBe('application/pdf')
  expect(await typeOf('\xff\xd8\xff\xe0 JFIF', 'x')).not.toBe('text/plain')
})

it('follows the name for text, which has no signature, and calls everything else a stream of bytes', async () => {
  expect(await typeOf('a;b\n1;2\n', 'Values.CSV')).toBe('text/csv')
  expect(await typeOf('hello', 'notes.txt')).toBe('text/plain')
  expect(await typeOf('{}', 'data.json')).toBe('application/json')
  expect(await typeOf('<script>alert(1)</script>', 'page.html')).toBe('application/octet-stream')
  expect(await typeOf('', 'empty')).toBe('application/octet-stream')
})

it('stores a truncated file of a known format like any other', async () => {
  expect(await typeOf('PK\u0003\u0004', 'broken.docx')).toMatch(/^application\/(zip|octet-stream)$/)
})
