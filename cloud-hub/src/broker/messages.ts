import { inflateRawSync } from 'node:zlib'
import {
  AgentId,
  BatchError,
  decodeBatch,
  decodeDictionary,
  kindOf,
  type ReadingBatch,
  type Receipt,
  readBatchId,
  Telemetry,
  topicOf,
  topicPrefix,
} from '@haltless/protocol'
import { transientDbError } from '../db/errors.ts'
import type { Pools } from '../db/pools.ts'
import { commonWireVersions } from '../db/replicas.ts'
import { directivesFor, type HeartbeatSettings, recordTelemetry } from '../features/agents/fleet/index.ts'
import { newestVersion } from '../features/agents/updates/index.ts'
import { Dictionaries, hashDictionary } from '../features/telemetry/dictionaries/index.ts'
import { type Ingest, recentBatches, submissionFromBatch } from '../features/telemetry/ingest/index.ts'
import { loadAgentSources, openBrowseRequest, SOURCES_CHANNEL } from '../features/telemetry/polling/index.ts'
import type { Clock } from '../support/clock.ts'
import { AppError } from '../support/errors.ts'
import { findUnstorableText } from '../support/http/body.ts'
import type { Logger } from '../support/logger.ts'
import type { SecretBox } from '../support/secrets/secret-box.ts'

export interface MessageDeps {
  pools: Pools
  box: SecretBox
  ingest: Ingest
  clock: Clock
  logger: Logger
  config: HeartbeatSettings
}

/**
 * Publishes to an agent, QoS 1. It never waits for an acknowledgement, which may lie behind packets that wait for the message in progress.
 */
export type Publish = (topic: string, payload: string | Buffer, retain: boolean) => Promise<void>

const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Inflates raw deflate; refuses more than `maxBytes` and trailing bytes. */
export const inflate = (bytes: Uint8Array, maxBytes: number): Uint8Array => {
  const { buffer, engine } = inflateRawSync(bytes, { maxOutputLength: maxBytes, info: true }) as unknown as {
    buffer: Buffer
    engine: { bytesWritten: number }
  }
  if (engine.bytesWritten !== bytes.byteLength) throw new Error('bytes follow the compressed stream')
  return buffer
}

/** Handles the messages of agents, from either broker. */
export function createMessageHandler(deps: MessageDeps, publish: Publish) {
  const dictionaries = new Dictionaries(deps.pools.system, deps.clock)

  /** Stores a batch or a dictionary and sends a receipt after the commit. Without a receipt the agent sends it again. */
  async function onReadings(tenantId: string, agentId: string, payload: Buffer): Promise<void> {
    const answer = (receipt: Receipt) =>
      publish(topicOf(topicPrefix(tenantId, agentId), 'receipts'), JSON.stringify(receipt), false)
    try {
      const message = kindOf(payload)
      if (message.kind === 'dictionary') {
        await answer(await onDictionary(tenantId, agentId, payload))
        return
      }
      const batch: ReadingBatch =
        message.kind === 'dictionary batch'
          ? await dictionaries.decode({ tenantId, agentId }, message.reference, payload)
          : decodeBatch(payload, inflate, recentBatches(tenantId))
      const result = await deps.ingest.acceptReadings(tenantId, submissionFromBatch(batch, deps.clock.now().getTime()))
      await answer({ batch_id: batch.batchId, ...result })
    } catch (error) {
      if (!(error instanceof BatchError)) throw error
      deps.logger.warn({ tenant_id: tenantId, agent_id: agentId, code: error.code }, 'a batch could not be read')
      if (!error.batchId) return
      const refused = { code: error.code, detail: error.message }
      await answer({ batch_id: error.batchId, accepted_count: 0, rejected_count: 0, errors: [], refused })
    }
  }

  /** Stores the dictionary that an agent announces. The hub computes its name. */
  async function onDictionary(tenantId: string, agentId: string, payload: Buffer): Promise<Receipt> {
    const owner = { tenantId, agentId }
    const batchId = readBatchId(payload)
    if (batchId === null) throw new BatchError('truncated', 'the dictionary ends within its header')
    const receipt = { batch_id: batchId, accepted_count: 0, rejected_count: 0, errors: [] }
    if (!dictionaries.mayAnnounce(owner))
      return { ...receipt, refused: { code: 'too_many_dictionaries', detail: 'announce none for ten minutes' } }
    const { dictionary } = decodeDictionary(payload, inflate, hashDictionary)
    if (await dictionaries.store(owner, dictionary)) return receipt
    return { ...receipt, refused: { code: 'unknown_agent', detail: 'send a heartbeat before a dictionary' } }
  }

  /** A heartbeat over MQTT; the hub answers with retained `directives`. */
  async function onTelemetry(tenantId: string, agentId: string, payload: Buffer): Promise<void> {
    let json: unknown
    try {
      json = JSON.parse(payload.toString('utf8'))
    } catch {
      return
    }
    const report = Telemetry.safeParse(json)
    if (!report.success || report.data.agent_id !== agentId || findUnstorableText(json, 'telemetry')) return
    const { heartbeatSeconds } = deps.config
    const { wantsSources } = await recordTelemetry(
      deps.pools.system,
      tenantId,
      report.data,
      deps.clock.now(),
      heartbeatSeconds,
      false,
    )
    await sendDirectives(tenantId, agentId, report.data.agent_version)
    if (wantsSources) await sendSources(tenantId, agentId)
  }

  async function sendDirectives(tenantId: string, agentId: string, version?: string): Promise<void> {
    const { system } = deps.pools
    const [row] = await system<
      { status: 'active'; version: string | null; newestRelease: string | null; wireVersions: number[] }[]
    >`
      select t.subscription_status as status, a.agent_version as version, ${newestVersion(system)} as "newestRelease",
        ${commonWireVersions(system)} as "wireVersions"
      from tenants t
      left join agents a on a.tenant_id = t.id and a.agent_id = ${agentId} where t.id = ${tenantId}`
    if (!row) return
    const directives = directivesFor(deps.config, row, version ?? row.version ?? undefined)
    await publish(topicOf(topicPrefix(tenantId, agentId), 'directives'), JSON.stringify(directives), true)
  }

  /** Sends an agent its polling sources with their secrets; only that agent may read the topic. */
  async function sendSources(tenantId: string, agentId: string): Promise<void> {
    const sources = await loadAgentSources({ allTenants: deps.pools.system, box: deps.box }, tenantId, agentId)
    if (sources) await publish(topicOf(topicPrefix(tenantId, agentId), 'sources'), JSON.stringify(sources), true)
  }

  /** Asks an agent to look at a device. The empty set of revision 0 changes no source, and older agents ignore the whole message. */
  async function sendBrowse(tenantId: string, agentId: string, requestId: string): Promise<void> {
    const request = await openBrowseRequest(deps.pools.system, tenantId, agentId, requestId)
    const message = { revision: 0, sources: [], browse: request }
    if (request) await publish(topicOf(topicPrefix(tenantId, agentId), 'sources'), JSON.stringify(message), false)
  }

  /** Never throws: a failed message is logged and, without a receipt, sent again. */
  async function onMessage(tenantId: string, agentId: string, name: string, payload: Buffer): Promise<void> {
    if (!TENANT_ID.test(tenantId) || !AgentId.safeParse(agentId).success) return
    try {
      if (name === 'readings') await onReadings(tenantId, agentId, payload)
      else if (name === 'telemetry') await onTelemetry(tenantId, agentId, payload)
    } catch (error) {
      const code = error instanceof AppError ? error.code : transientDbError(error)?.code
      if (code) deps.logger.warn({ tenant_id: tenantId, agent_id: agentId, code }, 'a message was refused')
      else deps.logger.error({ err: error, tenant_id: tenantId, agent_id: agentId }, 'a message could not be handled')
    }
  }

  /** Notifies agents when their sources change. @param isHere whether an agent is connected to this hub */
  async function followSources(isHere: (tenantId: string, agentId: string) => boolean): Promise<() => Promise<void>> {
    const subscription = await deps.pools.listen.listen(SOURCES_CHANNEL, (payload) => {
      const [tenantId, agentId, requestId] = payload.split('/')
      if (!tenantId || !agentId || !isHere(tenantId, agentId)) return
      if (requestId) {
        sendBrowse(tenantId, agentId, requestId).catch((error) => deps.logger.warn({ err: error }, 'a request could not be sent'))
        return
      }
      sendSources(tenantId, agentId).catch((error) => deps.logger.warn({ err: error }, 'sources could not be sent'))
    })
    return () => subscription.unlisten().catch(() => {})
  }

  return { onMessage, sendDirectives, sendSources, followSources }
}
