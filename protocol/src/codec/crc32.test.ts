import zlib from 'node:zlib'
import { expect, it } from 'vitest'
import { crc32 } from './crc32.ts'

it('equals the checksum of zlib for any length, start and seed', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, i) => (i * 2_654_435_761) >>> 13)
  for (let from = 0; from < 9; from++)
    for (let to = from; to <= bytes.length; to++) {
      const part = bytes.subarray(from, to)
      expect(crc32(part)).toBe(zlib.crc32(part))
      expect(crc32(part, 0xdeadbeef)).toBe(zlib.crc32(part, 0xdeadbeef))
    }
})
