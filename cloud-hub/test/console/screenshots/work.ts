import type postgres from 'postgres'
import { PASSWORD } from '../../harness.ts'
import type { Company } from './company.ts'
import { DAY_MS, HOUR_MS } from './machines.ts'

const iso = (ms: number) => new Date(ms).toISOString()

/** Members of each role, one of whom has not accepted the invitation. @returns ids of those who can be assigned */
export async function addMembers({ call }: Company): Promise<string[]> {
  await call('POST', 'settings/roles', { name: 'Maintenance crew', base_tier: 'operator' })
  const ids: string[] = []
  for (const [full_name, role] of [
    ['Jonas Weber', 'operator'],
    ['Mireille Fontaine-Kowalczyk', 'operator'],
    ['Sven Østergård', 'viewer'],
  ]) {
    const email = `${full_name?.split(' ')[0]?.toLowerCase()}-${Date.now()}@example.com`
    ids.push((await call('POST', 'users', { email, password: PASSWORD, full_name, role })).id)
  }
  await call('POST', 'users/invite', { email: `lena-${Date.now()}@example.com`, full_name: 'Lena Hoffmann', role: 'operator' })
  return ids
}

/** Alerts of the last weeks; the newest come from readings. */
export async function addAlertHistory({ tenantId, userId }: Company, owner: postgres.Sql): Promise<void> {
  await owner`
    insert into alerts (tenant_id, machine_id, severity, metric_name, threshold_value, trigger_value, unit, message, comparison, triggered_at,
      acknowledged_at, acknowledged_by, cleared_at)
    select m.tenant_id, m.id, (array['warning','critical','info'])[1 + n % 3], 'vibration', 4.5, 4.5 + n % 4, 'mm/s',
      m.name || ': vibration is ' || 4.5 + n % 4 || ' mm/s, above the warning threshold of 4.5 mm/s', '>', now() - n * interval '7 hours',
      case when n % 4 > 0 then now() - n * interval '7 hours' + interval '12 minutes' end, case when n % 4 > 0 then ${userId}::uuid end,
      now() - n * interval '7 hours' + interval '40 minutes'
    from machines m, generate_series(1, 24) n
    where m.tenant_id = ${tenantId} and m.machine_identifier = (array['pump-01','comp-01','conv-01','robot-01'])[1 + n % 4]`
}

/** Work orders in each state. @returns the one with instructions, comments and people */
export async function addWorkOrders({ call, userId }: Company, machines: Map<string, string>, people: string[]): Promise<string> {
  const make = (machine: string, title: string, priority: string, dueDays: number, more: object = {}) => {
    const due_date = iso(Date.now() + dueDays * DAY_MS)
    return call('POST', 'work-orders', { machine_id: machines.get(machine), title, priority, due_date, ...more })
  }
  const alert = (await call('GET', 'alerts?severity=critical&page_size=1')).items[0]
  const order = await make('pump-01', 'Replace the bearing on the drive side', 'critical', 1, {
    alert_id: alert?.id,
    description: 'Vibration rises since Monday. The bearing 6308-2Z is in the store, shelf B4.\nLock out the motor first.',
    assigned_to: people[0],
    assignee_ids: [people[1]],
  })
  for (const [i, title] of [
    'Lock out and tag out',
    'Drain the housing',
    'Press the bearing off',
    'Measure the run-out',
  ].entries())
    await call('POST', `work-orders/${order.id}/instructions`, {
      step_order: i + 1,
      title,
      body: i === 3 ? 'At most 4 µm.' : null,
    })
  await call('POST', `work-orders/${order.id}/comments`, { body: 'The coupling looks worn too. I take photos when it is open.' })
  await call('PATCH', `work-orders/${order.id}`, { status: 'in_progress' })
  await make('press-01', 'Change the hydraulic oil', 'medium', 6, { assigned_to: userId })
  await make('mill-01', 'Calibrate the probe', 'low', 14)
  await make('conv-02', 'Find out why the conveyor sends no readings since the storm of last night', 'high', -2, {
    assigned_to: people[1],
  })
  for (const [machine, title] of [
    ['comp-01', 'Clean the intake filter'],
    ['robot-01', 'Replace the torch neck'],
    ['oven-01', 'Check the thermocouples'],
  ] as const) {
    const { id } = await make(machine, title, 'medium', -1)
    await call('PATCH', `work-orders/${id}`, { status: 'completed', completion_notes: 'Done without findings.' })
    if (machine === 'comp-01') await call('POST', `work-orders/${id}/signoffs`, { password: PASSWORD })
  }
  const mistake = await make('fan-01', 'Twice by mistake', 'low', 3)
  await call('PATCH', `work-orders/${mistake.id}`, { status: 'cancelled' })
  return order.id
}

/** The calendar of this month. @returns the event with a checklist and a series */
export async function addMaintenance({ call }: Company, machines: Map<string, string>, people: string[]): Promise<string> {
  const steps = ['Read the oil level', 'Drain', 'Change the filter', 'Fill 12 l of HLP 46'].map((title) => ({
    title,
    body: null,
  }))
  const { id: checklist_id } = await call('POST', 'checklists', { name: 'Oil change', steps })
  const day = (offset: number, hour: number) => {
    const at = new Date()
    at.setUTCDate(at.getUTCDate() + offset)
    return at.setUTCHours(hour, 0, 0, 0)
  }
  const plan = (machine: string, title: string, offset: number, hour: number, hours: number, more: object = {}) =>
    call('POST', 'maintenance', {
      machine_id: machines.get(machine),
      title,
      scheduled_start: iso(day(offset, hour)),
      scheduled_end: iso(day(offset, hour) + hours * HOUR_MS),
      ...more,
    })
  const event = await plan('press-01', 'Oil change', 1, 7, 2, {
    checklist_id,
    assigned_to: people[0],
    recurrence_rule: 'monthly',
  })
  await plan('pump-02', 'Grease the bearings', 0, 8, 1, { recurrence_rule: 'weekly' })
  await plan('mill-01', 'Inspection by the manufacturer', 2, 6, 32)
  await plan('mill-02', 'Laser measurement of the axes', 2, 9, 3)
  await plan('comp-01', 'Replace the oil separator', 2, 10, 4, { assigned_to: people[1] })
  await plan('oven-01', 'Furnace lining', 4, 6, 8)
  await plan('robot-02', 'Gripper', -1, 12, 1)
  const done = await plan('conv-01', 'Belt tension', -3, 9, 1)
  for (const status of ['in_progress', 'completed']) await call('PUT', `maintenance/${done.id}`, { status })
  const skipped = await plan('dryer-01', 'Filter', -2, 9, 1)
  await call('PUT', `maintenance/${skipped.id}`, { status: 'cancelled' })
  await call('POST', 'calendar-tokens', { label: 'Phone' })
  return event.id
}
