import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeDataDir } from './data-dir.ts'

it('a data directory is made with its parents, and a fault names DATA_DIR and what to do', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'haltless-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const dir = path.join(folder, 'a', 'b')
  await makeDataDir(dir)
  await makeDataDir(dir)
  expect(statSync(dir).isDirectory()).toBe(true)
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  for (const [wrong, code] of [
    [file, 'ENOTDIR'],
    ['/proc/haltless/data', 'ENOENT'],
    [path.join(file, 'below'), 'ENOTDIR'],
  ] as const)
    await expect(makeDataDir(wrong)).rejects.toThrow(`DATA_DIR: ${wrong} cannot be made (${code}). Set DATA_DIR to a directory`)
})
