import { describe, expect, it } from 'vitest'
import { runAutomaticLogs } from '../src/features/production/shifts/index.ts'
import { type TestUser, useHub } from './harness.ts'

const hub = useHub()
const run = (at: string) => runAutomaticLogs(hub.deps.pools.system, new Date(at))

/** A plant in Berlin with three shifts and machines that exist since 2026-01-01. */
async function plantWithShifts({ machines = 1, zone = 'Europe/Berlin', definitions = THREE_SHIFTS } = {}) {
  const admin = await hub.admin()
  await admin.call('PATCH', 'settings/plant', { time_zone: zone })
  for (const definition of definitions) await admin.call('POST', 'shifts/definitions', definition)
  await hub.owner`update shift_definitions set updated_at = '2026-01-01' where tenant_id = ${admin.tenantId}`
  const ids: string[] = []
  for (let i = 0; i < machines; i++) ids.push((await hub.machine(admin)).id)
  await hub.owner`update machines set created_at = '2026-01-01' where tenant_id = ${admin.tenantId}`
  const logs = async () =>
    (
      await hub.owner<{ name: string; date: string; start: Date; end: Date | null; status: string }[]>`
      select d.name, l.shift_date::text as date, l.actual_start as start, l.actual_end as end, l.status
      from shift_logs l join shift_definitions d using (tenant_id)
      where l.tenant_id = ${admin.tenantId} and d.id = l.shift_definition_id order by l.actual_start, l.machine_id`
    ).map(({ name, date, start, end, status }) => [name, date, short(start), end && short(end), status])
  return { admin, ids, logs }
}
const short = (at: Date) => at.toISOString().slice(5, 16)
const THREE_SHIFTS = [
  { name: 'Early', start_time: '06:00', end_time: '14:00' },
  { name: 'Late', start_time: '14:00', end_time: '22:00' },
  { name: 'Night', start_time: '22:00', end_time: '06:00' },
]
const automatic = (admin: TestUser, auto_shift_logs = true) => admin.call('PATCH', 'settings/plant', { auto_shift_logs })

describe('automatic shift logs', () => {
  it('start and end at the local times of the definitions, also across midnight and when the clocks change', async () => {
    const { admin, logs } = await plantWithShifts()
    await automatic(admin)
    await run('2026-03-28T20:59:00Z')
    expect(await logs()).toEqual([['Late', '2026-03-28', '03-28T13:00', null, 'active']])
    await run('2026-03-28T21:00:00Z')
    await run('2026-03-28T21:00:30Z')
    await run('2026-03-29T04:00:05Z')
    expect(await logs()).toEqual([
      ['Late', '2026-03-28', '03-28T13:00', '03-28T21:00', 'completed'],
      // seven hours: clocks went forward
      ['Night', '2026-03-28', '03-28T21:00', '03-29T04:00', 'completed'],
      ['Early', '2026-03-29', '03-29T04:00', null, 'active'],
    ])
  })

  it('start none for a tenant that does not want them, and are still completed once they are switched off', async () => {
    const { admin, logs } = await plantWithShifts()
    await run('2026-02-02T06:00:00Z')
    expect(await logs()).toEqual([])
    await automatic(admin)
    await run('2026-02-02T06:00:00Z')
    await automatic(admin, false)
    await run('2026-02-02T13:30:00Z')
    expect(await logs()).toEqual([['Early', '2026-02-02', '02-02T05:00', '02-02T13:00', 'completed']])
  })

  it('start on no non-production day, for no deactivated machine and by no deactivated definition', async () => {
    const { admin, ids, logs } = await plantWithShifts({ machines: 2 })
    await admin.call('DELETE', `machines/${ids[0]}`)
    await admin.call('PATCH', 'settings/plant', { non_production_days: [{ date: '2026-05-01', name: 'Labour Day' }] })
    const [, late] = (await admin.call('GET', 'shifts/definitions')).body
    await admin.call('DELETE', `shifts/definitions/${late.id}`)
    await automatic(admin)
    for (const at of ['2026-05-01T05:00Z', '2026-05-01T13:00Z', '2026-05-01T21:00Z', '2026-05-02T05:00Z', '2026-05-02T13:00Z'])
      await run(at)
    expect(await logs()).toEqual([['Early', '2026-05-02', '05-02T04:00', '05-02T12:00', 'completed']])
  })

  it('start beside no active log of the machine', async () => {
    const { admin, ids, logs } = await plantWithShifts({ machines: 2 })
    const [early] = (await admin.call('GET', 'shifts/definitions')).body
    const log = { machine_id: ids[0], shift_definition_id: early.id, shift_date: '2026-02-02', actual_start: '2026-02-02T04:50Z' }
    await admin.call('POST', 'shifts/logs', log)
    await automatic(admin)
    await run('2026-02-02T05:00:00Z')
    expect(await logs()).toEqual([
      ['Early', '2026-02-02', '02-02T04:50', null, 'active'],
      ['Early', '2026-02-02', '02-02T05:00', null, 'active'],
    ])
  })

  it('are made up after an outage, completed, for up to seven days, once, and beside no log that a person made', async () => {
    const { admin, ids, logs } = await plantWithShifts({ definitions: THREE_SHIFTS.slice(0, 1), zone: 'UTC' })
    await automatic(admin)
    await run('2026-02-01T12:00:00Z')
    const [early] = (await admin.call('GET', 'shifts/definitions')).body
    const times = { actual_start: '2026-02-09T07:00Z', actual_end: '2026-02-09T11:00Z' }
    await admin.call('POST', 'shifts/logs', {
      machine_id: ids[0],
      shift_definition_id: early.id,
      shift_date: '2026-02-09',
      ...times,
    })
    await run('2026-02-11T10:00:00Z')
    await run('2026-02-11T10:00:10Z')
    const dates = (await logs()).map(([, date, , , status]) => [date, status])
    expect(dates).toEqual([
      ['2026-02-01', 'completed'],
      ...['05', '06', '07', '08', '09', '10'].map((day) => [`2026-02-${day}`, 'completed']),
      ['2026-02-11', 'active'],
    ])
  })

  it('of a machine that is created during a shift begin with its creation', async () => {
    const { admin, logs } = await plantWithShifts()
    await hub.owner`update machines set created_at = '2026-02-02T09:00Z' where tenant_id = ${admin.tenantId}`
    await automatic(admin)
    await run('2026-02-02T10:00:00Z')
    expect(await logs()).toEqual([['Early', '2026-02-02', '02-02T09:00', null, 'active']])
  })

  it('that an admin deleted or a person cancelled do not start again', async () => {
    const { admin, logs } = await plantWithShifts()
    await automatic(admin)
    await run('2026-02-02T06:00:00Z')
    const [log] = (await admin.call('GET', 'shifts/logs')).body.items
    expect(log.is_automatic).toBe(true)
    await admin.call('DELETE', `shifts/logs/${log.id}`)
    await run('2026-02-02T07:00:00Z')
    expect(await logs()).toEqual([])
    await run('2026-02-02T13:00:00Z')
    const [late] = (await admin.call('GET', 'shifts/logs')).body.items
    await admin.call('PATCH', `shifts/logs/${late.id}`, { status: 'cancelled' })
    await run('2026-02-02T13:01:00Z')
    expect(await logs()).toEqual([['Late', '2026-02-02', '02-02T13:00', null, 'cancelled']])
  })

  it('by a definition that is changed during its shift start at its new time, and not for a shift that was over', async () => {
    const { admin, logs } = await plantWithShifts({ definitions: THREE_SHIFTS.slice(0, 1), zone: 'UTC' })
    const [early] = (await admin.call('GET', 'shifts/definitions')).body
    await admin.call('PUT', `shifts/definitions/${early.id}`, { start_time: '07:00' })
    await hub.owner`update shift_definitions set updated_at = '2026-02-02T15:00Z' where id = ${early.id}`
    await automatic(admin)
    await run('2026-02-02T03:00:00Z')
    await run('2026-02-02T16:00:00Z')
    expect(await logs()).toEqual([])
    await run('2026-02-03T07:00:00Z')
    expect(await logs()).toEqual([['Early', '2026-02-03', '02-03T07:00', null, 'active']])
  })

  it('are single when two workers run at once', async () => {
    const { admin, logs } = await plantWithShifts({ machines: 3 })
    await automatic(admin)
    await Promise.all(Array.from({ length: 4 }, () => run('2026-02-02T06:00:00Z')))
    await run('2026-02-02T06:00:00Z')
    expect(await logs()).toHaveLength(3)
  })

  it('of a tenant that fail do not hold up those of others, whose turn comes later', async () => {
    const [failing, other] = [await plantWithShifts(), await plantWithShifts()]
    for (const { admin } of [failing, other]) await automatic(admin)
    // a zone of another version of the time zone database
    await hub.owner`update tenants set time_zone = 'Mars/Olympus' where id = ${failing.admin.tenantId}`
    await hub.owner`update tenants set shift_logs_due_at = '1999-01-01' where id = ${other.admin.tenantId}`
    await expect(run('2026-02-02T06:00:00Z')).rejects.toThrow('The automatic shift logs of 1 tenants failed.')
    expect(await other.logs()).toHaveLength(1)
    // it is tried again, and reported, once a minute
    await run('2026-02-02T06:00:59Z')
    await expect(run('2026-02-02T06:01:00Z')).rejects.toThrow('The automatic shift logs of 1 tenants failed.')
    await hub.owner`delete from tenants where id = ${failing.admin.tenantId}`
  })

  it('leave no entry in the audit log, because no person made them', async () => {
    const { admin } = await plantWithShifts()
    await automatic(admin)
    await run('2026-02-02T06:00:00Z')
    expect((await admin.call('GET', 'audit-log?target_type=shift_log')).body.items).toEqual([])
  })
})
