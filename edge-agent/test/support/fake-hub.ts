import { createHash, randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import {
  AgentCheck,
  AgentId,
  type BatchDictionary,
  decodeBatch,
  decodeDictionary,
  decodeDictionaryBatch,
  Enrolment,
  IngestReading,
  type IngestResult,
  kindOf,
  MqttAccess,
  type Reading,
  type ReadingBatch,
  readBatchId,
  Telemetry,
  topicOf,
  topicPrefix,
  toReadings,
} from '@haltless/protocol'
import { Aedes, type Client } from 'aedes'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { inflate } from '../../src/support/compression.ts'

export interface FakeAnswer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** What a test may change while the hub runs; each is asked anew for every request, connection or batch. */
export interface FakeHubBehaviour {
  heartbeat: (telemetry: Telemetry) => FakeAnswer | null
  ingest: (readings: IngestReading[]) => FakeAnswer | null
  /** what a heartbeat's answer says that the agent should poll; undefined: nothing */
  sources: () => unknown
  /** a request to send rejected readings once more */
  requeue: () => string | undefined
  /** null: no receipt; the batch counts as not stored */
  receipt: (batch: ReadingBatch) => (Partial<IngestResult> & { refused?: { code: string; detail: string } }) | null
  /** the versions of batches that its heartbeats announce; undefined: an older hub */
  announcedVersions: number[] | undefined
  /** the versions that it reads */
  readVersions: number[]
  /** whether the hub has a machine; null: it does not know the operation */
  machines: ((identifier: string) => 'active' | 'inactive' | 'unknown') | null
  /** what it says of the enrolment key; null: accepts it, for any agent */
  enrolment: (method: string) => FakeAnswer | null
  /** the broker that it names to an agent that enrols; null: its own */
  offeredMqttUrl: string | null
  /** how far its clock is ahead, ms */
  aheadMs: number
  /** false: as a hub that is older */
  tellsTime: boolean
  /** a password that the broker takes beside its tokens */
  password: string | null
  /** how long tokens live, seconds */
  tokenSeconds: number
  nextCheckSeconds: number
  /** false: connections are dropped at once, as by a firewall */
  isHttpOpen: boolean
  isMqttOpen: boolean
  isWebSocketOpen: boolean
}

/** A hub as an agent sees it: heartbeat, ingest, broker with receipts, MQTT over WebSocket. On 127.0.0.1, free ports. */
export class FakeHub {
  readonly behaviour: FakeHubBehaviour = {
    heartbeat: () => null,
    ingest: () => null,
    sources: () => undefined,
    requeue: () => undefined,
    receipt: () => ({}),
    announcedVersions: undefined,
    readVersions: [1, 2],
    machines: () => 'active',
    enrolment: () => null,
    offeredMqttUrl: null,
    aheadMs: 0,
    tellsTime: true,
    password: null,
    tokenSeconds: 3_600,
    nextCheckSeconds: 1,
    isHttpOpen: true,
    isMqttOpen: true,
    isWebSocketOpen: true,
  }
  readonly tenantId = randomUUID()
  readonly apiKey = 'hk_fake_key'
  readonly enrolmentKey = `he_fake0key_${'k'.repeat(43)}`
  /** the agents that were enrolled, each with the credential `apiKey` */
  readonly enrolled: string[] = []
  /** what was stored, by identity: a repeat changes nothing */
  readonly stored = new Map<string, Reading>()
  readonly heartbeats: Telemetry[] = []
  readonly connections: { clientId: string; via: 'mqtt' | 'websocket'; password: string }[] = []
  readonly batches: { batchId: string; count: number; first: Reading; readings: Reading[]; version: number }[] = []
  /** announced, by the bytes that batches refer to; `announcements` counts repeats too */
  readonly dictionaries = new Map<string, BatchDictionary>()
  announcements = 0
  /** the codes with which it refused batches that it could not read */
  readonly refusals: string[] = []
  readonly ingests: IngestReading[][] = []
  readonly states: string[] = []
  #broker!: Aedes
  #http!: Server
  #tcp!: TcpServer
  #webSockets!: WebSocketServer
  readonly #sockets = new Set<Socket>()
  #tokens = 0

  readonly #tls: { cert: string; key: string } | null

  private constructor(tls: { cert: string; key: string } | null) {
    this.#tls = tls
  }

  /** @param tls certificate and key (PEM): then everything is encrypted */
  static async start(tls: { cert: string; key: string } | null = null): Promise<FakeHub> {
    const hub = new FakeHub(tls)
    await hub.#start()
    return hub
  }

  get url(): string {
    return `http${this.#tls ? 's' : ''}://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  get mqttUrl(): string {
    return `mqtt${this.#tls ? 's' : ''}://127.0.0.1:${(this.#tcp.address() as AddressInfo).port}`
  }

  /** Cuts every broker session, as a restart would. */
  async dropSessions(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    for (const client of this.#webSockets.clients) client.terminate()
  }

  publish(agentId: string, topic: 'directives' | 'receipts' | 'sources', body: unknown): void {
    const packet = { cmd: 'publish', qos: 1, retain: topic !== 'receipts', dup: false } as const
    this.#broker.publish(
      { ...packet, topic: topicOf(topicPrefix(this.tenantId, agentId), topic), payload: JSON.stringify(body) },
      () => {},
    )
  }

  async stop(): Promise<void> {
    await this.dropSessions()
    await new Promise<void>((resolve) => this.#broker.close(() => resolve()))
    this.#webSockets.close()
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
    await new Promise((resolve) => this.#tcp.close(resolve))
  }

  async #start(): Promise<void> {
    this.#broker = await Aedes.createBroker()
    this.#broker.authenticate = (client, _username, password, done) => {
      const given = password?.toString() ?? ''
      const via = (client as Client & { via?: 'websocket' }).conn && this.#isWebSocket(client) ? 'websocket' : 'mqtt'
      this.connections.push({ clientId: client.id, via, password: given })
      if (this.#isLive(given)) done(null, true)
      else done(Object.assign(new Error('bad password'), { returnCode: 4 }), false)
    }
    this.#broker.on('publish', (packet, client) => {
      if (!client) return
      const [, , , agentId, name] = packet.topic.split('/') as [string, string, string, string, string]
      if (name === 'readings') this.#onBatch(agentId, packet.payload as Buffer)
      if (name === 'telemetry') this.heartbeats.push(Telemetry.parse(JSON.parse(packet.payload.toString())))
      if (name === 'state') this.states.push(packet.payload.toString())
    })
    const onConnection = (socket: Socket) => {
      if (!this.behaviour.isMqttOpen) return void socket.destroy()
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => {})
      this.#broker.handle(socket)
    }
    this.#tcp = this.#tls ? createTlsServer(this.#tls, onConnection) : createTcpServer(onConnection)
    const onRequest = (request: IncomingMessage, response: ServerResponse) => void this.#onRequest(request, response)
    this.#http = this.#tls ? createHttpsServer(this.#tls, onRequest) : createHttpServer(onRequest)
    // An agent that does not trust the certificate ends the handshake.
    for (const server of [this.#tcp, this.#http]) server.on('tlsClientError', () => {})
    this.#webSockets = new WebSocketServer({ noServer: true })
    this.#http.on('upgrade', (request, socket, head) => {
      if (!this.behaviour.isWebSocketOpen || request.url !== '/mqtt') return void socket.destroy()
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        const stream = createWebSocketStream(webSocket)
        stream.on('error', () => {})
        this.#webSocketStreams.add(stream)
        this.#broker.handle(stream, request)
      })
    })
    await new Promise<void>((resolve) => this.#tcp.listen(0, '127.0.0.1', resolve))
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve))
  }

  readonly #webSocketStreams = new WeakSet<object>()
  #isWebSocket(client: Client): boolean {
    return this.#webSocketStreams.has(client.conn)
  }

  /** A token as the hub makes it, as far as an agent looks into it. */
  #token(): string {
    const iat = Date.now() / 1_000
    const claims = { iat, exp: iat + this.behaviour.tokenSeconds, n: ++this.#tokens }
    return `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`
  }

  #isLive(token: string): boolean {
    if (token === this.behaviour.password) return true
    try {
      return JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).exp * 1_000 > Date.now()
    } catch {
      return false
    }
  }

  #onBatch(agentId: string, payload: Buffer): void {
    const batch = this.#decode(agentId, new Uint8Array(payload))
    if (!batch) return
    const readings = toReadings(batch)
    this.batches.push({
      batchId: batch.batchId,
      count: readings.length,
      first: readings[0] as Reading,
      readings,
      version: payload[1] as number,
    })
    const said = this.behaviour.receipt(batch)
    if (!said) return
    const rejected = new Set(said.errors?.map(({ index }) => index))
    if (!said.refused) this.#store(readings.filter((_, i) => !rejected.has(i)))
    const counts = {
      accepted_count: said.refused ? 0 : readings.length - rejected.size,
      rejected_count: rejected.size,
      errors: [],
    }
    this.publish(agentId, 'receipts', { batch_id: batch.batchId, ...counts, ...said })
  }

  /** @returns null for what is answered already: an announcement, or a batch that it cannot read */
  #decode(agentId: string, payload: Uint8Array): ReadingBatch | null {
    const answer = (batchId: string, code?: string) => {
      if (code) this.refusals.push(code)
      const refused = code && { refused: { code, detail: 'as the test wants it' } }
      this.publish(agentId, 'receipts', { batch_id: batchId, accepted_count: 0, rejected_count: 0, errors: [], ...refused })
      return null
    }
    if (!this.behaviour.readVersions.includes(payload[1] as number))
      return answer(readBatchId(payload) as string, 'unknown_version')
    const message = kindOf(payload)
    if (message.kind === 'other') return decodeBatch(payload, inflate)
    if (message.kind === 'dictionary') {
      const { id, dictionary } = decodeDictionary(payload, inflate, (bytes) => createHash('sha256').update(bytes).digest())
      this.announcements++
      this.dictionaries.set(dictionary.reference, dictionary)
      return answer(id)
    }
    const dictionary = this.dictionaries.get(message.reference)
    return dictionary ? decodeDictionaryBatch(payload, dictionary) : answer(readBatchId(payload) as string, 'unknown_dictionary')
  }

  #store(readings: readonly Reading[]): void {
    for (const reading of readings) {
      const key = `${reading.machine}|${reading.metric}|${reading.unit}|${reading.timestamp}`
      if (!this.stored.has(key)) this.stored.set(key, reading)
    }
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.behaviour.isHttpOpen) return void request.socket.destroy()
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString() || 'null')
    const answer = this.#answerTo(request, body)
    const date = new Date(Date.now() + this.behaviour.aheadMs).toUTCString()
    response.writeHead(answer.status, { 'content-type': 'application/json', date, ...answer.headers })
    response.end(JSON.stringify(answer.body ?? {}))
  }

  #answerTo({ method = '', url = '', headers }: IncomingMessage, body: unknown): FakeAnswer {
    const key = headers['x-api-key']
    if (url === '/healthz') return { status: 200 }
    if (url === '/api/v1/agent/enroll')
      return key === this.enrolmentKey ? (this.behaviour.enrolment(method) ?? this.#enrol(method, body)) : { status: 401 }
    if (key !== this.apiKey)
      return { status: 401, body: { status: 401, code: 'api_key_invalid', detail: 'The API key is unknown.' } }
    if (method === 'GET' && url.startsWith('/api/v1/agent/heartbeat?')) return { status: 200, body: this.directives() }
    return this.#answer(url, body)
  }

  #enrol(method: string, body: unknown): FakeAnswer {
    const time = new Date(Date.now() + this.behaviour.aheadMs).toISOString()
    if (method === 'GET') {
      const mqtt_url = this.behaviour.offeredMqttUrl ?? this.mqttUrl
      return { status: 200, body: { agent_id: null, expires_at: time, mqtt_url, time } }
    }
    const { agent_id } = Enrolment.parse(body)
    this.enrolled.push(agent_id)
    return { status: 201, body: { agent_id, credential: this.apiKey, created_at: time } }
  }

  #answer(url: string, body: unknown): FakeAnswer {
    if (url === '/api/v1/agent/heartbeat') {
      const telemetry = Telemetry.parse(body)
      this.heartbeats.push(telemetry)
      return (
        this.behaviour.heartbeat(telemetry) ?? {
          status: 200,
          body: {
            ...this.directives(),
            ...(this.behaviour.tellsTime && { time: new Date(Date.now() + this.behaviour.aheadMs).toISOString() }),
            mqtt: this.#access(telemetry.agent_id),
            sources: this.behaviour.sources(),
            requeue: this.behaviour.requeue(),
          },
        }
      )
    }
    if (url === '/api/v1/ingest') {
      const { readings, agent_id } = body as { readings: IngestReading[]; agent_id: string }
      AgentId.parse(agent_id)
      for (const reading of readings) IngestReading.parse(reading)
      this.ingests.push(readings)
      const said = this.behaviour.ingest(readings)
      if (said) return said
      this.#store(readings.map(fromIngest))
      return { status: 207, body: { accepted_count: readings.length, rejected_count: 0, errors: [] } }
    }
    const { machines, aheadMs } = this.behaviour
    if (url === '/api/v1/agent/check' && machines) {
      const { machine_identifiers } = AgentCheck.parse(body)
      const states = machine_identifiers.map((id) => ({
        machine_identifier: id,
        machine_id: `id-of-${id}`,
        status: machines(id),
      }))
      return { status: 200, body: { time: new Date(Date.now() + aheadMs).toISOString(), machines: states } }
    }
    return { status: 404 }
  }

  directives(status: 'ok' | 'payment_required' = 'ok') {
    const versions = {
      latest_agent_version: '0.1.0',
      min_supported_version: '0.1.0',
      update_available: false,
      unsupported: false,
    }
    const { announcedVersions, nextCheckSeconds } = this.behaviour
    return {
      status,
      next_check_seconds: nextCheckSeconds,
      ...versions,
      ...(announcedVersions && { wire_versions: announcedVersions }),
    }
  }

  #access(agentId: string): MqttAccess {
    const prefix = topicPrefix(this.tenantId, agentId)
    return MqttAccess.parse({ url: this.mqttUrl, username: agentId, password: this.#token(), topic_prefix: prefix })
  }
}

const fromIngest = (reading: IngestReading): Reading => ({
  machine: reading.machine_identifier,
  metric: reading.metric_name,
  unit: reading.unit,
  rawTag: reading.raw_tag ?? null,
  timestamp: Date.parse(reading.timestamp),
  value: reading.value,
})
