import { plantMachines } from '@haltless/edge-agent/plant'
import type { DemoApi } from './api.ts'

const SITE = 'Demonstration plant'
const RUNNING = 'running'
/** The plant's stops last seconds; a real one would ignore those below a minute. */
const STOP_SECONDS = 3
const SILENT_SECONDS = 120
/** The reason of the stops of a machine, where one is certain; people classify the others. */
const REASONS: Record<string, string> = { 'press-01': 'changeover.tool', 'pump-01': 'maintenance.corrective' }
const SHIFTS = [
  { name: 'Early', start_time: '06:00:00', end_time: '14:00:00', color: '#f2b705' },
  { name: 'Late', start_time: '14:00:00', end_time: '22:00:00', color: '#d95f02' },
  { name: 'Night', start_time: '22:00:00', end_time: '06:00:00', color: '#30475e' },
]

interface Code {
  id: string
  code: string
}

/**
 * Sets up what managers look at: a site with all machines, three shifts whose logs begin by themselves in the time zone of this
 * computer, and detection of downtime for every machine that says whether it runs. What a user has set stays.
 * @param machineIds by machine_identifier
 */
export async function addProduction(api: DemoApi, machineIds: ReadonlyMap<string, string>): Promise<void> {
  const groups = await api.call<{ name: string }[]>('GET', '/machine-groups')
  if (groups.some(({ name }) => name === SITE)) return
  const codes = await api.call<Code[]>('GET', '/reason-codes')
  for (const { id, tags } of plantMachines) {
    if (!tags.some(({ metric }) => metric === RUNNING)) continue
    const reason = codes.find(({ code }) => code === REASONS[id])
    await api.call('PUT', `/machines/${machineIds.get(id)}/downtime-detection`, {
      signal: 'state',
      metric_name: RUNNING,
      stopped_values: [0],
      for_seconds: STOP_SECONDS,
      silent_after_seconds: SILENT_SECONDS,
      reason_code_id: reason?.id ?? null,
    })
  }
  for (const shift of SHIFTS) await api.call('POST', '/shifts/definitions', shift)
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  await api.call('PATCH', '/settings/plant', { time_zone: timeZone, auto_shift_logs: true })
  // last, because it marks that all of this is done
  await api.call('POST', '/machine-groups', { name: SITE, group_type: 'site', machine_ids: [...machineIds.values()] })
}
