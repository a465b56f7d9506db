import { randomUUID } from 'node:crypto'
import { plant, type TestHub, type TestUser } from '../harness.ts'

/** A tenant with a machine and an early shift, in UTC. */
export async function shiftPlant(hub: TestHub, values: Record<string, unknown> = {}) {
  const made = await plant(hub)
  const { admin, machine } = made
  const given = { name: 'Early', start_time: '06:00', end_time: '14:00', color: '#336699', ...values }
  const definition = (await admin.call('POST', 'shifts/definitions', given)).body
  const body = (more: Record<string, unknown> = {}) => ({
    machine_id: machine.id,
    shift_definition_id: definition.id,
    shift_date: '2026-01-30',
    actual_start: '2026-01-30T06:00:00.000Z',
    actual_end: '2026-01-30T14:00:00.000Z',
    ...more,
  })
  const log = async (more: Record<string, unknown> = {}, user: TestUser = admin) => {
    const answer = await user.call('POST', 'shifts/logs', body(more))
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body
  }
  /** straight into the table: `POST .../downtime` is another feature */
  const downtime = async (
    from: string,
    until: string | null,
    more: { type?: string; code?: string | null; machineId?: string } = {},
  ) => {
    const id = randomUUID()
    await hub.owner`
      insert into downtime_records (tenant_id, id, machine_id, started_at, ended_at, reason_type, reason_code_id)
      values (${admin.tenantId}, ${id}, ${more.machineId ?? machine.id}, ${from}, ${until}, ${more.type ?? 'unplanned'}, ${more.code ?? null})`
    return id
  }
  /** the compared shifts of January 2026 */
  const compare = async (query = '') => {
    const { body } = await admin.call('GET', `shifts/comparison?from_date=2026-01-01&to_date=2026-01-31${query}`)
    return body.shifts
  }
  return { ...made, definition, body, log, downtime, compare }
}
