import type { Schemas } from '@haltless/client'
import type { SeededRandom } from '@haltless/edge-agent/plant'
import type { DemoApi } from '../api.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Past } from './open-past.ts'
import type { Person } from './people.ts'

/** Something that a person did, at an instant (Unix ms). */
export interface PastEvent {
  at: number
  act(): Promise<unknown>
}

/** What the events of the past need. */
export interface Plant {
  past: Past
  /** of the early, the late and the night shift */
  people: readonly Person[]
  /** reads by the clock of the past */
  admin: DemoApi
  dice: SeededRandom
  /** by machine_identifier */
  machineIds: ReadonlyMap<string, string>
}

/** Local hours at which the early, the late and the night shift begin. */
const SHIFT_HOURS = [6, 14, 22]

/** Who leads the shift at an instant, in the time zone of this computer. */
export function onShift(people: readonly Person[], at: number): Person {
  const hour = new Date(at).getHours()
  // before the first of the day the night shift goes on
  const place = SHIFT_HOURS.findLastIndex((start) => start <= hour)
  return people.at(place) as Person
}

/** Every entry of a list. */
export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const HANDOVERS = [
  'Nothing special.',
  'Film roll changed at the packaging line, next one is ready.',
  'Tool 7 of the press is worn; the spare lies in the cabinet.',
  'Air pressure drops when both lines start at once.',
  'Pump 1 is louder than usual, keep an eye on it.',
]

/** The logs of all shifts that have ended, of every machine. */
export async function shiftEvents({ past, people, dice, machineIds, admin }: Plant): Promise<PastEvent[]> {
  const definitions = await admin.get('/shifts/definitions')
  const events: PastEvent[] = []
  for (let day = past.from - DAY_MS; day < past.until; day += DAY_MS) {
    const date = new Date(day)
    for (const [place, hour] of SHIFT_HOURS.entries()) {
      const [year, month, of] = [date.getFullYear(), date.getMonth(), date.getDate()]
      const [start, end] = [new Date(year, month, of, hour), new Date(year, month, of, hour + 8)]
      const definition = definitions.find(({ start_time }) => Number(start_time.slice(0, 2)) === hour)
      if (!definition || start.getTime() < past.from || end.getTime() > past.until) continue
      const leader = people[place] as Person
      const notes = dice.uniform() < 0.4 ? HANDOVERS[Math.floor(dice.between(0, HANDOVERS.length))] : null
      const operator_count = Math.floor(dice.between(3, 7))
      const local = `${year}-${String(month + 1).padStart(2, '0')}-${String(of).padStart(2, '0')}`
      const log = {
        shift_definition_id: definition.id,
        shift_date: local,
        actual_start: start.toISOString(),
        actual_end: end.toISOString(),
        status: 'completed' as const,
        supervisor: leader.name,
        operator_count,
        handover_notes: notes,
      }
      const logOf = (machine_id: string) => leader.api.post('/shifts/logs', { body: { ...log, machine_id } })
      events.push({ at: end.getTime(), act: () => Promise.all([...machineIds.values()].map(logOf)) })
    }
  }
  return events
}

interface Alert {
  id: string
  machine_id: string
  severity: string
  triggered_at: string
}

const REPAIRS: Record<string, { title: string; notes: string }> = {
  'press-01': { title: 'Clean the oil cooler', notes: 'Cooler was full of dust. Cleaned, oil back to 52 °C.' },
  'pump-01': { title: 'Replace the bearing', notes: 'Bearing replaced, vibration back to 1.8 mm/s.' },
  'compressor-01': { title: 'Check the cooling fan', notes: 'Contactor of the fan replaced.' },
  'oven-01': { title: 'Replace a heating element', notes: 'Element 3 of zone 2 replaced.' },
  'packaging-01': { title: 'Find the air leak', notes: 'Hose at the sealing jaw replaced.' },
}
const COMMENTS = ['On it.', 'Seen this yesterday as well.', 'Spare part is in stock.', 'Told maintenance.']
/** Another order for the same machine is not made within this time. */
const ORDER_PAUSE_MS = 20 * HOUR_MS

/** Alerts of a machine that follow each other as fast as this have one cause, and are acknowledged at once. */
const ONE_CAUSE_MS = 30 * MINUTE_MS

/** Who acknowledged which alerts, what they said, and the work orders that they made of some. */
export async function alertEvents(plant: Plant): Promise<PastEvent[]> {
  const { past, people, admin, dice, machineIds } = plant
  const alerts = await allOf(admin.items('/alerts'))
  alerts.sort((a, b) => Date.parse(a.triggered_at) - Date.parse(b.triggered_at))
  const identifiers = new Map([...machineIds].map(([identifier, id]) => [id, identifier]))
  const orderedAt = new Map<string, number>()
  const events: PastEvent[] = []
  for (const group of byCause(alerts)) {
    const { id, machine_id, triggered_at } = group.find(({ severity }) => severity === 'critical') ?? (group[0] as Alert)
    const isCritical = group.some(({ severity }) => severity === 'critical')
    const last = Date.parse(group.at(-1)?.triggered_at ?? '')
    const seen = last + dice.between(2, isCritical ? 12 : 60) * MINUTE_MS
    // what is older than a day was seen by somebody
    const isSeen = past.until - last > DAY_MS || dice.uniform() < (isCritical ? 0.95 : 0.7)
    if (seen >= past.until || !isSeen) continue
    const { api } = onShift(people, seen)
    const alert_ids = group.map((alert) => alert.id)
    events.push({ at: seen, act: () => api.post('/alerts/bulk/acknowledge', { body: { alert_ids } }) })
    const body = COMMENTS[Math.floor(dice.between(0, COMMENTS.length * 4))]
    const comment = () => api.post('/alerts/{alert_id}/comments', { path: { alert_id: id }, body: { body: body as string } })
    if (body) events.push({ at: seen + MINUTE_MS, act: comment })
    if (Date.parse(triggered_at) - (orderedAt.get(machine_id) ?? 0) < ORDER_PAUSE_MS) continue
    orderedAt.set(machine_id, Date.parse(triggered_at))
    const repair = REPAIRS[identifiers.get(machine_id) ?? '']
    if (repair) events.push(...orderEvents(plant, { id, machine_id, seen, isCritical }, repair))
  }
  return events
}

/** @param alerts of all machines, oldest first */
function byCause(alerts: readonly Alert[]): Alert[][] {
  const groups: Alert[][] = []
  const newest = new Map<string, Alert[]>()
  for (const alert of alerts) {
    const group = newest.get(alert.machine_id)
    if (group && Date.parse(alert.triggered_at) - Date.parse(group[0]?.triggered_at ?? '') < ONE_CAUSE_MS) {
      group.push(alert)
      continue
    }
    const started = [alert]
    groups.push(started)
    newest.set(alert.machine_id, started)
  }
  return groups
}

/** A work order of an alert: made, begun and done, as far as the past reaches. */
function orderEvents(
  { past, people, dice }: Plant,
  alert: { id: string; machine_id: string; seen: number; isCritical: boolean },
  { title, notes }: { title: string; notes: string },
): PastEvent[] {
  const { seen } = alert
  const [begun, done] = [seen + dice.between(5, 40) * MINUTE_MS, seen + dice.between(1, 9) * HOUR_MS]
  const worker = onShift(people, begun)
  let work_order_id = ''
  const order = {
    machine_id: alert.machine_id,
    alert_id: alert.id,
    title,
    priority: alert.isCritical ? ('high' as const) : ('medium' as const),
    assigned_to: worker.id,
    due_date: new Date(seen + DAY_MS).toISOString(),
  }
  const change = (at: number, body: Schemas['WorkOrderPatch']): PastEvent => ({
    at,
    act: () => worker.api.patch('/work-orders/{work_order_id}', { path: { work_order_id }, body }),
  })
  const events: PastEvent[] = [
    {
      at: seen + 2 * MINUTE_MS,
      act: async () => {
        work_order_id = (await onShift(people, seen).api.post('/work-orders', { body: order })).id
      },
    },
    change(begun, { status: 'in_progress' }),
    change(done, { status: 'completed', completion_notes: notes }),
  ]
  // one in twelve was forgotten, and is overdue now
  return events.filter(({ at }) => at < past.until).slice(0, dice.uniform() < 1 / 12 ? 1 : 3)
}
