import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { analyzeMachines } from '../src/features/predictions/health/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()

/** Each list that `group_id` narrows: the operation, and the machines of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Body = any
const ofItems = (body: Body): string[] => body.items.map((it: Body) => it.machine_id ?? it.id)
const LISTS: [path: string, machinesOf: (body: Body) => string[]][] = [
  ['machines', ofItems],
  ['alerts', ofItems],
  ['alerts/groups', ofItems],
  ['work-orders', ofItems],
  ['notes', ofItems],
  ['maintenance', (body) => body.map((it: Body) => it.machine_id)],
  ['fleet/status', (body) => body.machines.map((it: Body) => it.machine_id)],
  ['fleet/overview', ofItems],
  ['fleet/downtime', ofItems],
  ['fleet/downtime?sort_by=duration_minutes', ofItems],
  ['fleet/mttr-mtbf', (body) => body.machines.map((it: Body) => it.machine_id)],
  ['shifts/logs', ofItems],
  ['shifts/active', (body) => body.map((it: Body) => it.machine_id)],
  ['shifts/active?page=1', (body) => body.map((it: Body) => it.machine_id)],
  ['machines/predictions/fleet', (body) => body.predictions.map((it: Body) => it.machine_id)],
  ['machines/predictions/fleet?page=1', (body) => body.predictions.map((it: Body) => it.machine_id)],
]
const filtered = (path: string, groupId: string) => `${path}${path.includes('?') ? '&' : '?'}group_id=${groupId}`

/** A machine with an alert, a work order, maintenance, downtime, a completed and an active shift. */
async function busyMachine(admin: TestUser, key: string, definitionId: string) {
  const { id, machine_identifier: machine } = await hub.machine(admin)
  const make = async (path: string, body: object) => expect((await admin.call('POST', path, body)).status, path).toBe(201)
  await hub.send(key, [{ machine, value: 95, ago: 60 }])
  await make('work-orders', { machine_id: id, title: 'Bearing' })
  const times = { scheduled_start: '2026-03-02T08:00Z', scheduled_end: '2026-03-02T09:00Z' }
  await make('maintenance', { machine_id: id, title: 'Oil', ...times })
  await make('notes', { machine_id: id, starts_at: '2026-03-02T08:00Z', body: 'New oil' })
  const hoursAgo = (hours: number) => new Date(hub.clock.now().getTime() - hours * 3_600_000)
  await make(`machines/${id}/downtime`, { started_at: hoursAgo(30), ended_at: hoursAgo(29) })
  const shift_date = hoursAgo(20).toISOString().slice(0, 10)
  const log = { machine_id: id, shift_definition_id: definitionId, shift_date }
  await make('shifts/logs', { ...log, actual_start: hoursAgo(20), actual_end: hoursAgo(12) })
  await make('shifts/logs', { ...log, actual_start: hoursAgo(2) })
  return id
}

describe('group_id', () => {
  let admin: TestUser
  let stranger: TestUser
  let site = ''
  let line = ''
  let strangersSite = ''
  /** `direct` is a member of the site, `nested` of a line below it, `outside` of neither */
  const ids = { direct: '', nested: '', outside: '' }

  beforeAll(async () => {
    const made = await plant(hub)
    admin = made.admin
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    const shift = { name: 'Early', start_time: '06:00', end_time: '14:00' }
    const definition = (await admin.call('POST', 'shifts/definitions', shift)).body.id
    for (const name of ['direct', 'nested', 'outside'] as const) ids[name] = await busyMachine(admin, made.key, definition)
    await analyzeMachines(hub.deps.pools.system, hub.deps.store, hub.clock.now(), () => false)
    const group = async (by: TestUser, values: object) =>
      (await by.call('POST', 'machine-groups', { name: 'G', ...values })).body.id
    site = await group(admin, { group_type: 'site', machine_ids: [ids.direct] })
    const area = await group(admin, { parent_id: site })
    line = await group(admin, { group_type: 'line', parent_id: area, machine_ids: [ids.nested] })
    stranger = await hub.admin()
    strangersSite = await group(stranger, { group_type: 'site', machine_ids: [(await hub.machine(stranger)).id] })
  })

  it.each(LISTS)('narrows %s to the machines of a group and of those below it', async (path, machinesOf) => {
    const machines = async (groupId: string) => {
      const { status, body } = await admin.call('GET', filtered(path, groupId))
      expect(status).toBe(200)
      return [...new Set(machinesOf(body))].sort()
    }
    expect(await machines(site)).toEqual([ids.direct, ids.nested].sort())
    expect(await machines(line)).toEqual([ids.nested])
    const all = machinesOf((await admin.call('GET', path)).body)
    expect(all).toContain(ids.outside)
  })

  it.each(LISTS)('of %s that is unknown, or of another tenant, answers an empty list', async (path, machinesOf) => {
    for (const groupId of [randomUUID(), strangersSite]) {
      const { status, body } = await admin.call('GET', filtered(path, groupId))
      expect([status, machinesOf(body)]).toEqual([200, []])
    }
    expect(machinesOf((await stranger.call('GET', filtered(path, site))).body)).toEqual([])
  })

  it.each(LISTS.map(([path]) => path))('of %s must be a UUID', async (path) => {
    expect((await admin.call('GET', filtered(path, 'hall-3'))).status).toBe(422)
  })

  it('counts the alerts of a group only', async () => {
    const counts = async (query: string) => (await admin.call('GET', `alerts/stats${query}`)).body
    expect((await counts('')).total_active).toBe(3)
    expect(await counts(`?group_id=${site}`)).toEqual({ total_active: 2, critical_count: 2, warning_count: 0, info_count: 0 })
    expect((await counts(`?group_id=${strangersSite}`)).total_active).toBe(0)
    expect((await admin.call('GET', `alerts?group_id=${line}`)).body.pagination.total).toBe(1)
  })

  it('counts the machines of an overview by status within the group', async () => {
    const { counts, pagination } = (await admin.call('GET', `fleet/overview?group_id=${site}&status=warning`)).body
    expect([counts, pagination.total]).toEqual([{ critical: 2, warning: 0, offline: 0, healthy: 0 }, 0])
  })

  it('sums the repairs, the downtime by reason and the shifts of a group only', async () => {
    const repairs = async (query: string) =>
      (await admin.call('GET', `fleet/mttr-mtbf${query}`)).body.machines.map((it: Body) => it.repair_event_count)
    expect(await repairs(`?group_id=${site}`)).toEqual([1, 1])
    const minutes = async (query: string) => (await admin.call('GET', `fleet/downtime/pareto${query}`)).body.total_minutes
    expect([await minutes(''), await minutes(`?group_id=${site}`), await minutes(`?group_id=${line}`)]).toEqual([180, 120, 60])
    const logs = async (query: string) =>
      (await admin.call('GET', `shifts/comparison${query}`)).body.shifts.map((it: Body) => it.record_count)
    expect([await logs(''), await logs(`?group_id=${site}`), await logs(`?group_id=${line}`)]).toEqual([[3], [2], [1]])
    expect(await logs(`?group_id=${line}&machine_id=${ids.direct}`)).toEqual([])
    expect(await logs(`?group_id=${strangersSite}`)).toEqual([])
  })
})

describe('the name of the machine', () => {
  it('stands in each answer about an alert, work order, maintenance, downtime or shift, as it is now', async () => {
    const { admin, key } = await plant(hub)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    const shift = { name: 'Early', start_time: '06:00', end_time: '14:00' }
    const id = await busyMachine(admin, key, (await admin.call('POST', 'shifts/definitions', shift)).body.id)
    await admin.call('PATCH', `machines/${id}`, { name: 'Renamed' })
    for (const path of [
      'alerts',
      'work-orders',
      'maintenance',
      `machines/${id}/downtime`,
      'fleet/downtime',
      'shifts/logs',
      'shifts/active',
    ]) {
      const { body } = await admin.call('GET', path)
      for (const one of body.items ?? body) expect([path, one.machine_name]).toEqual([path, 'Renamed'])
      expect((body.items ?? body).length).toBeGreaterThan(0)
    }
    const [alert] = (await admin.call('GET', 'alerts')).body.items
    expect((await admin.call('POST', `alerts/${alert.id}/acknowledge`)).body.machine_name).toBe('Renamed')
    const [event] = (await admin.call('GET', 'maintenance')).body
    expect((await admin.call('PUT', `maintenance/${event.id}`, { title: 'Other oil' })).body.machine_name).toBe('Renamed')
  })
})
