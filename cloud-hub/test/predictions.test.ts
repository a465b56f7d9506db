import { describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/db/advisory-locks.ts'
import { analyzeMachines, purgePredictions } from '../src/features/predictions/health/index.ts'
import { recomputeBaselines } from '../src/features/telemetry/baselines/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { storeReadings } from './support/stored-readings.ts'

const hub = useHub()
const [HOUR, DAY] = [3_600_000, 86_400_000]
const now = () => hub.clock.now().getTime()
const analyze = () => analyzeMachines(hub.deps.pools.system, hub.deps.store, hub.clock.now(), () => false)
/** Noise without a trend of its own. */
const shake = (i: number) => [0.3, -0.2, 0.1, -0.3, 0.2, -0.1][(i * 7) % 6] as number

/** Makes all machines due, as after an hour. */
const examineAll = () => hub.owner`update machines set analysis_due_at = '1970-01-01T00:00:00Z'`

const prediction = async (user: TestUser, machineId: string, query = '') =>
  (await user.call('GET', `machines/${machineId}/prediction${query}`)).body
const history = async (user: TestUser, machineId: string) =>
  (await user.call('GET', `machines/${machineId}/prediction/history`)).body.points

/** A machine with hourly readings of the last `days` days. */
async function observed(days: number, value: (day: number) => number, rule: { warning: number; critical: number } | null) {
  const made = await plant(hub)
  const hours = Array.from({ length: days * 24 }, (_, i) => i)
  const first = now() - days * DAY
  await storeReadings(hub.owner, [
    {
      machineId: made.machine.id,
      metric: 'vibration',
      unit: 'mm/s',
      times: hours.map((i) => first + i * HOUR),
      values: hours.map((i) => value(i / 24) + shake(i)),
    },
  ])
  if (rule)
    await made.admin.call('POST', 'alert-rules', {
      metric_name: 'vibration',
      warning_threshold: rule.warning,
      critical_threshold: rule.critical,
    })
  return made
}

describe('GET /machines/{machine_id}/prediction', () => {
  it('answers a machine without data as healthy, and says so in the language', async () => {
    const { admin, machine } = await plant(hub)
    await analyze()
    const empty = {
      machine_id: machine.id,
      machine_name: 'Press 1',
      health_score: 100,
      risk_level: 'healthy',
      days_to_maintenance: null,
      contributing_factors: ['no data yet'],
      ai_narrative: null,
      ai_narrative_source: null,
      last_analyzed_at: null,
      estimated_days_to_failure: null,
      failure_days_low: null,
      failure_days_high: null,
      limiting_metric: null,
      degradation_rate_per_day: 0,
    }
    expect(await prediction(admin, machine.id)).toEqual(empty)
    expect(await prediction(admin, machine.id, '?language=de-AT')).toEqual({
      ...empty,
      contributing_factors: ['noch keine Daten'],
    })
    expect(await prediction(admin, machine.id, '?language=fr')).toEqual(empty)
    expect(await history(admin, machine.id)).toEqual([])
  })

  it('forecasts when a trend reaches the thresholds of its rule', async () => {
    // 10 + day / 4 is 25 after 60 days: 30 in 20 days, 35 in 40 days
    const { admin, machine } = await observed(60, (day) => 10 + day / 4, { warning: 30, critical: 35 })
    await analyze()
    const found = await prediction(admin, machine.id)
    expect(found).toMatchObject({ limiting_metric: 'vibration', last_analyzed_at: expect.any(String) })
    expect(found.estimated_days_to_failure).toBeGreaterThan(36)
    expect(found.estimated_days_to_failure).toBeLessThan(44)
    expect(found.days_to_maintenance).toBeGreaterThan(16)
    expect(found.days_to_maintenance).toBeLessThan(24)
    expect(found.failure_days_low).toBeLessThanOrEqual(found.estimated_days_to_failure)
    expect(found.failure_days_high).toBeGreaterThanOrEqual(found.estimated_days_to_failure)
    expect(found.contributing_factors[0]).toMatch(/^Vibration reaches its critical limit of 35 mm\/s in about /)
    expect(found.ai_narrative).toContain('Press 1')
    expect((await prediction(admin, machine.id, '?language=de')).contributing_factors[0]).toMatch(
      /^Vibration erreicht die kritische/,
    )
  })

  it('gives no days without a rule, without a trend, and after a step', async () => {
    const made = [
      await observed(60, (day) => 10 + day / 4, null),
      await observed(60, () => 10, { warning: 30, critical: 35 }),
      await observed(60, (day) => (day < 40 ? 10 : 20), { warning: 30, critical: 35 }),
    ]
    await analyze()
    for (const { admin, machine } of made)
      expect(await prediction(admin, machine.id)).toMatchObject({ estimated_days_to_failure: null, days_to_maintenance: null })
  })

  it('is answered for values at the limits of a double, also with the fleet', async () => {
    const largest = Number.MAX_VALUE
    const made = [
      await observed(30, () => largest, { warning: 1e10, critical: 1e11 }),
      await observed(30, (day) => (Math.round(day * 24) % 2 === 0 ? largest : -largest), { warning: 1e10, critical: 1e11 }),
      await observed(30, (day) => (day > 29.5 ? largest : 5), { warning: 1e10, critical: 1e11 }),
      await observed(30, (day) => (day / 30) * largest, { warning: 1e10, critical: largest }),
    ]
    await recomputeBaselines(hub.deps.pools.system, hub.deps.store, hub.clock.now())
    await analyze()
    for (const { admin, machine } of made) {
      const found = await prediction(admin, machine.id)
      expect(found).toMatchObject({ last_analyzed_at: expect.any(String), contributing_factors: expect.any(Array) })
      expect(found.contributing_factors.join()).not.toMatch(/null|NaN|∞/)
      expect((await admin.call('GET', 'machines/predictions/fleet')).body.predictions).toEqual([found])
      const summary = await admin.call('GET', `machines/${machine.id}/anomalies/summary`)
      expect(summary.status).toBe(200)
      for (const drift of summary.body.baseline_drift) expect(drift.baseline_mean).toEqual(expect.any(Number))
    }
  })

  it('forecasts from parts of a day while a series is young', async () => {
    // 10 + 2 a day: 22 after 6 days, 30 in 4 days
    const { admin, machine } = await observed(6, (day) => 10 + 2 * day, { warning: 26, critical: 30 })
    await analyze()
    const { estimated_days_to_failure: days, risk_level } = await prediction(admin, machine.id)
    expect(days).toBeGreaterThan(2.5)
    expect(days).toBeLessThan(5.5)
    expect(risk_level).toBe('critical')
  })

  it('is lower by alerts and unplanned downtime, overlapping hours counted once', async () => {
    const { admin, machine, key, identifier } = await plant(hub)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 95, at: new Date(now() - 60_000) }])
    const at = (hours: number) => new Date(now() - hours * HOUR)
    for (const [from, to] of [
      [8, 4],
      [6, 2],
    ] as const)
      await hub.owner`
        insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type)
        values (${admin.tenantId}, ${machine.id}, ${at(from)}, ${at(to)}, 'unplanned')`
    await hub.owner`
      insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type)
      values (${admin.tenantId}, ${machine.id}, ${at(90)}, ${at(50)}, 'planned')`
    await analyze()
    const found = await prediction(admin, machine.id)
    expect(found.contributing_factors).toContain('2 unplanned stops with 6 hours in 30 days.')
    // 25 + 3 for the critical alert, 8 + 3 for the stops
    expect(found).toMatchObject({ health_score: 61, risk_level: 'watch' })
  })
})

describe('the analysis', () => {
  it('counts an alert that is not cleared, however old', async () => {
    const { admin, machine, key, identifier } = await plant(hub)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 95, at: new Date(now()) }])
    await hub.owner`update alerts set created_at = ${new Date(now() - 40 * DAY)} where machine_id = ${machine.id}`
    await analyze()
    expect(await prediction(admin, machine.id)).toMatchObject({
      health_score: 75,
      contributing_factors: ['1 alert is not cleared, 0 were raised in 7 days; some are critical.'],
    })
  })

  it('reaches every machine although many others fail, and names those', async () => {
    const { admin } = await plant(hub)
    const broken = await hub.owner<{ id: string }[]>`
      insert into machines (id, tenant_id, name, machine_identifier, protocol)
      select gen_random_uuid(), ${admin.tenantId}, 'Broken ' || i, 'broken-' || i, 'mqtt' from generate_series(1, 101) i returning id`
    const ids = broken.map(({ id }) => id)
    await hub.owner`insert into series (tenant_id, machine_id, metric, unit, place)
      select ${admin.tenantId}, m, 'broken', '', 0 from unnest(${ids}::uuid[]) m`
    await hub.owner`insert into downtime_records (tenant_id, machine_id, started_at, updated_at)
      select ${admin.tenantId}, m, ${hub.clock.now()}, ${hub.clock.now()} from unnest(${ids}::uuid[]) m`
    const { admin: other, machine } = await observed(20, () => 10, null)
    // analyzed before, so it comes after those that never were
    await analyzeMachines(hub.deps.pools.system, hub.deps.store, hub.clock.now(), () => false)
    await hub.owner`delete from machine_predictions where tenant_id = ${admin.tenantId}`
    await hub.owner`update machine_predictions set analyzed_at = ${new Date(now() - 2 * DAY)} where machine_id = ${machine.id}`
    await examineAll()
    const store: typeof hub.deps.store = {
      ...hub.deps.store,
      buckets: (tx, range, bucketMs) => {
        if (range.tenantId === admin.tenantId) throw new Error('corrupt')
        return hub.deps.store.buckets(tx, range, bucketMs)
      },
    }
    const failed = analyzeMachines(hub.deps.pools.system, store, hub.clock.now(), () => false)
    await expect(failed).rejects.toThrow('The analysis of 101 machines failed.')
    expect(Date.parse((await prediction(other, machine.id)).last_analyzed_at)).toBeGreaterThan(now() - DAY)
  })

  it('reads the hours of a bounded number of series at once', async () => {
    const { admin, machine } = await plant(hub)
    await hub.owner`insert into series (tenant_id, machine_id, metric, unit, place)
      select ${admin.tenantId}, ${machine.id}, 'metric ' || i, '', i from generate_series(0, 149) i`
    await hub.owner`insert into downtime_records (tenant_id, machine_id, started_at, updated_at)
      values (${admin.tenantId}, ${machine.id}, ${hub.clock.now()}, ${hub.clock.now()})`
    const sizes: number[] = []
    const store: typeof hub.deps.store = {
      ...hub.deps.store,
      buckets: (tx, range, bucketMs) => {
        if (range.tenantId === admin.tenantId) sizes.push(range.seriesIds.length)
        return hub.deps.store.buckets(tx, range, bucketMs)
      },
    }
    await analyzeMachines(hub.deps.pools.system, store, hub.clock.now(), () => false)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(150)
    // 120 days and today have 2,904 hours
    expect(Math.max(...sizes) * 2_904).toBeLessThanOrEqual(200_000)
  })

  it('runs again only for machines whose data have changed', async () => {
    // at noon, because a new day concerns all
    hub.clock.advance((Math.ceil(now() / DAY) * DAY + DAY / 2 - now()) / 1_000)
    const { machine, key, identifier } = await observed(20, () => 10, null)
    const quiet = await observed(20, () => 10, null)
    // an access token would expire meanwhile
    const analyzedAt = async (id: string) => {
      const [row] = await hub.owner<{ at: Date }[]>`select analyzed_at as at from machine_predictions where machine_id = ${id}`
      return row?.at.getTime()
    }
    await analyze()
    const [first, other] = [await analyzedAt(machine.id), await analyzedAt(quiet.machine.id)]
    await analyze()
    expect(await analyzedAt(machine.id)).toBe(first)
    hub.clock.advance(3_700)
    await hub.send(key, [{ machine: identifier, metric: 'vibration', unit: 'mm/s', value: 10, at: new Date(now() - 1_000) }])
    await analyze()
    expect(await analyzedAt(machine.id)).not.toBe(first)
    expect(await analyzedAt(quiet.machine.id)).toBe(other)
    // an unplanned stop comes without readings
    await hub.owner`
      insert into downtime_records (tenant_id, machine_id, started_at, updated_at)
      values (${quiet.admin.tenantId}, ${quiet.machine.id}, ${hub.clock.now()}, ${hub.clock.now()})`
    await analyze()
    expect(await analyzedAt(quiet.machine.id)).not.toBe(other)
  })

  it('examines a machine at once when its first readings come, and does not wait for the hour', async () => {
    const { machine, key, identifier } = await plant(hub)
    await analyze()
    await hub.send(key, [{ machine: identifier, metric: 'vibration', unit: 'mm/s', value: 10, ago: 1 }])
    await analyze()
    expect(await hub.owner`select from machine_predictions where machine_id = ${machine.id}`).toHaveLength(1)
  })

  it('goes on for machines that were analyzed while the clock was ahead', async () => {
    const { machine } = await observed(3, () => 10, null)
    const year = 365 * DAY
    await analyzeMachines(hub.deps.pools.system, hub.deps.store, new Date(now() + year), () => false)
    const analyzedAt = async () =>
      (await hub.owner<{ at: Date }[]>`select analyzed_at as at from machine_predictions where machine_id = ${machine.id}`)[0]?.at
    expect((await analyzedAt())?.getTime()).toBeGreaterThan(now() + year / 2)
    await analyze()
    expect((await analyzedAt())?.getTime()).toBeLessThanOrEqual(now())
    const [row] = await hub.owner<{ due: Date }[]>`select analysis_due_at as due from machines where id = ${machine.id}`
    expect(row?.due.getTime()).toBeLessThan(now() + 2 * HOUR)
  })

  it('condenses readings that arrive days late with the next day', async () => {
    const { machine } = await observed(30, () => 10, null)
    await analyze()
    const medians = async () => {
      const [row] =
        await hub.owner`select medians from prediction_series p join series s on s.id = p.series_id where s.machine_id = ${machine.id}`
      return row?.medians as number[]
    }
    const before = await medians()
    const day = Math.floor(now() / DAY) * DAY - 3 * DAY
    const hours = Array.from({ length: 24 }, (_, i) => i)
    await storeReadings(hub.owner, [
      {
        machineId: machine.id,
        metric: 'vibration',
        unit: 'mm/s',
        times: hours.flatMap((i) => [day + i * HOUR + 1, day + i * HOUR + 2]),
        values: hours.flatMap(() => [40, 40]),
      },
    ])
    hub.clock.advance(86_400)
    await analyze()
    const after = await medians()
    const changed = before.flatMap((value, i) => (Math.abs(value - (after[i] as number)) > 1 ? [i] : []))
    expect(changed).toHaveLength(1)
    expect(after[changed[0] as number]).toBeCloseTo(30, 0)
  })

  it('finds the same day by day as all at once, and in another order of arrival', async () => {
    const rule = { metric_name: 'vibration', warning_threshold: 30, critical_threshold: 35 }
    const made = [await plant(hub), await plant(hub)] as const
    for (const { admin } of made) await admin.call('POST', 'alert-rules', rule)
    const first = Math.floor(now() / DAY) * DAY - 57 * DAY
    const store = (machineId: string, hours: number[]) =>
      storeReadings(hub.owner, [
        {
          machineId,
          metric: 'vibration',
          unit: 'mm/s',
          times: hours.map((i) => first + i * HOUR),
          values: hours.map((i) => 10 + i / 96 + 3 * shake(i >> 3)),
        },
      ])
    const until = 60 * 24
    const even = Array.from({ length: until }, (_, i) => i)
    const [daily, late] = [made[0].machine.id, made[1].machine.id]
    // one machine reports as time passes, the other every second hour, and the rest with the last day
    await store(daily, even.slice(0, 57 * 24))
    await store(
      late,
      even.filter((i) => i % 2 === 0 && i < 57 * 24),
    )
    for (let day = 57; day < 60; day++) {
      hub.clock.advance((first + day * DAY + DAY / 2 - now()) / 1_000)
      await analyze()
      await store(daily, even.slice(day * 24, (day + 1) * 24))
      await store(
        late,
        even.slice(day * 24, (day + 1) * 24).filter((i) => i % 2 === 0),
      )
    }
    await store(
      late,
      even.filter((i) => i % 2 === 1 && i >= 53 * 24),
    )
    hub.clock.advance((first + 60 * DAY + HOUR - now()) / 1_000)
    await analyze()
    const rows = await hub.owner`
      select p.machine_id, p.health_score, p.days_to_failure, p.failure_low, p.failure_high, s.medians[54:60] as medians
      from machine_predictions p join series on series.machine_id = p.machine_id join prediction_series s on s.series_id = series.id
      where p.machine_id in (${daily}, ${late})`
    const [one, other] = [daily, late].map((id) => rows.find((row) => row.machine_id === id))
    expect(one?.days_to_failure).toBeGreaterThan(0)
    expect(other?.medians).toEqual(one?.medians)
    // a machine that is analyzed for the first time reads the same from the readings
    await hub.owner`delete from prediction_series where tenant_id = ${made[0].admin.tenantId}`
    await hub.owner`delete from machine_predictions where tenant_id = ${made[0].admin.tenantId}`
    await examineAll()
    await analyze()
    const [again] = await hub.owner`
      select machine_id, health_score, days_to_failure, failure_low, failure_high from machine_predictions where machine_id = ${daily}`
    const { medians: _, ...before } = one as Record<string, unknown>
    expect(Number(again?.days_to_failure)).toBeCloseTo(Number(before.days_to_failure), 1)
  })

  it('finds the same after it was interrupted, and by two replicas at once', async () => {
    const { admin, machine } = await observed(60, (day) => 10 + day / 4, { warning: 30, critical: 35 })
    await analyzeMachines(hub.deps.pools.system, hub.deps.store, hub.clock.now(), () => true)
    expect(await prediction(admin, machine.id)).toMatchObject({ last_analyzed_at: null })
    // while one replica analyzes, another does nothing
    await hub.owner.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.predictions})`
      await analyze()
    })
    expect(await prediction(admin, machine.id)).toMatchObject({ last_analyzed_at: null })
    await Promise.all([analyze(), analyze()])
    await analyze()
    const found = await prediction(admin, machine.id)
    expect(found.estimated_days_to_failure).toBeGreaterThan(36)
    expect(await history(admin, machine.id)).toHaveLength(1)
    await hub.owner`delete from prediction_series`
    await hub.owner`delete from machine_predictions`
    await examineAll()
    await analyze()
    expect(await prediction(admin, machine.id)).toEqual({ ...found, last_analyzed_at: expect.any(String) })
  })
})

describe('the history of a machine', () => {
  it('has a point a day and one at each change of risk, and is kept for 400 days', async () => {
    const { admin, machine, key, identifier } = await observed(20, () => 10, null)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await analyze()
    await analyze()
    expect(await history(admin, machine.id)).toMatchObject([{ health_score: 100, risk_level: 'healthy' }])
    await hub.send(key, [{ machine: identifier, value: 95, at: new Date(now()) }])
    await analyze()
    await analyze()
    expect(await history(admin, machine.id)).toMatchObject([{ risk_level: 'healthy' }, { health_score: 72, risk_level: 'watch' }])
    const path = `machines/${machine.id}/prediction/history?days=`
    for (const days of ['1', '365']) expect((await admin.call('GET', `${path}${days}`)).body.points).toHaveLength(2)
    for (const days of ['0', '366', '1.5', 'x', '', '1e1', '0x10', '+7', '%207', '-1'])
      expect((await admin.call('GET', `${path}${days}`)).status).toBe(422)
    const points = async () =>
      (await hub.owner<{ n: number }[]>`select count(*)::int as n from prediction_history where machine_id = ${machine.id}`)[0]?.n
    hub.clock.advance(86_400)
    await analyze()
    expect(await points()).toBe(3)
    const newest = now()
    await purgePredictions(hub.deps.pools.system, new Date(newest + 400 * DAY - 3_600_000))
    expect(await points()).toBe(1)
    await purgePredictions(hub.deps.pools.system, new Date(newest + 400 * DAY + 1_000))
    expect(await points()).toBe(0)
  })
})

describe('GET /machines/predictions/fleet', () => {
  it('lists every active machine, worst first', async () => {
    const { admin, machine, key, identifier } = await plant(hub)
    const calm = await hub.machine(admin)
    const gone = await hub.machine(admin)
    await admin.call('DELETE', `machines/${gone.id}`)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 95, at: new Date(now()) }])
    await analyze()
    const { predictions, total } = (await admin.call('GET', 'machines/predictions/fleet')).body
    expect(total).toBe(2)
    expect(predictions.map((one: { machine_id: string }) => one.machine_id)).toEqual([machine.id, calm.id])
    expect(predictions[0]).toEqual(await prediction(admin, machine.id))
  })
})

describe('the anomalies of a machine', () => {
  it('are summed up with their newest sigma and the drift, and listed newest first', async () => {
    const { admin, machine, key, identifier } = await plant(hub)
    const send = (minutes: number, value: number) =>
      hub.send(key, [{ machine: identifier, value, at: new Date(now() - minutes * 60_000) }])
    const past = Array.from({ length: 60 }, (_, i) => ({
      machine: identifier,
      value: 50 + (i % 2),
      at: new Date(now() - 2 * DAY - i * 60_000),
    }))
    await hub.send(key, past)
    await recomputeBaselines(hub.deps.pools.system, hub.deps.store, hub.clock.now())
    hub.clock.advance(601)
    for (const [minutes, value] of [
      [30, 80],
      [20, 50],
      [10, 20],
    ] as const)
      await send(minutes, value)
    const summary = (await admin.call('GET', `machines/${machine.id}/anomalies/summary`)).body
    const [baseline] = (await admin.call('GET', `machines/${machine.id}/baselines`)).body
    expect(summary).toMatchObject({
      machine_id: machine.id,
      total_anomaly_events: 2,
      metrics: [{ metric_name: 'temperature', total_events: 2, latest_sigma: expect.closeTo((20 - 50.5) / baseline.std_dev, 6) }],
      baseline_drift: [
        {
          metric_name: 'temperature',
          baseline_mean: 50.5,
          current_mean: 50,
          drift_sigma: expect.closeTo(-0.5 / baseline.std_dev, 6),
        },
      ],
    })
    const list = async (query: string) => (await admin.call('GET', `machines/${machine.id}/anomalies${query}`)).body
    expect((await list('')).items.map((one: { value: number }) => one.value)).toEqual([20, 80])
    expect((await list('?is_open=true')).items).toMatchObject([{ value: 20, ended_at: null }])
    expect((await list('?is_open=false')).items).toMatchObject([{ value: 80 }])
    expect(await list('?page=2&page_size=1')).toMatchObject({
      items: [{ value: 80 }],
      pagination: { total: 2, page: 2, page_size: 1 },
    })
    expect((await list('?metric_name=pressure')).items).toEqual([])
    const between = `?start=${new Date(now() - 15 * 60_000).toISOString()}&end=${hub.clock.now().toISOString()}`
    expect((await list(between)).items).toMatchObject([{ value: 20 }])
    const { machine: other } = await plant(hub)
    for (const route of ['anomalies', 'anomalies/summary', 'prediction', 'prediction/history', 'prediction/narrative'])
      expect((await admin.call('GET', `machines/${other.id}/${route}`)).status).toBe(404)
  })
})
