import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { recomputeOee } from '../src/features/production/oee/index.ts'
import { useHub } from './harness.ts'
import { soon } from './soon.ts'
import { shiftPlant } from './support/shift-plant.ts'
import { FLUSHED_TABLE } from './support/stored-readings.ts'

const hub = useHub()
/** Hub settings keep readings for long enough: the logs of these tests are of yesterday. */
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
const at = (time: string) => `${DAY}T${time}:00.000Z`
const job = () => recomputeOee(hub.deps.pools.system, hub.deps, hub.clock.now())
const settled = () =>
  soon(async () => {
    await job()
    expect(await hub.owner`select from oee_changes`).toHaveLength(0)
  })

/** A machine with an early shift of yesterday, 06:00 to 14:00 UTC. */
async function yesterday() {
  const made = await shiftPlant(hub)
  const { admin, machine, key, identifier } = made
  const log = (more: Record<string, unknown> = {}) =>
    made.log({ shift_date: DAY, actual_start: at('06:00'), actual_end: at('14:00'), ...more })
  const downtime = (from: string, until: string | null, more = {}) => made.downtime(at(from), until && at(until), more)
  const code = async (oee_loss_category: string) => {
    const given = { code: randomUUID(), label: 'x', category: 'unplanned', oee_loss_category }
    return (await admin.call('POST', 'reason-codes', given)).body.id as string
  }
  const compare = async (query = '') =>
    (await admin.call('GET', `shifts/comparison?from_date=${DAY}&to_date=${DAY}${query}`)).body.shifts
  const oee = async (query = '') => (await admin.call('GET', `machines/${machine.id}/oee?${query}`)).body
  const send = (metric: string, readings: [time: string, value: number][], unit = 'count') =>
    hub.send(
      key,
      readings.map(([time, value]) => ({ machine: identifier, metric, unit, value, at: new Date(at(time)) })),
    )
  return { ...made, log, downtime, code, compare, oee, send }
}

describe('the job', () => {
  it('computes the logs of other tenants when those of one fail', async () => {
    const [bad, good] = [await yesterday(), await yesterday()]
    await settled()
    await hub.owner.unsafe(`
      create function refuse_oee() returns trigger language plpgsql as $$ begin raise numeric_value_out_of_range; end $$;
      create trigger refuse_oee before insert on shift_log_oee for each row when (new.tenant_id = '${bad.admin.tenantId}') execute function refuse_oee()`)
    for (const { log } of [bad, good]) await log()
    const stored = (of: typeof bad) => hub.owner`select from shift_log_oee where tenant_id = ${of.admin.tenantId}`
    await expect(job()).rejects.toThrow('The OEE of 1 tenants could not be computed.')
    expect(await stored(good)).toHaveLength(1)
    await job()
    await hub.owner.unsafe('drop trigger refuse_oee on shift_log_oee; drop function refuse_oee()')
    await recomputeOee(hub.deps.pools.system, hub.deps, new Date(hub.clock.now().getTime() + 60_000))
    expect(await stored(bad)).toHaveLength(1)
  })
})

describe('the comparison of shifts', () => {
  it('has the OEE of a completed log from its time losses', async () => {
    const { definition, log, downtime, code, compare, machine } = await yesterday()
    // P 480 - 30 = 450; run 450 - 45 = 405; net 405 - 40.5; good 364.5 - 36.45
    await downtime('06:00', '06:30', { type: 'planned' })
    await downtime('07:00', '07:45')
    const performance = await code('performance_loss')
    await hub.owner`insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_code_id) select tenant_id, id,
      ${at('09:00')}, ${at('09:00')}::timestamptz + interval '40.5 minutes', ${performance} from machines where id = ${machine.id}`
    const quality = await code('quality_loss')
    await hub.owner`insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_code_id) select tenant_id, id,
      ${at('10:00')}, ${at('10:00')}::timestamptz + interval '36.45 minutes', ${quality} from machines where id = ${machine.id}`
    await log()
    expect(await compare()).toEqual([
      {
        shift_definition_id: definition.id,
        shift_name: 'Early',
        shift_color: '#336699',
        record_count: 1,
        avg_oee_pct: 72.9,
        avg_availability_pct: 90,
        avg_performance_pct: 90,
        avg_quality_pct: 90,
        total_downtime_minutes: 151.95,
        avg_planned_production_minutes: 450,
        weighted: { oee_pct: 72.9, availability_pct: 90, performance_pct: 90, quality_pct: 90 },
      },
    ])
    expect(await compare(`&machine_id=${machine.id}`)).toEqual(await compare())
    expect(await compare(`&machine_id=${randomUUID()}`)).toEqual([])
  })

  it('averages the percentages of the logs with planned time, and counts the others', async () => {
    const { admin, log, downtime, compare } = await yesterday()
    const [second, third, fourth] = [await hub.machine(admin), await hub.machine(admin), await hub.machine(admin)]
    await log()
    await downtime('06:00', '10:00', { machineId: second.id })
    await log({ machine_id: second.id })
    await downtime('06:00', '14:00', { machineId: third.id })
    await log({ machine_id: third.id })
    await downtime('06:00', '14:00', { machineId: fourth.id, type: 'planned' })
    await log({ machine_id: fourth.id })
    expect(await compare()).toEqual([
      expect.objectContaining({
        record_count: 4,
        // 100, 50, 0
        avg_oee_pct: 50,
        avg_availability_pct: 50,
        // without the log that had no run time
        avg_performance_pct: 100,
        avg_quality_pct: 100,
        total_downtime_minutes: 240 + 480 + 480,
        avg_planned_production_minutes: 480,
        weighted: { oee_pct: 50, availability_pct: 50, performance_pct: 100, quality_pct: 100 },
      }),
    ])
    const [alone] = await compare(`&machine_id=${fourth.id}`)
    expect(alone).toMatchObject({
      record_count: 1,
      avg_oee_pct: null,
      avg_quality_pct: null,
      avg_planned_production_minutes: null,
      weighted: { oee_pct: null, availability_pct: null, performance_pct: null, quality_pct: null },
    })
  })

  it('has weighted figures from sums of minutes and parts, for all machines, for one, and over its periods', async () => {
    const { log, downtime, send, compare, machine, oee } = await yesterday()
    // 8 hours with 864 parts of 20 s (17,280 of 28,800 s), 648 good; 1 hour, half of it stopped, with 90 parts (1,800 of 1,800 s), all good
    await send('total_count', [
      ['05:59', 0],
      ['13:59', 864],
      ['14:59', 954],
    ])
    await send('good_count', [
      ['05:59', 0],
      ['13:59', 648],
      ['14:59', 738],
    ])
    await send('ideal_cycle_seconds', [['05:00', 20]], 's')
    await downtime('14:00', '14:30')
    await log()
    await log({ actual_start: at('14:00'), actual_end: at('15:00') })
    const [shift] = await compare()
    expect(shift).toMatchObject({ avg_oee_pct: 47.5, avg_availability_pct: 75, avg_performance_pct: 80, avg_quality_pct: 87.5 })
    // run 510 of 540 minutes; 318 of 510 minutes; 738 of 954 parts
    const weighted = { availability_pct: 94.44, performance_pct: 62.35, quality_pct: 77.36, oee_pct: 45.56 }
    expect(shift.weighted).toEqual(weighted)
    expect((await compare(`&machine_id=${machine.id}`))[0].weighted).toEqual(weighted)
    expect((await oee()).weighted).toEqual(weighted)
    // the hours without a reading of a counter made no parts
    expect((await oee(`interval=1h&start=${at('05:00')}&end=${at('15:00')}`)).weighted).toEqual(weighted)
  })

  it('weights logs without counters by their time', async () => {
    const { admin, log, send, compare, code, definition } = await yesterday()
    await send('total_count', [
      ['05:59', 0],
      ['13:59', 1_000],
    ])
    await send('good_count', [
      ['05:59', 0],
      ['13:59', 500],
    ])
    await log()
    const other = await hub.machine(admin)
    await hub.owner`insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_code_id)
      values (${admin.tenantId}, ${other.id}, ${at('06:00')}, ${at('12:00')}, ${await code('quality_loss')})`
    await log({ machine_id: other.id, shift_definition_id: definition.id })
    // 240 of 480 minutes by parts, and 120 of 480 by time
    expect((await compare())[0].weighted).toEqual({
      availability_pct: 100,
      performance_pct: 100,
      quality_pct: 37.5,
      oee_pct: 37.5,
    })
  })

  it('follows changes of the log, its downtime and reason codes, and is what a computation from scratch gives', async () => {
    const { admin, log, downtime, code, compare } = await yesterday()
    const first = await log()
    const oee = async () => (await compare())[0]?.avg_oee_pct
    expect(await oee()).toBe(100)
    const id = await downtime('06:00', '08:00')
    expect(await oee()).toBe(75)
    await hub.owner`update downtime_records set ended_at = ${at('10:00')} where id = ${id}`
    expect(await oee()).toBe(50)
    const reason = await code('not_scheduled')
    await hub.owner`update downtime_records set reason_code_id = ${reason} where id = ${id}`
    expect(await oee()).toBe(100)
    await admin.call('PUT', `reason-codes/${reason}`, { oee_loss_category: 'availability_loss' })
    expect(await oee()).toBe(50)
    await admin.call('PATCH', `shifts/logs/${first.id}`, { actual_end: at('12:00') })
    expect(await oee()).toBe(33.33)
    await hub.owner`delete from downtime_records where id = ${id}`
    expect(await oee()).toBe(100)
    await admin.call('DELETE', `shifts/logs/${first.id}`)
    expect(await compare()).toEqual([])
  })

  it('counts neither active nor cancelled logs', async () => {
    const { log, compare } = await yesterday()
    await log({ actual_end: null, status: 'cancelled' })
    await log({ actual_end: null })
    expect(await compare()).toEqual([])
  })

  it('covers the last 30 days of the plant by default, and at most 90', async () => {
    const { admin, log } = await yesterday()
    await log()
    const { body } = await admin.call('GET', 'shifts/comparison')
    const today = hub.clock.now().toISOString().slice(0, 10)
    const days = (Date.parse(body.to_date) - Date.parse(body.from_date)) / 86_400_000
    expect([body.machine_id, body.to_date, days, body.shifts.length]).toEqual([null, today, 29, 1])
    const status = async (query: string) => (await admin.call('GET', `shifts/comparison?${query}`)).status
    expect(await status('from_date=2026-01-01&to_date=2026-03-31')).toBe(200)
    expect(await status('from_date=2026-01-01&to_date=2026-04-01')).toBe(422)
    expect(await status('from_date=2026-01-02&to_date=2026-01-01')).toBe(422)
    expect(await status('from_date=2026-01-01&to_date=2026-01-01')).toBe(200)
  })

  it('shows nothing of another tenant', async () => {
    const { log } = await yesterday()
    await log()
    expect(await (await yesterday()).compare()).toEqual([])
  })
})

describe('stored OEE', () => {
  const stored = async (tenantId: string) => ({
    logs: await hub.owner`select shift_date::text, planned_ms, downtime_ms, total_count, good_count, oee_ppb, performance_ppb from shift_log_oee
      where tenant_id = ${tenantId} order by shift_date, planned_ms, downtime_ms`,
    days: await hub.owner`select log_count, downtime_ms, oee_count, planned_ms, oee_sum_ppb, performance_count, performance_sum_ppb, quality_sum_ppb,
      run_ms, net_ms, counted_ms, good_ms, parts, good_parts from shift_oee_days where tenant_id = ${tenantId} and log_count > 0`,
    machines:
      await hub.owner`select oee_count, oee_sum_ppb, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts from machine_oee_days where tenant_id = ${tenantId} and oee_count > 0 order by oee_sum_ppb`,
  })

  it('does not depend on the order in which logs, downtime and readings arrive', async () => {
    const results: unknown[] = []
    for (const order of [
      [0, 1, 2, 3, 4],
      [4, 3, 2, 1, 0],
      [2, 0, 4, 1, 3],
    ]) {
      const { admin, log, downtime, send } = await yesterday()
      const steps = [
        () => log(),
        () => downtime('07:00', '08:00'),
        () => downtime('07:30', '09:00', { type: 'planned' }),
        () =>
          send('total_count', [
            ['05:59', 100],
            ['10:00', 400],
            ['13:59', 1_300],
          ]),
        () =>
          send('total_count', [
            ['08:00', 200],
            ['09:00', 0],
            ['12:00', 5],
            ['12:01', 6],
          ]),
      ]
      for (const step of order) {
        await (steps[step] as () => Promise<unknown>)()
        if (step % 2 === 0) await job()
      }
      await send('ideal_cycle_seconds', [['05:00', 12]], 's')
      await settled()
      results.push(await stored(admin.tenantId))
    }
    expect(results[1]).toEqual(results[0])
    expect(results[2]).toEqual(results[0])
    // 100 -> 200, a dip to 0, -> 400, a reset to 5 -> 6 -> 1300: 300 + 5 + 1295
    expect((results[0] as { logs: { total_count: number }[] }).logs[0]?.total_count).toBe(1_600)
  })

  it('keeps its sums when a machine is deleted', async () => {
    const { admin, machine, log } = await yesterday()
    await log()
    const other = await hub.machine(admin)
    await log({ machine_id: other.id })
    await settled()
    await hub.owner`delete from machines where id = ${machine.id}`
    const { days, machines } = await stored(admin.tenantId)
    expect([days.length, days[0]?.log_count, machines.length]).toEqual([1, '1', 1])
    await hub.owner`delete from shift_log_oee where tenant_id = ${admin.tenantId}`
    expect(await stored(admin.tenantId)).toEqual({ logs: [], days: [], machines: [] })
  })

  it('is computed again after the transactions that ran beside a change, and once', async () => {
    const { admin, machine, log, compare } = await yesterday()
    await hub.owner.begin(async (beside) => {
      await beside`insert into downtime_records (tenant_id, machine_id, started_at, ended_at)
        values (${admin.tenantId}, ${machine.id}, ${at('06:00')}, ${at('10:00')})`
      await log()
      expect((await compare())[0].avg_oee_pct).toBe(100)
      await job()
      expect(await job()).toBe(0)
    })
    await settled()
    expect((await compare())[0].avg_oee_pct).toBe(50)
  })

  it('keeps its counts when downtime changes, or readings arrive, after the retention has removed readings', async () => {
    const { admin, log, downtime, send, key, identifier } = await yesterday()
    const old = new Date(Date.parse(DAY) - 2 * 86_400_000).toISOString().slice(0, 10)
    const sendOld = (metric: string, time: string, value: number) =>
      hub.send(key, [{ machine: identifier, metric, unit: 'count', value, at: new Date(`${old}T${time}:00Z`) }])
    for (const [metric, last] of [
      ['total_count', 720],
      ['good_count', 540],
    ] as const) {
      await sendOld(metric, '06:30', 0)
      await sendOld(metric, '13:30', last)
    }
    await log({ shift_date: old, actual_start: `${old}T06:00Z`, actual_end: `${old}T14:00Z` })
    const compare = async () => (await admin.call('GET', `shifts/comparison?from_date=${old}&to_date=${old}`)).body.shifts[0]
    expect(await compare()).toMatchObject({ avg_quality_pct: 75 })
    await hub.owner`update tenants set raw_retention_days = 1 where id = ${admin.tenantId}`
    await hub.owner`delete from ${hub.owner(FLUSHED_TABLE)} where tenant_id = ${admin.tenantId}`
    await hub.owner`insert into downtime_records (tenant_id, machine_id, started_at, ended_at)
      select tenant_id, machine_id, ${`${old}T06:00Z`}, ${`${old}T10:00Z`} from shift_logs where tenant_id = ${admin.tenantId}`
    expect(await compare()).toMatchObject({ avg_availability_pct: 50, avg_quality_pct: 75 })
    await sendOld('good_count', '13:00', 20)
    expect(await compare()).toMatchObject({ avg_quality_pct: 75 })
    // 0 keeps readings for ever
    await hub.owner`update tenants set raw_retention_days = 0 where id = ${admin.tenantId}`
    await sendOld('good_count', '13:01', 20)
    expect(await compare()).not.toMatchObject({ avg_quality_pct: 75 })
    await hub.owner`update tenants set raw_retention_days = 1 where id = ${admin.tenantId}`
    // a log of which the readings are still there counts them, with the same retention
    await downtime('06:00', '07:00')
    await send('total_count', [
      ['06:30', 0],
      ['13:30', 10],
    ])
    await send('good_count', [
      ['06:30', 0],
      ['13:30', 9],
    ])
    await log()
    const { body } = await admin.call('GET', `shifts/comparison?from_date=${DAY}&to_date=${DAY}`)
    expect(body.shifts[0]).toMatchObject({ avg_quality_pct: 90 })
  })
})

describe('counters', () => {
  it('replace performance and quality, and late readings change the shift that they fall into', async () => {
    const { log, send, compare, oee } = await yesterday()
    await send('total_count', [
      ['05:50', 10],
      ['07:00', 100],
      ['14:00', 5_000],
    ])
    await send('good_count', [
      ['05:50', 0],
      ['07:00', 81],
      ['14:00', 5_000],
    ])
    await send('ideal_cycle_seconds', [['05:50', 160]], 's')
    await log()
    // 90 parts x 160 s = 14,400 of 28,800 s; 81 of 90 good
    expect((await compare())[0]).toMatchObject({ avg_performance_pct: 50, avg_quality_pct: 90, avg_oee_pct: 45 })
    const [period] = (await oee('interval=shift')).periods
    expect(period).toMatchObject({
      total_count: 90,
      good_count: 81,
      ideal_cycle_seconds: 160,
      performance_source: 'counters',
      quality_source: 'counters',
      oee_pct: 45,
    })
    await send('total_count', [['13:00', 180]])
    expect((await compare())[0]).toMatchObject({ avg_performance_pct: 94.44, avg_quality_pct: 47.65 })
    await send('ideal_cycle_seconds', [['13:30', 80]], 's')
    expect((await compare())[0]).toMatchObject({ avg_performance_pct: 47.22 })
  })

  it('count in the unit with the newest reading', async () => {
    const { log, send, oee } = await yesterday()
    await send(
      'total_count',
      [
        ['06:10', 0],
        ['07:00', 7],
      ],
      'dozen',
    )
    await send(
      'total_count',
      [
        ['06:10', 0],
        ['08:00', 100],
      ],
      'count',
    )
    await log()
    expect((await oee()).periods[0].total_count).toBe(100)
  })

  it('that report nothing in a shift leave both factors to time losses', async () => {
    const { log, send, oee } = await yesterday()
    await send('total_count', [
      ['05:00', 0],
      ['15:00', 7],
    ])
    await log()
    expect((await oee()).periods[0]).toMatchObject({ total_count: null, performance_source: 'time_losses', oee_pct: 100 })
  })

  it('of a shift in which a reading arrives late before it change its first increase', async () => {
    const { log, send, oee } = await yesterday()
    await send('total_count', [
      ['05:00', 0],
      ['07:00', 50],
    ])
    await log()
    expect((await oee()).periods[0].total_count).toBe(50)
    await send('total_count', [['05:30', 30]])
    expect((await oee()).periods[0].total_count).toBe(20)
  })

  it('ignore a reading that falls and returns, and say so', async () => {
    const { log, send, oee, compare } = await yesterday()
    await send('total_count', [
      ['05:59', 50_000],
      ['08:00', 50_300],
      ['08:01', 0],
      ['08:02', 50_301],
      ['13:59', 50_900],
    ])
    await send('good_count', [
      ['05:59', 40_000],
      ['13:59', 40_810],
    ])
    await send('ideal_cycle_seconds', [['06:00', 16]], 's')
    await log()
    const [period] = (await oee()).periods
    expect(period).toMatchObject({ total_count: 900, good_count: 810, ignored_dips: 1, oee_pct: 45 })
    // 900 parts of 16 s are 240 of 480 minutes, of which 10 % is lost to quality
    expect(period.losses).toMatchObject({ performance_loss_minutes: 240, quality_loss_minutes: 24 })
    expect((await compare())[0].weighted.oee_pct).toBe(45)
    const { periods } = await oee(`interval=1h&start=${at('07:00')}&end=${at('09:00')}`)
    expect(periods.map((hour: Record<string, number>) => [hour.total_count, hour.ignored_dips])).toEqual([
      [null, 0],
      [301, 1],
    ])
  })

  it('of a completed shift whose last reading fell wait for the next one, which shows that it was a dip', async () => {
    const { log, send, oee, admin } = await yesterday()
    await send('total_count', [
      ['05:59', 100],
      ['12:00', 150],
      ['13:59', 20],
    ])
    await log()
    expect((await oee()).periods[0]).toMatchObject({ total_count: 70, ignored_dips: 0 })
    await send('total_count', [['14:30', 160]])
    expect((await oee()).periods[0]).toMatchObject({ total_count: 50, ignored_dips: 1 })
    await settled()
    await send('total_count', [['14:40', 161]])
    expect(await hub.owner`select from oee_changes where tenant_id = ${admin.tenantId}`).toHaveLength(0)
  })

  it('without late readings queue nothing', async () => {
    const { send, admin } = await yesterday()
    await settled()
    await send('total_count', [
      ['05:00', 0],
      ['07:00', 50],
    ])
    expect(await hub.owner`select from oee_changes where tenant_id = ${admin.tenantId}`).toHaveLength(0)
  })
})

describe('the OEE of a machine', () => {
  it('by hour covers the time of its logs, and adds up to that of the shift', async () => {
    const { log, downtime, send, oee } = await yesterday()
    await downtime('06:30', '07:15')
    await send('total_count', [
      ['06:00', 10],
      ['07:30', 40],
      ['13:30', 340],
    ])
    await log()
    const [shift] = (await oee()).periods
    const { periods } = await oee(`interval=1h&start=${at('05:00')}&end=${at('15:00')}`)
    expect(periods.map(({ planned_minutes }: { planned_minutes: number }) => planned_minutes)).toEqual([
      0, 60, 60, 60, 60, 60, 60, 60, 60, 0,
    ])
    expect(periods.at(-1).end).toBe(at('15:00'))
    expect(periods[1]).toMatchObject({ start: at('06:00'), end: at('07:00'), run_minutes: 30, availability_pct: 50, oee_pct: 50 })
    expect(periods[0]).toMatchObject({ oee_pct: null, availability_pct: null, total_count: null })
    const sum = (key: string) => periods.reduce((total: number, period: Record<string, number>) => total + (period[key] ?? 0), 0)
    for (const key of ['planned_minutes', 'run_minutes', 'downtime_minutes', 'total_count'])
      expect([key, sum(key)]).toEqual([key, shift[key]])
  })

  it('by day starts days in the time zone of the plant, and one of 23 hours is shorter', async () => {
    const { admin, oee, definition } = await yesterday()
    await admin.call('PATCH', 'settings/plant', { time_zone: 'Europe/Berlin' })
    await admin.call('DELETE', `shifts/definitions/${definition.id}`)
    const { periods, time_zone } = await oee('interval=1d&start=2026-03-27T23:00:00Z&end=2026-03-29T21:59:59.999Z')
    expect(time_zone).toBe('Europe/Berlin')
    expect(periods.map((period: Record<string, unknown>) => [period.start, period.planned_minutes])).toEqual([
      ['2026-03-27T23:00:00.000Z', 1_440],
      ['2026-03-28T23:00:00.000Z', 1_380],
    ])
  })

  it('without logs is planned by the definitions, less non-production days', async () => {
    const { admin, oee } = await yesterday()
    const night = { name: 'Night', start_time: '22:00', end_time: '06:00' }
    await admin.call('POST', 'shifts/definitions', night)
    await admin.call('PATCH', 'settings/plant', { non_production_days: [{ date: '2026-01-02', name: 'Holiday' }] })
    const { periods } = await oee('interval=1d&start=2026-01-01&end=2026-01-03')
    // day 1: 6 h of the night before, 8 h early, 2 h night; day 2: the rest of that night; day 3: early and 2 h night
    expect(periods.map(({ planned_minutes }: { planned_minutes: number }) => planned_minutes)).toEqual([16 * 60, 6 * 60, 10 * 60])
  })

  it('includes the shift in progress until now', async () => {
    const { log, oee } = await yesterday()
    const start = new Date(hub.clock.now().getTime() - 90 * 60_000)
    await log({ actual_start: start.toISOString(), actual_end: null })
    const { periods } = await oee('interval=1h')
    const planned = periods.reduce((sum: number, { planned_minutes }: { planned_minutes: number }) => sum + planned_minutes, 0)
    expect(planned).toBeCloseTo(90, 0)
  })

  it.each([
    ['interval=1w', 'query.interval'],
    ['interval=1h&start=2026-01-01&end=2026-02-01', 'query.start'],
    ['interval=1d&start=2026-01-01&end=2026-04-01', 'query.start'],
    ['start=2026-01-02&end=2026-01-01', 'query.end'],
    ['start=2026-01-02&end=2026-01-02T00:00:00Z', 'query.end'],
    ['start=2999-01-01', 'query.end'],
  ])('refuses %s with 422', async (query, path) => {
    const { admin, machine } = await yesterday()
    const { status, body } = await admin.call('GET', `machines/${machine.id}/oee?${query}`)
    expect([status, body.errors?.[0]?.path]).toEqual([422, path])
  })
})
