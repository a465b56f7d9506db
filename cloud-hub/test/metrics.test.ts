import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import type { RunningHub } from '../src/hub.ts'
import { connectMqtt, loginCode } from './mqtt-agent.ts'
import { type Site, useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'

const hubs = useRunningHubs({ HEARTBEAT_SECONDS: '60' })
let hub: RunningHub
let site: Site
const metrics = async () => (await fetch(`${hub.url}/metrics`)).text()
/** The value of a sample, by its name and labels as they are written. */
const sample = (text: string, name: string) => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}
const figureOf = async (name: string) => sample(await metrics(), name)

/** Keeps workers from taking deliveries until released, at the latest when the test ends. */
async function holdDeliveries() {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = hubs.owner.begin(async (tx) => {
    await tx`lock table deliveries in exclusive mode`
    held.resolve()
    await released.promise
  })
  await held.promise
  const release = async () => {
    released.resolve()
    await done
  }
  onTestFinished(release)
  return { release }
}

beforeAll(async () => {
  hub = await hubs.start()
  site = await hubs.site(hub)
})

describe('/metrics', () => {
  it('names the version, and how busy each pool is', async () => {
    const text = await metrics()
    expect(text).toMatch(/^haltless_build_info\{version="\d+\.\d+\.\d+",node_version="24\.[\d.]+"\} 1$/m)
    for (const pool of ['app', 'ingest', 'system']) {
      expect(sample(text, `haltless_database_connections{pool="${pool}",state="size"}`)).toBeGreaterThan(0)
      expect(sample(text, `haltless_database_connections{pool="${pool}",state="in_use"}`)).toBeGreaterThanOrEqual(0)
      expect(sample(text, `haltless_database_waiting{pool="${pool}"}`)).toBe(0)
    }
  })

  it('counts agents that are online', async () => {
    for (const agent_id of ['a', 'b']) await site.heartbeat({ agent_id, agent_version: '0.1.0' })
    await soon(async () => expect(await figureOf('haltless_agents_online')).toBe(2))
    hubs.clock.advance(300)
    await soon(async () => expect(await figureOf('haltless_agents_online')).toBe(0))
  })

  it('counts rejected readings by reason', async () => {
    const at = hubs.clock.now().toISOString()
    const reading = { machine_identifier: 'nobody', timestamp: at, metric_name: 'x', value: 1, unit: 'celsius' }
    const readings = [reading, reading, { ...reading, value: 'much' }]
    const body = JSON.stringify({ readings })
    const headers = { 'content-type': 'application/json', 'x-api-key': site.key }
    await fetch(`${hub.url}/api/v1/ingest`, { method: 'POST', headers, body })
    await soon(async () => expect(await figureOf('haltless_readings_rejected_total{reason="unknown_machine"}')).toBe(2))
    expect(await figureOf('haltless_readings_rejected_total{reason="invalid_value"}')).toBe(1)
  })

  it('counts refusals by reason: keys, tokens, enrolment keys, roles and MQTT log-ins', async () => {
    const refused = (reason: string) => figureOf(`haltless_refusals_total{reason="${reason}"}`)
    const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
      fetch(`${hub.url}/api/v1/${path}`, { method, headers })
    await ask('ingest', { 'x-api-key': 'hk_unknown' }, 'POST')
    await ask('machines', { authorization: 'Bearer forged' })
    await ask('agent/enroll', { 'x-api-key': 'he_unknown' })
    await ask('machines', { 'x-api-key': site.key })
    for (const reason of ['api_key_invalid', 'token_invalid', 'enrolment_key_invalid', 'api_key_not_allowed'])
      await soon(async () => expect(await refused(reason), reason).toBe(1))
    const other = await hubs.site(hub)
    await other.call('DELETE', `settings/api-keys/${other.keyId}`)
    const login = connectMqtt(`mqtt://127.0.0.1:${hub.mqttPort}`, '', { username: 'plc', password: other.key })
    expect(await loginCode(login)).toBe(4)
    await soon(async () => expect(await refused('mqtt_login_refused')).toBe(1))
    await soon(async () => {
      const { body } = await other.call('GET', 'audit-log?kind=security&action=access.refused')
      expect(body.items).toMatchObject([
        { target: { type: 'api_key', id: other.keyId }, after: { reason: 'mqtt_login_refused', path: 'mqtt' }, ip: '127.0.0.1' },
      ])
    })
  })

  it('tells how many deliveries wait, and for how long the oldest has been due', async () => {
    expect(await figureOf('haltless_outbox_deliveries')).toBe(0)
    expect(await figureOf('haltless_outbox_oldest_due_seconds')).toBe(0)
    const url = 'https://receiver.invalid/'
    const channel = await site.call('POST', 'notification-channels', { name: 'hook', channel_type: 'webhook', config: { url } })
    const rule = { machine_id: site.machineId, metric_name: 'heat', warning_threshold: 1, critical_threshold: 2 }
    expect([channel.status, (await site.call('POST', 'alert-rules', rule)).status]).toEqual([201, 201])
    const at = hubs.clock.now().toISOString()
    const reading = { machine_identifier: site.identifier, timestamp: at, metric_name: 'heat', value: 3, unit: 'celsius' }
    const headers = { 'content-type': 'application/json', 'x-api-key': site.key }
    await fetch(`${hub.url}/api/v1/ingest`, { method: 'POST', headers, body: JSON.stringify({ readings: [reading] }) })
    await soon(async () => expect(await figureOf('haltless_outbox_deliveries')).toBe(1))
    // nobody can take it, and time goes on
    const held = await holdDeliveries()
    hubs.clock.advance(1_000)
    await soon(async () => expect(await figureOf('haltless_outbox_oldest_due_seconds')).toBeGreaterThan(500))
    await held.release()
  })

  it('tells of each job when it last ran, how long that took, and how often it failed', async () => {
    const now = Date.now() / 1_000
    for (const name of [
      'purge_readings',
      'purge_accounts',
      'sweep_silent_machines',
      'check_mqtt_credentials',
      'announce_replica',
      'poll_sources',
    ]) {
      await soon(async () => expect(await figureOf(`haltless_job_runs_total{name="${name}"}`)).toBeGreaterThan(0))
      expect(await figureOf(`haltless_job_failures_total{name="${name}"}`)).toBe(0)
      expect(await figureOf(`haltless_job_last_duration_seconds{name="${name}"}`)).toBeLessThan(60)
      expect(await figureOf(`haltless_job_last_run_timestamp_seconds{name="${name}"}`)).toBeGreaterThan(now - 120)
    }
  })
})

describe('what the examples name exists in /metrics', () => {
  const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../docs', file), 'utf8')
  const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[]
  }
  const { groups } = parse(read('prometheus-alerts.yml')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string; description: string } }[] }[]
  }
  const expressions = [
    ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [`panel ${title}`, expr] as const)),
    ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [`alert ${alert}`, expr] as const)),
  ]

  it.each(expressions)('%s', async (_name, expression) => {
    const text = await metrics()
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name as string, type as string]))
    const names = expression.match(/\b(haltless|nodejs|process)_\w+/g) ?? []
    expect(names.length > 0 || /\bup\{/.test(expression)).toBe(true)
    for (const name of names) {
      const histogram = /^(.*)_(bucket|count|sum)$/.exec(name)?.[1]
      expect([name, types.has(name) || types.get(histogram ?? '') === 'histogram']).toEqual([name, true])
    }
  })

  it('every rule says what is wrong and what to do', () => {
    for (const { alert, annotations } of groups.flatMap(({ rules }) => rules)) {
      expect(alert).toMatch(/^Haltless[A-Z]/)
      expect([annotations.summary.length, annotations.description.length].every((length) => length > 10)).toBe(true)
    }
  })
})
