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
  // Box-Muller makes two values at once
  let spare: number | null = null
  function normal(): number {
    if (spare !== null) {
      const kept = spare
      spare = null
      return kept
    }
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()))
    const angle = 2 * Math.PI * uniform()
    spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
  return {
    uniform,
    between: (low, high) => low + (high - low) * uniform(),
    noise: (sigma) => sigma * normal(),
  }
}
