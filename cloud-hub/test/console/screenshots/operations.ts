import { randomUUID } from 'node:crypto'
import type postgres from 'postgres'
import { ensureRelease, takesUpdates } from '../../support/agent-releases.ts'
import { storeErpRun } from '../../support/erp-rows.ts'
import { call as callAs } from '../call.ts'
import type { Company } from './company.ts'
import { DAY_MS, HOUR_MS } from './machines.ts'

/** Sites, lines and departments. @returns the id of a site */
export async function addGroups({ call }: Company, machines: Map<string, string>): Promise<string> {
  const of = (...prefixes: string[]) =>
    [...machines].filter(([identifier]) => prefixes.some((prefix) => identifier.startsWith(prefix))).map(([, id]) => id)
  const group = (name: string, group_type: string, machine_ids: string[], more: object = {}) =>
    call('POST', 'machine-groups', { name, group_type, machine_ids, ...more })
  const site = await group('Bremen plant', 'site', of('pump', 'mill', 'comp', 'dryer', 'fan'))
  await group('Gdańsk plant', 'site', of('press', 'conv', 'robot', 'oven'))
  const line = await group('Machining', 'line', of('mill'), { parent_id: site.id, color: '#0f766e' })
  await group('Apprentices', 'department', of('mill-02'), { parent_id: line.id, description: 'Second floor' })
  await group('Utilities', 'custom', of('pump', 'comp', 'dryer', 'fan'), { parent_id: site.id, color: '#b45309' })
  return site.id
}

/** Stops of the last week with their reasons, one of which lasts, and detection on a machine. */
export async function addDowntime({ call, tenantId, userId }: Company, machines: Map<string, string>, owner: postgres.Sql) {
  const codes: { id: string; category: string }[] = await call('GET', 'reason-codes')
  const stop = (machine: string, agoHours: number, hours: number | null, n: number) => {
    const code = n % 4 === 3 ? undefined : codes[(n * 5) % codes.length]
    return {
      tenant_id: tenantId,
      machine_id: machines.get(machine) as string,
      started_at: new Date(Date.now() - agoHours * HOUR_MS),
      ended_at: hours === null ? null : new Date(Date.now() - (agoHours - hours) * HOUR_MS),
      reason_type: code?.category ?? 'unplanned',
      reason_code_id: code?.id ?? null,
      created_by: userId,
    }
  }
  const records = ['pump-01', 'press-01', 'conv-01', 'robot-01', 'mill-01'].flatMap((machine) =>
    Array.from({ length: 9 }, (_, n) => stop(machine, 10 + n * 17 + machine.length, 0.4 + (n % 4) * 0.9, n)),
  )
  records.push(stop('conv-02', 4, null, 0))
  await owner`insert into downtime_records ${owner(records)}`
  await call('PUT', `machines/${machines.get('pump-01')}/downtime-detection`, {
    signal: 'level',
    metric_name: 'motor_current',
    unit: 'ampere',
    limit: 2,
    for_seconds: 60,
    silent_after_seconds: 600,
  })
}

/** Three shifts, and their logs of the last days. */
export async function addShifts({ call, tenantId }: Company, machines: Map<string, string>, owner: postgres.Sql) {
  await call('PATCH', 'settings/plant', {
    time_zone: 'Europe/Berlin',
    auto_shift_logs: true,
    non_production_days: [{ date: `${new Date().getUTCFullYear()}-12-25`, name: 'Christmas Day' }],
  })
  const shifts = [
    ['Early', 5, '06:00', '14:00', '#f2b705'],
    ['Late', 13, '14:00', '22:00', '#d95f02'],
    ['Night', 21, '22:00', '06:00', '#30475e'],
  ] as const
  for (const [name, hour, start_time, end_time, color] of shifts) {
    const { id } = await call('POST', 'shifts/definitions', { name, start_time, end_time, color })
    const logs = Array.from({ length: 6 }, (_, i) => i + 2).flatMap((day) =>
      ['pump-01', 'press-01', 'mill-01'].map((machine) => {
        const start = new Date(Date.now() - day * DAY_MS).setUTCHours(hour, 0, 0, 0)
        return {
          tenant_id: tenantId,
          machine_id: machines.get(machine) as string,
          shift_definition_id: id,
          shift_date: new Date(start).toISOString().slice(0, 10),
          actual_start: new Date(start),
          actual_end: new Date(start + 8 * HOUR_MS),
          supervisor: day % 2 ? 'M. Fontaine' : 'J. Weber',
          operator_count: 3 + (day % 3),
          handover_notes: day === 2 ? 'The press leaks at the lower seal. A spare is ordered.' : null,
          status: 'completed',
        }
      }),
    )
    await owner`insert into shift_logs ${owner(logs)}`
  }
}

/** Ways of alerting. */
export async function addAlerting({ call, email }: Company, machines: Map<string, string>): Promise<void> {
  await call('POST', 'composite-rules', {
    machine_id: machines.get('pump-01'),
    name: 'Pump bearing is failing',
    severity: 'critical',
    expression: {
      operator: 'AND',
      conditions: [
        { metric: 'vibration', op: '>', value: 4.5, duration_seconds: 300 },
        { metric: 'bearing_temperature', op: '>', value: 75 },
      ],
    },
  })
  await call('POST', 'alert-rules', { metric_name: 'motor_current', warning_threshold: 30, critical_threshold: 36 })
  const mail = { name: 'Maintenance on duty', channel_type: 'email', config: { to_email: email } }
  const { id } = await call('POST', 'notification-channels', mail)
  const hook = { url: 'https://hooks.example.com/services/maintenance/alerts' }
  await call('POST', 'notification-channels', { name: 'Control room', channel_type: 'webhook', config: hook, is_active: false })
  await call('POST', 'escalation-policies', {
    name: 'Head of maintenance',
    severity: 'critical',
    wait_minutes: 15,
    channel_id: id,
  })
}

/** An ERP with runs that succeeded and failed. @returns the connection's id */
export async function addErp({ call, tenantId }: Company, owner: postgres.Sql): Promise<string> {
  const config = { base_url: 'https://erp.example.com/api', username: 'haltless', password: 'secret-0001' }
  const { id } = await call('POST', 'erp/connections', { provider: 'erp_c', name: 'Production ERP', config, is_active: false })
  for (let n = 0; n < 12; n++) {
    const at = new Date(Date.now() - n * 5 * HOUR_MS)
    const hub = { owner, clock: { now: () => at } }
    const failed = n % 5 === 2
    await storeErpRun(hub, tenantId, id, randomUUID(), {
      run: failed ? { status: 'failed', succeeded: 0, failed: 1, error_message: 'The ERP answered 503 Service Unavailable' } : {},
      log: failed
        ? {
            status: 'failed',
            external_id: null,
            error_message: 'The ERP answered 503 Service Unavailable',
            response_summary: '503',
          }
        : { external_id: `WO-${4_711 + n}` },
    })
  }
  return id
}

/** A rollout whose first wave has one agent that went back. @returns its id */
export async function addRollout({ url, key, call }: Company, owner: postgres.Sql): Promise<string> {
  await ensureRelease(owner, '0.2.0', 7)
  const beat = (agent_id: string, update: object) => {
    const report = { agent_id, agent_version: '0.1.0', update: { ...takesUpdates, ...update } }
    return callAs(url, 'POST', 'agent/heartbeat', report, { 'x-api-key': key })
  }
  const agents = ['bremen-press-1', 'bremen-press-2', 'bremen-press-3', 'bremen-press-4']
  for (const agent of agents) await beat(agent, {})
  const body = { version: '0.2.0', agent_ids: agents, wave_sizes: [3], spread_seconds: 0 }
  const { id } = await call('POST', 'agent/rollouts', body)
  const report = { rollout_id: id, version: '0.2.0', at: new Date().toISOString() }
  await beat('bremen-press-1', { ...report, state: 'confirmed' })
  await beat('bremen-press-2', { ...report, state: 'downloading', received_bytes: 21_400_000 })
  const reason = 'within 10 minutes: collectors deliver nothing any more: press (connection refused)'
  await beat('bremen-press-3', { ...report, state: 'rolled_back', reason })
  return id
}

/** Agents: healthy ones, one with a failing collector, a long buffer and sources of the cloud, and a key for enrolment. */
export async function addAgents({ url, key, call }: Company, machines: ReadonlyMap<string, string>): Promise<void> {
  const healthy = { agent_version: '0.1.0', uptime_seconds: 912_000, buffer_count: 12, buffer_age_hours: 0, dropped_count: 0 }
  const reports = [
    { agent_id: 'bremen-hall-1', hostname: 'edge-bremen-01', collectors: { pumps: 'running', compressor: 'running' } },
    { agent_id: 'bremen-hall-2', hostname: 'edge-bremen-02', agent_version: '0.0.9', collectors: { mills: 'running' } },
    {
      agent_id: 'gdansk-presses',
      hostname: 'edge-gdansk-01',
      buffer_count: 48_200,
      buffer_age_hours: 7.5,
      buffer_bytes: 61_000_000,
      buffer_capacity_bytes: 100_000_000,
      dropped_count: 120,
      collectors: { presses: 'running', conveyors: 'reconnecting: connection refused' },
    },
  ]
  for (const report of reports) await callAs(url, 'POST', 'agent/heartbeat', { ...healthy, ...report }, { 'x-api-key': key })
  await call('POST', 'enrolment-keys', { name: 'Hall 4, two boxes', expires_in_hours: 72 })
  const press = { machine_id: machines.get('pump-01'), config: { agent_id: 'gdansk-presses' } }
  const node = { node_id: 'nsu=urn:acme:press;s=Press.OilTemperature', metric_name: 'oil_temperature', unit: 'celsius' }
  const opcua = { name: 'PLC of press 1', protocol: 'opcua', host: '10.20.1.15', port: 4840 }
  await call('POST', 'ingest-sources', { ...press, ...opcua, config: { ...press.config, nodes: [node] } })
  await call('POST', 'ingest-sources', { ...press, name: 'Drive of press 1', protocol: 'modbus', host: '10.20.1.14', port: 502 })
}
