import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { DamagedBackup, encodeFrame, MAGIC } from './format.ts'
import { openBackup } from './restore.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless-damaged-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const header = { createdAt: '2026-11-27T00:00:00.000Z', hubVersion: '1', migrations: 4, keyMark: 'mark', tables: [] }
const PARTS = {
  'the first line': Buffer.from(MAGIC),
  'the header': encodeFrame(Buffer.from(JSON.stringify(header))),
  'a row': encodeFrame(Buffer.from('7\tPress 1\t\\N\n')),
  'the end of a table': encodeFrame(Buffer.alloc(0)),
  'the name of a file': encodeFrame(Buffer.from('{"key":"a/b"}')),
  'a file': encodeFrame(Buffer.from('content')),
  'the end of the files': Buffer.concat([encodeFrame(Buffer.alloc(0)), encodeFrame(Buffer.alloc(0))]),
}
const body = Buffer.concat(Object.values(PARTS))
const sha256 = createHash('sha256').update(body).digest('hex')
const whole = Buffer.concat([body, encodeFrame(Buffer.from(JSON.stringify({ rows: {}, sha256 })))])
const parts = [...Object.entries(PARTS), ['the checksum', whole.subarray(body.length)] as const]

const open = async (bytes: Uint8Array) => {
  const file = path.join(folder, 'hub.backup')
  writeFileSync(file, bytes)
  const backup = await openBackup(file)
  backup.close()
  return backup.header
}
const flipped = (bytes: Buffer, at: number, bit = 1) => {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] as number) ^ bit
  return copy
}

it('a whole backup is opened', async () => {
  expect(await open(zstdCompressSync(whole))).toEqual(header)
})

it.each(parts)('a backup with a flipped byte in %s is damaged', async (name) => {
  let at = 0
  for (const [part, bytes] of parts) {
    if (part === name)
      for (let i = 0; i < bytes.length; i++) {
        const refusal = await open(zstdCompressSync(flipped(whole, at + i, 0x20))).catch((error) => error)
        expect([i, refusal]).toEqual([i, expect.any(DamagedBackup)])
      }
    at += bytes.length
  }
})

it('a backup that ends too early is damaged, wherever it ends', async () => {
  const file = zstdCompressSync(whole)
  for (let length = 0; length < file.length; length++)
    await expect(open(file.subarray(0, length)), `${length} bytes`).rejects.toThrow(DamagedBackup)
  for (let length = 0; length < whole.length; length++)
    await expect(open(zstdCompressSync(whole.subarray(0, length))), `${length} bytes`).rejects.toThrow(DamagedBackup)
})

it('a flipped bit of the compressed file is damage, unless the content is the same', async () => {
  const file = zstdCompressSync(whole)
  for (let i = 0; i < file.length; i++)
    for (const bit of [1, 0x80]) {
      const outcome = await open(flipped(file, i, bit)).catch((error) => error)
      if (outcome instanceof Error) expect([i, outcome]).toEqual([i, expect.any(DamagedBackup)])
      else expect(outcome).toEqual(header)
    }
})

it('says what to do', async () => {
  await expect(open(flipped(zstdCompressSync(whole), 0))).rejects.toThrow(
    /^This backup is damaged: .*\. Nothing was restored\. Copy the file again .*sha256sum; otherwise restore an older backup\.$/,
  )
})
