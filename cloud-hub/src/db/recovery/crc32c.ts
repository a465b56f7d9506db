/** Tables for four bytes at a time. Source: CRC-32C (Castagnoli), RFC 3720, B.4, reflected polynomial 0x82f63b78 */
const TABLES = Array.from({ length: 4 }, () => new Int32Array(256))
const [T0, T1, T2, T3] = TABLES as [Int32Array, Int32Array, Int32Array, Int32Array]
for (let byte = 0; byte < 256; byte++) {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  T0[byte] = crc
}
for (let byte = 0; byte < 256; byte++)
  for (let i = 1; i < 4; i++) {
    const before = (TABLES[i - 1] as Int32Array)[byte] as number
    ;(TABLES[i] as Int32Array)[byte] = (before >>> 8) ^ (T0[before & 255] as number)
  }

/** @param crc that of the bytes before these; 0 at the beginning @returns a whole number from 0 to 2^32 - 1 */
export function crc32c(bytes: Uint8Array, crc = 0): number {
  let sum = ~crc
  let at = 0
  for (const end = bytes.length - 3; at < end; at += 4) {
    sum ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    sum =
      (T3[sum & 255] as number) ^
      (T2[(sum >>> 8) & 255] as number) ^
      (T1[(sum >>> 16) & 255] as number) ^
      (T0[sum >>> 24] as number)
  }
  for (; at < bytes.length; at++) sum = (sum >>> 8) ^ (T0[(sum ^ (bytes[at] as number)) & 255] as number)
  return ~sum >>> 0
}
