import { until } from '../../test/processes.ts'
import { checkMemory, clusterProcesses } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary, countingSource, startSender } from '../sender.ts'
import { startHubAndStream } from '../stream.ts'
import { makeTenant } from '../tenant.ts'
import { httpTransport, mqttTransport } from '../transports.ts'

/**
 * Batches that another tenant sends meanwhile, per transport. The hub processes 32 batches of an agent at once, so five agents
 * exceed its limit of 100,000 readings per tenant. HTTP requests wait for the database to identify their key.
 */
const FLOOD = { concurrency: 60, size: 1_000, agents: ['a', 'b', 'c', 'd', 'e'] }

/** A stopped PostgreSQL neither answers nor refuses, like a machine that hangs or a network that drops every packet. */
export const postgresStopped: FaultRow = {
  name: 'postgres.stopped',
  area: 'hub',
  what: 'all processes of PostgreSQL are stopped (SIGSTOP) for 30 s, then resume',
  async run(context) {
    const patience = context.fullOrShort(12, 4)
    const { hub, dataDir, database, owner, tenant, ledger, sending, alarms, finish } = await startHubAndStream(context, {
      env: { REQUEST_TIMEOUT_SECONDS: String(patience) },
    })
    await sending.untilAccepted(context.fullOrShort(20, 5))
    const noisy = await owner((sql) => makeTenant(hub.url, sql, { machines: 20, keys: 20 }))
    const { tenantId, keys } = noisy
    const transports = [
      httpTransport(hub.url, keys),
      ...FLOOD.agents.map((agentId) => mqttTransport(hub.mqttUrl, { tenantId, agentId, password: keys[0] as string }, 10_000)),
    ]
    context.defer(() => Promise.all(transports.map((transport) => transport.close())))
    const next = countingSource(
      Array.from({ length: 20 }, (_, i) => `m${i}`),
      { size: FLOOD.size },
    )
    // connect while PostgreSQL still answers
    const firsts = transports.map(() => next())
    await startSender(context, ledger, tenantId, transports, () => firsts.pop() ?? null, { concurrency: 1 }).untilAccepted(
      transports.length,
    )
    const before = hub.memory().now
    const signal = (what: NodeJS.Signals) => {
      for (const pid of clusterProcesses(dataDir)) process.kill(pid, what)
    }
    context.defer(() => signal('SIGCONT'))
    signal('SIGSTOP')
    const since = performance.now()
    const concurrency = context.fullOrShort(FLOOD.concurrency, 10)
    const flood = startSender(context, ledger, tenantId, transports, () => next(), { concurrency, retryMs: 2_000 })
    const length = context.fullOrShort(30_000, 8_000)
    context.say(`PostgreSQL is stopped for ${length / 1_000} s`)
    let slowest = 0
    const ask = async (what: string, expected: number, request: () => Promise<Response>) => {
      const started = performance.now()
      const limit = (patience + 2) * 1_000
      const answer = await Promise.race([request().catch(() => null), context.sleep(limit).then(() => null)])
      const took = performance.now() - started
      slowest = Math.max(slowest, took / 1_000)
      if (answer?.status !== expected)
        context.reportFailure(`${what} was answered ${answer ? answer.status : 'nothing'} after ${(took / 1_000).toFixed(1)} s`)
    }
    const json = { 'content-type': 'application/json' }
    const bearer = { authorization: `Bearer ${tenant.token}` }
    const key = { 'x-api-key': tenant.keys[0] as string }
    const post = (path: string, body: object, headers = {}) =>
      fetch(`${hub.url}/api/v1/${path}`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
    while (performance.now() - since < length) {
      await Promise.all([
        ask('GET /healthz', 200, () => fetch(`${hub.url}/healthz`)),
        ask('GET /readyz', 503, () => fetch(`${hub.url}/readyz`)),
        ask('GET /machines', 503, () => fetch(`${hub.url}/api/v1/machines`, { headers: bearer })),
        ask('POST /auth/login', 503, () => post('auth/login', { email: 'nobody@example.com', password: 'Wrong-horse-7' })),
        ask('POST /agent/heartbeat', 503, () => post('agent/heartbeat', { agent_id: 'x', agent_version: '0.1.0' }, key)),
      ])
      await context.sleep(100)
    }
    const memory = checkMemory(context, hub, before)
    // HTTP answers with the code; over MQTT there is no receipt, and the hub logs the code
    const refused = flood.answered('503 ingest_busy') + hub.logged('"ingest_busy"').length
    if (!context.short && refused === 0) context.reportFailure('the hub accepted more readings than its limit for one tenant')
    signal('SIGCONT')
    context.say('PostgreSQL resumes')
    const again = await sending.untilAccepted(1)
    await until('the hub is ready', async () => (await fetch(`${hub.url}/readyz`)).status === 200)
    await flood.finish()
    const counts = await finish(database.url())
    await hub.stop()
    const note = `answered within ${slowest.toFixed(1)} s, ${memory}, ${refused} requests over the limit, stored again after ${again.toFixed(1)} s`
    return { counts, note: `${note}; ${alarms.crossings()} alerts; ${answerSummary(sending)}; flood: ${answerSummary(flood)}` }
  },
}
