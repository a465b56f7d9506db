import { expect, it, vi } from 'vitest'
import { observeJobs, repeat } from './jobs.ts'
import { createLogger } from './logger.ts'

it('an observer of a logger receives each run of its jobs, and of no other logger', async () => {
  const [logger, other] = [createLogger('silent'), createLogger('silent')]
  const seen: [string, boolean][] = []
  observeJobs(logger, (job, seconds, isOk) => {
    expect(seconds).toBeGreaterThanOrEqual(0)
    seen.push([job, isOk])
  })
  let turns = 0
  const work = async () => {
    if (++turns === 2) throw new Error('the second turn fails')
  }
  const stops = [repeat('sweep', 0.001, logger, work), repeat('elsewhere', 0.001, other, async () => {})]
  await vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(3), { timeout: 60_000 })
  await Promise.all(stops.map((stop) => stop()))
  expect(seen.slice(0, 3)).toEqual([
    ['sweep', true],
    ['sweep', false],
    ['sweep', true],
  ])
})
