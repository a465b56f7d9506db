import { setTimeout } from 'node:timers/promises'
import { parseTopic, TOPIC_ROOT } from '@haltless/protocol'
import mqtt from 'mqtt'
import { releasedAgents } from '../features/agents/fleet/index.ts'
import { repeat } from '../support/jobs.ts'
import type { SecretBox } from '../support/secrets/secret-box.ts'
import { createMessageHandler, type MessageDeps } from './messages.ts'
import { Publisher } from './publisher.ts'

export interface ExternalBroker {
  close(): Promise<void>
  isConnected(): boolean
}

/** Messages in progress; further packets wait in the socket, and acknowledgements behind them: no message waits for one. */
const IN_FLIGHT = 64
/** How often the hub learns which agents were released. */
const CREDENTIAL_CHECK_SECONDS = 2
/** How long messages in progress may delay the end. */
const CLOSE_MS = 10_000

/**
 * The shared subscription group of all hubs with one SECRET_KEY. Brokers such as Mosquitto let any client join a group and choose
 * a member for each message. They check access only afterwards, so a member without access loses messages. Hence the group name
 * is secret: a MAC with a key that HKDF derives from SECRET_KEY.
 */
export const subscriptionsOf = (box: SecretBox): string[] => {
  const group = `haltless-${box.mac('hubs', 'mqtt-shared-subscription').slice(0, 32)}`
  return ['readings', 'telemetry'].map((name) => `$share/${group}/${TOPIC_ROOT}/+/+/${name}`)
}

/**
 * Ingest through an external broker. Replicas share one subscription, so each message reaches one of them.
 * `docs/external-broker.md` lists what the broker must enforce.
 */
export async function joinExternalBroker(
  deps: MessageDeps,
  settings: { url: string; username?: string | undefined; password?: string | undefined },
): Promise<ExternalBroker> {
  const subscriptions = subscriptionsOf(deps.box)
  const client = mqtt.connect(settings.url, {
    protocolVersion: 4,
    clean: true,
    reconnectPeriod: 500,
    // The `connect` handler below subscribes on every connection.
    resubscribe: false,
    ...(settings.username ? { username: settings.username } : {}),
    ...(settings.password ? { password: settings.password } : {}),
  })
  const publisher = new Publisher(client, deps.logger)
  const messages = createMessageHandler(deps, async (topic, payload, retain) => publisher.publish(topic, payload, retain))
  let released: ReadonlySet<string> = new Set()
  const stopChecking = repeat('check_released_agents', CREDENTIAL_CHECK_SECONDS, deps.logger, async () => {
    released = await releasedAgents(deps.pools.system)
  })
  const inFlight = new Set<Promise<void>>()
  // Replaces the client's own handler, which sends PUBACK when the callback runs.
  client.handleMessage = (packet, done) => {
    const topic = parseTopic(packet.topic)
    // The broker knows nothing of credentials, and its session with a released agent goes on.
    if (!topic || released.has(`${topic.tenantId}/${topic.agentId}`)) return done()
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload
    const work = messages.onMessage(topic.tenantId, topic.agentId, topic.name, payload)
    inFlight.add(work)
    work.finally(() => inFlight.delete(work))
    if (inFlight.size <= IN_FLIGHT) done()
    else work.finally(() => done())
  }
  client.on('connect', () => {
    client.subscribe(subscriptions, { qos: 1 }, (error) => {
      if (error) deps.logger.error({ err: error }, 'the broker refused the subscription')
    })
    deps.logger.info('connected to the broker')
  })
  client.on('error', (error) => deps.logger.warn({ err: error }, 'the broker is not reachable'))
  // Every replica publishes this; the retained message is the same.
  const stopFollowing = await messages.followSources(() => client.connected)
  return {
    isConnected: () => client.connected,
    async close() {
      await stopChecking()
      await stopFollowing()
      const orderly = async () => {
        await client.unsubscribeAsync(subscriptions)
        await Promise.allSettled([...inFlight])
        await client.endAsync()
      }
      // mqtt.js waits indefinitely for an unreachable broker.
      const late = new AbortController()
      if (client.connected)
        await Promise.race([orderly(), setTimeout(CLOSE_MS, undefined, { signal: late.signal })]).catch(() => {})
      late.abort()
      client.end(true)
    },
  }
}
