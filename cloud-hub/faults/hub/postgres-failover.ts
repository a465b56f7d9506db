import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { until } from '../../test/processes.ts'
import { asOwner, type HubProcess, hubProcess } from '../hub-process.ts'
import { type PostgresPair, startPair } from '../postgres-pair.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { answerSummary, secondsRange } from '../sender.ts'
import { type StreamOptions, startStream } from '../stream.ts'
import type { Tenant } from '../tenant.ts'
import { mqttTransport } from '../transports.ts'

/** Two hubs whose URL names both servers go on with the one that is the primary. Each has its embedded broker and half of the agents. */
export const postgresFailover: FaultRow = {
  name: 'postgres.failover',
  area: 'hub',
  what: 'kill -9 of the primary while agents and programs send; its synchronous standby is promoted, the old one comes back as a standby, and one of the two hubs is restarted',
  async run(context) {
    const pair = await startPair(context)
    const SECRET_KEY = randomBytes(32).toString('base64')
    const start = (name: string) =>
      hubProcess(context, { DATABASE_URL: pair.url, SECRET_KEY, DATA_DIR: path.join(context.dir, name) })
    const [one, two] = [await start('hub1'), await start('hub2')]
    const hubs = [one, two]
    for (const hub of hubs) await hub.start()
    let agents = 0
    const options: StreamOptions = {
      agentTransport: ({ tenantId, keys }, agentId) => {
        const { mqttUrl } = agents++ % 2 === 0 ? one : two
        return mqttTransport(mqttUrl, { tenantId, agentId, password: keys[0] as string })
      },
      httpUrls: hubs.map(({ url }) => url),
    }
    const stream = await asOwner(pair.primaryUrl(), (sql) => startStream(context, one, sql, options))
    const { tenant, sending, alarms, finish } = stream
    const requests = hubs.map((hub) => startRequests(context, hub, tenant))
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
      context.say(`kill ${kill} of ${kills}: a hub starts again`)
      const hub = kill % 2 === 1 ? one : two
      // after every odd kill, the first host of its URL is the standby
      await (kill % 4 < 2 ? hub.kill() : hub.stop())
      await hub.start()
      await sending.untilAccepted(context.fullOrShort(10, 4))
    }
    const summaries = await Promise.all(requests.map((request) => request.stop()))
    const counts = await finish(pair.primaryUrl())
    await checkReplication(context, one, pair)
    if (!sending.answers.has('503 database_away')) context.reportFailure('no hub ever answered 503 database_away')
    for (const hub of hubs) await hub.stop()
    const alerts = `${alarms.crossings()} alerts, ${alarms.repeatedDeliveries()} delivered again`
    const note = `${kills} kills, stored again ${secondsRange(gaps)} after each; ${alerts}; ${answerSummary(sending)}`
    return { counts, note: `${note}; other requests: ${summaries.join('; ')}` }
  },
}

/** `doctor` says whether a failover could lose something. */
async function checkReplication(context: RowContext, hub: HubProcess, pair: PostgresPair): Promise<void> {
  const expectFinding = async (text: string) => {
    const { out } = await hub.command(['doctor'])
    if (!out.includes(text)) context.reportFailure(`doctor does not say "${text}"`)
  }
  await expectFinding('synchronous standbys: 1')
  await asOwner(pair.primaryUrl(), async (sql) => {
    await sql`alter system set synchronous_standby_names = ''`
    await sql`select pg_reload_conf()`
    await until('the standby is asynchronous', async () => {
      const [row] = await sql`select 1 from pg_stat_replication where sync_state = 'async'`
      return row !== undefined
    })
  })
  await expectFinding('no standby of 1 is synchronous')
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
