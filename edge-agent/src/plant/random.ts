/** A random number generator that gives the same sequence for the same seed. */
export interface SeededRandom {
  /** 0 <= x < 1 */
  uniform(): number
  between(low: number, high: number): number
  /** normally distributed around 0 */
  noise(sigma: number): number
}

/** mulberry32 (public domain, T. Ettinger): 32 bits of state are plenty for a simulation. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  function uniform(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    uniform,
    between: (low, high) => low + (high - low) * uniform(),
    // Box-Muller
    noise: (sigma) => sigma * Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  }
}
