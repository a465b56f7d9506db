import type { UpdateReport } from '@haltless/protocol'
import { createCollection } from './agent/collection.ts'
import { collectorReport } from './agent/collector-report.ts'
import type { AgentDeps } from './agent/deps.ts'
import { createSending } from './agent/sending.ts'
import { openStorage } from './agent/storage.ts'
import { trustedAuthorities } from './agent-paths.ts'
import type { ReadingBuffer } from './buffer/buffer.ts'
import { DeadLetterRequeue } from './buffer/dead-letter-requeue.ts'
import type { BufferStats } from './buffer/stats.ts'
import type { CollectorStatus } from './collectors/collector.ts'
import type { CollectorChanges } from './collectors/configured-collectors.ts'
import { CredentialRotation } from './enrolment/credential-rotation.ts'
import { StoredCredential } from './enrolment/stored-credential.ts'
import { Heartbeat, type HeartbeatStatus } from './heartbeat/heartbeat.ts'
import { telemetryOf } from './heartbeat/telemetry.ts'
import { type AgentConfig, changedSettings } from './settings/schema.ts'
import { ownInstallation, schemaOfConfirmed } from './updates/own-installation.ts'
import { UpdateClient } from './updates/update-client.ts'
import type { UplinkStatus } from './uplink/uplink.ts'

/** How the running agent is, for the status file. */
export interface AgentStatus {
  buffer: Pick<ReadingBuffer, 'fault'>
  /**
   * The clock that dates readings and the times of `collectors`, Unix ms; what is added to it when readings are sent; and how far the hub is
   * ahead of the clock of this computer, ms. null: not known yet.
   */
  readingClock: { now: number; offsetMs: number | null; wallOffsetMs: number | null }
  uplink: UplinkStatus
  hub: HeartbeatStatus
  collectors: Record<string, CollectorStatus>
  update: UpdateReport
}

export interface Agent {
  /** starts the uplink before the collectors, so that readings find it running, and the heartbeat last, which reports all of them */
  start(): void
  status(): AgentStatus
  bufferUse(): { stats: BufferStats; capacityBytes: number }
  /** Runs the collectors of other settings: unchanged ones go on undisturbed, and nothing that was read is lost. */
  reload(next: AgentConfig): Promise<ReloadResult>
  /**
   * The node ids of an OPC UA collector mean the namespaces that its server has now; it begins again. @returns false when the server had no others
   * @throws Error in plain words when that cannot be stored
   */
  acceptNamespaces(collector: string): Promise<boolean>
  /**
   * Stops the collectors first, then the write coalescer, then the uplink: pending readings reach the disk, and the uplink may
   * still send them.
   */
  stop(): Promise<void>
}

/** What a reload did. */
export interface ReloadResult extends CollectorChanges {
  /** settings that changed and count from the next start on, as in agent.yaml */
  needRestart: string[]
}

/** A download that is silent for longer has failed, and goes on later. */
const DOWNLOAD_SILENCE_MS = 60_000

/**
 * Puts an agent together; nothing runs before `start`.
 * @throws DataDirInUse when another agent runs on the same data directory
 */
export function createAgent(config: AgentConfig, deps: AgentDeps): Agent {
  const { clock, logger } = deps
  const { apiKey } = config.hub
  const startedAt = clock.monotonic()
  const own = ownInstallation(import.meta.dirname)
  // before anything is opened, since it can fail
  const ca = trustedAuthorities(config)
  const storage = openStorage(config, deps, schemaOfConfirmed(own))
  const { buffer, processClock, timekeeper } = storage
  const report = () => heartbeat.wake()
  const { http, authorization, wireFormat, uplink } = createSending(config, { ...storage, ca }, deps, {
    onDirectives: (directives) => heartbeat.onDirectives(directives),
    onSources: (given) => {
      collection.pushed.receive(given)
      collection.remoteBrowse.receive(given)
    },
    onCredentialRefused: report,
  })
  const collection = createCollection(config, storage, http, deps, {
    onAppended: () => uplink.wake(),
    onSourcesChanged: report,
  })
  const requeue = new DeadLetterRequeue({
    buffer,
    logger,
    onDone: () => {
      uplink.wake()
      report()
    },
  })
  const updates = new UpdateClient({
    own,
    dataDir: config.dataDir,
    settings: config.updates,
    source: (path) => ({
      open: (from, signal) => {
        const headers = { 'x-api-key': apiKey.reveal(), ...(from > 0 && { range: `bytes=${from}-` }) }
        return http.open(config.hub.url + path, headers, DOWNLOAD_SILENCE_MS, signal)
      },
    }),
    clock,
    logger,
    onChange: report,
  })
  const telemetry = () => {
    const stats = buffer.stats()
    return telemetryOf({
      agentId: config.agentId,
      instanceId: storage.instanceId,
      uptimeSeconds: (clock.monotonic() - startedAt) / 1_000,
      clockOffsetMs: timekeeper.wallOffsetMs,
      stats,
      capacityBytes: buffer.capacityBytes(),
      now: processClock.now() + (processClock.offsetMs ?? 0),
      ...collectorReport(collection.statuses(), buffer.fault, deps.warnings ?? []),
      sources: collection.pushed.report(),
      gaps: buffer.gapsToReport(),
      deadLetters: stats.deadLetters > 0 ? buffer.deadLetterGroups() : [],
      requeued: requeue.executed,
      update: updates.report(),
    })
  }
  const heartbeat = new Heartbeat({
    hub: config.hub,
    rotation:
      apiKey instanceof StoredCredential
        ? new CredentialRotation({ hubUrl: config.hub.url, credential: apiKey, http, clock, logger })
        : undefined,
    http,
    authorization,
    clock,
    logger,
    telemetry,
    onTime: (hubTime, roundTripMs) => {
      const isFirst = processClock.offsetMs === null
      timekeeper.answered(hubTime, roundTripMs)
      // the first heartbeat could not report gaps: their times were not settled
      if (isFirst && buffer.hasGaps) report()
    },
    onGapsReported: (gapIds) => buffer.gapsReported(gapIds),
    onSources: (given) => collection.pushed.receive(given),
    onRequeue: (request) => requeue.execute(request),
    onUpdate: (order) => updates.receive(order),
    onWireVersions: (versions) => wireFormat.hubReads(versions),
    sendOverMqtt: (body) => uplink.sendTelemetry(body),
  })

  return {
    start() {
      uplink.start()
      collection.start()
      updates.start()
      // The first heartbeat reports all of them.
      heartbeat.start()
    },
    async reload(next) {
      const changes = await collection.reload(next.collectors)
      report()
      return { ...changes, needRestart: changedSettings(config, next) }
    },
    acceptNamespaces: (collector) => collection.acceptNamespaces(collector),
    status: () => ({
      readingClock: { now: processClock.now(), offsetMs: processClock.offsetMs, wallOffsetMs: timekeeper.wallOffsetMs },
      buffer: { fault: buffer.fault },
      uplink: uplink.status(),
      hub: heartbeat.status(),
      collectors: collection.statuses(),
      update: updates.report(),
    }),
    bufferUse: () => ({ stats: buffer.stats(), capacityBytes: buffer.capacityBytes() }),
    async stop() {
      await collection.stop()
      await uplink.stop()
      await heartbeat.stop()
      await updates.stop()
      await requeue.idle()
      http.close()
      storage.close()
    },
  }
}
