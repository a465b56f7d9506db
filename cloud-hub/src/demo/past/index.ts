import { seededRandom } from '@haltless/edge-agent/plant'
import type { DemoApi } from '../api.ts'
import { alertEvents, type PastEvent, type Plant, shiftEvents } from './events.ts'
import { maintenanceEvents, reasonEvents } from './plan-events.ts'

export { addReadings } from './add-readings.ts'
export { openPast } from './open-past.ts'
export { addPeople } from './people.ts'

const SEED = 28

/** Mails about work, which people of the past do not get. */
const WORK_MAILS = ['work_order_assigned', 'work_order_due', 'maintenance_reminder', 'note_mention']

export const switchMails = (api: DemoApi, isOn: boolean) =>
  api.patch('/settings/email-notifications', { body: { prefs: Object.fromEntries(WORK_MAILS.map((mail) => [mail, isOn])) } })

/**
 * What people did in the past of the plant, in its order, through the operations that they would have used.
 * @param signal ends it; what was done stays
 */
export async function actPast(plant: Omit<Plant, 'dice'>, signal: AbortSignal): Promise<void> {
  await switchMails(plant.admin, false)
  try {
    await actInOrder(plant, signal)
  } finally {
    plant.past.goTo(plant.past.until)
    await switchMails(plant.admin, true)
  }
}

async function actInOrder(plant: Omit<Plant, 'dice'>, signal: AbortSignal): Promise<void> {
  const { past } = plant
  const whole: Plant = { ...plant, dice: seededRandom(SEED) }
  past.goTo(past.until)
  const events: PastEvent[] = [
    ...(await shiftEvents(whole)),
    ...(await alertEvents(whole)),
    ...maintenanceEvents(whole),
    ...(await reasonEvents(whole, signal)),
  ]
  // equal instants keep their order: an order is made before it is begun
  for (const { at, act } of events.sort((a, b) => a.at - b.at)) {
    signal.throwIfAborted()
    past.goTo(at)
    await act()
  }
}
