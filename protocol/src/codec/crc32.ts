const TABLE = Int32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
  return c
})

/**
 * CRC-32 as in zlib, PNG and Ethernet.
 * @param seed the checksum of what comes before, to go on from there
 * @returns 0 to 2^32 - 1
 * Source: ITU-T V.42, 8.1.1.6.2; polynomial 0xEDB88320 reflected
 */
export function crc32(bytes: Uint8Array, seed = 0): number {
  let c = ~seed
  for (let i = 0; i < bytes.length; i++) c = (TABLE[(c ^ (bytes[i] as number)) & 0xff] as number) ^ (c >>> 8)
  return ~c >>> 0
}
