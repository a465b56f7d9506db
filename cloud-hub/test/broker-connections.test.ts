import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { connect, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { type ConnectionOptions, connect as connectByTls, getCiphers, type TLSSocket } from 'node:tls'
import { MAX_PACKET_BYTES, topicPrefix } from '@haltless/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { batchOf } from './batch.ts'
import { connectMqtt, loginCode, readingsOf } from './mqtt-agent.ts'
import { holdFlushes, type Site, useRunningHubs } from './running-hub.ts'
import { selfSigned } from './self-signed.ts'
import { soon } from './soon.ts'

const hubs = useRunningHubs()

const login = (url: string, site: Site, agentId = 'plc', options: Record<string, unknown> = {}) =>
  connectMqtt(url, topicPrefix(site.tenantId, agentId), { username: agentId, password: site.key, ...options })

/** MQTT 3.1.1, remaining length: seven bits a byte, the lowest first. */
function header(type: number, length: number): Buffer {
  const bytes = [type]
  for (let rest = length; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest < 128 ? rest : (rest % 128) + 128)
    if (rest < 128) return Buffer.from(bytes)
  }
}
const text = (value: string | Buffer) => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}
const packet = (type: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([header(type, body.length), body])
}
/** CONNECT with user name, password and a clean session. */
const connectPacket = (user: string, password: string) =>
  packet(0x10, text('MQTT'), Buffer.from([4, 0xc2, 0, 60]), text('raw'), text(user), text(password))

/** A connection on which a test writes bytes of its own. */
async function rawConnection(port: number, from = '127.0.0.1') {
  const socket: Socket = connect({ port, host: '127.0.0.1', localAddress: from })
  let received = Buffer.alloc(0)
  let isClosed = false
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
  })
  onTestFinished(() => {
    socket.destroy()
  })
  await new Promise((done) => socket.once('connect', done))
  return { socket, received: () => received, isClosed: () => isClosed }
}

describe('the size of a packet', () => {
  it('is refused at its header when it is too large, before anything is gathered, logged in or not', async () => {
    const hub = await hubs.start()
    const site = await hubs.site(hub)
    const stranger = await rawConnection(hub.mqttPort as number)
    stranger.socket.write(header(0x10, MAX_PACKET_BYTES + 1))
    await soon(() => expect(stranger.isClosed()).toBe(true))

    const client = await rawConnection(hub.mqttPort as number)
    client.socket.write(connectPacket('plc', site.key))
    await soon(() => expect([...client.received()]).toEqual([0x20, 2, 0, 0]))
    client.socket.write(header(0x32, MAX_PACKET_BYTES + 1))
    await soon(() => expect(client.isClosed()).toBe(true))
  })

  it('may be exactly the limit', async () => {
    const hub = await hubs.start()
    const site = await hubs.site(hub)
    const client = await rawConnection(hub.mqttPort as number)
    client.socket.write(connectPacket('plc', site.key))
    await soon(() => expect(client.received()).toHaveLength(4))
    const topic = text(`${topicPrefix(site.tenantId, 'plc')}/readings`)
    const payload = Buffer.alloc(MAX_PACKET_BYTES - topic.length - 2)
    client.socket.write(packet(0x32, topic, Buffer.from([0, 7]), payload))
    // PUBACK of packet 7
    await soon(() => expect([...client.received().subarray(4)]).toEqual([0x40, 2, 0, 7]))
  })

  it('is limited on WebSockets too', async () => {
    const hub = await hubs.start()
    const socket = new WebSocket(`ws://127.0.0.1:${hub.port}/mqtt`, 'mqtt')
    await new Promise((done) => socket.once('open', done))
    socket.send(header(0x10, MAX_PACKET_BYTES + 1))
    await soon(() => expect(socket.readyState).toBe(WebSocket.CLOSED))
  })
})

describe('bytes that are no proper MQTT', () => {
  it.each([
    ['invalid UTF-8 in a topic', Buffer.from([0x2f, 0xc3, 0x28])],
    ['a lone surrogate in a topic', Buffer.from([0x2f, 0xed, 0xa0, 0x80])],
    ['a NUL in a topic', Buffer.from([0])],
  ])('%s end the connection, and nothing is stored', async (_name, ending) => {
    const hub = await hubs.start()
    const site = await hubs.site(hub)
    const client = await rawConnection(hub.mqttPort as number)
    client.socket.write(connectPacket('plc', site.key))
    await soon(() => expect(client.received()).toHaveLength(4))
    const topic = Buffer.concat([Buffer.from(`${topicPrefix(site.tenantId, 'plc')}/readings`), ending])
    client.socket.write(packet(0x32, text(topic), Buffer.from([0, 7]), Buffer.from('x')))
    await soon(() => expect(client.isClosed()).toBe(true))
  })

  it('another protocol, an unknown packet and a second CONNECT end only their own connection', async () => {
    const hub = await hubs.start()
    const site = await hubs.site(hub)
    const good = await login(`mqtt://127.0.0.1:${hub.mqttPort}`, site, 'good')
    const connection = connectPacket('plc', site.key)
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      Buffer.from([0xf0, 0]),
      Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x7f]),
      Buffer.concat([connection, connection]),
      packet(0x32, text('x')),
    ]) {
      const client = await rawConnection(hub.mqttPort as number)
      client.socket.write(bytes)
      await soon(() => expect(client.isClosed()).toBe(true))
    }
    await good.client.subscribeAsync(`${good.prefix}/receipts`, { qos: 1 })
    expect(good.isOpen()).toBe(true)
  })

  it('a client that leaves while its credential is checked does not hold its agent_id', async () => {
    const hub = await hubs.start()
    const site = await hubs.site(hub)
    for (let i = 0; i < 20; i++) {
      const gone = await rawConnection(hub.mqttPort as number)
      gone.socket.write(connectPacket('plc', site.key), () => gone.socket.resetAndDestroy())
    }
    await soon(async () => expect(await loginCode(login(`mqtt://127.0.0.1:${hub.mqttPort}`, site))).toBe(0))
  })
})

describe('MQTT over WebSocket at /mqtt', () => {
  it('is the same way: login, batch, receipt, refusals', async () => {
    const hub = await hubs.start()
    const site = await hubs.site(hub)
    const url = `ws://127.0.0.1:${hub.port}/mqtt`
    const { body } = await site.heartbeat({ agent_id: 'line-1', agent_version: '0.1.0' })
    const { username, password, topic_prefix } = body.mqtt
    const agent = await connectMqtt(url, topic_prefix, { username, password })
    await agent.client.subscribeAsync(`${agent.prefix}/receipts`, { qos: 1 })
    const id = await agent.send(readingsOf(site.identifier, 1_000, hubs.clock.now()))
    expect(await agent.receipt(id)).toMatchObject({ accepted_count: 1_000, rejected_count: 0 })
    await expect(agent.client.subscribeAsync('#', { qos: 1 })).rejects.toThrow()
    expect(await loginCode(connectMqtt(url, '', { username, password: 'wrong' }))).toBe(4)
  })

  it.each(['/', '//', '/mqtt/x', '/api/v1/machines', '/%zz'])('an upgrade at %s is refused, and the hub goes on', async (at) => {
    const hub = await hubs.start()
    const socket = await rawConnection(hub.port)
    socket.socket.write(
      `GET ${at} HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomUUID()}\r\n\r\n`,
    )
    await soon(() => expect(socket.received().toString()).toMatch(/^HTTP\/1\.1 404 /))
    expect((await fetch(`${hub.url}/healthz`)).status).toBe(200)
  })
})

/** All that this OpenSSL knows; the certificate of the test is for ECDSA. */
const SUITES_OF_TLS_1_2 = getCiphers()
  .map((name) => name.toUpperCase())
  .filter((name) => !name.startsWith('TLS_'))

/** A TLS connection that ends with its test. */
const handshake = (options: ConnectionOptions) =>
  new Promise<TLSSocket>((resolve, reject) => {
    const socket: TLSSocket = connectByTls(options, () => resolve(socket))
    socket.once('error', reject)
    onTestFinished(() => void socket.destroy())
  })

describe('TLS', () => {
  it('offers authenticated encryption only and no renegotiation, for HTTPS and MQTTS alike', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'haltless-tls-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { cert, key } = selfSigned()
    const [TLS_CERT, TLS_KEY] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
    await writeFile(TLS_CERT, cert)
    await writeFile(TLS_KEY, key)
    const hub = await hubs.start({ TLS_CERT, TLS_KEY })
    for (const port of [hub.port, hub.mqttPort as number]) {
      const shake = (options: ConnectionOptions) => handshake({ host: '127.0.0.1', port, ca: cert, ...options })
      const offered: string[] = []
      for (const suite of SUITES_OF_TLS_1_2)
        await shake({ ciphers: suite, maxVersion: 'TLSv1.2' }).then(
          (socket) => offered.push(socket.getCipher().name),
          () => {},
        )
      expect(offered.sort()).toEqual([
        'ECDHE-ECDSA-AES128-GCM-SHA256',
        'ECDHE-ECDSA-AES256-GCM-SHA384',
        'ECDHE-ECDSA-CHACHA20-POLY1305',
      ])
      expect((await shake({})).getProtocol()).toBe('TLSv1.3')
      await expect(shake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' })).rejects.toThrow()
      const renegotiated = await shake({ maxVersion: 'TLSv1.2' }).then(
        (socket) => new Promise((done) => socket.on('error', done).renegotiate({}, done)),
      )
      expect(renegotiated).toMatchObject({ code: expect.stringMatching(/NO_RENEGOTIATION/) })
    }
  })

  it('with TLS_CERT and TLS_KEY everything is encrypted: HTTPS, MQTTS and WSS', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'haltless-tls-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { cert, key } = selfSigned()
    const [TLS_CERT, TLS_KEY] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
    await writeFile(TLS_CERT, cert)
    await writeFile(TLS_KEY, key)
    const site = await hubs.site(await hubs.start())
    const hub = await hubs.start({ TLS_CERT, TLS_KEY })
    expect(hub.url).toBe(`https://127.0.0.1:${hub.port}`)
    const status = await new Promise((done, fail) => {
      get(`${hub.url}/healthz`, { ca: cert, agent: false }, (answer) => done(answer.resume().statusCode)).once('error', fail)
    })
    expect(status).toBe(200)
    for (const url of [`mqtts://127.0.0.1:${hub.mqttPort}`, `wss://127.0.0.1:${hub.port}/mqtt`]) {
      const agent = await login(url, site, 'plc', { ca: cert })
      await agent.client.subscribeAsync(`${agent.prefix}/receipts`, { qos: 1 })
      const id = await agent.send(readingsOf(site.identifier, 2, hubs.clock.now()))
      expect(await agent.receipt(id)).toMatchObject({ accepted_count: 2 })
      await agent.client.endAsync()
    }
    const handshakes = [await rawConnection(hub.mqttPort as number), await rawConnection(hub.port)]
    // nobody gets in unencrypted, nor trusts this certificate unasked
    expect(await loginCode(login(`mqtt://127.0.0.1:${hub.mqttPort}`, site))).not.toBe(0)
    expect(await loginCode(login(`mqtts://127.0.0.1:${hub.mqttPort}`, site))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    // a handshake that never comes does not keep the hub from stopping
    const started = performance.now()
    await hub.stop()
    expect(performance.now() - started).toBeLessThan(9_000)
    await soon(() => expect(handshakes.map((one) => one.isClosed())).toEqual([true, true]))
  })
})

describe('stop', () => {
  it('answers the batches that are under way, closes every connection, and ends soon', async () => {
    const hub = await hubs.start()
    const site = await hubs.site(hub)
    const overTcp = await login(`mqtt://127.0.0.1:${hub.mqttPort}`, site, 'tcp')
    const overWebSocket = await login(`ws://127.0.0.1:${hub.port}/mqtt`, site, 'ws')
    const silent = await rawConnection(hub.mqttPort as number)
    const halfway = await rawConnection(hub.mqttPort as number)
    halfway.socket.write(header(0x10, 100))
    const caller = await rawConnection(hub.port)
    const hold = await holdFlushes(hubs.owner)
    const sent = []
    for (const agent of [overTcp, overWebSocket]) {
      await agent.client.subscribeAsync(`${agent.prefix}/receipts`, { qos: 1 })
      sent.push({ agent, id: await agent.send(readingsOf(site.identifier, 10, hubs.clock.now())) })
    }
    await soon(async () => expect(await hold.waiting()).toBeGreaterThan(0))
    const started = performance.now()
    const stopped = hub.stop()
    await hold.release()
    await stopped
    expect(performance.now() - started).toBeLessThan(9_000)
    for (const { agent, id } of sent) expect(await agent.receipt(id)).toMatchObject({ accepted_count: 10 })
    await soon(() =>
      expect([overTcp.isOpen(), overWebSocket.isOpen(), silent.isClosed(), halfway.isClosed(), caller.isClosed()]).toEqual([
        false,
        false,
        true,
        true,
        true,
      ]),
    )
    await expect(fetch(`${hub.url}/healthz`)).rejects.toThrow()
  })

  it('can be called twice', async () => {
    const hub = await hubs.start()
    await Promise.all([hub.stop(), hub.stop()])
    await hub.stop()
  })
})

describe('connections that do not log in', () => {
  it('are 64 of an address at most: the oldest makes room, so an agent of the same and of another address is let in', async () => {
    const hub = await hubs.start()
    const site = await hubs.site(hub)
    const port = hub.mqttPort as number
    const silent = await Promise.all(Array.from({ length: 70 }, () => rawConnection(port)))
    await soon(() => expect(silent.filter((one) => one.isClosed())).toHaveLength(6))
    const enters = async (from: string) => {
      const agent = await rawConnection(port, from)
      agent.socket.write(connectPacket('plc', site.key))
      await soon(() => expect(agent.isClosed() || agent.received().length === 4).toBe(true))
      return !agent.isClosed()
    }
    expect(await enters('127.0.0.2')).toBe(true)
    expect(silent.filter((one) => one.isClosed())).toHaveLength(6)
    expect(await enters('127.0.0.1')).toBe(true)
    await soon(() => expect(silent.filter((one) => one.isClosed())).toHaveLength(7))
    // WebSockets count with the others
    const web = Array.from({ length: 2 }, () => new WebSocket(`ws://127.0.0.1:${hub.port}/mqtt`, 'mqtt'))
    await soon(() => expect(web.map((each) => each.readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]))
    await soon(() => expect(silent.filter((one) => one.isClosed())).toHaveLength(8))
  })

  it('end after 10 seconds, whether they send nothing, half a CONNECT, or half a TLS handshake', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'haltless-tls-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const pair = selfSigned()
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
    await Promise.all([writeFile(cert, pair.cert), writeFile(key, pair.key)])
    const [hub, secure] = [await hubs.start(), await hubs.start({ TLS_CERT: cert, TLS_KEY: key })]
    const [nothing, half, handshake] = await Promise.all(
      [hub, hub, secure].map(({ mqttPort }) => rawConnection(mqttPort as number)),
    )
    half?.socket.write(connectPacket('plc', 'x'.repeat(100)).subarray(0, 20))
    handshake?.socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1]))
    await soon(() => expect([nothing, half, handshake].map((one) => one?.isClosed())).toEqual([true, true, true]))
  })

  it('may not send packets as large as those of agents', async () => {
    const hub = await hubs.start()
    const stranger = await rawConnection(hub.mqttPort as number)
    stranger.socket.write(header(0x10, 16_385))
    await soon(() => expect(stranger.isClosed()).toBe(true))
  })
})

it('an agent that reads nothing delays no other client, and is disconnected when more than two large packets wait for it', async () => {
  const hub = await hubs.start()
  const now = hubs.clock.now()
  const clients = async () => Number(/^haltless_mqtt_clients (\d+)/m.exec(await (await fetch(`${hub.url}/metrics`)).text())?.[1])
  const [other, silent] = (await Promise.all([hubs.site(hub), hubs.site(hub)])) as [Site, Site]
  const agent = await login(`mqtt://127.0.0.1:${hub.mqttPort}`, other, 'good')
  await agent.client.subscribeAsync(`${agent.prefix}/receipts`, { qos: 1 })
  // 400 bytes, and a receipt of 180,000 that names a thousand rejections
  const batch = batchOf(readingsOf('nobody', 1_000, now), randomUUID())
  const deaf = await rawConnection(hub.mqttPort as number)
  const prefix = topicPrefix(silent.tenantId, 'plc')
  deaf.socket.write(connectPacket('plc', silent.key))
  await soon(() => expect(deaf.received()).toHaveLength(4))
  deaf.socket.write(packet(0x82, Buffer.from([0, 1]), text(`${prefix}/receipts`), Buffer.from([1])))
  await soon(() => expect(deaf.received()).toHaveLength(9))
  deaf.socket.pause()
  const publish = (id: number) => packet(0x32, text(`${prefix}/readings`), Buffer.from([id >> 8, id & 255]), batch)
  deaf.socket.write(Buffer.concat(Array.from({ length: 120 }, (_, i) => publish(i + 1))))
  const send = async () => agent.receipt(await agent.send(readingsOf(other.identifier, 2, now)))
  // 15 seconds would pass before the time limit cuts off what waits for less
  const ends = Date.now() + 14_000
  do await send()
  while ((await clients()) > 1 && Date.now() < ends)
  expect(await clients()).toBe(1)
  await send()
})
