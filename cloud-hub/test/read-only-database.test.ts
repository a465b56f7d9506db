import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { topicPrefix } from '@haltless/protocol'
import { pino } from 'pino'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import type { RunningHub } from '../src/hub.ts'
import { connectMqtt, readingsOf } from './mqtt-agent.ts'
import { type Site, useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'

const hubs = useRunningHubs()
/** The operations of the specification that end. */
const OPERATIONS = readFileSync(path.join(import.meta.dirname, 'operations.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [method: string, path: string, access: string])
  .filter(([, path]) => !path.endsWith('/stream'))

const AWAY = { status: 503, body: { code: 'database_away' } }

/** Makes the database refuse changes, as a standby does, until the function is called that this returns, or the test ends. */
async function refuseChanges(): Promise<() => Promise<void>> {
  const set = (change: string) =>
    hubs.owner.begin('read write', async (tx) => {
      const [row] = await tx<[{ name: string }]>`select current_database() as name`
      await tx.unsafe(`alter database ${row.name} ${change}`)
    })
  // the setting holds for new sessions
  const endSessions = () => hubs.owner`
    select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and application_name like 'haltless %'`
  await set('set default_transaction_read_only = on')
  await endSessions()
  let isRefusing = true
  const accept = async () => {
    if (!isRefusing) return
    isRefusing = false
    await set('reset default_transaction_read_only')
    await endSessions()
  }
  onTestFinished(accept)
  return accept
}

const lines: { code?: string; level: string; msg: string }[] = []
let hub: RunningHub
let site: Site
beforeAll(async () => {
  const options = { level: 'warn', formatters: { level: (level: string) => ({ level }) } }
  hub = await hubs.start({}, pino(options, { write: (line: string) => void lines.push(JSON.parse(line)) }))
  site = await hubs.site(hub)
})

async function request(method: string, route: string, body: unknown, headers: Record<string, string> = {}) {
  const init = { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
  const answer = await fetch(`${hub.url}/api/v1/${route}`, init)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const ingestBody = (value: number) => ({
  readings: [
    {
      machine_identifier: site.identifier,
      metric_name: 'temperature',
      unit: 'celsius',
      value,
      timestamp: hubs.clock.now().toISOString(),
    },
  ],
})

it('readings over HTTP are answered 503 database_away while the server is read-only, and stored once afterwards', async () => {
  const send = (body: unknown) => request('POST', 'ingest', body, { 'x-api-key': site.key })
  expect(await send(ingestBody(1))).toMatchObject({ status: 207, body: { accepted_count: 1 } })
  const accept = await refuseChanges()
  const body = ingestBody(2)
  // the connections that were ended are noticed one by one
  for (let i = 0; i < 20; i++) expect(await send(body)).toMatchObject(AWAY)
  await accept()
  await soon(async () => expect(await send(body)).toMatchObject({ status: 207, body: { accepted_count: 1 } }))
  expect(await site.stored()).toBe(2)
})

it('readings over MQTT get no receipt while the server is read-only, and one afterwards', async () => {
  const before = await site.stored()
  const prefix = topicPrefix(site.tenantId, 'line-1')
  const login = { username: 'line-1', password: site.key }
  // the hub connects to its database again
  const agent = await soon(() => connectMqtt(`mqtt://127.0.0.1:${hub.mqttPort}`, prefix, login))
  await agent.client.subscribeAsync(`${prefix}/receipts`, { qos: 1 })
  const accept = await refuseChanges()
  const readings = readingsOf(site.identifier, 20, hubs.clock.now())
  const batchId = await agent.send(readings)
  await soon(() => expect(lines).toContainEqual(expect.objectContaining({ code: 'database_away', msg: 'a message was refused' })))
  expect(agent.arrived.filter(({ topic }) => topic.endsWith('/receipts'))).toEqual([])
  await accept()
  await soon(async () => {
    await agent.send(readings, batchId)
    expect(agent.arrived.filter(({ topic }) => topic.endsWith('/receipts'))).not.toEqual([])
  })
  expect(await agent.receipt(batchId)).toMatchObject({ accepted_count: 20, rejected_count: 0 })
  expect(await site.stored()).toBe(before + 20)
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
})

it('whatever changes the database is answered 503 database_away', async () => {
  const admin = { authorization: `Bearer ${site.token}` }
  const key = { 'x-api-key': site.key }
  const rule = { metric_name: 'pressure', warning_threshold: 50, critical_threshold: 100 }
  const account = { password: 'Correct-horse-7', full_name: 'Ada', tenant_name: 'Plant' }
  await refuseChanges()
  const changes: [method: string, route: string, body: unknown, headers: Record<string, string>][] = [
    ['POST', 'machines', { name: 'Press 2', machine_identifier: `m-${randomUUID()}`, protocol: 'opc_ua' }, admin],
    ['PATCH', `machines/${site.machineId}`, { name: 'Press 3' }, admin],
    ['POST', 'api-keys', { name: 'other' }, admin],
    ['POST', 'alert-rules', rule, admin],
    ['POST', 'work-orders', { title: 'Change the oil', machine_id: site.machineId }, admin],
    ['POST', 'agent/heartbeat', { agent_id: 'line-1', agent_version: '0.1.0' }, key],
    ['POST', 'auth/register', { ...account, email: `${randomUUID()}@example.com` }, {}],
    ['POST', 'users', { ...account, tenant_name: undefined, role: 'viewer', email: `${randomUUID()}@example.com` }, admin],
  ]
  for (const [method, route, body, headers] of changes)
    expect({ route, ...(await request(method, route, body, headers)) }).toMatchObject({ route, ...AWAY })
})

it('no operation is answered 500', async () => {
  const title = { title: 'Change the oil', machine_id: site.machineId }
  const { body: order } = await soon(async () => {
    const made = await site.call('POST', 'work-orders', title)
    expect(made.status).toBe(201)
    return made
  })
  await refuseChanges()
  const bearer = { authorization: `Bearer ${site.token}` }
  for (const [method, path, access] of OPERATIONS) {
    const route = path.replace('{machine_id}', site.machineId).replace('{work_order_id}', order.id)
    const init = {
      method,
      headers: { 'content-type': 'application/json', ...(access === 'key' ? { 'x-api-key': site.key } : bearer) },
      ...(['GET', 'DELETE'].includes(method) ? {} : { body: '{}' }),
    }
    const answer = await fetch(hub.url + route.replaceAll(/\{\w+\}/g, randomUUID()), init)
    const code = answer.status < 500 ? null : ((await answer.json()) as { code: string }).code
    await answer.body?.cancel().catch(() => {})
    expect({ method, path, code }).toEqual({ method, path, code: code && 'database_away' })
  }
})
