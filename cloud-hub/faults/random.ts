/** A pseudo-random generator that gives the same sequence for the same seed. */
export interface Random {
  /** 0 <= x < 1 */
  uniform(): number
  between(low: number, high: number): number
  /** an integer, both ends included */
  whole(low: number, high: number): number
  pick<T>(from: readonly T[]): T
  /** the elements in random order */
  shuffle<T>(list: readonly T[]): T[]
}

/** mulberry32 (public domain, T. Ettinger); `name` gives each row a sequence of its own, whichever rows run. */
export function seededRandom(seed: number, name: string): Random {
  let state = [...name].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), seed ^ 0x811c9dc5) >>> 0
  function uniform(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (low: number, high: number) => low + Math.floor((high - low + 1) * uniform())
  return {
    uniform,
    between: (low, high) => low + (high - low) * uniform(),
    whole,
    pick: <T>(from: readonly T[]) => from[whole(0, from.length - 1)] as T,
    shuffle: <T>(list: readonly T[]) => {
      const mixed = [...list]
      for (let i = mixed.length - 1; i > 0; i--) {
        const j = whole(0, i)
        ;[mixed[i], mixed[j]] = [mixed[j] as T, mixed[i] as T]
      }
      return mixed
    },
  }
}
