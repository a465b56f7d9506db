/**
 * A Bloom filter in blocks of 512 bits, so that a test reads one cache line (Putze, Sanders, Singler 2007). 16 bits a key and 6 bits
 * set for each: about 0.15 % of other keys pass. The words of a key are hashes, so they select the block and its bits.
 */
const BLOCK_WORDS = 16
const KEYS_PER_BLOCK = 32

/** An empty filter for so many keys. */
export const newFilter = (keys: number): Uint32Array =>
  new Uint32Array(Math.max(1, Math.ceil(keys / KEYS_PER_BLOCK)) * BLOCK_WORDS)

const blockOf = (filter: Uint32Array, words: Uint32Array, at: number): number =>
  Math.floor(((words[at + 3] as number) * (filter.length / BLOCK_WORDS)) / 2 ** 32) * BLOCK_WORDS

export function addToFilter(filter: Uint32Array, words: Uint32Array, at: number): void {
  const block = blockOf(filter, words, at)
  for (let which = 1; which <= 2; which++) {
    const hash = words[at + which] as number
    for (let shift = 0; shift < 27; shift += 9) {
      const bit = (hash >>> shift) & 511
      const word = block + (bit >>> 5)
      filter[word] = (filter[word] as number) | (1 << (bit & 31))
    }
  }
}

/** Whether the filter may have the key; false: it has not. */
export function mayHave(filter: Uint32Array, words: Uint32Array, at: number): boolean {
  const block = blockOf(filter, words, at)
  for (let which = 1; which <= 2; which++) {
    const hash = words[at + which] as number
    for (let shift = 0; shift < 27; shift += 9) {
      const bit = (hash >>> shift) & 511
      if ((((filter[block + (bit >>> 5)] as number) >>> (bit & 31)) & 1) === 0) return false
    }
  }
  return true
}
