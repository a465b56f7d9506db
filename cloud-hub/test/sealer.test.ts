import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { checkSealing } from '../src/cli/doctor-jobs.ts'
import { createMetrics } from '../src/metrics.ts'
import { SealHints } from '../src/readings/seal/seal-hints.ts'
import { Sealer } from '../src/readings/seal/sealer.ts'
import { groupOf } from '../src/readings/series-group.ts'
import type { Clock } from '../src/support/clock.ts'
import { type PackedMachine, type Points, usePackedStore } from './packed-readings.ts'
import { useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'

const store = usePackedStore()
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]
const NOON = Date.UTC(2026, 10, 18, 12)
const THREAD = new URL('../src/readings/seal/seal-thread.ts', import.meta.url)
const points = (from: number, count: number): Points =>
  Array.from({ length: count }, (_, i) => [NOON + from + i * SECOND, i % 50])
const appendTo = (machine: PackedMachine, its: Points) => store.append(machine, new Map(machine.series.map((id) => [id, its])))

/** A sealer with a clock that stands still until the test moves it. */
function startSealer(program?: URL) {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const clock: Clock & { at: number } = { at: NOON + HOUR / 2, now: () => new Date(clock.at) }
  const [hints, metrics] = [new SealHints(), createMetrics()]
  const times = { tickMs: 20, restartMs: 20 }
  const deps = { login: store.logins.haltless_system, hints, clock, logger, metrics, ...times }
  const sealer = new Sealer(program ? { ...deps, program } : deps)
  onTestFinished(() => sealer.stop())
  const figure = async (name: string) => Number(new RegExp(`^haltless_${name} (\\S+)$`, 'm').exec(await metrics.text())?.[1])
  return { sealer, clock, hints, lines, figure }
}
const connections = async () => {
  const [row] = await store.owner<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'haltless sealer'`
  return row?.n
}

beforeEach(() => store.owner`truncate reading_arrivals, reading_tail, reading_blocks_open, reading_blocks`)

describe('the sealer', () => {
  it('finds what is in the tail at its start, seals it after its hour and merges it after its day', async () => {
    const machine = await store.machine(2)
    await appendTo(machine, points(0, 600))
    const before = await store.readings(machine)
    const { clock, figure } = startSealer()
    await soon(async () => expect(await figure('tail_readings')).toBe(1_200))
    expect(await figure('tail_oldest_reading_seconds')).toBe(1_800)
    clock.at = NOON + HOUR + 2 * MINUTE
    await soon(async () => expect(await store.counts(machine)).toEqual({ tail: 0, open: 2, day: 0 }))
    clock.at = NOON + 14 * HOUR - 1
    await soon(async () => expect(await figure('tail_readings')).toBe(0))
    expect(await store.counts(machine)).toEqual({ tail: 0, open: 2, day: 0 })
    clock.at = NOON + 14 * HOUR + 10 * MINUTE
    await soon(async () => expect(await store.counts(machine)).toEqual({ tail: 0, open: 0, day: 2 }))
    expect(await store.readings(machine)).toEqual(before)
    await soon(async () => expect(await figure('sealed_readings_total')).toBe(1_200))
    expect(await figure('sealing_failures_total')).toBe(0)
  })

  it('learns from hints which machines have work: it compacts many rows, and seals a backlog at once', async () => {
    const { hints, clock, figure } = startSealer()
    await soon(async () => expect(await figure('tail_readings')).not.toBeNaN())
    const [live, backlog] = [await store.machine(1), await store.machine(1)]
    const hint = (machine: PackedMachine, readings: number) => hints.appended(machine.tenantId, machine.machineId, readings)
    for (let i = 0; i < 64; i++) {
      await appendTo(live, points(i * SECOND, 1))
      await appendTo(backlog, points(-DAY + i * 10 * SECOND, 10))
    }
    for (let i = 0; i < 64; i++) hint(live, 1)
    for (let i = 0; i < 64; i++) hint(backlog, 10)
    await soon(async () => expect(await store.counts(live)).toEqual({ tail: 1, open: 0, day: 0 }))
    await soon(async () => expect(await store.counts(backlog)).toEqual({ tail: 0, open: 1, day: 0 }))
    await appendTo(backlog, points(-DAY + HOUR, 600))
    hint(backlog, 600)
    clock.at += 31 * SECOND
    await soon(async () => expect((await store.counts(backlog)).open).toBe(1))
  })

  it('divides arrivals when 32 rows of a group have come, and all of them before it seals their hour', async () => {
    const { hints, clock, figure } = startSealer()
    await soon(async () => expect(await figure('tail_readings')).not.toBeNaN())
    const [many, few] = [await store.machinesOfGroup(2), await store.machinesOfGroup(2)]
    const arrive = async (machines: typeof many, from: number, count: number) => {
      await store.arrive(machines, points(from, count))
      hints.arrived(machines[0].tenantId, groupOf(machines[0].series[0] as number), 2 * count)
    }
    for (let i = 0; i < 31; i++) await arrive(many, i * SECOND, 1)
    await arrive(few, 0, 600)
    await soon(async () => expect(await figure('tail_readings')).toBe(1_262))
    expect(await store.counts(many[0])).toEqual({ tail: 0, open: 0, day: 0 })
    await arrive(many, 31 * SECOND, 1)
    for (const machine of many) await soon(async () => expect(await store.counts(machine)).toEqual({ tail: 1, open: 0, day: 0 }))
    expect(await store.counts(few[0])).toEqual({ tail: 0, open: 0, day: 0 })
    clock.at = NOON + HOUR + 2 * MINUTE
    for (const machine of few) await soon(async () => expect(await store.counts(machine)).toEqual({ tail: 0, open: 1, day: 0 }))
    expect((await store.readings(few[1] as PackedMachine)).size).toBe(600)
  })

  it('seals machines also while arrivals come faster than they can be divided', async () => {
    await store.owner.unsafe(`
      create function slow_division() returns trigger language plpgsql as $$ begin perform pg_sleep(0.4); return null; end $$;
      create trigger slow_division after delete on reading_arrivals for each statement execute function slow_division()`)
    const machine = await store.machine(1)
    await appendTo(machine, points(0, 600))
    const { sealer, clock, hints } = startSealer()
    clock.at = NOON + HOUR + 2 * MINUTE
    const tenantId = randomUUID()
    const more = setInterval(() => {
      for (let group = 0; group < 40; group++) for (let i = 0; i < 160; i++) hints.arrived(tenantId, group, 1)
      clock.at += 10 * SECOND
    }, 200)
    onTestFinished(async () => {
      clearInterval(more)
      await sealer.stop()
      await store.owner.unsafe('drop trigger slow_division on reading_arrivals; drop function slow_division()')
    })
    await expect.poll(() => store.counts(machine), { timeout: 40_000, interval: 200 }).toEqual({ tail: 0, open: 1, day: 0 })
  })

  it('finds arrivals of other processes in its scan', async () => {
    const machines = await store.machinesOfGroup(2)
    await store.arrive(machines, points(0, 600))
    const { clock, figure } = startSealer()
    await soon(async () => expect(await figure('tail_readings')).toBe(1_200))
    expect(await figure('tail_oldest_reading_seconds')).toBe(1_800)
    clock.at = NOON + HOUR + 2 * MINUTE
    for (const machine of machines)
      await soon(async () => expect(await store.counts(machine)).toEqual({ tail: 0, open: 1, day: 0 }))
  })

  it('lets late readings join their block after an hour', async () => {
    const machine = await store.machine(1)
    await appendTo(machine, points(0, 1_000))
    const { clock, figure } = startSealer()
    clock.at = NOON + 2 * HOUR
    await soon(async () => expect(await store.counts(machine)).toEqual({ tail: 0, open: 1, day: 0 }))
    await store.append(machine, new Map([[machine.series[0] as number, [[NOON + 500, 7]]]]))
    clock.at = NOON + 2 * HOUR + 10 * MINUTE
    await soon(async () => expect(await figure('tail_readings')).toBe(1))
    clock.at = NOON + 3 * HOUR + 9 * MINUTE
    await soon(async () => expect(await figure('tail_oldest_reading_seconds')).toBeGreaterThan(11_000))
    expect(await store.counts(machine)).toEqual({ tail: 1, open: 1, day: 0 })
    clock.at = NOON + 3 * HOUR + 10 * MINUTE
    await soon(async () => expect(await store.counts(machine)).toEqual({ tail: 0, open: 1, day: 0 }))
  })

  it('reports damaged readings in the log, and goes on with other machines', async () => {
    const [damaged, doubled, sound] = [await store.machine(1), await store.machine(1), await store.machine(1)]
    for (const machine of [damaged, doubled, doubled, sound]) await appendTo(machine, points(0, 600))
    await store.owner`update reading_tail set body = substr(body, 1, 9) where machine_id = ${damaged.machineId}`
    const { clock, lines, figure } = startSealer()
    clock.at = NOON + 2 * HOUR
    await soon(async () => expect(await store.counts(sound)).toEqual({ tail: 0, open: 1, day: 0 }))
    const message = 'stored readings are damaged and stay as they are: restore them from a backup'
    await soon(() => {
      for (const { machineId, tenantId } of [damaged, doubled])
        expect(lines).toContainEqual(
          expect.objectContaining({
            machine: machineId,
            tenant: tenantId,
            what: expect.any(String),
            reason: expect.any(String),
            msg: message,
          }),
        )
    })
    expect(await store.counts(damaged)).toEqual({ tail: 1, open: 0, day: 0 })
    expect(await store.counts(doubled)).toEqual({ tail: 2, open: 0, day: 0 })
    await soon(async () => expect(await figure('sealing_failures_total')).toBe(2))
  })

  it('removes expired readings for the job', async () => {
    const machine = await store.machine(1)
    await appendTo(machine, points(-100 * DAY, 3))
    const { sealer, clock } = startSealer()
    clock.at = NOON - 97 * DAY
    await soon(async () => expect((await store.counts(machine)).open).toBe(1))
    clock.at += 11 * MINUTE
    await soon(async () => expect((await store.counts(machine)).day).toBe(1))
    const retention = { rawDays: 90, minuteDays: 365, hourDays: 0 }
    expect(await sealer.removeExpired(new Date(NOON), retention, new AbortController().signal)).toBe(3)
    const ended = sealer.removeExpired(new Date(NOON), retention, AbortSignal.abort(new Error('the hub stops')))
    await expect(ended).rejects.toThrow('the hub stops')
  })

  it('stops after the transaction under way, and leaves no connection', async () => {
    const machine = await store.machine(1)
    await appendTo(machine, points(0, 600))
    const { sealer, clock, figure } = startSealer()
    await soon(async () => expect(await figure('tail_readings')).not.toBeNaN())
    expect(await connections()).toBeGreaterThan(0)
    clock.at = NOON + 2 * HOUR
    await Promise.all([sealer.stop(), sealer.stop()])
    await soon(async () => expect(await connections()).toBe(0))
    const { tail, open } = await store.counts(machine)
    expect([tail, open].join()).toMatch(/^(1,0|0,1)$/)
  })

  it('starts its thread again after a crash, later each time, and reports the cause', async () => {
    const machine = await store.machine(1)
    await appendTo(machine, points(0, 600))
    const program = `if (process.env.SEALER_MAY_RUN) await import(${JSON.stringify(THREAD.href)})\nelse throw new Error('out of luck')`
    const { sealer, clock, lines, figure } = startSealer(new URL(`data:text/javascript,${encodeURIComponent(program)}`))
    clock.at = NOON + 2 * HOUR
    onTestFinished(() => {
      delete process.env.SEALER_MAY_RUN
    })
    await soon(() => expect(lines.length).toBeGreaterThan(2))
    expect(lines.slice(0, 3)).toMatchObject([20, 40, 80].map((restart_ms) => ({ restart_ms, err: { message: 'out of luck' } })))
    await soon(() =>
      expect(
        sealer.removeExpired(new Date(), { rawDays: 0, minuteDays: 0, hourDays: 0 }, new AbortController().signal),
      ).rejects.toThrow(),
    )
    process.env.SEALER_MAY_RUN = '1'
    await soon(async () => expect(await store.counts(machine)).toEqual({ tail: 0, open: 1, day: 0 }))
    expect(await figure('sealing_failures_total')).toBeGreaterThan(2)
  })
})

describe('a hub', () => {
  const hubs = useRunningHubs()
  it('seals with the worker role, and shows in /metrics and to doctor how far it is', async () => {
    const hub = await hubs.start()
    const text = await soon(async () => {
      const found = await (await fetch(`${hub.url}/metrics`)).text()
      expect(found).toMatch(/^haltless_tail_readings 0$/m)
      return found
    })
    expect(checkSealing(text)).toMatchObject([{ check: 'sealing', state: 'ok', detail: '0 readings are not in blocks yet' }])
    await hub.stop()
  })
})
