import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { attributeTime, byStart } from '../src/features/production/time-attribution/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { storeRemovedDay } from './support/stored-readings.ts'

const hub = useHub()
const HOUR = 3_600_000
const UNKNOWN = '0198c7d4-5a00-7000-8000-0000f5a48bee'
type Type = 'planned' | 'unplanned' | 'changeover' | 'maintenance'
/** Hours on a scale that ends now at 1,000; an end of null is ongoing. */
type Stop = [start: number, end: number | null, type: Type]
const END = 1_000

const instantAt = (now: number, hour: number) => new Date(now - (END - hour) * HOUR)

async function store(admin: TestUser, machineId: string, now: number, stops: Stop[], codeId: string | null = null) {
  for (const [start, end, type] of stops)
    await hub.owner`
      insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type, reason_code_id)
      values (${admin.tenantId}, ${machineId}, ${instantAt(now, start)}, ${end === null ? null : instantAt(now, end)}, ${type}, ${codeId})`
}
async function stopped(stops: Stop[]) {
  const made = await plant(hub)
  const now = hub.clock.now().getTime()
  await store(made.admin, made.machine.id, now, stops)
  const get = async (path: string) => (await made.admin.call('GET', path)).body
  const route = `machines/${made.machine.id}`
  return { ...made, now, get, route, at: (hour: number) => instantAt(now, hour).toISOString() }
}

describe('the uptime summary', () => {
  // Worked out by hand. The window is the hours 900 to 1,000.
  it.each<[string, Stop[], { hours: number; percent: number; by: Partial<Record<Type, number>> }]>([
    ['without downtime is 100 %', [], { hours: 0, percent: 100, by: {} }],
    [
      'counts all four types',
      [
        [910, 920, 'planned'],
        [930, 935, 'unplanned'],
        [940, 942, 'changeover'],
        [950, 953, 'maintenance'],
      ],
      { hours: 20, percent: 80, by: { planned: 10, unplanned: 5, changeover: 2, maintenance: 3 } },
    ],
    ['clips what began before the window', [[880, 910, 'unplanned']], { hours: 10, percent: 90, by: { unplanned: 10 } }],
    ['clips what began in it and is ongoing', [[990, null, 'unplanned']], { hours: 10, percent: 90, by: { unplanned: 10 } }],
    ['leaves out what ended as it begins', [[880, 900, 'unplanned']], { hours: 0, percent: 100, by: {} }],
    [
      'gives an overlap to the record that started first',
      [
        [920, 940, 'planned'],
        [910, 930, 'unplanned'],
      ],
      { hours: 30, percent: 70, by: { unplanned: 20, planned: 10 } },
    ],
    [
      'counts a record inside another once',
      [
        [910, 950, 'planned'],
        [920, 930, 'unplanned'],
      ],
      { hours: 40, percent: 60, by: { planned: 40 } },
    ],
    ['is 0 % of a stopped machine', [[800, null, 'maintenance']], { hours: 100, percent: 0, by: { maintenance: 100 } }],
  ])('%s', async (_, stops, { hours, percent, by }) => {
    const { get, route, at } = await stopped(stops)
    const body = await get(`${route}/uptime-summary?start=${at(900)}&end=${at(1_000)}`)
    expect(body.total_hours).toBeCloseTo(100, 9)
    expect(body.downtime_hours).toBeCloseTo(hours, 9)
    expect(body.uptime_percent).toBeCloseTo(percent, 9)
    expect(Object.keys(body.by_reason)).toEqual(['planned', 'unplanned', 'changeover', 'maintenance'])
    for (const [type, value] of Object.entries(body.by_reason)) expect(value).toBeCloseTo(by[type as Type] ?? 0, 9)
  })

  it('covers the last 30 days by default, and ends now at the latest', async () => {
    const { get, route, at } = await stopped([[END - 31 * 24, END - 29 * 24, 'unplanned']])
    const body = await get(`${route}/uptime-summary`)
    expect([body.total_hours, body.downtime_hours]).toEqual([expect.closeTo(720, 2), expect.closeTo(24, 2)])
    const clipped = await get(`${route}/uptime-summary?start=${at(990)}&end=${at(1_090)}`)
    expect(clipped.total_hours).toBeCloseTo(10, 2)
    const future = await get(`${route}/uptime-summary?start=${at(1_010)}&end=${at(1_020)}`)
    expect([future.total_hours, future.uptime_percent]).toEqual([0, null])
  })

  it('of whole days is whole hours', async () => {
    const { admin, route, get } = await stopped([])
    await admin.call('POST', `${route}/downtime`, { started_at: '2026-01-06T12:00Z', ended_at: '2026-01-08T00:00Z' })
    expect(await get(`${route}/uptime-summary?start=2026-01-05&end=2026-01-06`)).toMatchObject({
      total_hours: 48,
      downtime_hours: 12,
      uptime_percent: 75,
    })
  })

  it('says since when the machine was observed: by its first record or its first reading', async () => {
    const { get, route, at, admin, key, identifier, machine } = await stopped([])
    const observed = async () => [
      (await get(`${route}/uptime-summary`)).observed_from,
      (await get(`${route}/mttr-mtbf`)).observed_from,
    ]
    expect(await observed()).toEqual([null, null])
    const first = hub.clock.now().getTime() - 60_000
    await hub.send(key, [
      { machine: identifier, metric: 'noise', value: 1, at: new Date(first + 5_000) },
      { machine: identifier, value: 1, at: new Date(first) },
    ])
    const read = new Date(first).toISOString()
    expect(await observed()).toEqual([read, read])
    await admin.call('POST', `${route}/downtime`, { started_at: at(990), ended_at: at(991) })
    expect(await observed()).toEqual([at(990), at(990)])
    // what was removed after the retention is known by its day
    await storeRemovedDay(hub.owner, machine.id, '2025-12-31')
    expect(await observed()).toEqual(['2025-12-31T00:00:00.000Z', '2025-12-31T00:00:00.000Z'])
  })

  it('is refused for an end that is not after the start, and beyond 90 days', async () => {
    const { admin, route } = await stopped([])
    const ask = async (query: string) => (await admin.call('GET', `${route}/uptime-summary?${query}`)).status
    expect(await ask('start=2026-01-05&end=2026-01-04')).toBe(422)
    expect(await ask('start=2026-01-01T00:00Z&end=2026-04-01T00:00Z')).toBe(200)
    expect(await ask('start=2026-01-01T00:00Z&end=2026-04-01T00:00:00.001Z')).toBe(422)
    expect((await admin.call('GET', `machines/${UNKNOWN}/uptime-summary`)).body.code).toBe('machine_not_found')
  })
})

describe('MTTR and MTBF', () => {
  interface Expected {
    mttr: number | null
    mtbf: number | null
    repairs: number
    failures: number
  }
  // Worked out by hand. The window is the last 4 days: hours 904 to 1,000.
  it.each<[string, Stop[], Expected]>([
    ['are null without events', [], { mttr: null, mtbf: null, repairs: 0, failures: 0 }],
    ['one repair gives an MTTR and no MTBF', [[910, 914, 'unplanned']], { mttr: 4, mtbf: null, repairs: 1, failures: 1 }],
    [
      'maintenance is a repair and no failure',
      [
        [910, 914, 'maintenance'],
        [920, 922, 'unplanned'],
      ],
      { mttr: 3, mtbf: null, repairs: 2, failures: 1 },
    ],
    [
      'planned stops and changeovers are neither',
      [
        [910, 914, 'planned'],
        [920, 922, 'changeover'],
      ],
      { mttr: null, mtbf: null, repairs: 0, failures: 0 },
    ],
    [
      'MTBF is the mean of the times between',
      [
        [910, 912, 'unplanned'],
        [932, 934, 'unplanned'],
        [944, 950, 'unplanned'],
      ],
      { mttr: 10 / 3, mtbf: 15, repairs: 3, failures: 3 },
    ],
    [
      'other downtime in between is no uptime',
      [
        [910, 912, 'unplanned'],
        [915, 920, 'planned'],
        [918, 922, 'changeover'],
        [932, 934, 'unplanned'],
      ],
      { mttr: 2, mtbf: 13, repairs: 2, failures: 2 },
    ],
    [
      'a stop that begins in a failure and outlasts it shortens the uptime',
      [
        [910, 912, 'unplanned'],
        [911, 917, 'maintenance'],
        [932, 934, 'unplanned'],
      ],
      { mttr: 10 / 3, mtbf: 15, repairs: 3, failures: 2 },
    ],
    [
      'a stop into which a failure falls shortens it too',
      [
        [910, 912, 'unplanned'],
        [930, 940, 'planned'],
        [932, 934, 'unplanned'],
      ],
      { mttr: 2, mtbf: 18, repairs: 2, failures: 2 },
    ],
    [
      'overlapping failures are one, and each record is a repair',
      [
        [910, 914, 'unplanned'],
        [912, 918, 'unplanned'],
        [928, 930, 'unplanned'],
      ],
      { mttr: 4, mtbf: 10, repairs: 3, failures: 2 },
    ],
    [
      'failures that adjoin are one',
      [
        [910, 914, 'unplanned'],
        [914, 918, 'unplanned'],
        [928, 930, 'unplanned'],
      ],
      { mttr: 10 / 3, mtbf: 10, repairs: 3, failures: 2 },
    ],
    [
      'an ongoing failure is a failure and no repair yet',
      [
        [910, 912, 'unplanned'],
        [942, null, 'unplanned'],
      ],
      { mttr: 2, mtbf: 30, repairs: 1, failures: 2 },
    ],
    [
      'what began before the window does not count',
      [
        [900, 910, 'unplanned'],
        [920, 922, 'unplanned'],
        [932, 934, 'unplanned'],
      ],
      { mttr: 2, mtbf: 10, repairs: 2, failures: 2 },
    ],
    [
      'a failure that began before the window swallows one that overlaps it',
      [
        [900, 910, 'unplanned'],
        [905, 912, 'unplanned'],
        [920, 922, 'unplanned'],
      ],
      { mttr: 4.5, mtbf: null, repairs: 2, failures: 1 },
    ],
  ])('%s', async (_, stops, { mttr, mtbf, repairs, failures }) => {
    const { get, route, machine } = await stopped(stops)
    const close = (value: number | null) => (value === null ? null : expect.closeTo(value, 6))
    const expected = {
      machine_id: machine.id,
      mttr_hours: close(mttr),
      mtbf_hours: close(mtbf),
      repair_event_count: repairs,
      failure_event_count: failures,
      lookback_days: 4,
    }
    const { observed_from, ...own } = await get(`${route}/mttr-mtbf?days=4`)
    expect(own).toEqual(expected)
    expect(observed_from === null).toBe(stops.length === 0)
    const fleet = await get('fleet/mttr-mtbf?days=4')
    expect(fleet).toEqual({ machines: [expected], fleet_mttr_hours: close(mttr), fleet_mtbf_hours: close(mtbf) })
  })

  it('of the fleet pool the events of all active machines, and are no means of means', async () => {
    const { admin, now, get } = await stopped([
      [910, 912, 'unplanned'],
      [922, 923, 'unplanned'],
      [943, 944, 'unplanned'],
    ])
    const other = await hub.machine(admin, { name: 'Press 2' })
    await store(admin, other.id, now, [
      [910, 920, 'unplanned'],
      [960, 964, 'unplanned'],
    ])
    const idle = await hub.machine(admin, { name: 'Press 3' })
    const gone = await hub.machine(admin, { name: 'Press 4' })
    await store(admin, gone.id, now, [[910, 999, 'unplanned']])
    await admin.call('PATCH', `machines/${gone.id}`, { is_active: false })
    const fleet = await get('fleet/mttr-mtbf?days=4')
    expect(fleet.machines.map(({ mttr_hours }: { mttr_hours: number | null }) => mttr_hours)).toEqual([
      expect.closeTo(4 / 3, 6),
      expect.closeTo(7, 6),
      null,
    ])
    expect(fleet.machines[2].machine_id).toBe(idle.id)
    expect(fleet.fleet_mttr_hours).toBeCloseTo(18 / 5, 6)
    expect(fleet.fleet_mtbf_hours).toBeCloseTo((10 + 20 + 40) / 3, 6)
  })

  it.each([
    ['0', 422],
    ['1', 200],
    ['90', 200],
    ['91', 422],
    ['x', 422],
  ])('days of %s is answered with %i', async (days, status) => {
    const { admin, route } = await stopped([])
    expect((await admin.call('GET', `${route}/mttr-mtbf?days=${days}`)).status).toBe(status)
    expect((await admin.call('GET', `fleet/mttr-mtbf?days=${days}`)).status).toBe(status)
  })

  it('look back 90 days by default', async () => {
    const { get, route } = await stopped([
      [END - 91 * 24, END - 90.5 * 24, 'unplanned'],
      [END - 89 * 24, END - 88 * 24, 'unplanned'],
    ])
    expect(await get(`${route}/mttr-mtbf`)).toMatchObject({ lookback_days: 90, failure_event_count: 1, mttr_hours: 24 })
  })
})

describe('the figures of records, whatever the order of the changes', () => {
  /** What the trigger stores of a machine. */
  const stored = (machineId: string) => hub.owner<Record<string, unknown>[]>`
    select started_at::text, ended_at::text, repair_seconds, attributed_from::text, starts_failure, previous_failure_at::text,
      uptime_before_seconds, covered_until::text, failed_until::text, failed_at::text, uptime_seconds
    from downtime_figures where machine_id = ${machineId} order by started_at, ended_at, is_unplanned, repair_seconds`
  const TYPES: Type[] = ['planned', 'unplanned', 'changeover', 'maintenance']

  it('random inserts, changes and deletions leave what one insert of the same records in order leaves, and what attributeTime says', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const below = randomBelow(seed)
      const { admin, now } = await stopped([])
      const [changed, fresh] = [(await hub.machine(admin)).id, (await hub.machine(admin)).id]
      const ids: string[] = []
      const times = (): [Date, Date | null, Type] => {
        const start = below(40)
        const isOngoing = below(12) === 0 && ids.length > 0
        return [instantAt(now, start), isOngoing ? null : instantAt(now, start + 1 + below(15)), TYPES[below(4)] as Type]
      }
      for (let step = 0; step < 30; step++) {
        const [from, until, type] = times()
        const target = ids[below(ids.length + 1)]
        const isTaken =
          until === null &&
          (await hub.owner`select from downtime_records where machine_id = ${changed} and ended_at is null`).length > 0
        if (isTaken) continue
        if (target === undefined || below(3) === 0) {
          const id = randomUUID()
          await hub.owner`insert into downtime_records (tenant_id, id, machine_id, started_at, ended_at, reason_type)
            values (${admin.tenantId}, ${id}, ${changed}, ${from}, ${until}, ${type})`
          ids.push(id)
        } else if (below(4) === 0) {
          await hub.owner`delete from downtime_records where id = ${target}`
          ids.splice(ids.indexOf(target), 1)
        } else
          await hub.owner`update downtime_records set started_at = ${from}, ended_at = ${until}, reason_type = ${type} where id = ${target}`
      }
      await hub.owner`insert into downtime_records (tenant_id, id, machine_id, started_at, ended_at, reason_type)
        select tenant_id, (substr(md5(id::text), 1, 8) || substr(id::text, 9))::uuid, ${fresh}, started_at, ended_at, reason_type
        from downtime_records where machine_id = ${changed} order by started_at, id`
      const rows = await hub.owner<{ id: string; start: Date; end: Date | null }[]>`
        select id, started_at as start, ended_at as end from downtime_records where machine_id = ${changed}`
      const [all, window] = [
        rows.map(({ id, start, end }) => ({ id, start: +start, end: end ? +end : Number.POSITIVE_INFINITY })),
        { start: 0, end: now },
      ]
      const expected = attributeTime(window, all, byStart).map(({ owner, start }) => [owner.id, start])
      const attributed = await hub.owner<{ id: string; at: Date }[]>`
        select record_id as id, attributed_from as at from downtime_figures where machine_id = ${changed} and attributed_from is not null order by 2`
      expect(attributed.map(({ id, at }) => [id, +at])).toEqual(expected)
      const total = async (machineId: string) => {
        const { failure_event_count, mtbf_hours } = (await admin.call('GET', `machines/${machineId}/mttr-mtbf`)).body
        return [failure_event_count, mtbf_hours]
      }
      expect(await total(changed)).toEqual(await total(fresh))
      // of the last row of the fold; of records that start together, ids decide which that is
      const ends = (machineId: string) => hub.owner`
        select covered_until::text, failed_until::text from downtime_figures where machine_id = ${machineId} order by started_at desc, record_id desc limit 1`
      expect(await ends(changed)).toEqual(await ends(fresh))
      expect((await stored(changed)).length).toBe(rows.length)
    }
  })

  it('MTBF is what a comparison of all records finds, over random records', async () => {
    for (let seed = 21; seed <= 32; seed++) {
      const below = randomBelow(seed)
      const stops = Array.from({ length: 14 }, (): Stop => {
        const start = 905 + below(80)
        return [start, start + 1 + below(8), TYPES[below(4)] as Type]
      })
      const { get, route } = await stopped(stops)
      const { failures, hours } = reliabilityByHours(stops)
      expect(await get(`${route}/mttr-mtbf?days=4`)).toMatchObject({
        failure_event_count: failures,
        mtbf_hours: failures < 2 ? null : expect.closeTo(hours / (failures - 1), 6),
      })
    }
  })

  it('concurrent changes of one machine leave the figures of both', async () => {
    const { admin, machine, now, get, route } = await stopped([])
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        admin.call('POST', `${route}/downtime`, {
          started_at: instantAt(now, 910 + i * 3).toISOString(),
          ended_at: instantAt(now, 914 + i * 3).toISOString(),
        }),
      ),
    )
    expect(await stored(machine.id)).toHaveLength(12)
    expect(await get(`${route}/mttr-mtbf?days=4`)).toMatchObject({
      failure_event_count: 1,
      repair_event_count: 12,
      mttr_hours: 4,
    })
    const [sum] =
      await hub.owner`select sum(extract(epoch from ended_at - attributed_from))::int as s from downtime_figures where machine_id = ${machine.id}`
    expect(sum?.s).toBe(37 * 3_600)
  })

  it('a change in the middle of many records touches its neighbours only', async () => {
    const { admin, machine, now } = await stopped([])
    await hub.owner`insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type)
      select ${admin.tenantId}, ${machine.id}, ${instantAt(now, 0)}::timestamptz + n * interval '10 minutes',
        ${instantAt(now, 0)}::timestamptz + n * interval '10 minutes' + interval '5 minutes', 'unplanned' from generate_series(0, 999) n`
    const versions = () =>
      hub.owner`select record_id, xmin::text from downtime_figures where machine_id = ${machine.id} order by started_at`
    const before = await versions()
    await hub.owner`update downtime_records set ended_at = ended_at + interval '1 minute'
      where machine_id = ${machine.id} and started_at = ${instantAt(now, 0)}::timestamptz + 500 * interval '10 minutes'`
    const after = await versions()
    expect(after.filter((row, i) => row.xmin !== before[i]?.xmin)).toHaveLength(2)
  })

  it('the hub cannot write them past the trigger', async () => {
    await expect(hub.deps.pools.system`delete from downtime_figures where tenant_id = ${UNKNOWN}`).rejects.toMatchObject({
      code: '42501',
    })
  })
})

/** Failures and uptime between the first and the last of them, hour by hour. */
function reliabilityByHours(stops: Stop[]): { failures: number; hours: number } {
  const isDown = (hour: number, type?: Type) =>
    stops.some(([start, end, own]) => start <= hour && hour < (end ?? END) && (!type || type === own))
  let [failures, hours, since] = [0, 0, 0]
  for (let hour = 900; hour < END; hour++) {
    if (isDown(hour, 'unplanned')) {
      if (!isDown(hour - 1, 'unplanned')) {
        failures++
        hours += since
      }
      since = 0
    } else if (failures > 0 && !isDown(hour)) since++
  }
  return { failures, hours }
}

function randomBelow(seed: number): (n: number) => number {
  let state = seed
  return (n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % n
  }
}
