import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { plantMachines } from '@haltless/edge-agent/plant'
import type { Reading } from '@haltless/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { readBuffered } from '../../edge-agent/test/support/read-buffered.ts'
import { PASSWORD, useDatabase } from './harness.ts'
import { endAll, type Program, run, until } from './processes.ts'
import { soon } from './soon.ts'
import { type Relay, startRelay } from './support/relay.ts'
import { startSimulatedPlant } from './support/simulated-plant.ts'

/** From the PLC to the webhook, each a process of its own; the tests follow one another on the same plant. */
const AGENT = 'edge-agent/src/main.ts'
const SECRET_KEY = randomBytes(32).toString('base64')

interface Hook {
  id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  body: any
}

const database = useDatabase()
const folder = mkdtempSync(path.join(tmpdir(), 'haltless-journey-'))
const agentFile = path.join(folder, 'agent.yaml')
const dataDir = path.join(folder, 'agent-data')
const hooks: Hook[] = []
let receiver: Server
let http: Relay
let mqtt: Relay
let hub: Program
let agent: Program
let token = ''
/** the hub without a relay */
let hubUrl = ''
/** machine_identifier to id */
const ids = new Map<string, string>()

async function startHub(): Promise<void> {
  hub = run('cloud-hub/src/main.ts', ['serve'], {
    HOST: '127.0.0.1',
    PORT: '0',
    MQTT_PORT: '0',
    MQTT_PUBLIC_URL: `mqtt://127.0.0.1:${mqtt.port}`,
    DATABASE_URL: database.url,
    SECRET_KEY,
    DATA_DIR: folder,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    HEARTBEAT_SECONDS: '1',
  })
  const line = await until('the hub runs', () => hub.out().match(/^.*the hub is running.*$/m)?.[0])
  const { url, mqtt_port } = JSON.parse(line)
  hubUrl = url
  http.to(Number(new URL(url).port))
  mqtt.to(mqtt_port)
}

const startAgent = () => {
  agent = run(AGENT, ['run', '--config', agentFile])
}

// biome-ignore lint/suspicious/noExplicitAny: as above
async function call(method: string, what: string, body?: unknown): Promise<any> {
  const answer = await fetch(`${hubUrl}/api/v1/${what}`, {
    method,
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw new Error(`${method} ${what}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

async function command(...args: string[]): Promise<{ code: number | NodeJS.Signals; out: string; err: string }> {
  const program = run(AGENT, [...args, '--config', agentFile])
  const code = await program.ended
  return { code, out: program.out(), err: program.err() }
}
const status = async () => JSON.parse((await command('status', '--json')).out)

const key = (machine: string, metric: string, at: number) => `${machine} ${metric} ${at}`

/** Every reading that the hub has, by machine, metric and instant. @throws when one is there twice */
async function stored(machines: Iterable<string> = ids.keys()): Promise<Set<string>> {
  const found = new Set<string>()
  for (const machine of machines) {
    const range = `start_time=${new Date(Date.now() - 3_600_000).toISOString()}`
    for (const { metric_name, data_points } of await call('GET', `machines/${ids.get(machine)}/readings?${range}`)) {
      for (const { timestamp } of data_points) {
        const name = key(machine, metric_name, Date.parse(timestamp))
        if (found.has(name)) throw new Error(`${name} is there twice`)
        found.add(name)
      }
    }
  }
  return found
}

/** What an agent that does not run has on its disk. */
function onDisk(): Reading[] {
  const copy = mkdtempSync(path.join(folder, 'dead-'))
  cpSync(dataDir, copy, { recursive: true })
  return readBuffered(path.join(copy, 'buffer.sqlite'))
}
const names = (readings: readonly Reading[]) =>
  readings.filter(({ machine }) => ids.has(machine)).map(({ machine, metric, timestamp }) => key(machine, metric, timestamp))

const missing = (wanted: Iterable<string>, found: Set<string>) => [...wanted].filter((name) => !found.has(name))
const sendsOver = (via: string) => until(`the agent sends over ${via}`, async () => (await status()).agent?.uplink.via === via)
const grows = async () => {
  const { length } = [...(await stored())]
  await until('more readings arrive', async () => (await stored()).size > length + 100)
}

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => {
      text += part
    })
    request.on('end', () => {
      hooks.push({ id: String(request.headers['webhook-id']), body: JSON.parse(text) })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  http = await startRelay()
  mqtt = await startRelay()
  const [{ modbusPort, collectors }] = await Promise.all([startSimulatedPlant(path.join(folder, 'plant')), startHub()])

  const account = { email: 'ada@example.com', password: PASSWORD, full_name: 'Ada', tenant_name: 'Acme' }
  token = (await call('POST', 'auth/register', account)).access_token
  for (const { id, name, protocol, rules } of plantMachines) {
    const machine = await call('POST', 'machines', { name, machine_identifier: id, protocol })
    ids.set(id, machine.id)
    for (const { metric, warning, critical } of rules) {
      const thresholds = { warning_threshold: warning, critical_threshold: critical }
      await call('POST', 'alert-rules', { machine_id: machine.id, metric_name: metric, ...thresholds })
    }
  }
  const { port } = receiver.address() as { port: number }
  const config = { url: `http://127.0.0.1:${port}/hook` }
  await call('POST', 'notification-channels', { name: 'Hook', channel_type: 'webhook', config })
  const { key: apiKey } = await call('POST', 'api-keys', { name: 'agent' })

  const ghost = {
    name: 'ghost',
    protocol: 'modbus',
    machine_identifier: 'ghost-01',
    host: '127.0.0.1',
    port: modbusPort,
    poll_interval_seconds: 3_600,
    registers: [{ table: 'input', address: 0, data_type: 'uint16', metric_name: 'discharge_pressure', unit: 'bar' }],
  }
  const settings = {
    hub: { url: `http://127.0.0.1:${http.port}`, api_key: apiKey },
    agent_id: 'journey',
    data_dir: dataDir,
    uplink: { receipt_timeout_seconds: 3 },
    collectors: [...collectors.map((collector) => ({ ...collector, poll_interval_seconds: 0.25 })), ghost],
  }
  writeFileSync(agentFile, stringify(settings), { mode: 0o600 })
})

afterAll(async () => {
  await endAll()
  await Promise.all([http?.close(), mqtt?.close()])
  receiver?.closeAllConnections()
  receiver?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('from the PLC to the webhook', () => {
  it('every machine has values, its status follows them, and an alert is delivered once', async () => {
    const seen = new Set<string>()
    const look = async () => {
      for (const machine of (await call('GET', 'machines?page_size=100')).items) {
        if (machine.machine_identifier === 'pump-01') seen.add(machine.status)
      }
    }
    await look()
    startAgent()
    await until('the pump was well and failed', async () => {
      await look()
      return ['offline', 'healthy', 'critical'].every((status) => seen.has(status))
    })
    for (const { id, tags } of plantMachines) {
      const readings = await until(`every value of ${id} is stored`, async () => {
        const { readings: latest } = await call('GET', `machines/${ids.get(id)}/readings/latest`)
        return tags.every(({ metric }) => metric in latest) && latest
      })
      expect(Object.keys(readings).sort()).toEqual(tags.map(({ metric }) => metric).sort())
      for (const { metric, unit } of tags) expect(readings[metric]).toMatchObject({ unit, value: expect.any(Number) })
    }

    const isIt = ({ body }: Hook) => body.severity === 'critical' && body.metric_name === 'vibration'
    const { body } = await until('the webhook has it', () => hooks.find(isIt))
    const { items } = await call('GET', 'alerts?severity=critical&page_size=100')
    const alert = items.find(({ id }: { id: string }) => id === body.alert_id)
    expect(body).toEqual({
      type: 'alert',
      message: `Cooling water pump 1: vibration is ${body.trigger_value} mm/s, above the critical threshold of 7.1 mm/s.`,
      severity: 'critical',
      metric_name: 'vibration',
      trigger_value: expect.any(Number),
      threshold_value: 7.1,
      machine_id: ids.get('pump-01'),
      machine_name: 'Cooling water pump 1',
      machine_identifier: 'pump-01',
      alert_id: expect.any(String),
      unit: 'mm/s',
      triggered_at: alert.triggered_at,
      created_at: alert.created_at,
    })
    expect(body.trigger_value).toBeGreaterThan(7.1)
    expect(await stored()).toContain(key('pump-01', 'vibration', Date.parse(body.triggered_at)))
  })

  it('check and status report the actual state', async () => {
    await sendsOver('mqtt')
    const check = await command('check')
    expect(check.out).toMatch(/^ok {4}data_dir .* is in use by a running agent$/m)
    expect(check.out).toMatch(/^ok {4}hub .* accepts the API key, this agent is journey$/m)
    expect(check.out).toMatch(/^ok {4}mqtt /m)
    for (const name of ['plant-opcua', 'plant-pump-01', 'plant-compressor-01', 'ghost'])
      expect(check.out).toMatch(new RegExp(`^ok {4}${name} `, 'm'))
    // The machine that the next test is about is all that it finds.
    expect(check.out.match(/^FAIL .*/gm)).toEqual([expect.stringMatching(/the hub has no machine ghost-01/)])
    expect(check).toMatchObject({ code: 1, err: '' })
    await soon(async () => {
      const { is_running, agent_id, buffer, agent: said } = await status()
      expect({ is_running, agent_id, pid: said.pid }).toEqual({ is_running: true, agent_id: 'journey', pid: agent.pid })
      expect(said.uplink).toMatchObject({ state: 'sending', detail: '' })
      expect(said.hub.detail).toBe('')
      expect(buffer.dropped).toBe(0)
      for (const collector of Object.values(said.collectors)) expect(collector).toMatchObject({ state: 'running', badTags: [] })
    })
    await soon(async () => {
      const [shown] = (await call('GET', 'agent/fleet')).agents
      expect(shown).toMatchObject({ agent_id: 'journey', dead_letter_count: 1 })
    })
  })

  it('one reading of an unknown machine is parked with its reason, its neighbours pass', async () => {
    await until('a thousand others are stored', async () => (await stored()).size >= 1_000)
    expect((await status()).buffer.deadLetters).toBe(1)
    const { out, code } = await command('dead-letters')
    expect(code).toBe(0)
    expect(out).toMatch(/ghost-01 {2}discharge_pressure {2}.* unknown_machine: /)
    const letters = JSON.parse((await command('dead-letters', '--json')).out)
    expect(letters).toMatchObject([{ code: 'unknown_machine', reading: { machine: 'ghost-01', unit: 'bar' } }])
  })

  it('with the broker blocked readings come over WebSocket, with that blocked too over HTTP', async () => {
    mqtt.to(null)
    await sendsOver('websocket')
    await grows()
    http.refuse((first) => first.startsWith('GET /mqtt'))
    await sendsOver('http')
    await grows()
    http.refuse(() => false)
  })

  it('while the hub is away the agent buffers, is killed, and nothing that it had on disk is lost', async () => {
    const before = await stored()
    expect(await hub.end('SIGTERM')).toBe(0)
    const told = await until('much is buffered', async () => {
      const { buffered } = (await status()).buffer
      return buffered >= 500 && buffered
    })
    expect(await agent.end('SIGKILL')).toBe('SIGKILL')
    const left = names(onDisk())
    expect(left.length).toBeGreaterThanOrEqual(told)
    expect((await status()).is_running).toBe(false)

    startAgent()
    await until('it runs without a hub', async () => (await status()).is_running)
    await startHub()
    await sendsOver('mqtt')
    await until('the backlog is stored', async () => missing(left, await stored()).length === 0)
    expect(missing(before, await stored())).toEqual([])
    await until('next to nothing waits', async () => (await status()).buffer.buffered < 300)
  })

  it('killed while it sends, the agent sends the rest after its restart, and nothing twice', async () => {
    expect(await agent.end('SIGKILL')).toBe('SIGKILL')
    const left = names(onDisk())
    const before = await stored()
    startAgent()
    await grows()
    const after = await stored()
    expect(missing([...before, ...left], after)).toEqual([])
  })

  it('the hub finally has exactly the readings that the agent reports, and delivered each alert once', async () => {
    await agent.end('SIGTERM')
    const { agent: said, buffer } = await status()
    // by Modbus alone: an OPC UA server dates a value that stands still as before, and it is stored once
    for (const machine of ['pump-01', 'compressor-01']) {
      const waits = names(onDisk()).filter((name) => name.startsWith(machine))
      const fresh = [...new Set([...(await stored([machine])), ...waits])].filter(
        (name) => Number(name.split(' ')[2]) >= said.startedAt,
      )
      expect(fresh.length).toBe(said.collectors[`plant-${machine}`].readingsTotal)
    }
    expect(buffer).toMatchObject({ dropped: 0, deadLettersDropped: 0 })
    const told = () => hooks.map(({ body }) => body.alert_id).sort()
    const raised = (await call('GET', 'alerts?page_size=100')).items.map(({ id }: { id: string }) => id).sort()
    await until('each alert was told', () => told().length >= raised.length)
    expect(told()).toEqual(raised)
    expect(new Set(hooks.map(({ id }) => id)).size).toBe(hooks.length)
    expect(await hub.end('SIGTERM')).toBe(0)
    expect(hub.err()).toBe('')
  })
})
