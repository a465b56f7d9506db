import { setTimeout } from 'node:timers/promises'
import { parseTopic, TOPIC_ROOT } from '@haltless/protocol'
import mqtt from 'mqtt'
import type { SecretBox } from '../support/secrets/secret-box.ts'
import { createMessageHandler, type MessageDeps } from './messages.ts'

export interface ExternalBroker {
  close(): Promise<void>
  isConnected(): boolean
}

/** Messages under way; further packets wait in the socket. */
const IN_FLIGHT = 64
/** What is under way is answered before the end, unless that takes longer. */
const CLOSE_MS = 10_000

/**
 * Shared subscriptions of all hubs with one SECRET_KEY. Brokers such as Mosquitto check no access list when somebody joins a group, choose one
 * member for each message, and only then refuse it to a member without access, so that it is lost. Hence the name of the group is a secret:
 * a MAC under a key that HKDF derives from SECRET_KEY.
 */
const subscriptionsOf = (box: SecretBox): string[] => {
  const group = `haltless-${box.mac('hubs', 'mqtt-shared-subscription').slice(0, 32)}`
  return ['readings', 'telemetry'].map((name) => `$share/${group}/${TOPIC_ROOT}/+/+/${name}`)
}

/**
 * Ingest through a broker that others run. Replicas share one subscription, so each message goes to one of them. What the broker must
 * enforce stands in `docs/external-broker.md`.
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
    // `connect` below subscribes, every time
    resubscribe: false,
    ...(settings.username ? { username: settings.username } : {}),
    ...(settings.password ? { password: settings.password } : {}),
  })
  const messages = createMessageHandler(deps, async (topic, payload, retain) => {
    await client.publishAsync(topic, payload, { qos: 1, retain })
  })
  const inFlight = new Set<Promise<void>>()
  // Stands in for the client's own handler: the PUBACK goes out when it calls back.
  client.handleMessage = (packet, done) => {
    const topic = parseTopic(packet.topic)
    if (!topic) return done()
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
  // every replica tells; the retained message is the same
  const stopFollowing = await messages.followSources(() => client.connected)
  return {
    isConnected: () => client.connected,
    async close() {
      await stopFollowing()
      const orderly = async () => {
        await client.unsubscribeAsync(subscriptions)
        await Promise.allSettled([...inFlight])
        await client.endAsync()
      }
      // mqtt.js waits for a broker that is away as long as it takes
      const late = new AbortController()
      if (client.connected)
        await Promise.race([orderly(), setTimeout(CLOSE_MS, undefined, { signal: late.signal })]).catch(() => {})
      late.abort()
      client.end(true)
    },
  }
}
