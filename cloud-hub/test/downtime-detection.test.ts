import { afterEach, describe, expect, it, vi } from 'vitest'
import { detectDowntime } from '../src/features/production/detection/index.ts'
import { plant, useHub } from './harness.ts'

const hub = useHub()
afterEach(() => vi.restoreAllMocks())

const LEVEL = { signal: 'level', metric_name: 'speed', limit: 10, for_seconds: 0 }
const detect = () =>
  detectDowntime(hub.deps.pools.system, hub.deps.store, hub.clock.now(), {
    logger: hub.deps.logger,
    isStopping: () => false,
  })

/** A machine whose detection has been active for an hour. `at(s)` is `s` seconds after its begin. */
async function watched(settings: Record<string, unknown> = LEVEL) {
  const made = await plant(hub)
  const answer = await made.admin.call('PUT', `machines/${made.machine.id}/downtime-detection`, settings)
  expect(answer).toMatchObject({ status: 200, body: { is_active: true, ...settings } })
  await hub.owner`update downtime_detections set active_since = active_since - interval '1 hour' where machine_id = ${made.machine.id}`
  const begin = Date.parse(answer.body.active_since) - 3_600_000 + 1_000
  const at = (seconds: number) => new Date(begin + seconds * 1_000)
  /** readings as [seconds, value] */
  const send = async (...readings: (readonly [number, number])[]) => {
    const { status, body } = await hub.send(
      made.key,
      readings.map(([seconds, value]) => ({ machine: made.identifier, metric: 'speed', unit: 'rpm', value, at: at(seconds) })),
    )
    expect([status, body.accepted_count]).toEqual([207, readings.length])
  }
  /** automatic and other records as [from, until] in seconds, oldest first */
  const records = async () => {
    const rows = await hub.owner<{ started: Date; ended: Date | null }[]>`
      select started_at as started, ended_at as ended from downtime_records where machine_id = ${made.machine.id} order by started_at`
    const seconds = (time: Date | null) => (time ? (time.getTime() - begin) / 1_000 : null)
    return rows.map(({ started, ended }) => [seconds(started), seconds(ended)])
  }
  const insertManual = async (from: number, until: number | null) =>
    hub.owner`insert into downtime_records (tenant_id, machine_id, started_at, ended_at)
      values (${made.admin.tenantId}, ${made.machine.id}, ${at(from)}, ${until === null ? null : at(until)})`
  const path = `machines/${made.machine.id}/downtime-detection`
  return { ...made, at, send, records, insertManual, path }
}

describe('a machine with detection of a level', () => {
  it('gets a record from the first reading that shows a stop to the one that shows it running', async () => {
    const code = await watched()
    const { admin, machine, send, records } = code
    await send([0, 50], [10, 5], [20, 5])
    await detect()
    expect(await records()).toEqual([[10, null]])
    const { body } = await admin.call('GET', code.path)
    const [row] =
      await hub.owner`select id, source, reason_type, edited_at, created_by from downtime_records where machine_id = ${machine.id}`
    expect(row).toMatchObject({
      id: body.ongoing_record_id,
      source: 'automatic',
      reason_type: 'unplanned',
      edited_at: null,
      created_by: null,
    })
    await send([30, 50])
    await detect()
    expect(await records()).toEqual([[10, 30]])
    expect((await admin.call('GET', code.path)).body.ongoing_record_id).toBeNull()
  })

  it('gets and ends its record also when the clock of its agent is ahead', async () => {
    const { send, records } = await watched()
    const ahead = 3_600 + 120
    await send([3_500, 50], [ahead, 5], [ahead + 1, 5])
    await detect()
    expect(await records()).toEqual([])
    hub.clock.advance(150)
    await detect()
    expect(await records()).toEqual([[ahead, null]])
    await send([ahead + 100, 50])
    await detect()
    expect(await records()).toEqual([[ahead, null]])
    hub.clock.advance(150)
    await detect()
    expect(await records()).toEqual([[ahead, ahead + 100]])
  })

  it('gives its reason code and category to new records', async () => {
    const { admin, path, send, machine } = await watched()
    const codes = (await admin.call('GET', 'reason-codes')).body
    const code = codes.find((one: { category: string }) => one.category === 'changeover')
    expect((await admin.call('PUT', path, { reason_code_id: code.id })).body.reason_code_id).toBe(code.id)
    await send([0, 5])
    await detect()
    const [row] = await hub.owner`select reason_code_id, reason_type from downtime_records where machine_id = ${machine.id}`
    expect(row).toEqual({ reason_code_id: code.id, reason_type: 'changeover' })
  })

  it('gives new records no reason code that was retired since', async () => {
    const { admin, path, send, machine } = await watched()
    const codes = (await admin.call('GET', 'reason-codes')).body
    const code = codes.find((one: { category: string }) => one.category === 'changeover')
    await admin.call('PUT', path, { reason_code_id: code.id })
    await admin.call('PUT', `reason-codes/${code.id}`, { is_active: false })
    await send([0, 5])
    await detect()
    const [row] = await hub.owner`select reason_code_id, reason_type from downtime_records where machine_id = ${machine.id}`
    expect(row).toEqual({ reason_code_id: null, reason_type: 'unplanned' })
  })

  it('gets a record when the stop becomes long enough without a further reading, and none before', async () => {
    const { send, records } = await watched({ ...LEVEL, for_seconds: 7_200 })
    await send([0, 50], [10, 5])
    await detect()
    hub.clock.advance(3_600 - 60)
    await detect()
    expect(await records()).toEqual([])
    hub.clock.advance(120)
    await detect()
    expect(await records()).toEqual([[10, null]])
  })

  it('gets the same records in whatever order its readings arrive', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const one = await watched({
        ...LEVEL,
        for_seconds: seed % 3 === 0 ? 60 : 0,
        silent_after_seconds: seed % 2 === 0 ? 300 : null,
      })
      let state = seed
      const random = () => {
        state = (state * 48_271) % 2_147_483_647
        return state / 2_147_483_647
      }
      const readings = Array.from(
        { length: 60 },
        (_, i) => [i * 50 + Math.floor(random() * 40), random() < 0.6 ? 50 : 5] as const,
      )
      const shuffled = readings.map((reading) => ({ reading, key: random() })).sort((a, b) => a.key - b.key)
      for (let i = 0; i < shuffled.length; i += 7) {
        await one.send(...shuffled.slice(i, i + 7).map(({ reading }) => reading))
        if (random() < 0.7) await detect()
      }
      await detect()
      const inOrder = await watched({
        ...LEVEL,
        for_seconds: seed % 3 === 0 ? 60 : 0,
        silent_after_seconds: seed % 2 === 0 ? 300 : null,
      })
      await inOrder.send(...readings)
      await detect()
      const expected = await inOrder.records()
      expect(expected.length).toBeGreaterThan(3)
      expect(await one.records(), `seed ${seed}`).toEqual(expected)
    }
  })
})

describe('late readings', () => {
  it('remove a record of silence whose time they fill, and shorten one that they fill in part', async () => {
    const { send, records } = await watched({ ...LEVEL, silent_after_seconds: 600 })
    await send([0, 50], [3_500, 50])
    await detect()
    expect(await records()).toEqual([[0, 3_500]])
    await send([300, 50], [500, 50], [900, 50])
    await detect()
    expect(await records()).toEqual([[900, 3_500]])
    await send([1_400, 50], [1_900, 50], [2_400, 50], [2_950, 50])
    await detect()
    expect(await records()).toEqual([])
  })

  it('add the stop of an agent that was cut off, and split one in which the machine ran', async () => {
    const { send, records } = await watched()
    await send([0, 50], [1_000, 50])
    await detect()
    await send([200, 5], [600, 50])
    await detect()
    expect(await records()).toEqual([[200, 600]])
    await send([300, 50], [400, 5])
    await detect()
    expect(await records()).toEqual([
      [200, 300],
      [400, 600],
    ])
  })
})

describe('records that people made or changed', () => {
  it('stay as they are, and get no automatic record beside them', async () => {
    const { send, records, insertManual } = await watched()
    await send([0, 50])
    await insertManual(5, null)
    await send([10, 5])
    await detect()
    expect(await records()).toEqual([[5, null]])
    await send([20, 50])
    await detect()
    expect(await records()).toEqual([[5, null]])
  })

  it('made inside an automatic record do not remove it', async () => {
    const { send, records, insertManual } = await watched()
    await send([0, 50], [10, 5])
    await detect()
    await insertManual(12, 14)
    await send([40, 50])
    await detect()
    expect(await records()).toEqual([
      [10, 40],
      [12, 14],
    ])
  })

  it('stay the only ongoing one, although other settings say that an earlier stop has not ended', async () => {
    const { admin, path, send, records, insertManual } = await watched()
    await send([0, 50], [10, 5], [40, 15])
    await detect()
    await insertManual(50, null)
    await admin.call('PUT', path, { limit: 20 })
    await send([30, 5])
    await detect()
    expect(await records()).toEqual([
      [10, 40],
      [50, null],
    ])
    expect(await hub.owner`select from signal_changes where tenant_id = ${admin.tenantId}`).toHaveLength(0)
  })

  it.each([
    ['half of a stop keep it without an automatic record', 15, []],
    ['less than half of a stop do not', 14, [[10, 20]]],
  ] as const)('that cover %s', async (_case, until, automatic) => {
    const { send, records, insertManual } = await watched()
    await insertManual(10, until)
    await send([0, 50], [10, 5], [20, 50])
    await detect()
    expect((await records()).filter(([, end]) => end !== until)).toEqual(automatic)
  })

  it('at the start of a stop do not keep its rest without a record', async () => {
    const { send, records, insertManual } = await watched()
    await insertManual(9, 100)
    await send([0, 50], [10, 5])
    await detect()
    expect(await records()).toEqual([
      [9, 100],
      [10, null],
    ])
  })

  it('are not moved by late readings after a person changed them', async () => {
    const { machine, send, records } = await watched()
    await send([0, 50], [100, 5], [200, 50])
    await detect()
    await hub.owner`update downtime_records set edited_at = now() where machine_id = ${machine.id}`
    await send([150, 50])
    await detect()
    expect(await records()).toEqual([[100, 200]])
  })

  it('end when the machine resumes, although a person classified the ongoing record', async () => {
    const { machine, send, records } = await watched()
    await send([0, 50], [100, 5])
    await detect()
    await hub.owner`update downtime_records set edited_at = now(), reason_type = 'changeover' where machine_id = ${machine.id}`
    await send([200, 50])
    await detect()
    expect(await records()).toEqual([[100, 200]])
  })
})

describe('the other signals', () => {
  it('a state is stopped at each of its stopped values', async () => {
    const { send, records } = await watched({ signal: 'state', metric_name: 'speed', stopped_values: [0, 7] })
    await send([0, 1], [10, 0], [20, 7], [30, 2], [40, 7])
    await detect()
    expect(await records()).toEqual([
      [10, 30],
      [40, null],
    ])
  })

  it('a count that stops growing is read by a timer, and again until it grows', async () => {
    const { send, records } = await watched({ signal: 'count', metric_name: 'speed', limit: 1, for_seconds: 60 })
    await send([3_510, 5], [3_560, 6], [3_590, 6])
    await detect()
    expect(await records()).toEqual([])
    hub.clock.advance(60)
    await detect()
    expect(await records()).toEqual([[3_560, null]])
    await send([3_640, 7])
    hub.clock.advance(60)
    await detect()
    expect(await records()).toEqual([
      [3_560, 3_640],
      [3_640, null],
    ])
  })

  it('silence counts the readings of all metrics of the machine', async () => {
    const { key, identifier, at, records } = await watched({ signal: 'silence', silent_after_seconds: 600 })
    const send = (metric: string, ...seconds: number[]) =>
      hub.send(
        key,
        seconds.map((s) => ({ machine: identifier, metric, value: 1, at: at(s) })),
      )
    await send('a', 0, 3_300)
    await send('b', 500, 1_000)
    await detect()
    expect(await records()).toEqual([[1_000, 3_300]])
    await send('b', 3_400)
    hub.clock.advance(401)
    await detect()
    expect(await records()).toEqual([
      [1_000, 3_300],
      [3_400, null],
    ])
    await send('c', 4_000)
    await detect()
    expect(await records()).toEqual([
      [1_000, 3_300],
      [3_400, 4_000],
    ])
  })
})

describe('a detection', () => {
  it('is evaluated a minute after it failed, and the failure keeps no other machine waiting', async () => {
    const [broken, fine] = [await watched(), await watched()]
    await broken.send([0, 5])
    await fine.send([0, 5])
    vi.spyOn(hub.deps.store, 'seriesOf').mockImplementationOnce(() => Promise.reject(new Error('damaged')))
    await detect()
    expect([...(await broken.records()), ...(await fine.records())]).toEqual([[0, null]])
    hub.clock.advance(59)
    await detect()
    expect([...(await broken.records()), ...(await fine.records())]).toEqual([[0, null]])
    hub.clock.advance(2)
    await detect()
    expect([...(await broken.records()), ...(await fine.records())]).toEqual([
      [0, null],
      [0, null],
    ])
  })

  it('run by two processes at once opens one record', async () => {
    const { send, records } = await watched()
    await send([0, 5])
    await Promise.all([detect(), detect(), detect()])
    expect(await records()).toEqual([[0, null]])
  })

  it('that is switched off detects nothing and leaves the ongoing record to a person', async () => {
    const { admin, path, send, records } = await watched()
    await send([0, 5])
    await detect()
    await admin.call('PUT', path, { is_active: false })
    await send([10, 50])
    await detect()
    expect(await records()).toEqual([[0, null]])
  })

  it.each([
    [{}, 'body.signal'],
    [{ signal: 'speed' }, 'body.signal'],
    [{ signal: 'level', limit: 5 }, 'body.metric_name'],
    [{ signal: 'level', metric_name: 'speed' }, 'body.limit'],
    [{ signal: 'state', metric_name: 'speed' }, 'body.stopped_values'],
    [{ signal: 'state', metric_name: 'speed', stopped_values: [] }, 'body.stopped_values'],
    [{ signal: 'state', metric_name: 'speed', stopped_values: Array.from({ length: 51 }, (_, i) => i) }, 'body.stopped_values'],
    [{ signal: 'count', metric_name: 'speed', limit: 0 }, 'body.limit'],
    [{ signal: 'count', metric_name: 'speed', limit: 1, for_seconds: 0 }, 'body.for_seconds'],
    [{ signal: 'silence' }, 'body.silent_after_seconds'],
    [{ signal: 'silence', silent_after_seconds: 29 }, 'body.silent_after_seconds'],
    [{ ...LEVEL, for_seconds: 86_401 }, 'body.for_seconds'],
    [{ ...LEVEL, metric_name: 'x'.repeat(101) }, 'body.metric_name'],
  ])('refuses %j and names %s', async (given, named) => {
    const { admin, machine } = await plant(hub)
    const { status, body } = await admin.call('PUT', `machines/${machine.id}/downtime-detection`, given)
    expect([status, body.errors.map((one: { path: string }) => one.path)]).toEqual([422, [named]])
  })

  it('names an unknown or foreign reason code with 404, and an inactive one with 422', async () => {
    const [{ admin, path }, other] = [await watched(), await plant(hub)]
    const [theirs] = (await other.admin.call('GET', 'reason-codes')).body
    const [own] = (await admin.call('GET', 'reason-codes')).body
    expect((await admin.call('PUT', path, { reason_code_id: theirs.id })).body.code).toBe('reason_code_not_found')
    await admin.call('PUT', `reason-codes/${own.id}`, { is_active: false })
    expect((await admin.call('PUT', path, { reason_code_id: own.id })).status).toBe(422)
  })

  it('is noted in the audit trail when a person changes it, and not when the hub evaluates it', async () => {
    const { admin, send, machine } = await watched()
    await send([0, 5])
    await detect()
    const { body } = await admin.call('GET', 'audit-log?target_type=downtime_detection')
    const entries = body.items as { action: string; target: { id: string } }[]
    expect(entries.map((one) => [one.action, one.target.id])).toEqual([['downtime_detection.created', machine.id]])
  })
})
