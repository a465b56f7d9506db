import type { Reading } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentDeps } from '../src/agent/deps.ts'
import type { BootTime } from '../src/clock/process-clock.ts'
import type { CollectorClock } from '../src/collectors/collector.ts'
import { formatStatus } from '../src/commands/status.ts'
import { systemClock } from '../src/support/clock.ts'
import { Plant, until } from './agent-harness.ts'

const HOUR = 3_600_000
const SINCE_1970 = Date.now()
/** Between the true time of a reading and the one that it is stored with. */
const CLOSE_MS = 2_500

let plant: Plant
let boots: number
/** true time of each reading, by value */
let taken: Map<number, number>
beforeEach(async () => {
  plant = await Plant.open()
  boots = 0
  taken = new Map()
})
afterEach(() => plant.end())

/** The computer is switched on, and its clock begins somewhere. */
function boot(wrongMs: number): { wall: { wrongMs: number }; bootTime: BootTime } {
  const since = performance.now()
  return { wall: { wrongMs }, bootTime: { bootId: `boot ${++boots}`, elapsedMs: () => performance.now() - since } }
}

function run({ wall, bootTime }: ReturnType<typeof boot>, changes: Parameters<Plant['start']>[0] = {}) {
  let clock: CollectorClock = systemClock
  let hand: (reading: Reading) => unknown = () => {}
  const deps: Partial<AgentDeps> = {
    clock: { ...systemClock, now: () => Date.now() + wall.wrongMs },
    bootTime,
    createCollector: (source, collectorDeps) => {
      clock = collectorDeps.clock
      hand = ({ timestamp, value, ...series }) =>
        collectorDeps.onReadings({
          series: [series],
          seriesIndex: Uint32Array.of(0),
          timestamps: Float64Array.of(timestamp),
          values: Float64Array.of(value),
        })
      return {
        name: source.name,
        start: () => {},
        stop: async () => {},
        status: () => ({
          state: 'running',
          detail: '',
          fault: null,
          lastAnswerAt: null,
          lastReadAt: clock.now(),
          readingsTotal: 0,
          badValuesTotal: 0,
          badTags: [],
          missedPolls: { skipped: 0, failed: 0 },
          sourceClock: { aheadMs: -3 * HOUR, isUsed: false, isExact: true },
        }),
      }
    },
  }
  const { agent, lines } = plant.start(changes, deps)
  let lastAt = Number.NaN
  const read = async () => {
    const value = taken.size
    // the hub knows a reading by its series and millisecond
    while (clock.now() === lastAt) await new Promise((resolve) => setTimeout(resolve, 1))
    lastAt = clock.now()
    taken.set(value, Date.now())
    await hand({ machine: 'press-01', metric: 'speed', unit: 'rpm', rawTag: 'r', timestamp: lastAt, value })
  }
  return { agent, lines, read }
}

const stored = () => new Map([...plant.hub.stored.values()].map(({ value, timestamp }) => [value, timestamp]))
/** How far each stored reading is from its true time, ms. */
const errors = () => [...stored()].map(([value, at]) => Math.abs(at - (taken.get(value) as number)))
const untilStored = (count: number) => until(`${count} readings are stored`, () => plant.hub.stored.size === count)

describe.each<[string, number]>([
  ['an hour behind', -HOUR],
  ['an hour ahead', HOUR],
  ['two days ahead', 48 * HOUR],
  ['in 1970', -SINCE_1970],
])('with a clock that is %s', (_, wrongMs) => {
  it('readings from before and after the first contact have the time of the hub, and none is lost', async () => {
    plant.hub.behaviour.isHttpOpen = false
    const { read, agent } = run(boot(wrongMs), { buffer: { maxAgeMs: HOUR / 2 } })
    for (let i = 0; i < 40; i++) await read()
    expect(agent.status().readingClock.offsetMs).toBeNull()
    plant.hub.behaviour.isHttpOpen = true
    await untilStored(40)
    for (let i = 0; i < 40; i++) await read()
    await untilStored(80)
    expect(Math.max(...errors())).toBeLessThan(CLOSE_MS)
    await until('the buffer is empty', () => plant.report().buffer.buffered === 0)
    expect(plant.report().buffer.dropped).toBe(0)
    await until('the hub knows the offset', () =>
      plant.hub.heartbeats.some(({ clock_offset_ms }) => clock_offset_ms !== undefined),
    )
    const { clock_offset_ms = 0 } = plant.hub.heartbeats.at(-1) ?? {}
    expect(Math.abs(clock_offset_ms + wrongMs)).toBeLessThan(CLOSE_MS)
  })

  // Once is enough for what does not depend on the offset.
  it.runIf(wrongMs === HOUR || wrongMs < -48 * HOUR)(
    'a restart of the agent before the first contact changes nothing, because the computer was not restarted',
    async () => {
      plant.hub.behaviour.isHttpOpen = false
      const computer = boot(wrongMs)
      const first = run(computer)
      for (let i = 0; i < 20; i++) await first.read()
      await plant.stop(first.agent)
      // NTP, or a person, sets the clock meanwhile.
      computer.wall.wrongMs = 0
      const second = run(computer)
      for (let i = 0; i < 20; i++) await second.read()
      plant.hub.behaviour.isHttpOpen = true
      await untilStored(40)
      expect(Math.max(...errors())).toBeLessThan(CLOSE_MS)
    },
  )

  it.runIf(wrongMs === HOUR || wrongMs < -48 * HOUR)('status says so, and how long ago things happened', async () => {
    const { agent } = run(boot(wrongMs))
    await until('the clocks are compared', () => agent.status().readingClock.offsetMs !== null)
    const about = {
      pid: 1,
      agentId: 'press-hall',
      version: '1',
      startedAt: Date.now() + wrongMs,
      writtenAt: Date.now() + wrongMs,
    }
    const report = { ...plant.report(), is_running: true, agent: { ...about, ...agent.status() } }
    const text = formatStatus(report, Date.now() + wrongMs)
    expect(text).toMatch(
      /clock +that of this computer is .* (ahead of|behind) that of the hub; readings are sent with the time of the hub/,
    )
    expect(text).toMatch(/last reading \d s ago/)
  })
})

it('status says when the disk accepts no write, and when the agent writes its status no more', () => {
  const { agent } = run(boot(0))
  const now = Date.now()
  const about = { pid: 1, agentId: 'press-hall', version: '1', startedAt: now, writtenAt: now }
  const fault = { reason: 'database or disk is full', lostReadings: 1_234, isKeptInMemory: false }
  const report = { ...plant.report(), is_running: true, agent: { ...about, ...agent.status(), buffer: { fault } } }
  const text = formatStatus(report, now)
  expect(text).toMatch(/dropped +1,234 readings/)
  expect(text).toMatch(/disk +accepts no write \(database or disk is full\): readings are lost until it does/)
  expect(text).not.toContain('warning')
  const late = formatStatus({ ...report, agent: { ...report.agent, writtenAt: now - 180_000 } }, now)
  expect(late).toMatch(/warning +the agent last wrote its status 3 min ago: it hangs, or its disk accepts no write/)
})

it('the clock of a source that is wrong is in status and heartbeats', async () => {
  const { agent } = run(boot(0))
  const now = Date.now()
  const about = { pid: 1, agentId: 'press-hall', version: '1', startedAt: now, writtenAt: now }
  const text = formatStatus({ ...plant.report(), is_running: true, agent: { ...about, ...agent.status() } }, now)
  expect(text).toMatch(/; its clock is 3 h behind: the agent dates its readings/)
  await until('a heartbeat', () => plant.hub.heartbeats.length > 0)
  expect(Object.values(plant.hub.heartbeats[0]?.source_clocks ?? {})).toEqual([
    { ahead_ms: -3 * HOUR, is_used: false, is_exact: true },
  ])
})

it('a clock that is set while the agent runs does not touch the readings, with and without a hub', async () => {
  const computer = boot(0)
  const { read } = run(computer)
  for (const wrongMs of [-HOUR, HOUR, -SINCE_1970, 0]) {
    plant.hub.behaviour.isHttpOpen = wrongMs !== HOUR
    computer.wall.wrongMs = wrongMs
    for (let i = 0; i < 10; i++) await read()
  }
  await untilStored(40)
  expect(Math.max(...errors())).toBeLessThan(CLOSE_MS)
  const times = [...stored()].toSorted(([a], [b]) => a - b).map(([, at]) => at)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

it('readings of a clock that nobody compared before the computer was restarted keep their times, and none is lost', async () => {
  plant.hub.behaviour.isHttpOpen = false
  const first = run(boot(-SINCE_1970))
  for (let i = 0; i < 20; i++) await first.read()
  await plant.stop(first.agent)
  const second = run(boot(-HOUR), { buffer: { maxAgeMs: HOUR / 2 } })
  for (let i = 0; i < 20; i++) await second.read()
  plant.hub.behaviour.isHttpOpen = true
  await untilStored(40)
  const times = stored()
  for (let value = 0; value < 20; value++) expect(times.get(value)).toBeLessThan(HOUR)
  for (let value = 20; value < 40; value++)
    expect(Math.abs((times.get(value) as number) - (taken.get(value) as number))).toBeLessThan(CLOSE_MS)
})

it('what was sent once is sent again with the same times, after a restart and another measurement', async () => {
  plant.hub.behaviour.receipt = () => null
  const computer = boot(HOUR)
  const first = run(computer, { uplink: { receiptTimeoutMs: 2_000 } })
  for (let i = 0; i < 20; i++) await first.read()
  await until('they were sent', () => plant.hub.batches.reduce((sum, { count }) => sum + count, 0) >= 20)
  const sent = new Map(plant.hub.batches.flatMap(({ readings }) => readings.map(({ value, timestamp }) => [value, timestamp])))
  await plant.stop(first.agent)
  plant.hub.behaviour.aheadMs = 20_000
  plant.hub.behaviour.receipt = () => ({})
  run(computer)
  await untilStored(20)
  expect(stored()).toEqual(sent)
})

it('rejected readings are sent again with the times that they were rejected with', async () => {
  plant.hub.behaviour.receipt = ({ values }) => ({
    accepted_count: 0,
    rejected_count: values.length,
    errors: Array.from(values, (_, index) => ({
      index,
      machine_identifier: 'press-01',
      code: 'unknown_machine',
      error: 'there is no such machine',
    })),
  })
  const { read } = run(boot(-48 * HOUR))
  for (let i = 0; i < 20; i++) await read()
  await until('all are rejected', () => plant.report().buffer.deadLetters === 20)
  plant.hub.behaviour.receipt = () => ({})
  plant.hub.behaviour.requeue = () => '0b0e7f1c-93f4-4c1b-8f6f-3d6a5b1f2e90'
  await untilStored(20)
  expect(Math.max(...errors())).toBeLessThan(CLOSE_MS)
})

it('a hub whose clock moves takes the agent along, from the next readings on', async () => {
  const { read } = run(boot(0))
  await read()
  await untilStored(1)
  plant.hub.behaviour.aheadMs = 60_000
  await until('the agent follows', () => plant.hub.heartbeats.some(({ clock_offset_ms = 0 }) => clock_offset_ms > 50_000))
  await read()
  await untilStored(2)
  expect(Math.abs((stored().get(1) as number) - (taken.get(1) as number) - 60_000)).toBeLessThan(CLOSE_MS)
})

it('a hub that does not tell its time gets the times of this computer', async () => {
  plant.hub.behaviour.tellsTime = false
  const { read } = run(boot(HOUR))
  await read()
  await untilStored(1)
  expect(Math.abs((stored().get(0) as number) - (taken.get(0) as number) - HOUR)).toBeLessThan(CLOSE_MS)
  expect(plant.hub.heartbeats.at(-1)?.clock_offset_ms).toBeUndefined()
})
