import { type AddressInfo, createServer } from 'node:net'
import { topicPrefix } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../src/support/secret.ts'
import { Plant, readings, until } from './agent-harness.ts'

let plant: Plant
beforeEach(async () => {
  plant = await Plant.open()
})
afterEach(() => plant.end())

const buffered = () => plant.report().buffer.buffered
const vias = () => plant.hub.connections.map(({ via }) => via)

describe('a blocked way', () => {
  it('MQTT blocked: MQTT over WebSocket on the port of the hub', async () => {
    plant.hub.behaviour.isMqttOpen = false
    const { feed, agent } = plant.start()
    await feed(readings(1_500))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.hub.stored.size).toBe(1_500)
    expect(agent.status().uplink.via).toBe('websocket')
    expect(vias()).toEqual(['websocket'])
  })

  it('WebSocket blocked too: HTTP', async () => {
    plant.hub.behaviour.isMqttOpen = false
    plant.hub.behaviour.isWebSocketOpen = false
    const { feed, agent } = plant.start()
    await feed(readings(1_500))
    await until('the buffer is empty', () => buffered() === 0)
    expect([...plant.hub.stored.values()]).toEqual(expect.arrayContaining(readings(2, 1_498)))
    expect(agent.status().uplink.via).toBe('http')
    expect(plant.hub.connections).toEqual([])
  })

  it('the agent returns to a better transport as soon as it works, and loses nothing', async () => {
    plant.hub.behaviour.isMqttOpen = false
    plant.hub.behaviour.isWebSocketOpen = false
    const { feed, agent } = plant.start({}, { betterRetryMs: 50 })
    await feed(readings(100))
    await until('HTTP carries', () => plant.hub.ingests.length > 0)
    plant.hub.behaviour.isWebSocketOpen = true
    await until('WebSocket is used', () => agent.status().uplink.via === 'websocket')
    await feed(readings(100, 100))
    plant.hub.behaviour.isMqttOpen = true
    await until('MQTT is used', () => agent.status().uplink.via === 'mqtt')
    await feed(readings(100, 200))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.hub.stored.size).toBe(300)
  })

  it('a broker that takes the connection and says nothing does not hold up a stop', async () => {
    const silent = createServer((socket) => socket.resume().on('error', () => {}))
    let dialled = false
    silent.on('connection', () => {
      dialled = true
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `mqtt://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const { agent } = plant.start({ uplink: { mqtt: { url } } }, { connectTimeoutMs: 600_000 })
    await until('it is dialled', () => dialled)
    await plant.stop(agent)
    expect(agent.status().uplink.state).toBe('stopped')
    silent.close()
  })

  it('a broker that the file names comes before the one of the hub', async () => {
    plant.hub.behaviour.heartbeat = ({ agent_id }) => {
      const prefix = topicPrefix(plant.hub.tenantId, agent_id)
      const mqtt = { url: 'mqtt://127.0.0.1:1', username: 'u', password: 'of the hub', topic_prefix: prefix }
      return { status: 200, body: { ...plant.hub.directives(), mqtt } }
    }
    plant.hub.behaviour.password = 'of the file'
    const { feed } = plant.start({
      uplink: { mqtt: { url: plant.hub.mqttUrl, username: 'press', password: new Secret('of the file') } },
    })
    await feed(readings(10))
    await until('all are stored', () => plant.hub.stored.size === 10)
    expect(plant.hub.connections.map(({ via, password }) => [via, password])).toEqual([['mqtt', 'of the file']])
  })

  it('the hub receives telemetry over MQTT when HTTP is blocked after the first heartbeat', async () => {
    const { agent } = plant.start()
    await until('it is connected', () => agent.status().uplink.via === 'mqtt')
    plant.hub.behaviour.isHttpOpen = false
    const heard = plant.hub.heartbeats.length
    await until('telemetry comes over MQTT', () => plant.hub.heartbeats.length > heard)
    expect(plant.hub.heartbeats.at(-1)).toMatchObject({ agent_id: 'press-hall', collectors: { press: 'running' } })
  })

  it('an unencrypted broker on another computer is not even dialled', async () => {
    plant.hub.behaviour.heartbeat = ({ agent_id }) => {
      const mqtt = { url: 'mqtt://192.0.2.1:1883', username: agent_id, password: 'x', topic_prefix: 'haltless/v1/t/a' }
      return { status: 200, body: { ...plant.hub.directives(), mqtt } }
    }
    plant.hub.behaviour.isWebSocketOpen = false
    // a dialled broker would keep HTTP waiting for longer than the test
    const { feed, lines } = plant.start({}, { connectTimeoutMs: 600_000 })
    await feed(readings(10))
    await until('HTTP carries', () => plant.hub.stored.size === 10)
    expect(lines.join('')).toContain('is not encrypted')
  })
})

describe('HTTP', () => {
  beforeEach(() => {
    plant.hub.behaviour.isMqttOpen = false
    plant.hub.behaviour.isWebSocketOpen = false
  })

  it('rejections of a 207 are parked by index', async () => {
    plant.hub.behaviour.ingest = (sent) => {
      const errors = [{ index: 1, machine_identifier: 'press-01', error: 'unknown machine' }]
      return { status: 207, body: { accepted_count: sent.length - 1, rejected_count: 1, errors } }
    }
    const { feed } = plant.start()
    await feed(readings(10))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.report().buffer.deadLetters).toBe(1)
  })

  it.each([429, 503])('%i deletes nothing, the agent honours Retry-After, then sends again', async (status) => {
    const at: number[] = []
    plant.hub.behaviour.ingest = () => {
      at.push(performance.now())
      return at.length === 1 ? { status, headers: { 'retry-after': '1' } } : null
    }
    const { feed, agent } = plant.start()
    await feed(readings(10))
    await until('the hub asked for patience', () => agent.status().uplink.state === 'pausing')
    expect(buffered()).toBe(10)
    await until('the buffer is empty', () => buffered() === 0)
    expect((at[1] as number) - (at[0] as number)).toBeGreaterThanOrEqual(999)
  })

  it('parallel batches that are refused at once count as one failure, so the backoff stays short', async () => {
    let refused = 0
    plant.hub.behaviour.ingest = () => (refused++ < 8 ? { status: 503 } : null)
    const { feed } = plant.start()
    await feed(readings(8_000))
    await until('eight were refused', () => refused >= 8)
    const back = performance.now()
    await until('the buffer is empty', () => buffered() === 0)
    // one failure waits half a second, eight wait half a minute at least
    expect(performance.now() - back).toBeLessThan(20_000)
  })

  it('a hub that said "not now" is asked again with one batch, and with more once that one is stored', async () => {
    const at: number[] = []
    let isBack = false
    plant.hub.behaviour.ingest = () => {
      at.push(performance.now())
      return isBack ? null : { status: 503 }
    }
    const { feed } = plant.start()
    await feed(readings(12_000))
    await until('it was asked a third time', () => at.length >= 10)
    isBack = true
    // the eight of the beginning, then one, and one
    expect((at[9] as number) - (at[8] as number)).toBeGreaterThanOrEqual(400)
    await until('the buffer is empty', () => buffered() === 0)
  })

  it.each([400, 413, 422])('a %i that is not of the hub, such as of a proxy between, parks nothing', async (status) => {
    plant.hub.behaviour.isMqttOpen = false
    plant.hub.behaviour.isWebSocketOpen = false
    let refusals = 0
    plant.hub.behaviour.ingest = () => (refusals++ === 0 ? { status, body: '<html>Bad Request</html>' } : null)
    const { feed } = plant.start()
    await feed(readings(1))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.hub.stored.size).toBe(1)
    expect(plant.report().buffer.deadLetters).toBe(0)
  })

  it('413: the batch is sent in halves, and rejections keep their index', async () => {
    plant.hub.behaviour.ingest = (sent) => {
      if (sent.length > 300) return { status: 413 }
      const bad = sent.findIndex(({ value }) => value === 7.77)
      if (bad < 0) return null
      const errors = [{ index: bad, machine_identifier: null, code: 'nope', error: 'no' }]
      return { status: 207, body: { accepted_count: sent.length - 1, rejected_count: 1, errors } }
    }
    const { feed } = plant.start()
    await feed(readings(1_000))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.report().buffer.deadLetters).toBe(1)
  })

  it('a request that the hub refuses permanently is parked as a whole', async () => {
    plant.hub.behaviour.ingest = () => ({
      status: 422,
      body: { status: 422, code: 'validation_failed', detail: 'readings: too odd' },
    })
    const { feed } = plant.start()
    await feed(readings(10))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.report().buffer.deadLetters).toBe(10)
  })

  it('an answer without a 207 body deletes nothing from the buffer', async () => {
    let count = 0
    plant.hub.behaviour.ingest = () => (count++ < 2 ? { status: count === 1 ? 200 : 207, body: 'captive portal' } : null)
    const { feed } = plant.start()
    await feed(readings(10))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.hub.stored.size).toBe(10)
  })
})

const problem = (status: number, code: string) => ({ type: 'about:blank', title: code, status, code, detail: `${code}.` })

describe('what the hub allows', () => {
  it.each([
    ['402, payment required', { status: 402, body: () => plant.hub.directives('payment_required') }, /payment/],
    ['401, a revoked key', { status: 401, body: () => problem(401, 'api_key_invalid') }, /API key/],
    ['403', { status: 403, body: () => problem(403, 'credential_required') }, /API key/],
    [
      '409, another holder of the agent id',
      { status: 409, body: () => problem(409, 'agent_id_in_use') },
      /another running agent/,
    ],
  ])('%s: keeps collecting, deletes nothing, sends nothing, and goes on when it is over', async (_, answer, words) => {
    plant.hub.behaviour.heartbeat = () => ({ status: answer.status, body: answer.body() })
    const { feed, agent, lines } = plant.start()
    await until('the uplink is held', () => agent.status().uplink.state === 'held')
    expect(agent.status().uplink.detail).toMatch(words)
    expect(lines.some((line) => JSON.parse(line).level === 'error' && words.test(line))).toBe(true)
    await feed(readings(100))
    const asked = plant.hub.heartbeats.length
    if (answer.status === 402) await until('it asks again', () => plant.hub.heartbeats.length > asked)
    expect(buffered()).toBe(100)
    expect([plant.hub.connections, plant.hub.batches, plant.hub.ingests]).toEqual([[], [], []])
    plant.hub.behaviour.heartbeat = () => null
    // Without directives the next question comes after a minute; a new start comes first for whoever mended the key.
    if (answer.status !== 402) {
      await plant.stop(agent)
      plant.start()
    }
    await until('all are stored', () => plant.hub.stored.size === 100)
  })

  it.each([401, 403, 409])(
    'a %s of a firewall on the way is named, and is no word of the hub about this agent',
    async (status) => {
      plant.hub.behaviour.heartbeat = () => ({ status, body: 'Blocked by the company firewall' })
      const { feed, agent } = plant.start()
      await until('the answer is named', () => /on the way to the hub.*let it pass/.test(agent.status().hub.detail))
      expect(agent.status().uplink.state).not.toBe('held')
      await feed(readings(10))
      plant.hub.behaviour.heartbeat = () => null
      await until('all are stored', () => plant.hub.stored.size === 10)
    },
  )

  it('a 402 stops sending, also when it arrives as a directive over MQTT', async () => {
    const { feed, agent } = plant.start()
    await feed(readings(10))
    await until('it is stored', () => plant.hub.stored.size === 10)
    plant.hub.behaviour.nextCheckSeconds = 3_600
    await until('the hub wants to be asked rarely', () => agent.status().hub.directives?.next_check_seconds === 3_600)
    plant.hub.behaviour.heartbeat = () => ({ status: 402, body: plant.hub.directives('payment_required') })
    plant.hub.publish('press-hall', 'directives', plant.hub.directives('payment_required'))
    await until('the uplink is held', () => agent.status().uplink.state === 'held')
    await feed(readings(10, 10))
    expect(buffered()).toBe(10)
  })

  it('a key that is revoked while sending over HTTP stops the agent at the first 401', async () => {
    plant.hub.behaviour.isMqttOpen = false
    plant.hub.behaviour.isWebSocketOpen = false
    plant.hub.behaviour.nextCheckSeconds = 3_600
    plant.hub.behaviour.ingest = () => ({ status: 401, body: problem(401, 'api_key_invalid') })
    const { feed, agent } = plant.start()
    await feed(readings(10))
    await until('the uplink is held', () => agent.status().uplink.state === 'held')
    expect(plant.hub.ingests.length).toBe(1)
    expect(buffered()).toBe(10)
  })

  it('a token is renewed before it ends, and nothing is lost or sent without one', async () => {
    plant.hub.behaviour.tokenSeconds = 2
    plant.hub.behaviour.nextCheckSeconds = 1
    const { feed } = plant.start()
    let sent = 0
    await until('three sessions were made', () => {
      if (sent < 400) void feed(readings(1, sent++))
      return new Set(plant.hub.connections.map(({ password }) => password)).size >= 3
    })
    await until('all are stored', () => plant.hub.stored.size === sent)
    expect(new Set(plant.hub.connections.map(({ password }) => password)).size).toBe(plant.hub.connections.length)
  })

  it('an expired token is replaced by asking for a new one at once', async () => {
    plant.hub.behaviour.nextCheckSeconds = 3_600
    plant.hub.behaviour.tokenSeconds = -1
    const { feed } = plant.start()
    await until('the broker has refused it', () => plant.hub.connections.length > 0)
    plant.hub.behaviour.tokenSeconds = 3_600
    await feed(readings(10))
    await until('all are stored', () => plant.hub.stored.size === 10)
  })

  it('an agent publishes on the state topic that it is online, and that it went offline', async () => {
    const { agent } = plant.start()
    await until('it is there', () => plant.hub.states.includes('{"online":true}'))
    await plant.stop(agent)
    // the broker acknowledges before it passes a message on
    await until('it has gone', () => plant.hub.states.at(-1) === '{"online":false}')
  })

  it('an agent reports each gap under one id until the hub confirms it', async () => {
    plant.hub.behaviour.heartbeat = () => ({ status: 503 })
    const { feed, agent } = plant.start({ buffer: { maxBytes: 150_000 } })
    for (let i = 0; i < 40; i++) await feed(readings(1_000, i * 1_000).map((r) => ({ ...r, value: Math.sin(r.value * 1e6) })))
    await until('something was dropped', () => plant.report().buffer.dropped > 0)
    await plant.stop(agent)
    const { dropped } = plant.report().buffer
    plant.hub.heartbeats.length = 0
    plant.start()
    await until('it was told twice', () => plant.hub.heartbeats.length >= 2)
    const [first, second] = plant.hub.heartbeats
    expect(first?.gaps?.reduce((sum, { count }) => sum + count, 0)).toBe(dropped)
    expect(second?.gaps).toEqual(first?.gaps)
    expect(first?.dropped_count).toBe(dropped)
    plant.hub.behaviour.heartbeat = () => null
    await until('the hub has heard it', () => plant.hub.heartbeats.at(-1)?.gaps === undefined)
  })
})
