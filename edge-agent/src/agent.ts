import {
  type Fault,
  fault,
  type MissedPollCounts,
  type ReadingColumns,
  type SourceClock,
  type Telemetry,
  type UpdateReport,
} from '@haltless/protocol'
import { bufferFile, pkiDir, trustAdvice, trustedAuthorities } from './agent-paths.ts'
import { ReadingBuffer } from './buffer/buffer.ts'
import { DeadLetterRequeue } from './buffer/dead-letter-requeue.ts'
import type { BufferStats } from './buffer/stats.ts'
import { WriteCoalescer } from './buffer/write-coalescer.ts'
import { type BootTime, ProcessClock } from './clock/process-clock.ts'
import { Timekeeper } from './clock/timekeeper.ts'
import { browseSource } from './collectors/browse-source.ts'
import {
  type Collector,
  type CollectorDeps,
  type CollectorSource,
  type CollectorStatus,
  deviceOf,
  statusText,
} from './collectors/collector.ts'
import { type CollectorChanges, ConfiguredCollectors } from './collectors/configured-collectors.ts'
import type { MissedPollSpan } from './collectors/missed-polls.ts'
import { CredentialRotation } from './enrolment/credential-rotation.ts'
import { StoredCredential } from './enrolment/stored-credential.ts'
import { Heartbeat, type HeartbeatStatus } from './heartbeat/heartbeat.ts'
import { sendBrowseAnswer } from './heartbeat/hub-client.ts'
import { telemetryOf } from './heartbeat/telemetry.ts'
import { type AgentConfig, changedSettings } from './settings/schema.ts'
import { KnownNamespaces } from './sources/known-namespaces.ts'
import { PushedSources } from './sources/pushed-sources.ts'
import { RemoteBrowse } from './sources/remote-browse.ts'
import { pushedSourceIds } from './sources/sources-file.ts'
import type { Clock } from './support/clock.ts'
import { lockDataDir } from './support/data-dir-lock.ts'
import { faultBudget } from './support/fault-budget.ts'
import { HttpClient } from './support/http.ts'
import { instanceId } from './support/instance-id.ts'
import type { Logger } from './support/logger.ts'
import { ownInstallation, schemaOfConfirmed } from './updates/own-installation.ts'
import { UpdateClient } from './updates/update-client.ts'
import { Authorization } from './uplink/authorization.ts'
import { Connector } from './uplink/connector.ts'
import { Uplink, type UplinkStatus } from './uplink/uplink.ts'
import { WireFormat } from './uplink/wire-format.ts'

export interface AgentDeps {
  clock: Clock
  logger: Logger
  createCollector: (source: CollectorSource, deps: CollectorDeps) => Collector
  /** looks at the device of a source; in this process when absent */
  browseSource?: typeof browseSource
  /** since the computer was started; of this computer when absent */
  bootTime?: BootTime
  /** the first wait before a better way to the hub is tried again, ms */
  betterRetryMs?: number
  connectTimeoutMs?: number
  /** how often the agent checks pushed sources for faults to report, ms */
  sourcesLookMs?: number
  /** how long changed settings of a pushed source may take to deliver, by poll interval; ms */
  sourceTrialMs?: (pollIntervalSeconds: number) => number
  /** called with all that collectors hand on, before it is buffered */
  onCollected?: (collector: string, readings: ReadingColumns) => void
  /** warnings about this computer, such as file permissions, for the hub to show */
  warnings?: readonly string[]
}

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

const CONNECT_TIMEOUT_MS = 10_000
/** A download that is silent for longer has failed, and goes on later. */
const DOWNLOAD_SILENCE_MS = 60_000
/** After sources have changed the agent reports at once, and again when they have had time to connect. */
const SOURCES_SETTLED_MS = 5_000
const SOURCES_LOOK_MS = 10_000
/** Maximum collector states in one heartbeat. */
const MOST_COLLECTORS = 200
const WARNINGS = '(agent)'

/**
 * Puts an agent together; nothing runs before `start`.
 * @throws DataDirInUse when another agent runs on the same data directory
 */
export function createAgent(config: AgentConfig, deps: AgentDeps): Agent {
  const { clock, logger } = deps
  const startedAt = clock.monotonic()
  const processClock = new ProcessClock(clock, deps.bootTime)
  const lock = lockDataDir(config.dataDir)
  const id = instanceId(config.dataDir, logger)
  const ca = trustedAuthorities(config)
  const { proxy = null } = config.uplink
  const http = new HttpClient(ca, proxy)
  const authorization = new Authorization()
  const own = ownInstallation(import.meta.dirname)
  const buffer = new ReadingBuffer({
    file: bufferFile(config.dataDir),
    ...config.buffer,
    readableBy: schemaOfConfirmed(own),
    clock: processClock,
    clockAnchor: processClock,
    logger,
    onTakenAway: () => {
      lock.renew()
      instanceId(config.dataDir, logger, id)
    },
  })

  const timekeeper = new Timekeeper({ processClock, wallClock: clock, buffer, logger })
  const connector = new Connector({
    hubUrl: config.hub.url,
    agentId: config.agentId,
    apiKey: config.hub.apiKey,
    allowPlaintext: config.hub.allowPlaintext,
    clientId: `${config.agentId}.${id.slice(0, 8)}`,
    override: config.uplink.mqtt,
    ca,
    proxy,
    connectTimeoutMs: deps.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    http,
    logger,
    onDirectives: (directives) => heartbeat.onDirectives(directives),
    onSources: (given) => {
      pushed.take(given)
      remoteBrowse.take(given)
    },
  })
  const wireFormat = new WireFormat(logger)
  const uplink = new Uplink({
    buffer,
    authorization,
    wireFormat,
    connector,
    clock,
    logger,
    ...config.uplink,
    onCredentialRefused: () => heartbeat.wake(),
    betterRetryMs: deps.betterRetryMs,
  })
  const intake = new WriteCoalescer(buffer, clock, () => uplink.wake())
  const namespaces = new KnownNamespaces(config.dataDir, logger)
  const collect = (source: CollectorSource) => {
    const memory = namespaces.memoryOf(source)
    const gapsOf = (spans: readonly MissedPollSpan[]) => spans.map((span) => ({ ...span, collector: source.name }))
    return deps.createCollector(source, {
      clock: processClock,
      logger: logger.child({ collector: source.name }),
      pkiDir: pkiDir(config.dataDir),
      trustAdvice: trustAdvice(config),
      ...(config.remote.resolveHost && { resolveHost: config.remote.resolveHost }),
      onReadings: (readings, progress) => {
        deps.onCollected?.(source.name, readings)
        if (!progress) return intake.take(readings)
        return intake.takeCheckpointed({ collector: source.name, readings, ...progress, missed: gapsOf(progress.missed) })
      },
      checkpoints: () => buffer.checkpoints(source.name),
      ...(memory && { namespaces: memory }),
      mayPoll: () => !buffer.isStopped,
      onMissedPolls: (spans) => {
        buffer.noteMissedPolls(gapsOf(spans))
        intake.takeRecords().catch((error) => logger.error({ err: error }, 'missed polls could not be recorded'))
      },
    })
  }
  const keepNamespaces = (configured: readonly CollectorSource[], running: readonly string[]) => {
    const given = pushedSourceIds(config.dataDir, logger)
    namespaces.keep(configured, given && new Set([...given, ...running]))
  }
  // before a collector is made, which reads what is remembered for its name
  keepNamespaces(config.collectors, [])
  const collectors = new ConfiguredCollectors(config.collectors, collect)
  let settled: NodeJS.Timeout | undefined
  const pushed = new PushedSources({
    dataDir: config.dataDir,
    logger,
    lookMs: deps.sourcesLookMs ?? SOURCES_LOOK_MS,
    clock: processClock,
    isOn: config.remote.isOn,
    ...(deps.sourceTrialMs && { trialMs: deps.sourceTrialMs }),
    createCollector: collect,
    onTrouble: () => heartbeat.wake(),
    onChange: () => {
      heartbeat.wake()
      clearTimeout(settled)
      settled = setTimeout(() => heartbeat.wake(), SOURCES_SETTLED_MS)
    },
  })
  const remoteBrowse = new RemoteBrowse({
    sourceOf: (sourceId) => pushed.sourceOf(sourceId),
    deps: {
      clock: processClock,
      logger,
      pkiDir: pkiDir(config.dataDir),
      trustAdvice: trustAdvice(config),
      ...(config.remote.resolveHost && { resolveHost: config.remote.resolveHost }),
    },
    browse: deps.browseSource ?? browseSource,
    answer: (requestId, answer) =>
      sendBrowseAnswer(http, config.hub, { agent_id: config.agentId, request_id: requestId, answer }),
    logger,
  })
  const statuses = (): Record<string, CollectorStatus> => ({
    ...Object.fromEntries(collectors.statuses()),
    ...pushed.statuses(),
  })
  const telemetry = (): Telemetry => {
    const stats = buffer.stats()
    const collected = statuses()
    return telemetryOf({
      agentId: config.agentId,
      instanceId: id,
      uptimeSeconds: (clock.monotonic() - startedAt) / 1_000,
      clockOffsetMs: timekeeper.wallOffsetMs,
      stats,
      capacityBytes: buffer.capacityBytes(),
      now: processClock.now() + (processClock.offsetMs ?? 0),
      ...collectorReport(collected, diskFault(buffer.fault), deps.warnings ?? []),
      sources: pushed.report(),
      gaps: buffer.gapsToReport(),
      missedPolls: missedPollsOf(collected),
      sourceClocks: sourceClocksOf(collected),
      deadLetters: stats.deadLetters > 0 ? buffer.deadLetterGroups() : [],
      requeued: requeue.executed,
      update: updates.report(),
    })
  }
  const requeue = new DeadLetterRequeue({
    buffer,
    logger,
    onDone: () => {
      uplink.wake()
      heartbeat.wake()
    },
  })
  const { apiKey } = config.hub
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
    onChange: () => heartbeat.wake(),
  })
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
      if (isFirst && buffer.hasGaps) heartbeat.wake()
    },
    onGapsTold: (gapIds) => buffer.gapsReported(gapIds),
    onSources: (given) => pushed.take(given),
    onRequeue: (request) => requeue.execute(request),
    onUpdate: (order) => updates.take(order),
    onWireVersions: (versions) => wireFormat.hubReads(versions),
    sendOtherwise: (said) => uplink.sendTelemetry(said),
  })

  return {
    start() {
      uplink.start()
      collectors.start()
      pushed.start()
      updates.start()
      // The first heartbeat tells of all of them.
      heartbeat.start()
    },
    async reload(next) {
      config.remote.knowDevicesOf(next.collectors.map(deviceOf))
      const running = pushed.report().states.map(({ source_id }) => source_id)
      keepNamespaces(next.collectors, running)
      const changes = await collectors.apply(next.collectors)
      heartbeat.wake()
      return { ...changes, needRestart: changedSettings(config, next) }
    },
    async acceptNamespaces(collector) {
      if (!namespaces.accept(collector)) return false
      if (!pushed.restart(collector)) await collectors.restart(collector)
      return true
    },
    status: () => ({
      readingClock: { now: processClock.now(), offsetMs: processClock.offsetMs, wallOffsetMs: timekeeper.wallOffsetMs },
      buffer: { fault: buffer.fault },
      uplink: uplink.status(),
      hub: heartbeat.status(),
      collectors: statuses(),
      update: updates.report(),
    }),
    bufferUse: () => ({ stats: buffer.stats(), capacityBytes: buffer.capacityBytes() }),
    async stop() {
      clearTimeout(settled)
      await Promise.all([collectors.stop(), pushed.stop(), remoteBrowse.stop()])
      await intake.close()
      await uplink.stop()
      await heartbeat.stop()
      await updates.stop()
      await requeue.idle()
      http.close()
      buffer.close()
      lock.release()
    },
  }
}

/**
 * The status of each collector as a text, and what is wrong with it as a fault. Warnings use the entry {@link WARNINGS}, because every
 * hub version shows these texts in its fleet view.
 */
function collectorReport(
  statuses: Record<string, CollectorStatus>,
  disk: Fault | null,
  more: readonly string[],
): { collectors: Record<string, string>; collectorFaults: Record<string, Fault> } {
  const warnings = [...(disk ? [disk.detail] : []), ...more]
  const own = warnings.length > 0 ? [[WARNINGS, `warning: ${warnings.join('; ')}`.slice(0, 1_000)]] : []
  const named = Object.entries(statuses)
  const texts = named.map(([name, status]) => [name, statusText(status)])
  const fits = faultBudget()
  const faults = [[WARNINGS, disk] as const, ...named.map(([name, status]) => [name, status.fault] as const)]
  return {
    collectors: Object.fromEntries([...own, ...texts].slice(0, MOST_COLLECTORS)),
    collectorFaults: Object.fromEntries(
      faults.flatMap(([name, found]) => (found && fits(found) ? [[name, found]] : [])).slice(0, MOST_COLLECTORS),
    ),
  }
}

/** Those of the collectors that missed any. */
function missedPollsOf(statuses: Record<string, CollectorStatus>): Record<string, MissedPollCounts> {
  const missed = Object.entries(statuses).map(([name, { missedPolls }]) => [name, missedPolls] as const)
  return Object.fromEntries(missed.filter(([, { skipped, failed }]) => skipped + failed > 0).slice(0, MOST_COLLECTORS))
}

function sourceClocksOf(statuses: Record<string, CollectorStatus>): Record<string, SourceClock> {
  const clocks = Object.entries(statuses).flatMap(([name, { sourceClock }]) => {
    if (!sourceClock) return []
    const { aheadMs, isUsed, isExact } = sourceClock
    return [[name, { ahead_ms: aheadMs, is_used: isUsed, is_exact: isExact }] as const]
  })
  return Object.fromEntries(clocks.slice(0, MOST_COLLECTORS))
}

function diskFault(found: ReadingBuffer['fault']): Fault | null {
  if (!found) return null
  const { reason, isKeptInMemory } = found
  return isKeptInMemory ? fault('disk_accepts_no_write_in_memory', { reason }) : fault('disk_accepts_no_write', { reason })
}
