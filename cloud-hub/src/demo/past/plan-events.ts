import { setTimeout } from 'node:timers/promises'
import { allOf, onShift, type PastEvent, type Plant } from './events.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './open-past.ts'

const WEEKLY: [machine: string, title: string, hour: number][] = [
  ['press-01', 'Grease the guide rails', 9],
  ['pump-01', 'Check the shaft seal', 10],
  ['compressor-01', 'Drain the condensate', 7],
  ['oven-01', 'Clean the belt', 13],
  ['packaging-01', 'Clean the sealing jaws', 15],
]
/** Nobody came to the last visit of this machine. */
const MISSED = 'oven-01'
const WEEKS_AHEAD = 3

/** Weekly visits: those of the past were done, but for one; those ahead are planned. */
export function maintenanceEvents({ past, people, dice, machineIds }: Plant): PastEvent[] {
  const events: PastEvent[] = []
  const weeks = Math.ceil((past.until - past.from) / (7 * DAY_MS))
  for (const [place, [machine, title, hour]] of WEEKLY.entries())
    for (let week = 0; week < weeks + WEEKS_AHEAD; week++) {
      const day = new Date(past.from + (week * 7 + 1 + place) * DAY_MS)
      const start = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour).getTime()
      const person = onShift(people, start)
      let event_id = ''
      const event = {
        machine_id: machineIds.get(machine) as string,
        title,
        scheduled_start: new Date(start).toISOString(),
        scheduled_end: new Date(start + HOUR_MS).toISOString(),
        assigned_to: person.id,
      }
      const change = (at: number, status: 'in_progress' | 'completed') => ({
        at,
        act: () => person.api.put('/maintenance/{event_id}', { path: { event_id }, body: { status } }),
      })
      const begun = start + dice.between(0, 20) * MINUTE_MS
      events.push({
        at: Math.min(Math.max(start - 7 * DAY_MS, past.from), past.until - MINUTE_MS),
        act: async () => {
          event_id = (await person.api.post('/maintenance', { body: event })).id
        },
      })
      const isMissed = machine === MISSED && start + 7 * DAY_MS >= past.until
      if (!isMissed) events.push(change(begun, 'in_progress'), change(begun + dice.between(25, 55) * MINUTE_MS, 'completed'))
    }
  return events.filter(({ at }) => at < past.until)
}

/** Why the packaging line stopped, as its operators say: one of these, or nothing (null). */
const REASONS = [
  ...Array(8).fill('performance.minor_stop'),
  ...Array(5).fill('changeover.material'),
  ...Array(2).fill('waiting.material'),
  ...Array(2).fill('breakdown.mechanical'),
  'waiting.operator',
  ...Array(2).fill(null),
] as (string | null)[]
const DETECTION_MS = 20_000
const LOOK_MS = 500

interface Stop {
  id: string
  ended_at: string | null
}

/** Waits until the hub has found the stops of the past in its readings, but not for ever. */
async function stopsOf({ admin }: Plant, machineId: string, signal: AbortSignal): Promise<Stop[]> {
  const query = { machine_id: machineId, sort_dir: 'asc' } as const
  for (let waited = 0, known = 0; waited < DETECTION_MS; waited += LOOK_MS) {
    const { total } = (await admin.get('/fleet/downtime', { query: { ...query, page_size: 1 } })).pagination
    if (total > 0 && total === known) break
    known = total
    await setTimeout(LOOK_MS, undefined, { signal })
  }
  return allOf(admin.items('/fleet/downtime', { query }))
}

/** Earlier stops have no reasons: people began to give them. */
const CLASSIFIED_DAYS = 14

/** The reasons that operators gave for the stops of the packaging line. One in ten has none. */
export async function reasonEvents(plant: Plant, signal: AbortSignal): Promise<PastEvent[]> {
  const { past, people, admin, dice, machineIds } = plant
  const machineId = machineIds.get('packaging-01') as string
  const stops = await stopsOf(plant, machineId, signal)
  const codes = await admin.get('/reason-codes')
  return stops.flatMap(({ id, ended_at }) => {
    const code = REASONS[Math.floor(dice.between(0, REASONS.length))]
    const reason_code_id = codes.find((one) => one.code === code)?.id
    const at = Date.parse(ended_at ?? '') + dice.between(1, 30) * MINUTE_MS
    if (!reason_code_id || !(at < past.until && at > past.until - CLASSIFIED_DAYS * DAY_MS)) return []
    const path = { machine_id: machineId, record_id: id }
    const put = () =>
      onShift(people, at).api.put('/machines/{machine_id}/downtime/{record_id}', { path, body: { reason_code_id } })
    return [{ at, act: put }]
  })
}
