import { beforeAll, describe, expect, it } from 'vitest'
import { scopeOf, TOKEN_SCOPES } from '../src/features/people/accounts/index.ts'
import { z } from '../src/support/http/z.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { upload } from './upload.ts'

const hub = useHub()
const as = (token: string) => ({ authorization: `Bearer ${token}` })

/** A plant with two groups and a token of these, and a machine outside with a group of its own; each machine has an alert. */
async function groupedPlant() {
  const { admin, key } = await plant(hub)
  const machines = await Promise.all(['Lathe', 'Mill', 'Secret press'].map((name) => hub.machine(admin, { name })))
  const [lathe, mill, secret] = machines as [(typeof machines)[0], (typeof machines)[0], (typeof machines)[0]]
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  for (const { machine_identifier } of machines) await hub.send(key, [{ machine: machine_identifier, value: 95 }])
  const group = async (name: string, { id }: { id: string }) => {
    const made = await admin.call('POST', 'machine-groups', { name, group_type: 'site' })
    await admin.call('PUT', `machine-groups/${made.body.id}/members`, { machine_ids: [id] })
    return made.body.id as string
  }
  const groups = [await group('A', lathe), await group('B', mill)] as const
  const hidden = await group('Hidden', secret)
  const days = [{ date: '2026-12-24', name: 'Hidden day', group_id: hidden }]
  await admin.call('PATCH', 'settings/plant', { non_production_days: days })
  const made = await admin.call('POST', 'tokens', { name: 'x', scopes: TOKEN_SCOPES, expires_in_days: 300, group_ids: groups })
  return { admin, lathe, secret, groups, hidden, token: made.body.token as string }
}

describe('a token of two groups', () => {
  let its: Awaited<ReturnType<typeof groupedPlant>>
  let call: (method: string, path: string, body?: unknown) => ReturnType<typeof hub.call>
  beforeAll(async () => {
    its = await groupedPlant()
    call = (method, path, body) => hub.call(method, path, body, as(its.token))
  })

  it('must send group_id in every read that takes one, also where it names a machine, and no answer contains data of other groups', async () => {
    const { lathe, secret, groups, hidden } = its
    const closed = ['getBootstrap']
    const more: Record<string, string> = {
      getFleetFigures: '&by=group',
      searchRecords: '&q=press',
      getFleetOverview: `&machine_ids=${lathe.id}`,
    }
    const reads = hub.routes.filter(
      ({ spec }) =>
        spec.method === 'get' &&
        'scope' in scopeOf(spec.operation) &&
        spec.query instanceof z.ZodObject &&
        'group_id' in spec.query.shape,
    )
    expect(reads.length).toBeGreaterThan(15)
    for (const { spec } of reads) {
      const machine = 'machine_id' in spec.query.shape ? `&machine_id=${lathe.id}` : ''
      const path = (group: string) => `${spec.path.slice(1)}?${group}${machine}${more[spec.operation] ?? ''}`
      const without = await call('GET', path(''))
      expect([spec.operation, without.status, without.body?.code]).toEqual([spec.operation, 403, 'token_outside_groups'])
      const outside = await call('GET', path(`group_id=${hidden}`))
      expect([spec.operation, outside.status]).toEqual([spec.operation, 403])
      if (closed.includes(spec.operation) || spec.operation === 'streamEvents') continue
      expect(without.body.detail).toContain('Add group_id=...')
      const { status, body } = await call('GET', path(`group_id=${groups[0]}`))
      expect([spec.operation, status]).toEqual([spec.operation, 200])
      const answer = JSON.stringify(body)
      for (const word of [secret.id, 'Secret press', hidden, 'Hidden', groups[1]])
        expect([spec.operation, answer.includes(word)]).toEqual([spec.operation, false])
      hub.clock.advance(2)
    }
    const overview = (await call('GET', `fleet/overview?group_id=${groups[0]}&machine_ids=${lathe.id}`)).body
    expect(Object.values(overview.counts as Record<string, number>).reduce((sum, n) => sum + n)).toBe(1)
  })

  it('plans no maintenance for an alert of a machine outside', async () => {
    const [alert] = (await its.admin.call('GET', `alerts?machine_id=${its.secret.id}`)).body.items
    const times = { scheduled_start: '2027-01-01T06:00:00Z', scheduled_end: '2027-01-01T08:00:00Z' }
    const given = { machine_id: its.lathe.id, title: 'Oil', ...times, linked_alert_id: alert.id }
    const { status, body } = await call('POST', 'maintenance', given)
    expect([status, body.errors?.[0]?.code]).toEqual([422, 'other_machine'])
  })

  it('gets a refusal that says what to add, or that the operation stays closed', async () => {
    const detail = async (method: string, path: string, body?: unknown) => (await call(method, path, body)).body.detail
    expect(await detail('GET', 'machine-groups')).toContain('GET /machine-groups is not about single machines, and stays closed')
    expect(await detail('GET', 'alert-rules')).toContain('Add machine_id=...')
    const rule = { metric_name: 'temperature', warning_threshold: 1, critical_threshold: 2 }
    expect(await detail('POST', 'alert-rules', rule)).toContain('Send machine_id in the body')
    expect(await detail('GET', `machines/${its.secret.id}`)).toContain('in none of them')
  })

  it('reads, changes and deletes what belongs to its machines, and nothing of others', async () => {
    const { admin, lathe, secret } = its
    const times = { scheduled_start: '2027-01-01T06:00:00Z', scheduled_end: '2027-01-01T08:00:00Z' }
    const rule = { metric_name: 'noise', warning_threshold: 1, critical_threshold: 2 }
    /** What belongs to a machine: its path, and whether it can be deleted. */
    const thingsOf = async ({ id: machine_id }: { id: string }, by: TestUser['call']) => {
      const made = async (path: string, body: object) => (await by('POST', path, { machine_id, ...body })).body.id as string
      const order = await made('work-orders', { title: 'Bearing' })
      const event = await made('maintenance', { title: 'Oil', ...times })
      const step = (await by('POST', `work-orders/${order}/instructions`, { title: 'Lock', step_order: 1 })).body.id
      const file = (await upload(hub, admin, `work_order_id=${order}`)).body.id
      const photo = (await upload(hub, admin, `maintenance_event_id=${event}`)).body.id
      const [alert] = (await admin.call('GET', `alerts?machine_id=${machine_id}`)).body.items
      return {
        alert: alert.id as string,
        read: [
          ...[`alerts/${alert.id}`, `alerts/${alert.id}/history`, `work-orders/${order}/signoffs`],
          ...[`attachments/work-order/${order}`, `attachments/maintenance/${event}`, `attachments/${file}/download`],
        ],
        deleted: [
          ...[`work-orders/${order}/instructions/${step}`, `attachments/${file}`, `attachments/${photo}`],
          ...[`work-orders/${order}`, `maintenance/${event}`],
        ],
        rule: `alert-rules/${await made('alert-rules', rule)}`,
      }
    }
    const statuses = async (things: Awaited<ReturnType<typeof thingsOf>>) => {
      const one = async (method: string, path: string) => [method, path, (await call(method, path)).status]
      const found = [await one('POST', `alerts/${things.alert}/acknowledge`)]
      for (const path of [...things.read, ...things.deleted]) found.push(await one('GET', path))
      for (const path of [...things.deleted, things.rule]) found.push(await one('DELETE', path))
      return found.map(([method, path, status]) => [method, path, status === 204 || status === 201 ? 200 : status])
    }
    for (const [method, path, status] of await statuses(await thingsOf(lathe, call)))
      expect([method, path, status]).toEqual([method, path, 200])
    for (const [method, path, status] of await statuses(await thingsOf(secret, admin.call)))
      expect([method, path, status]).toEqual([method, path, 403])
  })

  it('reaches every open operation on one thing, except on what belongs to no single machine', () => {
    const ofNoMachine = /^\/(agent|checklists|erp|escalation-policies|notification-channels|reason-codes|shifts\/definitions)\b/
    const unfound = hub.routes.filter(
      ({ spec, find }) =>
        'scope' in scopeOf(spec.operation) &&
        /\{/.test(spec.path) &&
        !/\{(machine|group|site)_id\}/.test(spec.path) &&
        !ofNoMachine.test(spec.path) &&
        !find,
    )
    expect(unfound.map(({ spec }) => spec.operation)).toEqual([])
  })
})
