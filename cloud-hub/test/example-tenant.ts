import { randomUUID } from 'node:crypto'
import { analyzeMachines } from '../src/features/predictions/health/index.ts'
import { recomputeBaselines } from '../src/features/telemetry/baselines/index.ts'
import { PASSWORD, type TestHub, type TestUser } from './harness.ts'
import { ensureRelease, PLATFORM, takesUpdates } from './support/agent-releases.ts'
import { storeErpRun } from './support/erp-rows.ts'
import { upload } from './upload.ts'
import { completedWork } from './work-record.ts'

/** What a documented example is sent to: a tenant of its own with one thing of each kind. */
export interface ExampleTenant {
  admin: TestUser
  key: string
  /** by the name of the parameter or field that takes them */
  ids: Record<string, string>
}

/** The instant that the examples show. */
export const EXAMPLE_NOW = new Date('2026-01-31T12:00:00.000Z')

/** Readings for figures and baselines, one that raises an alert, and a gap that an agent reports. */
async function sendReadings(hub: TestHub, key: string, machine: string): Promise<void> {
  const vibration = { machine, metric: 'vibration', unit: 'mm/s' }
  await hub.send(key, [
    ...Array.from({ length: 40 }, (_, i) => ({ ...vibration, value: 2 + (i % 5) / 10, ago: 3_600 + i })),
    { machine, value: 61.5, metric: 'oil_temperature', unit: 'celsius', ago: 1 },
    { ...vibration, value: 7.4, ago: 1 },
  ])
  await recomputeBaselines(hub.deps.pools.system, hub.deps.store, hub.clock.now())
  await hub.owner`
    insert into anomaly_events (tenant_id, machine_id, series_id, metric_name, unit, value, sigma, baseline_mean, baseline_std_dev, started_at)
    select s.tenant_id, s.machine_id, s.id, s.metric, s.unit, 5.4, 4.1, 2.1, 0.8, ${hub.clock.now()} - interval '20 minutes'
    from series s join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id
    where m.machine_identifier = ${machine} and s.metric = 'vibration' on conflict do nothing`
  await analyzeMachines(hub.deps.pools.system, hub.deps.store, hub.clock.now(), () => false)
  const gap = {
    gap_id: randomUUID(),
    machine_identifier: machine,
    metric_name: 'vibration',
    unit: 'mm/s',
    from: '2026-01-31T02:00:00.000Z',
    to: '2026-01-31T02:10:00.000Z',
    count: 9,
    reason: 'disk_full',
  }
  const report = { agent_id: 'line-5', agent_version: '0.1.0', gaps: [gap] }
  await hub.call('POST', 'agent/heartbeat', report, { 'x-api-key': key })
}

/** @param identifier of the machine; the examples themselves create press-01 */
export async function makeExampleTenant(hub: TestHub, identifier: string): Promise<ExampleTenant> {
  const admin = await hub.admin()
  const make = async (route: string, body: object) => {
    const answer = await admin.call('POST', route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { id: key_id, key } = await hub.apiKey(admin)
  const { id: machine_id } = await hub.machine(admin, { machine_identifier: identifier })
  const rule = await make('alert-rules', { metric_name: 'vibration', warning_threshold: 4.5, critical_threshold: 7.1 })
  const expression = { conditions: [{ metric: 'oil_temperature', op: '>', value: 70, duration_seconds: 60 }] }
  const composite = await make('composite-rules', { machine_id, name: 'Hot', expression, severity: 'critical' })
  await sendReadings(hub, key, identifier)
  const { id: alert_id } = (await admin.call('GET', 'alerts')).body.items[0]
  await make(`alerts/${alert_id}/comments`, { body: 'noted' })
  const email = { name: 'mail', channel_type: 'email', config: { to_email: 'a@example.com' } }
  const { id: channel_id } = await make('notification-channels', email)
  const policy = await make('escalation-policies', { name: 'wake', severity: 'info', wait_minutes: 1, channel_id })
  const plc = { machine_id, name: 'PLC', protocol: 'modbus', host: '10.0.0.5', port: 502, config: { agent_id: 'line-4' } }
  await make('tag-mappings/auto-map', { tags: [{ raw_tag: 'Temp', machine_id }] })
  const order = await make('work-orders', { machine_id, title: 'Bearing', priority: 'high' })
  await make(`work-orders/${order.id}/comments`, { body: 'noted' })
  const step = await make(`work-orders/${order.id}/instructions`, { step_order: 1, title: 'Drain' })
  const work = await completedWork(hub, admin)
  const signoff = await make(`work-orders/${work.id}/signoffs`, { password: PASSWORD })
  const times = { scheduled_start: '2026-03-02T08:00Z', scheduled_end: '2026-03-02T09:30Z' }
  const event = await make('maintenance', { machine_id, title: 'Change the oil', ...times })
  const file = await upload(hub, admin, `work_order_id=${order.id}`, { name: 'drawing.bin' })
  await upload(hub, admin, `maintenance_event_id=${event.id}`)
  const stop = await make(`machines/${machine_id}/downtime`, { started_at: '2026-01-31T09:00Z', ended_at: '2026-01-31T10:00Z' })
  const shift = { name: 'Late', start_time: '14:00', end_time: '22:00' }
  const definition = await make('shifts/definitions', shift)
  const log = { machine_id, shift_definition_id: definition.id, shift_date: '2026-01-31', actual_start: '2026-01-31T10:00Z' }
  const over = { shift_date: '2026-01-30', actual_start: '2026-01-30T05:00Z', actual_end: '2026-01-30T13:00Z' }
  await make('shifts/logs', { ...log, ...over })
  const erp = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
  const connection = await make('erp/connections', { provider: 'erp_c', name: 'ERP', config: erp })
  const { runId } = await storeErpRun(hub, admin.tenantId, connection.id, order.id)
  await ensureRelease(hub.owner, '0.2.0', 100)
  for (const agent_id of ['line-4', 'line-9'])
    await hub.call('POST', 'agent/heartbeat', { agent_id, agent_version: '0.1.0', update: takesUpdates }, { 'x-api-key': key })
  const rollout = await make('agent/rollouts', { version: '0.2.0', agent_ids: ['line-9'] })
  const ids = {
    rollout_id: rollout.id,
    version: '0.2.0',
    platform: PLATFORM,
    connection_id: connection.id,
    run_id: runId,
    entity_id: order.id,
    shift_definition_id: definition.id,
    definition_id: definition.id,
    log_id: (await make('shifts/logs', log)).id,
    signed_order_id: work.id,
    signoff_id: signoff.id,
    attachment_id: file.body.id,
    machine_id,
    event_id: event.id,
    note_id: (await make('notes', { machine_id, starts_at: '2026-01-31T09:00:00Z', body: 'New oil' })).id,
    checklist_id: (await make('checklists', { name: 'Belt', steps: [{ title: 'Tighten' }] })).id,
    record_id: stop.id,
    site_id: (await make('machine-groups', { name: 'Plant', group_type: 'site', machine_ids: [machine_id] })).id,
    code_id: (await admin.call('GET', 'reason-codes')).body[0].id,
    token_id: (await make('calendar-tokens', { label: 'Tablet' })).id,
    access_token_id: (await make('tokens', { name: 'export', scopes: ['team:read'] })).id,
    service_account_id: (await make('service-accounts', { name: 'MES', role: 'viewer' })).id,
    key_id,
    enrolment_key_id: (await make('enrolment-keys', { name: 'box' })).id,
    agent_id: 'line-5',
    alert_id,
    channel_id,
    policy_id: policy.id,
    rule_id: rule.id,
    composite_rule_id: composite.id,
    mapping_id: (await admin.call('GET', `machines/${machine_id}/tag-mappings`)).body[0].id,
    request_id: randomUUID(),
    source_id: (await make('ingest-sources', plc)).id,
    group_id: (await make('machine-groups', { name: 'Hall', machine_ids: [machine_id] })).id,
    work_order_id: order.id,
    instruction_id: step.id,
    user_id: (await hub.colleague(admin, 'viewer')).userId,
    key: (await make('settings/roles', { name: 'Crew', base_tier: 'operator' })).key,
  }
  return { admin, key, ids }
}
