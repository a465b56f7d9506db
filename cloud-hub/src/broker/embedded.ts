import type { Duplex } from 'node:stream'
import type { TlsOptions } from 'node:tls'
import { AGENT_TOPICS, HUB_TOPICS, type HubTopic, MAX_PACKET_BYTES, topicOf, topicPrefix } from '@haltless/protocol'
import { Aedes, type AedesOptions, type Client } from 'aedes'
import { AgentClaims } from '../features/agents/fleet/index.ts'
import { findRevokedKey, type SigningKeys } from '../features/people/accounts/index.ts'
import type { Refusals } from '../features/people/audit/index.ts'
import type { Metrics } from '../metrics.ts'
import { concurrencyLimit } from '../support/concurrency-limit.ts'
import { repeat } from '../support/jobs.ts'
import { noteRefusedHeaders } from '../support/net/proxied-server.ts'
import { RecentMap } from '../support/recent-map.ts'
import { type Admission, CONNECTION_LIMITS, type ConnectionLimits, Connections } from './connections.ts'
import { Listener } from './listener.ts'
import { createMessageHandler, type MessageDeps } from './messages.ts'
import { limitPacketSize } from './packet-size.ts'
import { authenticateClient, type Principal, stillValid } from './principal.ts'

export interface BrokerDeps extends MessageDeps {
  /** of this hub among those that share the database */
  hubId: string
  keys: SigningKeys
  metrics: Metrics
  refusals: Refusals
}

export interface BrokerListen {
  host: string
  port: number
  tls?: TlsOptions
  trustedProxies: readonly string[]
  /** connections from trusted proxies begin with a header of the PROXY protocol */
  proxyProtocol?: boolean
  limits?: ConnectionLimits
}

/** Batches of one client in progress; further packets wait in its socket. */
const IN_FLIGHT = 32
const CREDENTIAL_CHECK_SECONDS = 2
/** A client with more unread bytes is disconnected: two packets of the largest size. */
const UNREAD_BYTES = 2 * MAX_PACKET_BYTES
/** A client that reads nothing for this long is disconnected. */
const DRAIN_MS = 15_000
/** A refused agent tries again at once, for hours: it is logged and recorded once in this time. */
const CONFLICT_MS = 60_000
const CONFLICTS_KEPT = 10_000
/** Maximum packet before login, in bytes: CONNECT with a token and a will. */
const LOGIN_PACKET_BYTES = 16_384
/** Packets that a client may send before CONNACK. */
const PACKETS_AHEAD = 16

/** A client whose credential holds. */
interface Session {
  principal: Principal
  /** of this connection, among all hubs */
  connectionId: string
  /** topics of its agent begin with this */
  prefix: string
  /** runs the client's messages, `IN_FLIGHT` at once */
  run: <T>(work: () => Promise<T>) => Promise<T>
  /** its messages under way */
  underWay: number
}

type Handler<Name extends keyof AedesOptions> = NonNullable<AedesOptions[Name]>

/**
 * The embedded MQTT 3.1.1 broker. It routes nothing between clients: each may publish and subscribe only below its own prefix,
 * and its messages go to ingest. It keeps no sessions over a reconnect, so no queue grows for an absent client.
 */
export class EmbeddedBroker {
  readonly #deps: BrokerDeps
  readonly #aedes: Aedes
  readonly #connections: Connections
  readonly #listener: Listener
  readonly #messages: ReturnType<typeof createMessageHandler>
  readonly #admissions = new WeakMap<Client, Admission>()
  readonly #sessions = new WeakMap<Client, Session>()
  readonly #claims: AgentClaims
  /** the one connected client of each agent, by its topic prefix */
  readonly #connected = new Map<string, Client>()
  /** the last log-in under way of each agent, by its topic prefix */
  readonly #loggingIn = new Map<string, Promise<void>>()
  readonly #inFlight = new Set<Promise<void>>()
  /** when the last second client of an agent was logged, by topic prefix, in ms of the process */
  readonly #conflicts = new RecentMap<number>(CONFLICTS_KEPT, () => 1)
  /** what runs beside the connections, in the order of its start */
  readonly #stops: (() => Promise<void>)[] = []
  #endClaims: () => Promise<void> = async () => {}

  /** @throws the error of the listen, such as EADDRINUSE */
  static async start(deps: BrokerDeps, listen: BrokerListen): Promise<EmbeddedBroker> {
    const broker = new EmbeddedBroker(deps, listen)
    await broker.#aedes.listen()
    broker.#endClaims = await broker.#claims.follow(({ tenantId, agentId, connectionId }) => {
      const holder = broker.#connected.get(topicPrefix(tenantId, agentId))
      if (holder && broker.#sessions.get(holder)?.connectionId === connectionId) holder.close()
    })
    broker.#stops.push(
      await broker.#messages.followSources((tenantId, agentId) => broker.#connected.has(topicPrefix(tenantId, agentId))),
    )
    await broker.#listener.listen(listen.port, listen.host).catch(async (error) => {
      await broker.close()
      throw error
    })
    broker.#stops.push(repeat('check_mqtt_credentials', CREDENTIAL_CHECK_SECONDS, deps.logger, () => broker.#checkConnected()))
    return broker
  }

  private constructor(
    deps: BrokerDeps,
    { tls, trustedProxies, proxyProtocol = false, limits = CONNECTION_LIMITS }: BrokerListen,
  ) {
    this.#deps = deps
    this.#claims = new AgentClaims(deps.pools, deps.hubId)
    this.#connections = new Connections(limits, trustedProxies)
    this.#aedes = new Aedes({
      connectTimeout: limits.loginMs,
      drainTimeout: DRAIN_MS,
      // The limit is per client, not over all clients; `authorizePublish` enforces it.
      concurrency: 0,
      maxClientsIdLength: 512,
      queueLimit: PACKETS_AHEAD,
      preConnect: this.#identify,
      authenticate: this.#authenticate,
      authorizePublish: this.#receive,
      authorizeSubscribe: this.#authorizeSubscribe,
    })
    this.#aedes.on('subscribe', (subscriptions, client) => this.#sendRetained(subscriptions, client))
    this.#aedes.on('client', () => deps.metrics.mqttClients.inc())
    this.#aedes.on('clientDisconnect', (client) => this.#disconnected(client))
    this.#aedes.on('clientError', (_client, error) => deps.logger.debug({ err: error }, 'an MQTT client failed'))
    this.#aedes.on('connectionError', (_client, error) => deps.logger.debug({ err: error }, 'an MQTT connection failed'))
    this.#messages = createMessageHandler(deps, (topic, payload, retain) => this.#publish(topic, payload, retain))
    const serve = (stream: Duplex, admission: Admission) => this.#serve(stream, admission)
    const proxies = proxyProtocol ? trustedProxies : []
    const onHeaderRefused = noteRefusedHeaders(deps.logger)
    this.#listener = new Listener(this.#connections, { tls, proxies, onHeaderRefused, handshakeMs: limits.loginMs }, serve)
  }

  get port(): number {
    return this.#listener.port
  }

  /** Serves a connection that came in another way, such as a WebSocket. @param address its client's */
  handle(stream: Duplex, address: string): void {
    const admission = this.#connections.admit(stream, address)
    if (admission) this.#serve(stream, admission)
  }

  /** Accepts no new connections; open ones are closed after their messages are answered. */
  async close(): Promise<void> {
    for (const stop of this.#stops.reverse()) await stop()
    const closed = this.#listener.close()
    await Promise.allSettled([...this.#inFlight])
    await new Promise<void>((done) => this.#aedes.close(() => done()))
    this.#listener.destroySockets()
    await closed
    await this.#endClaims()
  }

  #serve(stream: Duplex, admission: Admission): void {
    const client = this.#aedes.handle(stream as never)
    this.#admissions.set(client, admission)
    limitPacketSize(client as never, () => (admission.isAnonymous ? LOGIN_PACKET_BYTES : MAX_PACKET_BYTES))
  }

  /** The hub assigns client ids from the identity, so no client can disconnect another by guessing its id. */
  readonly #identify: Handler<'preConnect'> = (client, packet, done) => {
    const given = { username: packet.username, password: packet.password?.toString(), clientId: packet.clientId }
    authenticateClient(this.#deps, given).then(
      (principal) => {
        if (principal) {
          const prefix = topicPrefix(principal.tenantId, principal.agentId)
          const connectionId = crypto.randomUUID()
          this.#sessions.set(client, { principal, connectionId, prefix, run: concurrencyLimit(IN_FLIGHT), underWay: 0 })
        } else this.#observeRefusal(client, given.password)
        const owner = principal ? `${principal.tenantId}/${principal.agentId}` : 'refused'
        packet.clientId = `${owner}/${crypto.randomUUID()}`
        packet.clean = true
        done(null, true)
      },
      (error) => {
        this.#deps.logger.warn({ err: error }, 'the credential of an MQTT client could not be checked')
        done(new Error('the credential could not be checked'), false)
      },
    )
  }

  /** Of two live clients of one agent_id the second is refused, on whichever hub, unless it is the same instance. */
  readonly #authenticate: Handler<'authenticate'> = (client, _username, _password, done) => {
    const session = this.#sessions.get(client)
    if (!session) return done(refused('bad user name or password', 4), false)
    const { prefix } = session
    const loggingIn = (this.#loggingIn.get(prefix) ?? Promise.resolve())
      .then(() => this.#admitHolder(client, session))
      .then(
        (isHolder) => done(isHolder || client.closed ? null : refused('agent_id in use', 2), isHolder),
        (error) => {
          this.#deps.logger.warn({ err: error }, 'the claim of an agent could not be stored')
          done(refused('the hub cannot reach its database', 3), false)
        },
      )
    this.#loggingIn.set(prefix, loggingIn)
    loggingIn.finally(() => {
      if (this.#loggingIn.get(prefix) === loggingIn) this.#loggingIn.delete(prefix)
    })
  }

  /** Makes a client the one of its agent, instead of an older one of the same instance. @returns false: another one holds the agent, or this one has closed */
  async #admitHolder(client: Client, session: Session): Promise<boolean> {
    const { principal, prefix } = session
    const holder = this.#connected.get(prefix)
    const held = holder && this.#sessions.get(holder)?.principal
    // The client disconnected while its credential was checked, so aedes emits no further event for it.
    if (client.closed) return false
    const claim = claimOf(session)
    if ((held && held.instance !== principal.instance) || !(await this.#claims.claim(claim))) {
      this.#reportConflict(prefix, principal)
      return false
    }
    if (client.closed) {
      this.#claims.release(claim)
      return false
    }
    const former = this.#connected.get(prefix)
    this.#connected.set(prefix, client)
    this.#admissions.get(client)?.loggedIn()
    former?.close()
    return true
  }

  readonly #receive: Handler<'authorizePublish'> = (client, packet, done) => {
    const session = client && this.#sessions.get(client)
    if (!session) return done(new Error('not authorized'))
    const { principal, prefix } = session
    const name = AGENT_TOPICS.find((topic) => packet.topic === topicOf(prefix, topic))
    if (!name) return done(new Error('a client may publish only its own topics'))
    packet.retain = false
    // aedes emits all packets of a chunk at once, possibly hundreds.
    const work = session.run(() =>
      this.#messages.onMessage(principal.tenantId, principal.agentId, name, Buffer.from(packet.payload)),
    )
    session.underWay++
    this.#inFlight.add(work)
    const { underWay } = session
    work.finally(() => {
      this.#inFlight.delete(work)
      session.underWay--
    })
    // PUBACK confirms arrival and follows the database statements of the message. A client with many messages in progress gets it
    // later, which delays its next packets.
    if (underWay <= IN_FLIGHT) setImmediate(done, null)
    else work.finally(() => done(null))
  }

  readonly #authorizeSubscribe: Handler<'authorizeSubscribe'> = (client, subscription, done) => {
    const prefix = this.#sessions.get(client)?.prefix
    const own =
      prefix && [...HUB_TOPICS.map((topic) => topicOf(prefix, topic)), `${prefix}/+`, `${prefix}/#`].includes(subscription.topic)
    done(null, own ? subscription : null)
  }

  /** The latest directives and sources, for a client that has just subscribed to them. */
  #sendRetained(subscriptions: readonly { topic: string }[], client: Client): void {
    const session = this.#sessions.get(client)
    if (!session) return
    const { tenantId, agentId } = session.principal
    const wants = (name: HubTopic) =>
      subscriptions.some((s) => s.topic === topicOf(session.prefix, name) || /[+#]$/.test(s.topic))
    const failed = (error: unknown) => this.#deps.logger.warn({ err: error }, 'directives or sources could not be sent')
    if (wants('directives')) this.#messages.sendDirectives(tenantId, agentId).catch(failed)
    if (wants('sources')) this.#messages.sendSources(tenantId, agentId).catch(failed)
  }

  #publish(topic: string, payload: string | Buffer, retain: boolean): Promise<void> {
    const { conn } = this.#connected.get(topic.slice(0, topic.lastIndexOf('/'))) ?? {}
    if (conn && conn.writableLength > UNREAD_BYTES) conn.destroy()
    return new Promise((resolve, reject) => {
      this.#aedes.publish({ cmd: 'publish', topic, payload, qos: 1, retain, dup: false }, (error) =>
        error ? reject(error) : resolve(),
      )
    })
  }

  #disconnected(client: Client): void {
    this.#deps.metrics.mqttClients.dec()
    const session = this.#sessions.get(client)
    if (!session || this.#connected.get(session.prefix) !== client) return
    this.#connected.delete(session.prefix)
    this.#claims.release(claimOf(session))
  }

  /**
   * Disconnects clients whose token has expired, whose API key was revoked, whose agent has a credential of its own by now, or whose agent
   * another hub holds, and ends the claims of those who have left. While the database is away this fails, and everybody stays connected.
   */
  async #checkConnected(): Promise<void> {
    await this.#disconnectUnwelcome()
    const connected = [...this.#connected.values()].flatMap((client) => this.#sessions.get(client)?.connectionId ?? [])
    await this.#claims.removeLeftOver(connected)
  }

  async #disconnectUnwelcome(): Promise<void> {
    const now = this.#deps.clock.now().getTime()
    const held = [...this.#connected.values()].map((client) => {
      const session = this.#sessions.get(client) as Session
      return { client, ...session, ...claimOf(session) }
    })
    if (held.length === 0) return
    const valid = await stillValid(
      this.#deps.pools,
      held.map(({ principal }) => principal),
    )
    const mayStay = held.map(({ principal }, i) => valid[i] && (principal.expiresAt ?? Number.POSITIVE_INFINITY) > now)
    for (const [i, { client }] of held.entries()) if (!mayStay[i]) client.close()
    const lost = await this.#claims.findLost(held.filter((_, i) => mayStay[i]))
    for (const { client } of lost) client.close()
  }

  /** Reports a refused log-in, with the tenant of a revoked API key. */
  #observeRefusal(client: Client, password: string | undefined): void {
    const { pools, refusals, logger } = this.#deps
    const ip = this.#admissions.get(client)?.address ?? ''
    findRevokedKey(pools.system, password ?? '').then(
      (key) => {
        const actor = key && { kind: 'api_key' as const, id: key.id, name: key.name, ip, requestId: null }
        const by = key && actor ? { tenantId: key.tenantId, actor } : undefined
        refusals.observe({ reason: 'mqtt_login_refused', ip, path: 'mqtt', by })
      },
      (error) => logger.warn({ err: error }, 'the owner of a refused MQTT credential could not be found'),
    )
  }

  #reportConflict(prefix: string, { tenantId, agentId }: Principal): void {
    const { pools, clock, logger } = this.#deps
    const now = performance.now()
    if (now - (this.#conflicts.get(prefix) ?? Number.NEGATIVE_INFINITY) < CONFLICT_MS) return
    this.#conflicts.set(prefix, now)
    logger.warn({ tenant_id: tenantId, agent_id: agentId }, 'a second agent with an agent_id in use was refused')
    pools.system`update agents set conflict_at = ${clock.now()} where tenant_id = ${tenantId} and agent_id = ${agentId}`.catch(
      (error) => logger.warn({ err: error }, 'an agent_id conflict could not be recorded'),
    )
  }
}

const claimOf = ({ principal: { tenantId, agentId, instance }, connectionId }: Session) => ({
  tenantId,
  agentId,
  instance,
  connectionId,
})

/** @param returnCode of CONNACK (MQTT 3.1.1, 3.2.2.3) */
const refused = (message: string, returnCode: 2 | 3 | 4) => Object.assign(new Error(message), { returnCode }) as never
