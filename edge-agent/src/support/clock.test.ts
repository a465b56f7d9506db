import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'

test('a sleep never ends early', async () => {
  for (let i = 0; i < 100; i++) {
    const ms = 2 + i / 100
    for (const busyUntil = performance.now() + (i % 7) / 10; performance.now() < busyUntil; );
    const dueAt = performance.now() + ms
    await systemClock.sleep(ms)
    expect(performance.now()).toBeGreaterThanOrEqual(dueAt)
  }
})

test('a sleep ends at once when its signal aborts', async () => {
  const stop = new AbortController()
  const began = performance.now()
  const sleeping = systemClock.sleep(60_000, stop.signal)
  stop.abort()
  await sleeping
  await systemClock.sleep(60_000, stop.signal)
  expect(performance.now() - began).toBeLessThan(10_000)
})
