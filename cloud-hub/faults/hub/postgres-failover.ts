import { asOwner, type HubProcess, hubProcess } from '../hub-process.ts'
import { startPair } from '../postgres-pair.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { answerSummary, secondsRange } from '../sender.ts'
import { startStream } from '../stream.ts'
import type { Tenant } from '../tenant.ts'

/** A hub whose URL names both servers goes on with the one that is the primary. */
export const postgresFailover: FaultRow = {
  name: 'postgres.failover',
  area: 'hub',
  what: 'kill -9 of the primary while agents and programs send; its synchronous standby is promoted, the old one comes back as a standby, and the hub is restarted',
  async run(context) {
    const pair = await startPair(context)
    const hub = await hubProcess(context, { DATABASE_URL: pair.url })
    await hub.start()
    const stream = await asOwner(pair.primaryUrl(), (sql) => startStream(context, hub, sql))
    const { tenant, sending, alarms, finish } = stream
    const requests = startRequests(context, hub, tenant)
    const kills = context.fullOrShort(4, 2)
    const gaps: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: sending`)
      await sending.untilAccepted(5)
      await context.sleep(context.random.between(0, context.short ? 400 : 1_500))
      const killed = performance.now()
      await pair.killPrimary()
      context.say(`kill ${kill} of ${kills}: the standby is promoted`)
      // without a primary for a while, as before an operator or a program decides
      await context.sleep(context.random.between(0, context.short ? 400 : 3_000))
      await pair.promote()
      await sending.untilAccepted(1)
      gaps.push((performance.now() - killed) / 1_000)
      context.say(`kill ${kill} of ${kills}: the old one comes back as a standby`)
      await pair.addStandby()
      await sending.untilAccepted(context.fullOrShort(10, 4))
      context.say(`kill ${kill} of ${kills}: the hub starts again`)
      // after every odd kill, the first host of its URL is the standby
      await (kill % 4 < 2 ? hub.kill() : hub.stop())
      await hub.start()
      await sending.untilAccepted(context.fullOrShort(10, 4))
    }
    const summary = await requests.stop()
    const counts = await finish(pair.primaryUrl())
    if (!sending.answers.has('503 database_away')) context.reportFailure('the hub never answered 503 database_away')
    await hub.stop()
    const alerts = `${alarms.crossings()} alerts, ${alarms.repeatedDeliveries()} delivered again`
    const note = `${kills} kills, stored again ${secondsRange(gaps)} after each; ${alerts}; ${answerSummary(sending)}`
    return { counts, note: `${note}; other requests: ${summary}` }
  },
}

/** Sends requests that read and write, beside the readings. Each must be answered 2xx or 503, unless the hub itself restarts. */
function startRequests(context: RowContext, hub: HubProcess, tenant: Tenant) {
  const answers = new Map<string, number>()
  let isOver = false
  context.defer(() => {
    isOver = true
  })
  const json = { 'content-type': 'application/json' }
  const bearer = { authorization: `Bearer ${tenant.token}` }
  const heartbeat = JSON.stringify({ agent_id: 'probe', agent_version: '0.1.0' })
  const requests: [route: string, init: RequestInit][] = [
    ['machines', { headers: bearer }],
    ['alerts', { headers: bearer }],
    ['agent/heartbeat', { method: 'POST', headers: { ...json, 'x-api-key': tenant.keys[0] as string }, body: heartbeat }],
    ['settings/units', { headers: bearer }],
  ]
  async function send(route: string, init: RequestInit): Promise<string> {
    const answer = await fetch(`${hub.url}/api/v1/${route}`, { ...init, signal: AbortSignal.timeout(20_000) })
    const text = await answer.text()
    if (answer.ok) return 'done'
    const { code } = JSON.parse(text) as { code: string }
    if (answer.status !== 503 && answer.status !== 429) context.reportFailure(`/${route} was answered ${answer.status} ${code}`)
    return `${answer.status} ${code}`
  }
  async function sendAll(): Promise<void> {
    while (!isOver) {
      for (const [route, init] of requests) {
        // the hub is being restarted
        const answer = await send(route, init).catch(() => 'no answer')
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
      }
      await new Promise((again) => setTimeout(again, 100))
    }
  }
  const sending = sendAll()
  return {
    async stop(): Promise<string> {
      isOver = true
      await sending
      return answerSummary({ answers })
    },
  }
}
