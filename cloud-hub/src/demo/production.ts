import { plantMachines } from '@haltless/edge-agent/plant'
import type { DemoApi } from './api.ts'

const SITES: { name: string; machines: readonly string[] }[] = [
  { name: 'South plant', machines: ['pump-01', 'compressor-01'] },
  { name: 'North plant', machines: ['press-01', 'oven-01', 'packaging-01'] },
]
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

/**
 * Sets up what managers look at: three shifts, and detection of downtime for every machine that says whether it runs. What a user has
 * set stays.
 * @param machineIds by machine_identifier
 */
export async function addShiftsAndDetection(api: DemoApi, machineIds: ReadonlyMap<string, string>): Promise<void> {
  if ((await findSites(api)).length === SITES.length) return
  const codes = await api.get('/reason-codes')
  for (const { id, tags } of plantMachines) {
    if (!tags.some(({ metric }) => metric === RUNNING)) continue
    const reason = codes.find(({ code }) => code === REASONS[id])
    await api.put('/machines/{machine_id}/downtime-detection', {
      path: { machine_id: machineIds.get(id) as string },
      body: {
        signal: 'state',
        metric_name: RUNNING,
        stopped_values: [0],
        for_seconds: STOP_SECONDS,
        silent_after_seconds: SILENT_SECONDS,
        reason_code_id: reason?.id ?? null,
      },
    })
  }
  const known = await api.get('/shifts/definitions')
  for (const shift of SHIFTS)
    if (!known.some(({ name }) => name === shift.name)) await api.post('/shifts/definitions', { body: shift })
}

/** Shift logs begin by themselves in the time zone of this computer; two sites have the machines. */
export async function addSites(api: DemoApi, machineIds: ReadonlyMap<string, string>): Promise<void> {
  const known = await findSites(api)
  if (known.length === SITES.length) return
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  await api.patch('/settings/plant', { body: { time_zone: timeZone, auto_shift_logs: true } })
  // last, because they mark that all of this is done
  for (const { name, machines } of SITES) {
    if (known.includes(name)) continue
    const machine_ids = machines.map((machine) => machineIds.get(machine) as string)
    await api.post('/machine-groups', { body: { name, group_type: 'site', machine_ids } })
  }
}

async function findSites(api: DemoApi): Promise<string[]> {
  const groups = await api.get('/machine-groups')
  return groups.map(({ name }) => name).filter((name) => SITES.some((site) => site.name === name))
}
