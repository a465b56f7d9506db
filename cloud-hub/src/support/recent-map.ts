/**
 * A map that keeps what was used last, up to a weight. It has two generations: an entry that is found in the old one moves to the
 * young one. When the young one is half full, the old one is dropped and the young one becomes the old one.
 */
export class RecentMap<T> {
  #young = new Map<string, T>()
  #old = new Map<string, T>()
  #youngWeight = 0
  #generation = 0
  readonly #maxWeight: number
  readonly #weightOf: (one: T) => number
  readonly #onDrop: ((one: T) => void) | undefined

  /** @param onDrop learns what the map drops by itself */
  constructor(maxWeight: number, weightOf: (one: T) => number, onDrop?: (one: T) => void) {
    this.#maxWeight = maxWeight
    this.#weightOf = weightOf
    this.#onDrop = onDrop
  }

  /** Changes whenever the map drops its old generation. What was used in this generation survives the next change. */
  get generation(): number {
    return this.#generation
  }

  get(name: string): T | undefined {
    const young = this.#young.get(name)
    if (young !== undefined) return young
    const old = this.#old.get(name)
    if (old !== undefined) this.set(name, old)
    return old
  }

  set(name: string, one: T): void {
    const before = this.#young.get(name)
    this.#youngWeight += this.#weightOf(one) - (before === undefined ? 0 : this.#weightOf(before))
    this.#young.set(name, one)
    if (this.#youngWeight <= this.#maxWeight / 2) return
    if (this.#onDrop) for (const [key, dropped] of this.#old) if (!this.#young.has(key)) this.#onDrop(dropped)
    this.#generation++
    this.#old = this.#young
    this.#young = new Map()
    this.#youngWeight = 0
  }

  delete(name: string): void {
    const young = this.#young.get(name)
    if (young !== undefined) this.#youngWeight -= this.#weightOf(young)
    this.#young.delete(name)
    this.#old.delete(name)
  }
}
