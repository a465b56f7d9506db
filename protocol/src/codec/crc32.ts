/** For each number of bytes that follow, 0 to 7, what each value of a byte adds to the checksum: 256 entries each. */
const TABLES = new Int32Array(8 * 256)
for (let n = 0; n < 256; n++) {
  let c = n
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
  TABLES[n] = c
}
for (let i = 256; i < TABLES.length; i++) {
  const before = TABLES[i - 256] as number
  TABLES[i] = (before >>> 8) ^ (TABLES[before & 0xff] as number)
}

/**
 * CRC-32 as in zlib, PNG and Ethernet, eight bytes at a time: several times faster than one.
 * @param seed the checksum of what comes before, to go on from there
 * @returns 0 to 2^32 - 1
 * Source: ITU-T V.42, 8.1.1.6.2; polynomial 0xEDB88320 reflected; Kounavis, Berry, "A Systematic Approach to Building High Performance
 * Software-based CRC Generators" (2005)
 */
export function crc32(bytes: Uint8Array, seed = 0): number {
  const at = (i: number) => bytes[i] as number
  const entry = (following: number, byte: number) => TABLES[(following << 8) | byte] as number
  let c = ~seed
  let i = 0
  for (; i + 8 <= bytes.length; i += 8) {
    c ^= at(i) | (at(i + 1) << 8) | (at(i + 2) << 16) | (at(i + 3) << 24)
    c =
      entry(7, c & 0xff) ^
      entry(6, (c >>> 8) & 0xff) ^
      entry(5, (c >>> 16) & 0xff) ^
      entry(4, c >>> 24) ^
      entry(3, at(i + 4)) ^
      entry(2, at(i + 5)) ^
      entry(1, at(i + 6)) ^
      entry(0, at(i + 7))
  }
  for (; i < bytes.length; i++) c = entry(0, (c ^ at(i)) & 0xff) ^ (c >>> 8)
  return ~c >>> 0
}
