import { KEY_WORDS } from './key-words.ts'

/** A set of keys in one array, with open addressing: 16 bytes a key, and at most three quarters of the array are used. */
export class KeySet {
  #slots = new Uint32Array(64 * KEY_WORDS)
  #hasZero = false
  #size = 0

  get byteLength(): number {
    return this.#slots.byteLength
  }

  has(words: Uint32Array, at: number): boolean {
    return isZero(words, at) ? this.#hasZero : this.#find(words, at) < 0
  }

  /** @returns whether the key is new */
  add(words: Uint32Array, at: number): boolean {
    if (isZero(words, at)) {
      const isNew = !this.#hasZero
      this.#hasZero = true
      return isNew
    }
    const slot = this.#find(words, at)
    if (slot < 0) return false
    copyKey(words, at, this.#slots, slot)
    this.#size++
    if (this.#size * KEY_WORDS * 4 > this.#slots.length * 3) this.#grow()
    return true
  }

  addAll(words: Uint32Array): void {
    for (let at = 0; at < words.length; at += KEY_WORDS) this.add(words, at)
  }

  /** @returns the empty slot where the key belongs; -1 when the set has it */
  #find(words: Uint32Array, at: number): number {
    const slots = this.#slots
    let slot = ((words[at] as number) * KEY_WORDS) % slots.length
    while (!isZero(slots, slot)) {
      if (isSameKey(slots, slot, words, at)) return -1
      slot = (slot + KEY_WORDS) % slots.length
    }
    return slot
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += KEY_WORDS) if (!isZero(old, at)) copyKey(old, at, this.#slots, this.#find(old, at))
  }
}

const isZero = (words: Uint32Array, at: number): boolean =>
  words[at] === 0 && words[at + 1] === 0 && words[at + 2] === 0 && words[at + 3] === 0

export const isSameKey = (a: Uint32Array, i: number, b: Uint32Array, k: number): boolean =>
  a[i] === b[k] && a[i + 1] === b[k + 1] && a[i + 2] === b[k + 2] && a[i + 3] === b[k + 3]

export function copyKey(from: Uint32Array, i: number, to: Uint32Array, k: number): void {
  to[k] = from[i] as number
  to[k + 1] = from[i + 1] as number
  to[k + 2] = from[i + 2] as number
  to[k + 3] = from[i + 3] as number
}
