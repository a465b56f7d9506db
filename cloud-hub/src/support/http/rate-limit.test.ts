import { describe, expect, it } from 'vitest'
import { RollingWindow } from './rate-limit.ts'

describe('a rolling window', () => {
  it('lets exactly the limit through in any minute, and frees a slot as each hit expires', () => {
    const window = new RollingWindow()
    for (let i = 0; i < 600; i++) expect(window.hit('a', 600, 1_000 + i)).toMatchObject({ ok: true, remaining: 599 - i })
    expect(window.hit('a', 600, 2_000)).toEqual({ ok: false, limit: 600, remaining: 0, resetAt: 61, retryAfter: 59 })
    expect(window.hit('a', 600, 60_999).ok).toBe(false)
    expect(window.hit('a', 600, 61_000).ok).toBe(true)
    expect(window.hit('a', 600, 61_000).ok).toBe(false)
    expect(window.hit('b', 600, 2_000).ok).toBe(true)
  })
  it('does not count what it refuses', () => {
    const window = new RollingWindow()
    window.hit('a', 1, 0)
    for (let t = 1; t < 60_000; t += 1_000) window.hit('a', 1, t)
    expect(window.hit('a', 1, 60_000).ok).toBe(true)
  })
  it('agrees with a plain list over a random walk, through growth and wrap-around', () => {
    const window = new RollingWindow(1_000)
    let seed = 7
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed / 2_147_483_648
    }
    let taken: number[] = []
    let now = 0
    for (let i = 0; i < 5_000; i++) {
      now += Math.floor(random() * 60)
      taken = taken.filter((at) => at > now - 1_000)
      const ok = taken.length < 37
      expect(window.isFull('k', now)).toBe(!ok)
      expect(window.hit('k', 37, now).ok).toBe(ok)
      if (ok) taken.push(now)
    }
  })
})
