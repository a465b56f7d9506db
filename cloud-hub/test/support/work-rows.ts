import { randomBytes, randomUUID } from 'node:crypto'
import type postgres from 'postgres'
import { PASSWORD } from '../harness.ts'
import type { Site } from '../running-hub.ts'

/** Gives every table of work a row: a signed work order of an alert with a photo, maintenance, and what the hub notes beside them. */
export async function fillWork(url: string, site: Site, owner: postgres.Sql, alertId: string) {
  const made = async (route: string, body: unknown) => {
    const answer = await site.call('POST', route, body)
    if (answer.status !== 201) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { machineId: machine_id, tenantId } = site
  const me = (await site.call('GET', 'auth/me')).body.id
  const checklist = await made('checklists', { name: 'Oil', steps: [{ title: 'Drain' }] })
  const times = { scheduled_start: '2090-03-01T08:00:00Z', scheduled_end: '2090-03-01T09:00:00Z' }
  const event = await made('maintenance', { machine_id, title: 'Oil', checklist_id: checklist.id, assigned_to: me, ...times })
  await made('calendar-tokens', { label: 'phone' })
  await made('notes', { machine_id, starts_at: '2026-01-01', body: 'New oil' })
  const order = await made('work-orders', {
    machine_id,
    title: 'Bearing',
    alert_id: alertId,
    assigned_to: me,
    assignee_ids: [me],
  })
  const bytes = randomBytes(300_000)
  const attach = async (query: string) => {
    const body = new FormData()
    body.append('file', new Blob([bytes]), 'Foto – 検査.bin')
    const headers = { authorization: `Bearer ${site.token}` }
    const answer = await fetch(`${url}/api/v1/attachments?${query}`, { method: 'POST', body, headers })
    return ((await answer.json()) as { id: string }).id
  }
  const attachmentId = await attach(`work_order_id=${order.id}`)
  await attach(`maintenance_event_id=${event.id}`)
  await made(`work-orders/${order.id}/instructions`, { step_order: 1, title: 'Grease', attachment_id: attachmentId })
  await made(`work-orders/${order.id}/comments`, { body: 'noted' })
  await site.call('PATCH', `work-orders/${order.id}`, { status: 'completed' })
  const signoff = await made(`work-orders/${order.id}/signoffs`, { password: PASSWORD })
  const cancelled = await made('work-orders', { machine_id, title: 'Mistake' })
  await site.call('DELETE', `work-orders/${cancelled.id}`)
  await owner`insert into certificates (tenant_id, work_order_id, reference) values (${tenantId}, ${order.id}, ${randomUUID()})`
  await owner`insert into work_reminders (tenant_id, kind, work_order_id, for_time, sent_at)
    values (${tenantId}, 'work_order_overdue', ${order.id}, '2090-01-01', now())`
  await owner`insert into downtime_records (tenant_id, machine_id, started_at) values (${tenantId}, ${machine_id}, '2026-01-01')`
  await owner`insert into downtime_detections (tenant_id, machine_id, is_active, signal, for_seconds, silent_after_seconds, active_since)
    values (${tenantId}, ${machine_id}, false, 'silence', 0, 600, '2026-01-01')`
  await fillShifts(owner, tenantId, machine_id)
  const later = '2090-01-01'
  await owner`insert into attachment_uploads (tenant_id, storage_key, size_bytes, expires_at) values (${tenantId}, 'a/b', 1, ${later})`
  await owner`insert into attachment_deletions (tenant_id, storage_key, due_at) values (${tenantId}, 'a/c', ${later})`
  return { orderId: order.id as string, signoffId: signoff.id as string, attachmentId, bytes }
}

/** A completed shift log; triggers fill the tables of its OEE. */
async function fillShifts(owner: postgres.Sql, tenantId: string, machineId: string): Promise<void> {
  const [site] = await owner<{ id: string }[]>`
    insert into machine_groups (tenant_id, name, group_type, time_zone) values (${tenantId}, 'Chicago', 'site', 'America/Chicago') returning id`
  const siteId = site?.id ?? ''
  await owner`
    insert into non_production_days (tenant_id, group_id, date, name)
    values (${tenantId}, null, '2026-12-25', 'Christmas'), (${tenantId}, ${siteId}, '2026-12-25', 'Inventory')`
  await owner`
    insert into shift_definitions (tenant_id, group_id, name, start_time, end_time, duration_minutes, color)
    values (${tenantId}, ${siteId}, 'Night', '22:00', '06:00', 480, '#336699')`
  await owner`insert into shift_log_runs (tenant_id, started_through) values (${tenantId}, '2026-01-01')`
  const [definition] = await owner<{ id: string }[]>`
    insert into shift_definitions (tenant_id, name, start_time, end_time, duration_minutes, color)
    values (${tenantId}, 'Early', '06:00', '14:00', 480, '#336699') returning id`
  const [log] = await owner<{ id: string }[]>`
    insert into shift_logs (tenant_id, machine_id, shift_definition_id, shift_date, actual_start, actual_end, status)
    values (${tenantId}, ${machineId}, ${definition?.id ?? ''}, '2026-01-01', '2026-01-01T06:00Z', '2026-01-01T14:00Z', 'completed') returning id`
  await owner`
    insert into shift_log_oee (tenant_id, shift_log_id, machine_id, shift_definition_id, shift_date, planned_ms, not_scheduled_ms,
      availability_loss_ms, performance_loss_ms, quality_loss_ms, downtime_ms)
    values (${tenantId}, ${log?.id ?? ''}, ${machineId}, ${definition?.id ?? ''}, '2026-01-01', 28800000, 0, 0, 0, 0, 0)
    on conflict do nothing`
  // the job would delete it sooner or later
  await owner`delete from oee_changes where tenant_id = ${tenantId}`
}
