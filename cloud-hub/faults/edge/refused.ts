import { until } from '../../test/processes.ts'
import { asOwner } from '../hub-process.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { type Site, startSite } from './site.ts'

/** A period in which the hub or a proxy refuses the agent. */
interface Refusal {
  name: string
  /** its length in the full form */
  seconds: number
  /** begins it; returns a function that ends it */
  begin(site: Site, proxy: FaultyProxy): Promise<() => Promise<void>>
  /** the hub itself refuses, but keeps live sessions for a while, so the agent must stop by itself */
  isHeld?: boolean
}

const HTML = '<!doctype html><title>Proxy</title><h1>Something is wrong</h1>'

/** A proxy, or an overloaded hub, answers everything like this. MQTT is cut too, otherwise the agent would need little HTTP. */
const answered = (name: string, seconds: number, status: number, body = HTML, headers: Record<string, string> = {}): Refusal => ({
  name,
  seconds,
  async begin(site, proxy) {
    const broker = Number(new URL(site.hub.mqttUrl).port)
    site.mqtt.to(null)
    proxy.respondWith({ status, body, headers })
    return async () => {
      proxy.respondWith(null)
      site.mqtt.to(broker)
    }
  },
})

const problem = (status: number, code: string, more = {}) =>
  JSON.stringify({ type: 'about:blank', title: code, status, code, detail: 'not now', ...more })
const JSON_BODY = { 'content-type': 'application/problem+json' }

/** The hub makes its own refusals, the proxy all others. */
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

/** The agent sends heartbeats at the interval that the hub sets (2 s here), and other requests with growing backoffs. */
const maxRequests = (seconds: number) => 12 + seconds

/** Waits until the agent stops sending and all data under way has arrived. */
async function untilHeld(context: RowContext, site: Site): Promise<void> {
  await until('the agent reports that sending is on hold', () => site.agent.state() === 'held', 30_000)
  for (let [before, now] = [-1, 0]; before !== now; ) {
    before = await site.stored()
    await context.sleep(500)
    now = await site.stored()
  }
}

async function refuse(context: RowContext, site: Site, proxy: FaultyProxy, refusal: Refusal): Promise<string> {
  const seconds = context.fullOrShort(refusal.seconds, 2)
  proxy.respondWith(null)
  const over = await refusal.begin(site, proxy)
  context.say(`${refusal.name}: begins`)
  if (refusal.isHeld) await untilHeld(context, site)
  const [before, started, askedBefore] = [await site.stored(), performance.now(), proxy.requests()]
  // On a loaded computer the agent may be slow to send the first.
  const isOver = () => {
    const passed = performance.now() - started
    const isAsked = refusal.isHeld || proxy.requests() > askedBefore
    return passed > 30_000 || (isAsked && passed >= seconds * 1_000)
  }
  while (!isOver()) {
    const left = Math.ceil(seconds - (performance.now() - started) / 1_000)
    context.say(`${refusal.name}: ${proxy.requests()} requests, ${left} s to go`)
    await context.sleep(250)
  }
  const [asked, buffered, stored] = [proxy.requests() - askedBefore, site.agent.counts().buffered, await site.stored()]
  if (asked > maxRequests((performance.now() - started) / 1_000))
    context.reportFailure(`${refusal.name}: ${asked} requests within ${seconds} s`)
  if (asked === 0 && !refusal.isHeld)
    context.reportFailure(`${refusal.name}: the agent sent no request, so it received no refusal`)
  if (buffered === 0) context.reportFailure(`${refusal.name}: the agent buffers nothing`)
  if (stored > before + (refusal.isHeld ? 0 : 3_000))
    context.reportFailure(`${refusal.name}: ${stored - before} readings were stored despite the refusal`)
  if (site.agent.counts().dead_letters > 0) context.reportFailure(`${refusal.name}: readings were parked as refused`)
  await over()
  context.say(`${refusal.name}: waiting until readings are stored again`)
  const took = await site.untilMoreStored(buffered, 120_000)
  // data under way at the next refusal may still be stored, so keep it small
  await until('the agent has caught up', () => site.agent.counts().buffered < 1_000, 120_000)
  return `${refusal.name} ${asked} requests, stored again after ${took.toFixed(0)} s`
}

export const edgeRefused: FaultRow = {
  name: 'edge.refused',
  area: 'edge',
  isMostlyIdle: true,
  what: 'the agent receives 402, 401, 429 and 503 for 30 s each, and three HTML answers of a proxy for 15 s each',
  async run(context) {
    let proxy: FaultyProxy | undefined
    const site = await startSite(context, {
      frontProxy: async (port) => {
        proxy = await startFaultyProxy(context, port)
        return proxy
      },
    })
    const notes: string[] = []
    for (const refusal of REFUSALS) notes.push(await refuse(context, site, proxy as FaultyProxy, refusal))
    return { ...(await site.finish()), note: notes.join('; ') }
  },
}
