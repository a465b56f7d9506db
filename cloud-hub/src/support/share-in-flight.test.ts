import { expect, it } from 'vitest'
import { shareInFlight } from './share-in-flight.ts'

it('callers during a call in flight share its result, and later callers start a new one', async () => {
  let runs = 0
  const work = shareInFlight(async () => ++runs)
  expect(await Promise.all([work(), work(), work()])).toEqual([1, 1, 1])
  expect(await work()).toBe(2)
})

it('a result is cached for the given time, a failure is not', async () => {
  let runs = 0
  const kept = shareInFlight(async () => {
    if (++runs === 1) throw new Error('the first one fails')
    return runs
  }, 60_000)
  const failed = [kept(), kept()].map((call) => call.catch((error: Error) => error.message))
  expect(await Promise.all(failed)).toEqual(['the first one fails', 'the first one fails'])
  expect([await kept(), await kept()]).toEqual([2, 2])
  const stale = shareInFlight(async () => ++runs, 1)
  const first = await stale()
  while ((await stale()) === first) await new Promise((done) => setTimeout(done, 2))
})
