import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { AGENT_TOPICS, HUB_TOPICS, type HubTopic, MAX_PACKET_BYTES, topicOf, topicPrefix } from '@haltless/protocol'
import { Aedes, type Client } from 'aedes'
import type { Pools } from '../db/pools.ts'
import type { SigningKeys } from '../features/people/accounts/index.ts'
import { repeat } from '../support/jobs.ts'
import { limited } from '../support/limited.ts'
import type { Logger } from '../support/logger.ts'
import type { Metrics } from '../support/metrics.ts'
import { type Admission, CONNECTION_LIMITS, type ConnectionLimits, Connections } from './connections.ts'
import { createMessageHandler, type MessageDeps } from './messages.ts'
import { limitPacketSize } from './packet-size.ts'
import { authenticateClient, livingKeys, type Principal } from './principal.ts'

export interface BrokerDeps extends MessageDeps {
  pools: Pools
  keys: SigningKeys
  logger: Logger
  metrics: Metrics
}

export interface EmbeddedBroker {
  port: number
  /** takes over a connection that came in another way, such as a WebSocket. @param address its client's */
  handle(stream: Duplex, address: string): void
  /** no new connections; open ones are closed after what they sent is answered */
  close(): Promise<void>
}

/** Batches of one client that may be under way; its further packets wait in its socket. */
const IN_FLIGHT = 32
const CREDENTIAL_CHECK_SECONDS = 2
/** A client for which more than this waits does not read, and is cut off: two packets of the largest size. */
const UNREAD_BYTES = 2 * MAX_PACKET_BYTES
/** A client that takes nothing of what is sent to it for so long is cut off. */
const DRAIN_MS = 15_000
/** Bytes of a packet before the login: CONNECT with a token and a will. */
const LOGIN_PACKET_BYTES = 16_384
/** Packets that a client may send ahead of the answer to its CONNECT. */
const PACKETS_AHEAD = 16

export interface BrokerListen {
  host: string
  port: number
  tls?: TlsOptions
  trustedProxies: readonly string[]
  limits?: ConnectionLimits
}

/**
 * The embedded MQTT 3.1.1 broker. It routes nothing between clients: each may publish and subscribe only below its own prefix, and what
 * it publishes goes to ingest. No session is kept over a reconnect, so no queue grows for one that is away.
 */
export async function startEmbeddedBroker(deps: BrokerDeps, listen: BrokerListen): Promise<EmbeddedBroker> {
  const principals = new WeakMap<Client, Principal>()
  /** live connections by agent */
  const live = new Map<string, Client>()
  const inFlight = new Set<Promise<void>>()
  const inFlightOf = new WeakMap<Client, number>()
  const lanes = new WeakMap<Client, <T>(work: () => Promise<T>) => Promise<T>>()
  const sockets = new Set<Socket>()
  const limits = listen.limits ?? CONNECTION_LIMITS
  const connections = new Connections(limits, listen.trustedProxies)
  const admissions = new WeakMap<Client, Admission>()

  const aedes = await Aedes.createBroker({
    connectTimeout: limits.loginMs,
    drainTimeout: DRAIN_MS,
    // What waits for one client must not count for the others. What each has under way is bounded below.
    concurrency: 0,
    maxClientsIdLength: 512,
    queueLimit: PACKETS_AHEAD,
    // Client ids are ours, made of the identity: nobody can push another client off by guessing its id.
    preConnect: (client, packet, done) => {
      const given = { username: packet.username, password: packet.password?.toString(), clientId: packet.clientId }
      authenticateClient(deps, given).then(
        (principal) => {
          if (principal) principals.set(client, principal)
          packet.clientId = principal
            ? `${principal.tenantId}/${principal.agentId}/${crypto.randomUUID()}`
            : `refused/${crypto.randomUUID()}`
          packet.clean = true
          done(null, true)
        },
        (error) => {
          deps.logger.warn({ err: error }, 'a client could not be checked')
          done(new Error('the credential could not be checked'), false)
        },
      )
    },
    authenticate: (client, _username, _password, done) => {
      const principal = principals.get(client)
      if (!principal) return done(Object.assign(new Error('bad user name or password'), { returnCode: 4 }) as never, false)
      const name = topicPrefix(principal.tenantId, principal.agentId)
      const holder = live.get(name)
      const held = holder && principals.get(holder)
      // it left while its credential was checked, so no end of it will be told
      if (client.closed) return done(null, false)
      if (holder && held && held.instance !== principal.instance) {
        deps.logger.warn(
          { tenant_id: principal.tenantId, agent_id: principal.agentId },
          'a second live holder of an agent_id was refused',
        )
        markConflict(deps, principal).catch((error) => deps.logger.warn({ err: error }, 'a conflict could not be noted'))
        return done(Object.assign(new Error('agent_id in use'), { returnCode: 2 }) as never, false)
      }
      live.set(name, client)
      lanes.set(client, limited(IN_FLIGHT))
      admissions.get(client)?.loggedIn()
      holder?.close()
      done(null, true)
    },
    authorizePublish: (client, packet, done) => {
      const principal = client && principals.get(client)
      if (!principal) return done(new Error('not authorized'))
      const prefix = topicPrefix(principal.tenantId, principal.agentId)
      const name = AGENT_TOPICS.find((topic) => packet.topic === topicOf(prefix, topic))
      if (!name) return done(new Error('a client may publish only its own topics'))
      packet.retain = false
      const handle = () => messages.onMessage(principal.tenantId, principal.agentId, name, Buffer.from(packet.payload))
      // aedes hands over all packets of a chunk at once, which may be hundreds
      const work = lanes.get(client)?.(handle) ?? handle()
      const underWay = (inFlightOf.get(client) ?? 0) + 1
      inFlight.add(work)
      inFlightOf.set(client, underWay)
      work.finally(() => {
        inFlight.delete(work)
        inFlightOf.set(client, (inFlightOf.get(client) ?? 1) - 1)
      })
      // PUBACK says "arrived", and goes out behind what the message asks of the database. When much of this client is under way it waits, and
      // with it the client's next packets.
      if (underWay <= IN_FLIGHT) setImmediate(done, null)
      else work.finally(() => done(null))
    },
    authorizeSubscribe: (client, subscription, done) => {
      const principal = principals.get(client)
      const prefix = principal && topicPrefix(principal.tenantId, principal.agentId)
      const own =
        prefix &&
        [...HUB_TOPICS.map((topic) => topicOf(prefix, topic)), `${prefix}/+`, `${prefix}/#`].includes(subscription.topic)
      done(null, own ? subscription : null)
    },
  })

  const messages = createMessageHandler(deps, (topic, payload, retain) => {
    const { conn } = live.get(topic.slice(0, topic.lastIndexOf('/'))) ?? {}
    if (conn && conn.writableLength > UNREAD_BYTES) conn.destroy()
    return publish(aedes, topic, payload, retain)
  })

  aedes.on('subscribe', (subscriptions, client) => {
    const principal = principals.get(client)
    if (!principal) return
    const { tenantId, agentId } = principal
    const wants = (name: HubTopic) =>
      subscriptions.some((s) => s.topic === topicOf(topicPrefix(tenantId, agentId), name) || /[+#]$/.test(s.topic))
    const failed = (error: unknown) => deps.logger.warn({ err: error }, 'directives or sources could not be sent')
    if (wants('directives')) messages.sendDirectives(tenantId, agentId).catch(failed)
    if (wants('sources')) messages.sendSources(tenantId, agentId).catch(failed)
  })
  const stopFollowing = await messages.followSources((tenantId, agentId) => live.has(topicPrefix(tenantId, agentId)))
  aedes.on('client', () => deps.metrics.mqttClients.inc())
  aedes.on('clientDisconnect', (client) => {
    deps.metrics.mqttClients.dec()
    const principal = principals.get(client)
    const name = principal && topicPrefix(principal.tenantId, principal.agentId)
    if (name && live.get(name) === client) live.delete(name)
  })
  aedes.on('clientError', (_client, error) => deps.logger.debug({ err: error }, 'an MQTT client failed'))
  aedes.on('connectionError', (_client, error) => deps.logger.debug({ err: error }, 'an MQTT connection failed'))

  const take = (stream: Duplex, admission: Admission) => {
    const client = aedes.handle(stream as never)
    admissions.set(client, admission)
    limitPacketSize(client as never, () => (admission.isAnonymous ? LOGIN_PACKET_BYTES : MAX_PACKET_BYTES))
  }
  const handle = (stream: Duplex, address: string) => {
    const admission = connections.admit(stream, address)
    if (admission) take(stream, admission)
  }
  // a TLS handshake counts too; the address and not the socket, since under TLS the one that is handled is another
  const admitted = new Map<string, Admission>()
  const name = (socket: Socket) => `${socket.remoteAddress} ${socket.remotePort}`
  const taken = (socket: Socket) => {
    const admission = admitted.get(name(socket))
    if (admission) take(socket, admission)
  }
  const server: Server = listen.tls
    ? createTlsServer({ ...listen.tls, handshakeTimeout: limits.loginMs }, taken)
    : createTcpServer({ noDelay: true, keepAlive: true })
  server.on('connection', (socket: Socket) => {
    const [key, admission] = [name(socket), connections.admit(socket, socket.remoteAddress ?? '')]
    if (!admission) return
    admitted.set(key, admission)
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      admitted.delete(key)
    })
    if (!listen.tls) taken(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listen.port, listen.host, () => resolve())
  })

  /** Ends connections whose token has run out or whose API key was revoked. */
  const stopChecking = repeat('mqtt credentials', CREDENTIAL_CHECK_SECONDS, deps.logger, async () => {
    const now = deps.clock.now().getTime()
    const held = [...live.values()].map((client) => ({ client, principal: principals.get(client) as Principal }))
    if (held.length === 0) return
    const good = await livingKeys(deps.pools, [...new Set(held.map(({ principal }) => principal.keyId))])
    for (const { client, principal } of held)
      if (!good.has(principal.keyId) || (principal.expiresAt ?? Number.POSITIVE_INFINITY) <= now) client.close()
  })

  return {
    port: (server.address() as { port: number }).port,
    handle,
    async close() {
      await stopChecking()
      await stopFollowing()
      const closed = new Promise<void>((done) => server.close(() => done()))
      await Promise.allSettled([...inFlight])
      await new Promise<void>((done) => aedes.close(() => done()))
      // those that never came to log in, or to finish their TLS handshake: nothing else would end them
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const publish = (aedes: Aedes, topic: string, payload: string | Buffer, retain: boolean) =>
  new Promise<void>((resolve, reject) => {
    aedes.publish({ cmd: 'publish', topic, payload, qos: 1, retain, dup: false }, (error) => (error ? reject(error) : resolve()))
  })

const markConflict = ({ pools, clock }: BrokerDeps, { tenantId, agentId }: Principal) =>
  pools.system`update agents set conflict_at = ${clock.now()} where tenant_id = ${tenantId} and agent_id = ${agentId}`
