import { setTimeout } from 'node:timers/promises'
import { parseTopic, TOPIC_ROOT } from '@haltless/protocol'
import mqtt from 'mqtt'
import { createMessageHandler, type MessageDeps } from './messages.ts'

export interface ExternalBroker {
  close(): Promise<void>
  isConnected(): boolean
}

/** Messages under way; further packets wait in the socket. */
const IN_FLIGHT = 64
/** What is under way is answered before the end, unless that takes longer. */
const CLOSE_MS = 10_000
const SUBSCRIPTIONS = ['readings', 'telemetry'].map((name) => `$share/haltless/${TOPIC_ROOT}/+/+/${name}`)

/**
 * Ingest through a broker that others run. Replicas share one subscription, so each message goes to one of them. Who may publish under
 * which prefix is that broker's business: its access list must tie the user name `{tenant_id}/{agent_id}` to its topics
 * (`install/mosquitto/acl`).
 */
export async function joinExternalBroker(
  deps: MessageDeps,
  settings: { url: string; username?: string | undefined; password?: string | undefined },
): Promise<ExternalBroker> {
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
    client.subscribe(SUBSCRIPTIONS, { qos: 1 }, (error) => {
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
        await client.unsubscribeAsync(SUBSCRIPTIONS)
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
