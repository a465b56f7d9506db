import { expect, it } from 'vitest'
import type { AgentStatus } from '../agent.ts'
import { BufferForecast } from './buffer-forecast.ts'
import { ErrorLog } from './error-log.ts'

const HOUR = 3_600_000
const statusWith = (detail: string) =>
  ({ uplink: { detail }, hub: { detail: '' }, collectors: {}, buffer: { fault: null } }) as unknown as AgentStatus

it('the forecast follows the growth of the last minutes, and is none while the buffer does not grow', () => {
  const forecast = new BufferForecast()
  expect(forecast.hoursUntilFull(0, 1_000)).toBeNull()
  for (let at = 0; at <= HOUR; at += 10_000) forecast.noteSometimes(() => (at / HOUR) * 100, at)
  expect(forecast.hoursUntilFull(100, 1_000)).toBeCloseTo(9)
  expect(forecast.hoursUntilFull(1_000, 1_000)).toBe(0)
  for (let at = HOUR; at <= 3 * HOUR; at += 10_000) forecast.noteSometimes(() => 50, at)
  expect(forecast.hoursUntilFull(50, 1_000)).toBeNull()
})

it('the forecast asks for the size every ten seconds', () => {
  const forecast = new BufferForecast()
  let asked = 0
  for (let at = 0; at < 60_000; at += 250) forecast.noteSometimes(() => ++asked, at)
  expect(asked).toBe(6)
})

it('the last errors keep since when and until when, newest first, and what still is wrong stays', () => {
  const log = new ErrorLog(0)
  log.note(statusWith('not ready yet'), 100)
  log.note(statusWith(''), 1_000)
  expect(log.list()).toEqual([])
  log.note(statusWith('first'), 10_000)
  log.note(statusWith('first'), 11_000)
  log.note(statusWith('second'), 12_000)
  expect(log.list()).toEqual([
    { what: 'uplink', words: 'second', since: 12_000, until: null },
    { what: 'uplink', words: 'first', since: 10_000, until: 12_000 },
  ])
  const hub = (n: number) => ({ ...statusWith('second'), hub: { detail: `hub ${n}` } }) as AgentStatus
  for (let n = 0; n < 200; n++) log.note(hub(n), 20_000 + n)
  expect(log.list()).toHaveLength(50)
  expect(log.list().at(-1)).toMatchObject({ words: 'second', until: null })
})
