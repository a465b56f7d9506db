import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tenantScope } from '../src/db/scope.ts'
import { backtestThresholds } from '../src/features/alerting/rules/backtest.ts'
import { recomputeBaselines } from '../src/features/telemetry/baselines/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { evenly, type History, storeReadings } from './support/stored-readings.ts'

const hub = useHub()
const NOBODY = '00000000-0000-4000-8000-000000000000'
const baselines = () => recomputeBaselines(hub.deps.pools.system, hub.deps.store, hub.clock.now())
const suggest = async (admin: TestUser, query = '') => (await admin.call('GET', `alert-rules/suggestions${query}`)).body

/** Around `mean` by less than one, the same every time. */
const wave = (mean: number, n: number) => Array.from({ length: n }, (_, i) => mean + Math.sin(i * 2.39996) * 0.9)
async function sendAll(key: string, machine: string, values: readonly number[], metric = 'temperature', unit = 'celsius') {
  const now = hub.clock.now().getTime()
  for (let from = 0; from < values.length; from += 1_000)
    await hub.send(
      key,
      values
        .slice(from, from + 1_000)
        .map((value, i) => ({ machine, value, metric, unit, at: new Date(now - (values.length - from - i) * 1_000) })),
    )
}

describe('suggestions', () => {
  it('are three and five sigma above the normal values, despite outliers', async () => {
    const { admin, key, identifier } = await plant(hub)
    const values = wave(50, 300)
    for (let i = 0; i < 300; i += 30) values[i] = 4_000
    await sendAll(key, identifier, values)
    await baselines()
    const { suggestions, message } = await suggest(admin)
    expect(message).toBe('A suggestion from what was normal in the last 7 days.')
    expect(suggestions).toEqual([
      {
        metric_name: 'temperature',
        unit: 'celsius',
        suggested_warning: expect.any(Number),
        suggested_critical: expect.any(Number),
        reason: expect.stringMatching(
          /^In the last 7 days 300 readings of one machine were usually 5\d(\.\d+)? celsius, give or take 0\.\d+\. Warning is 3 standard deviations above that, critical 5; single outliers do not count\.$/,
        ),
        basis: { reading_count: 300, machine_count: 1, median: expect.any(Number), deviation: expect.any(Number), is_high: true },
        existing_rule_id: null,
      },
    ])
    const [{ suggested_warning, suggested_critical }] = suggestions
    // the median deviation of a sine of 0.9 is 0.9 / sqrt 2
    const sigma = (0.9 / Math.SQRT2) * 1.4826
    expect(suggested_warning).toBeCloseTo(50 + 3 * sigma, 0)
    expect(suggested_critical).toBeCloseTo(50 + 5 * sigma, 0)
    const german = await suggest(admin, '?language=de')
    expect(german.message).toBe('Ein Vorschlag aus dem, was in den letzten 7 Tagen normal war.')
    expect(german.suggestions[0].reason).toContain('lagen 300 Messwerte von einer Maschine meist bei')
    expect(german.suggestions[0].reason).toMatch(/Streuung von 0,\d/)
    expect((await suggest(admin, '?language=xx')).message).toBe(message)
  })

  it('name the existing rule, and follow its direction', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await sendAll(key, identifier, wave(50, 60))
    await sendAll(key, identifier, wave(3, 60), 'pressure', 'bar')
    await baselines()
    const make = async (values: Record<string, unknown>) =>
      (await admin.call('POST', 'alert-rules', { warning_threshold: 1, critical_threshold: 2, ...values })).body.id
    await make({ metric_name: 'temperature', machine_id: machine.id })
    const forAll = await make({ metric_name: 'temperature' })
    const low = await make({ metric_name: 'pressure', machine_id: machine.id, warning_threshold: 2, critical_threshold: 1 })
    const { suggestions } = await suggest(admin)
    expect(suggestions.map((s: Record<string, unknown>) => [s.metric_name, s.existing_rule_id])).toEqual([
      ['pressure', low],
      ['temperature', forAll],
    ])
    expect(suggestions[0].suggested_critical).toBeLessThan(suggestions[0].suggested_warning)
    expect(suggestions[0].suggested_warning).toBeLessThan(3)
    expect(suggestions[0].reason).toContain('below that')
  })

  it('are right for every machine, also of thousands of readings', async () => {
    const { admin, key, identifier } = await plant(hub)
    const other = await hub.machine(admin)
    await sendAll(key, identifier, wave(50, 100))
    await sendAll(key, other.machine_identifier, wave(90, 3_000))
    await baselines()
    const [{ suggested_warning, reason }] = (await suggest(admin)).suggestions
    expect(suggested_warning).toBeGreaterThan(91.5)
    expect(suggested_warning).toBeLessThan(94)
    expect(reason).toContain('3,100 readings of 2 machines')
  })

  it('are rounded to what the data resolve', async () => {
    const { admin, key, identifier } = await plant(hub)
    await sendAll(
      key,
      identifier,
      wave(0, 60).map((value) => 999_966_816_224 + value * 3e9),
      'count',
      'x',
    )
    await baselines()
    const [{ suggested_warning, reason }] = (await suggest(admin)).suggestions
    expect(suggested_warning % 1e8).toBe(0)
    expect(reason).toMatch(/usually [\d,]+00,000,000 x, give or take \d,\d00,000,000\./)
  })

  it('are none where nothing is known, nothing varies, or it is another tenant', async () => {
    const { admin, key, identifier } = await plant(hub)
    await sendAll(key, identifier, Array(40).fill(5))
    await baselines()
    expect(await suggest(admin)).toEqual({
      suggestions: [],
      message: 'There is nothing to suggest yet: a metric needs at least 30 readings that differ in the last 7 days.',
    })
    expect((await suggest(await hub.admin(), '?language=de-DE')).message).toContain('Noch lässt sich nichts')
  })
})

describe('a back-test', () => {
  const RULE = { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 }
  const test = (admin: TestUser, body: Record<string, unknown>) => admin.call('POST', 'alert-rules/backtest', body)
  const days = (n: number) => new Date(hub.clock.now().getTime() - n * 86_400_000).toISOString()
  const told = (alerts: Record<string, unknown>[]) =>
    alerts.map((a) => [
      a.severity,
      a.metric_name,
      a.unit,
      a.trigger_value,
      a.threshold_value,
      a.triggered_at,
      a.cleared_at !== null,
    ])

  it('tells exactly the alerts that the rule raises when the same readings come live', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const expression = {
      conditions: [
        { metric: 'temperature', op: '>', value: 80, duration_seconds: 3 },
        { metric: 'noise', op: '>', value: 5 },
      ],
    }
    await admin.call('POST', 'alert-rules', RULE)
    await admin.call('POST', 'composite-rules', { machine_id: machine.id, name: 'x', expression, severity: 'info' })
    let seed = 7
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed / 2_147_483_647
    }
    const start = hub.clock.now().getTime() - 800_000
    const readings = Array.from({ length: 700 }, (_, i) => {
      const [metric, unit] = random() < 0.6 ? ['temperature', 'celsius'] : ['noise', 'db']
      const value = metric === 'noise' ? Math.round(random() * 10) : 60 + Math.round(random() ** 2 * 40)
      return { machine: identifier, metric, unit, value, at: new Date(start + i * 1_000) }
    })
    for (let from = 0; from < readings.length; from += 9) await hub.send(key, readings.slice(from, from + 9))
    const live = async (severities: string[]) =>
      (
        await hub.owner`select severity, metric_name, unit, trigger_value, threshold_value, triggered_at, cleared_at from alerts
        where machine_id = ${machine.id} and severity = any(${severities}) order by triggered_at, id`
      ).map((a) => ({ ...a, triggered_at: a.triggered_at.toISOString() }))
    const thresholds = await test(admin, { ...RULE, start: days(1) })
    expect(thresholds).toMatchObject({ status: 200 })
    expect(told(thresholds.body.alerts)).toEqual(told(await live(['warning', 'critical'])))
    expect(thresholds.body.alert_count).toBeGreaterThan(20)
    const composite = await test(admin, { machine_id: machine.id, expression, severity: 'info', start: days(1) })
    expect(told(composite.body.alerts)).toEqual(told(await live(['info'])))
    expect(composite.body.alert_count).toBeGreaterThan(5)
  })

  it('evaluates by machine, unit and direction of the rule, over days', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const other = await hub.machine(admin)
    const at = (day: number, second: number) => new Date(hub.clock.now().getTime() - day * 86_400_000 + second * 1_000)
    for (const [name, unit] of [
      [identifier, 'celsius'],
      [identifier, 'kelvin'],
      [other.machine_identifier, 'celsius'],
    ] as const)
      await hub.send(
        key,
        [20, 8, 3, 8, 8, 20, 20, 20, 8].map((value, i) => ({ machine: name, unit, value, at: at(9 - i, i) })),
      )
    const low = { metric_name: 'temperature', warning_threshold: 10, critical_threshold: 5, start: days(30) }
    const { body } = await test(admin, { ...low, machine_id: machine.id })
    expect(body.alerts.map((a: Record<string, unknown>) => [a.unit, a.severity, a.trigger_value, a.cleared_at])).toEqual(
      ['warning', 'critical', 'last'].flatMap((level) =>
        ['celsius', 'kelvin'].map((unit) =>
          level === 'last' ? [unit, 'warning', 8, null] : [unit, level, level === 'warning' ? 8 : 3, expect.any(String)],
        ),
      ),
    )
    expect((await test(admin, low)).body.alert_count).toBe(9)
    expect((await test(admin, { ...low, start: days(1.5) })).body.alert_count).toBe(3)
    expect((await test(admin, { ...low, start: days(20), end: days(10) })).body.alerts).toEqual([])
    expect((await admin.call('GET', 'alerts')).body.items).toEqual([])
  })

  it.each<[string, Record<string, unknown>, number]>([
    ['thirty days', { ...RULE, start: () => days(30) }, 200],
    ['more than thirty days', { ...RULE, start: () => days(30.01) }, 422],
    ['a start after the end', { ...RULE, start: () => days(1), end: () => days(2) }, 422],
    ['a future start', { ...RULE, start: () => days(-1), end: () => days(-2) }, 422],
    ['no thresholds', { metric_name: 'x' }, 422],
    ['one threshold', { metric_name: 'x', warning_threshold: 1 }, 422],
    ['equal thresholds', { ...RULE, critical_threshold: 80 }, 422],
    ['no metric', { warning_threshold: 1, critical_threshold: 2 }, 422],
    ['an expression without machine', { expression: { conditions: [{ metric: 'a', op: '>', value: 1 }] } }, 422],
    ['no conditions', { machine_id: NOBODY, expression: { conditions: [] } }, 422],
    ['an unknown machine', { ...RULE, machine_id: NOBODY }, 404],
  ])('of %s is answered', async (_, values, status) => {
    const admin = await hub.admin()
    const body = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, typeof value === 'function' ? value() : value]),
    )
    expect((await test(admin, body)).status).toBe(status)
  })

  it('evaluates readings of one instant together, however many pages of readings precede them', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const start = hub.clock.now().getTime() - 86_400_000
    const conditions = ['first', 'second', 'third'].map((metric) => ({ metric, op: '>', value: 0 }))
    await hub.send(key, [
      { machine: identifier, metric: 'third', value: 1, at: new Date(start - 500) },
      { machine: identifier, metric: 'first', value: 0, at: new Date(start) },
      { machine: identifier, metric: 'second', value: 0, at: new Date(start) },
    ])
    // never both above: only between the two readings of an instant it looks as if they were
    const pair = (readings: (metric: string) => Pick<History, 'times' | 'values'>) =>
      storeReadings(
        hub.owner,
        ['first', 'second'].map((metric) => ({ machineId: machine.id, metric, unit: 'celsius', ...readings(metric) })),
      )
    await pair((metric) => evenly(start + 10, start + 450_010, 10, (i) => (i % 2 === (metric === 'first' ? 0 : 1) ? 1 : 0)))
    const body = { machine_id: machine.id, expression: { conditions }, start: days(2) }
    expect((await test(admin, body)).body.alerts).toEqual([])
    await pair(() => evenly(start + 451_000, start + 471_000, 1_000, (i) => (i === 2 ? 1 : 0)))
    const { alerts } = (await test(admin, body)).body
    const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString()
    expect(alerts).toMatchObject([{ metric_name: 'first', triggered_at: at(453), cleared_at: at(455) }])
  })

  it('raises an alert whose duration completes after the last reading, as the timer does live', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const last = hub.clock.now().getTime() - 1_200_000
    await hub.send(
      key,
      [10, 90, 91].map((value, i) => ({ machine: identifier, value, at: new Date(last - (2 - i) * 1_000) })),
    )
    const lasting = (seconds: number) => {
      const conditions = [{ metric: 'temperature', op: '>', value: 80, duration_seconds: seconds }]
      return test(admin, { machine_id: machine.id, expression: { conditions }, start: days(1) })
    }
    const raised = [{ trigger_value: 91, triggered_at: new Date(last + 299_000).toISOString(), cleared_at: null }]
    expect((await lasting(300)).body.alerts).toMatchObject(raised)
    // unknown by then
    expect((await lasting(900)).body.alerts).toEqual([])
  })

  it('waits for another of the same tenant, and is refused when several wait', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await hub.send(key, [{ machine: identifier, value: 95 }])
    const answers = await Promise.all(Array.from({ length: 9 }, () => test(admin, { ...RULE, machine_id: machine.id })))
    const ofStatus = (status: number) => answers.filter((answer) => answer.status === status)
    expect(ofStatus(200).length).toBeGreaterThanOrEqual(4)
    expect(ofStatus(200).every(({ body }) => body.alert_count === 1)).toBe(true)
    expect(ofStatus(503).every(({ body }) => body.code === 'backtests_waiting')).toBe(true)
    expect(ofStatus(200).length + ofStatus(503).length).toBe(9)
    expect((await test(admin, RULE)).status).toBe(200)
  })

  it('does not wait for the many of another tenant', async () => {
    const [busy, other] = [await plant(hub), await plant(hub)]
    for (const { key, identifier } of [busy, other]) await hub.send(key, [{ machine: identifier, value: 95 }])
    const { walk } = hub.deps.store
    const { promise: gate, resolve: end } = Promise.withResolvers<void>()
    let begun = 0
    const walking = vi.spyOn(hub.deps.store, 'walk').mockImplementation(async function* (scope, ...given) {
      if (scope.tenantId === busy.admin.tenantId) {
        begun++
        await gate
      }
      yield* walk(scope, ...given)
    })
    onTestFinished(() => walking.mockRestore())
    const tested = ({ admin, machine }: typeof busy) => test(admin, { ...RULE, machine_id: machine.id })
    const many = Array.from({ length: 4 }, () => tested(busy))
    await expect.poll(() => begun).toBe(1)
    // answered while those of the busy tenant run and wait
    expect((await tested(other)).status).toBe(200)
    end()
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('that takes too long says how far it came', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await hub.send(key, [{ machine: identifier, value: 95 }])
    const end = Date.now() - 10_000
    const older = evenly(end - 2_500_000, end, 100, () => 1)
    await storeReadings(hub.owner, [{ machineId: machine.id, metric: 'temperature', unit: 'celsius', ...older }])
    const actor = { kind: 'user', id: admin.userId, role: 'admin', sessionId: null, name: '', ip: null, requestId: null } as const
    const scope = tenantScope(hub.deps.pools, hub.clock, admin.tenantId, actor)
    const until = hub.clock.now().getTime()
    const rule = { machineId: null, metric: 'temperature', warning: 80, critical: 90 }
    const tried = (endsAt: number) =>
      backtestThresholds(hub.deps.store, scope, rule, { from: until - 86_400_000, until }, { max: 10, endsAt })
    await expect(tried(performance.now())).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('evaluated up to 20'),
    })
    expect((await tried(performance.now() + 60_000)).count).toBe(1)
    const second = await hub.machine(admin)
    await hub.send(key, [{ machine: second.machine_identifier, value: 95 }])
    await expect(tried(performance.now())).rejects.toMatchObject({ message: expect.stringContaining('series 1 of 2') })
  })

  it("sees nothing of another tenant's machines", async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await hub.send(key, [{ machine: identifier, value: 95 }])
    const stranger = await hub.admin()
    expect((await test(stranger, { ...RULE, machine_id: machine.id })).status).toBe(404)
    expect((await test(stranger, RULE)).body.alerts).toEqual([])
    expect((await test(admin, RULE)).body.alert_count).toBe(1)
  })
})
