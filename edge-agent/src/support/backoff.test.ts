import { expect, test } from 'vitest'
import { Backoff } from './backoff.ts'

test('waits double up to the longest one', () => {
  const backoff = new Backoff({ firstMs: 500, maxMs: 3_000, random: () => 1 - Number.EPSILON })
  expect(Array.from({ length: 5 }, () => Math.round(backoff.next()))).toEqual([500, 1_000, 2_000, 3_000, 3_000])
})

test('jitter shortens a wait by at most a half', () => {
  const backoff = new Backoff({ firstMs: 500, maxMs: 3_000, random: () => 0 })
  expect([backoff.next(), backoff.next()]).toEqual([250, 500])
})

test('a success starts the waits anew', () => {
  const backoff = new Backoff({ firstMs: 500, maxMs: 3_000, random: () => 0 })
  backoff.next()
  backoff.next()
  backoff.reset()
  expect(backoff.failures).toBe(0)
  expect(backoff.next()).toBe(250)
})

test('a thousand failures still give a finite wait', () => {
  const backoff = new Backoff({ firstMs: 500, maxMs: 3_000, random: () => 0 })
  for (let i = 0; i < 1_000; i++) backoff.next()
  expect(backoff.next()).toBe(1_500)
})
