import { expect, it } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

it('sends one second’s worth at once, then at its rate', () => {
  const pace = new RateLimiter(1_000, 0)
  expect(pace.waitMs(0)).toBe(0)
  pace.take(1_000)
  expect(pace.waitMs(0)).toBeCloseTo(1)
  expect(pace.waitMs(1)).toBe(0)
})

it('a slow rate still sends whole batches, and waits for what was overdrawn', () => {
  const pace = new RateLimiter(100, 0)
  pace.take(1_000)
  expect(pace.waitMs(0)).toBeCloseTo(9_010)
  expect(pace.waitMs(9_000)).toBeCloseTo(10)
  expect(pace.waitMs(9_011)).toBe(0)
})

it('what was not used does not pile up', () => {
  const pace = new RateLimiter(1_000, 0)
  expect(pace.waitMs(3_600_000)).toBe(0)
  pace.take(1_001)
  expect(pace.waitMs(3_600_000)).toBeGreaterThan(0)
})
