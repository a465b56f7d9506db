import { randomUUID } from 'node:crypto'
import { Secret } from '@haltless/edge-agent/secret'
import { kindOf, parseTopic, readBatchId, topicOf, topicPrefix } from '@haltless/protocol'
import mqtt from 'mqtt'
import type postgres from 'postgres'
import { subscriptionsOf } from '../../src/broker/external.ts'
import { repeat } from '../../src/support/jobs.ts'
import { createLogger } from '../../src/support/logger.ts'
import { createSecretBox } from '../../src/support/secrets/secret-box.ts'
import type { RowContext } from '../row.ts'

const ANNOUNCE_SECONDS = 0.5

/**
 * Stands in for a hub of an older version that shares database and broker: it announces that it reads version 1 alone, refuses
 * batches with numbers and dictionaries, and gives no receipt for batches with names, because it stores nothing.
 */
export interface NamesOnlyHub {
  /** neither announces itself nor answers, and keeps its connection, as a suspended process does */
  suspend(): void
  resume(): void
}

export async function startNamesOnlyHub(
  context: RowContext,
  {
    owner,
    env,
  }: { owner: postgres.Sql; env: { MQTT_URL: string; MQTT_USERNAME: string; MQTT_PASSWORD: string; SECRET_KEY: string } },
): Promise<NamesOnlyHub> {
  const id = randomUUID()
  let isSuspended = false
  let waiting: (() => void)[] = []
  const announce = async () => {
    if (isSuspended) return
    await owner`
      insert into hub_replicas (id, seen_at, wire_versions, reads_arrivals) values (${id}, now(), '{1}', true)
      on conflict (id) do update set seen_at = now()`
  }
  const client = await mqtt.connectAsync(env.MQTT_URL, {
    protocolVersion: 4,
    username: env.MQTT_USERNAME,
    password: env.MQTT_PASSWORD,
  })
  client.handleMessage = ({ topic, payload }, done) => {
    const handle = () => {
      const [name, bytes] = [parseTopic(topic), Buffer.from(payload)]
      const batchId = kindOf(bytes).kind === 'other' ? null : readBatchId(bytes)
      done()
      if (!name || !batchId) return
      const refused = { code: 'unknown_version', detail: 'there is no version 2' }
      const receipt = { batch_id: batchId, accepted_count: 0, rejected_count: 0, errors: [], refused }
      client.publish(topicOf(topicPrefix(name.tenantId, name.agentId), 'receipts'), JSON.stringify(receipt), { qos: 1 })
    }
    if (isSuspended) waiting.push(handle)
    else handle()
  }
  await announce()
  const [readings] = subscriptionsOf(createSecretBox([new Secret(env.SECRET_KEY)]))
  await client.subscribeAsync(readings as string, { qos: 1 })
  const stop = repeat('stand-in', ANNOUNCE_SECONDS, createLogger('silent'), announce)
  context.defer(async () => {
    await stop()
    await client.endAsync(true)
  })
  return {
    suspend() {
      isSuspended = true
    },
    resume() {
      isSuspended = false
      for (const handle of waiting) handle()
      waiting = []
    },
  }
}
