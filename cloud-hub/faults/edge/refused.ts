import { until } from '../../test/processes.ts'
import { asOwner } from '../hub-process.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { type Front, startFront } from './front.ts'
import { type Site, startSite } from './site.ts'

/** A time during which the agent is told no. */
interface Refusal {
  name: string
  /** how long, in the full form */
  seconds: number
  /** begins it; what ends it comes back */
  begin(site: Site, front: Front): Promise<() => Promise<void>>
  /** the hub itself says no, and lets live sessions go on for a while: it is the agent that must stop */
  isHeld?: boolean
}

const HTML = '<!doctype html><title>Proxy</title><h1>Something is wrong</h1>'

/** A proxy, or an overloaded hub, answers everything like this; MQTT is cut too, or the agent would not ask HTTP for much. */
const answered = (name: string, seconds: number, status: number, body = HTML, headers: Record<string, string> = {}): Refusal => ({
  name,
  seconds,
  async begin(site, front) {
    const broker = Number(new URL(site.hub.mqttUrl).port)
    site.mqtt.to(null)
    front.answers({ status, body, headers })
    return async () => {
      front.answers(null)
      site.mqtt.to(broker)
    }
  },
})

const problem = (status: number, code: string, more = {}) =>
  JSON.stringify({ type: 'about:blank', title: code, status, code, detail: 'not now', ...more })
const JSON_BODY = { 'content-type': 'application/problem+json' }

/** The hub's own refusals are made by its own means, the others by a proxy. */
const REFUSALS: readonly Refusal[] = [
  {
    name: '402',
    seconds: 30,
    isHeld: true,
    async begin({ database, tenant }) {
      const set = (status: string) =>
        asOwner(database.url(), (sql) => sql`update tenants set subscription_status = ${status} where id = ${tenant.tenantId}`)
      await set('past_due')
      return async () => void (await set('active'))
    },
  },
  {
    name: '401',
    seconds: 30,
    isHeld: true,
    async begin({ database, tenant }) {
      const set = (isActive: boolean) =>
        asOwner(database.url(), (sql) => sql`update api_keys set is_active = ${isActive} where tenant_id = ${tenant.tenantId}`)
      await set(false)
      return async () => void (await set(true))
    },
  },
  answered('429', 30, 429, problem(429, 'rate_limited', { retry_after: 5 }), { ...JSON_BODY, 'retry-after': '5' }),
  answered('503', 30, 503, problem(503, 'database_away'), JSON_BODY),
  answered('502 HTML', 15, 502),
  answered('403 HTML', 15, 403),
  answered('200 HTML', 15, 200),
]

/** An agent asks as often as the hub wants (every 2 s here), and beside that with growing pauses. */
const mayAsk = (seconds: number) => 12 + seconds

/** Waits until the agent says that it holds what it has, and until what was under way has arrived. */
async function holding(context: RowContext, site: Site): Promise<void> {
  await until('the agent has heard that it must not send', () => site.agent.state() === 'held', 30_000)
  for (let [before, now] = [-1, 0]; before !== now; ) {
    before = await site.stored()
    await context.sleep(500)
    now = await site.stored()
  }
}

async function refuse(context: RowContext, site: Site, front: Front, refusal: Refusal): Promise<string> {
  const seconds = context.times(refusal.seconds, 2)
  front.answers(null)
  const over = await refusal.begin(site, front)
  context.say(`${refusal.name}: begins`)
  if (refusal.isHeld) await holding(context, site)
  const [before, started, askedBefore] = [await site.stored(), performance.now(), front.asked()]
  while (performance.now() - started < seconds * 1_000) {
    const left = Math.ceil(seconds - (performance.now() - started) / 1_000)
    context.say(`${refusal.name}: ${front.asked()} requests, ${left} s to go`)
    await context.sleep(250)
  }
  const [asked, buffered, stored] = [front.asked() - askedBefore, site.agent.counts().buffered, await site.stored()]
  if (asked > mayAsk(seconds)) context.complain(`${refusal.name}: ${asked} requests within ${seconds} s`)
  if (asked === 0 && !refusal.isHeld) context.complain(`${refusal.name}: the agent never asked, so it was told nothing`)
  if (buffered === 0) context.complain(`${refusal.name}: the agent keeps nothing`)
  if (stored > before + (refusal.isHeld ? 0 : 3_000))
    context.complain(`${refusal.name}: ${stored - before} readings were stored all the same`)
  if (site.agent.counts().dead_letters > 0) context.complain(`${refusal.name}: readings were parked as refused`)
  await over()
  context.say(`${refusal.name}: waiting until readings are stored again`)
  const took = await site.moreStored(buffered, 120_000)
  // what is under way at the next refusal may be stored all the same: let it be little
  await until('the agent has caught up', () => site.agent.counts().buffered < 1_000, 120_000)
  return `${refusal.name} ${asked} requests, back after ${took.toFixed(0)} s`
}

export const edgeRefused: FaultRow = {
  name: 'edge.refused',
  area: 'edge',
  mostlyWaits: true,
  what: 'the agent is answered 402, 401, 429 and 503 for 30 s each, and the HTML of a proxy three times for 15 s',
  async run(context) {
    let front: Front | undefined
    const site = await startSite(context, {
      front: async (port) => {
        front = await startFront(context, port)
        return front
      },
    })
    const notes: string[] = []
    for (const refusal of REFUSALS) notes.push(await refuse(context, site, front as Front, refusal))
    return { ...(await site.finish()), note: notes.join('; ') }
  },
}
