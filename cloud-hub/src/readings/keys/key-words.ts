/** A key is 4 words of 32 bits, in the byte order of the processor, which is little-endian everywhere the hub runs. */
export const KEY_WORDS = 4
export const KEY_BYTES = 16

const DIGITS = new Uint8Array(128)
for (let digit = 0; digit < 16; digit++) {
  DIGITS[digit.toString(16).charCodeAt(0)] = digit
  DIGITS[digit.toString(16).toUpperCase().charCodeAt(0)] = digit
}

function parseWord(text: string, first: number, second: number): number {
  let word = 0
  for (let i = first; i < first + 4; i++) word = (word << 4) | (DIGITS[text.charCodeAt(i)] as number)
  for (let i = second; i < second + 4; i++) word = (word << 4) | (DIGITS[text.charCodeAt(i)] as number)
  return word
}

/** The finalizer of MurmurHash3. */
function mix(word: number): number {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/**
 * Writes a UUID as 4 words that are distributed evenly, also for UUIDs that ascend. A Feistel network, so different UUIDs have
 * different words: nothing of the 128 bits is lost.
 */
export function writeKey(uuid: string, words: Uint32Array, at: number): void {
  let a = parseWord(uuid, 0, 4)
  let b = parseWord(uuid, 9, 14)
  let c = parseWord(uuid, 19, 24)
  let d = parseWord(uuid, 28, 32)
  for (let round = 1; round <= 2; round++) {
    b ^= mix(a + round)
    c ^= mix(b + round)
    d ^= mix(c + round)
    a ^= mix(d + round)
  }
  words[at] = a
  words[at + 1] = b
  words[at + 2] = c
  words[at + 3] = d
}

/** The words of stored keys. A copy, because a buffer from the driver need not be aligned. */
export const wordsOf = (bytes: Buffer): Uint32Array =>
  new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))

export const bytesOf = (words: Uint32Array): Buffer => Buffer.from(words.buffer, words.byteOffset, words.byteLength)

/** The page of a key in a run of 2^bits pages. */
export const pageOf = (words: Uint32Array, at: number, bits: number): number =>
  bits === 0 ? 0 : (words[at] as number) >>> (32 - bits)
