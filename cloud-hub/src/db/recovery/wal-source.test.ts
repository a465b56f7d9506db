import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { compressSegments } from './archive.ts'
import { usedBytes, writeSparse } from './sparse.ts'
import { commandSource } from './wal-source.ts'

const root = mkdtempSync(path.join(tmpdir(), 'haltless-wal-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(root, 'wal-'))
})
const NAME = '000000010000000000000002'
const signal = new AbortController().signal
function archived(name: string, text: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  utimesSync(file, 0, 0)
  return file
}

it('a restore command that hangs is ended, with the programs that it has started', async () => {
  const done = path.join(folder, 'done')
  const source = commandSource(`(sleep 2; touch ${done}) & wait; : %f %p`, 200)
  await expect(source.read(NAME)).rejects.toThrow(`did not end within 0.2 s for ${NAME}`)
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(existsSync(done)).toBe(false)
})

it('zeros at the end of a segment take no room', async () => {
  const bytes = Buffer.alloc(16_777_216)
  expect(usedBytes(bytes)).toBe(0)
  expect(usedBytes(Buffer.alloc(100, 1))).toBe(100)
  bytes[100_000] = 1
  expect(usedBytes(bytes)).toBe(100_001)
  const file = path.join(folder, NAME)
  await writeSparse(file, bytes)
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(statSync(file).blocks * 512).toBeLessThan(1_000_000)
})

describe('compression of archived segments', () => {
  it('works for two hubs at once', async () => {
    for (let n = 10; n < 40; n++) archived(`0000000100000000000000${n}`, String(n).repeat(100_000))
    const counts = await Promise.all([1, 2, 3].map(() => compressSegments(folder, signal)))
    expect(counts.some((count) => count > 0)).toBe(true)
    expect(readdirSync(folder).filter((name) => !name.endsWith('.zst'))).toEqual([])
    expect(readdirSync(folder)).toHaveLength(30)
  })

  it.each([
    ['another content', zstdCompressSync('other')],
    ['a damaged file', Buffer.from('no zstd')],
  ])('never removes a segment beside %s, and goes on with the others', async (_what, packed) => {
    const file = archived(NAME, 'text')
    writeFileSync(`${file}.zst`, packed)
    archived('000000010000000000000003', 'more')
    const before = statSync(file).ino
    await expect(compressSegments(folder, signal)).rejects.toThrow('differ')
    expect(readdirSync(folder).sort()).toEqual([NAME, `${NAME}.zst`, '000000010000000000000003.zst'])
    expect(statSync(file).ino).toBe(before)
  })
})
