import { pkiDir, trustAdvice } from '../agent-paths.ts'
import { WriteCoalescer } from '../buffer/write-coalescer.ts'
import { browseSource } from '../collectors/browse-source.ts'
import { type Collector, type CollectorSource, type CollectorStatus, deviceOf } from '../collectors/collector.ts'
import { type CollectorChanges, ConfiguredCollectors } from '../collectors/configured-collectors.ts'
import type { MissedPollSpan } from '../collectors/missed-polls.ts'
import { sendBrowseAnswer } from '../heartbeat/hub-client.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { KnownNamespaces } from '../sources/known-namespaces.ts'
import { PushedSources } from '../sources/pushed-sources.ts'
import { RemoteBrowse } from '../sources/remote-browse.ts'
import { pushedSourceIds } from '../sources/sources-file.ts'
import type { HttpClient } from '../support/http.ts'
import type { AgentDeps } from './deps.ts'
import type { Storage } from './storage.ts'

/** After sources have changed the agent reports at once, and again when they have had time to connect. */
const SOURCES_SETTLED_MS = 5_000
const SOURCES_CHECK_INTERVAL_MS = 10_000

/** The collectors of the settings, the sources that the hub pushed, and what both write. */
interface Collection {
  pushed: PushedSources
  remoteBrowse: RemoteBrowse
  statuses(): Record<string, CollectorStatus>
  start(): void
  /** unchanged collectors continue undisturbed */
  reload(next: readonly CollectorSource[]): Promise<CollectorChanges>
  /** as `Agent.acceptNamespaces` */
  acceptNamespaces(collector: string): Promise<boolean>
  /** stops the collectors first, then writes what they read */
  stop(): Promise<void>
}

interface CollectionEvents {
  /** readings are in the buffer */
  onAppended: () => void
  /** the hub needs a report of the sources */
  onSourcesChanged: () => void
}

export function createCollection(
  config: AgentConfig,
  storage: Storage,
  http: HttpClient,
  deps: AgentDeps,
  { onAppended, onSourcesChanged }: CollectionEvents,
): Collection {
  const { logger } = deps
  const { dataDir, remote } = config
  const coalescer = new WriteCoalescer(storage.buffer, deps.clock, onAppended)
  const namespaces = new KnownNamespaces(dataDir, logger)
  const keepNamespaces = (configured: readonly CollectorSource[], running: readonly string[]) => {
    const pushedIds = pushedSourceIds(dataDir, logger)
    namespaces.keep(configured, pushedIds && new Set([...pushedIds, ...running]))
  }
  // before a collector is created, which reads what is stored for its name
  keepNamespaces(config.collectors, [])
  const createCollector = collectorFactory(config, storage, deps, { coalescer, namespaces })
  const collectors = new ConfiguredCollectors(config.collectors, createCollector)
  let settled: NodeJS.Timeout | undefined
  const pushed = new PushedSources({
    dataDir,
    logger,
    checkIntervalMs: deps.sourcesCheckIntervalMs ?? SOURCES_CHECK_INTERVAL_MS,
    clock: storage.processClock,
    isOn: remote.isOn,
    ...(deps.sourceTrialMs && { trialMs: deps.sourceTrialMs }),
    createCollector,
    onHealthChange: onSourcesChanged,
    onChange: () => {
      onSourcesChanged()
      clearTimeout(settled)
      settled = setTimeout(onSourcesChanged, SOURCES_SETTLED_MS)
    },
  })
  const remoteBrowse = new RemoteBrowse({
    sourceOf: (sourceId) => pushed.sourceOf(sourceId),
    deps: { ...probeDeps(config, storage), logger },
    browse: deps.browseSource ?? browseSource,
    answer: (requestId, answer) =>
      sendBrowseAnswer(http, config.hub, { agent_id: config.agentId, request_id: requestId, answer }),
    logger,
  })
  return {
    pushed,
    remoteBrowse,
    statuses: () => ({ ...Object.fromEntries(collectors.statuses()), ...pushed.statuses() }),
    start() {
      collectors.start()
      pushed.start()
    },
    reload(next) {
      remote.allowDevices(next.map(deviceOf))
      keepNamespaces(
        next,
        pushed.report().states.map(({ source_id }) => source_id),
      )
      return collectors.apply(next)
    },
    async acceptNamespaces(collector) {
      if (!namespaces.accept(collector)) return false
      if (!pushed.restart(collector)) await collectors.restart(collector)
      return true
    },
    async stop() {
      clearTimeout(settled)
      await Promise.all([collectors.stop(), pushed.stop(), remoteBrowse.stop()])
      await coalescer.close()
    },
  }
}

/** What collectors and a browse of their devices share. */
const probeDeps = (config: AgentConfig, { processClock }: Storage) => ({
  clock: processClock,
  pkiDir: pkiDir(config.dataDir),
  trustAdvice: trustAdvice(config),
  ...(config.remote.resolveHost && { resolveHost: config.remote.resolveHost }),
})

/** @returns creates collectors that write to the buffer */
function collectorFactory(
  config: AgentConfig,
  storage: Storage,
  { createCollector, logger, onCollected }: AgentDeps,
  { coalescer, namespaces }: { coalescer: WriteCoalescer; namespaces: KnownNamespaces },
): (source: CollectorSource) => Collector {
  const { buffer } = storage
  return (source) => {
    const namespaceStore = namespaces.namespaceStore(source)
    const gapsOf = (spans: readonly MissedPollSpan[]) => spans.map((span) => ({ ...span, collector: source.name }))
    return createCollector(source, {
      ...probeDeps(config, storage),
      logger: logger.child({ collector: source.name }),
      onReadings: (readings, progress) => {
        onCollected?.(source.name, readings)
        if (!progress) return coalescer.append(readings)
        return coalescer.appendCheckpointed({ collector: source.name, readings, ...progress, missed: gapsOf(progress.missed) })
      },
      checkpoints: () => buffer.checkpoints(source.name),
      ...(namespaceStore && { namespaces: namespaceStore }),
      mayPoll: () => !buffer.isStopped,
      onMissedPolls: (spans) => {
        buffer.noteMissedPolls(gapsOf(spans))
        coalescer.flushRecords().catch((error) => logger.error({ err: error }, 'missed polls could not be recorded'))
      },
    })
  }
}
