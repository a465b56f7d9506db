import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import packageJson from '../package.json' with { type: 'json' }
import { shareInFlight } from './support/share-in-flight.ts'

/** The metrics of one hub, in its own registry. No label identifies a tenant. */
export interface Metrics {
  /** the exposition format, at most one second old; concurrent requests share it */
  text(): Promise<string>
  contentType: string
  /** Runs before each scrape to refresh gauges; it must be fast and must not throw. */
  beforeScrape(update: () => Promise<void> | void): void
  observeRequest(method: string, path: string, status: number, seconds: number): void
  observeFlush(readings: number, seconds: number): void
  /** @param reasons the codes of the rejections, which come from the hub's own list */
  observeRejections(reasons: readonly string[]): void
  /** @param reason the code of a refused credential or request, which comes from the hub's own list */
  observeRefusal(reason: string): void
  observeDelivery(channelType: string, outcome: string): void
  /** a run of the ERP exchange that ended */
  observeErpRun(direction: string, entity: string, status: string): void
  /** records of the ERP exchange with an outcome */
  observeErpRecords(entity: string, status: string, count: number): void
  /** shows a job before its first run ends */
  listJob(job: string, intervalSeconds: number): void
  observeJob(job: string, seconds: number, isOk: boolean): void
  /** @param work since the last call */
  observeSealing(work: { sealed: number; seconds: number; failures: number }): void
  /** A hub without the worker role does not know these. */
  showTail(tail: { readings: number; oldestSeconds: number; behindSeconds: number }): void
  mqttClients: Gauge
  liveStreams: Gauge
  outboxDeliveries: Gauge
  outboxOldestDueSeconds: Gauge
  agentsOnline: Gauge
  fullLimits: Gauge
  erpDueRecords: Gauge
  erpOpenBreakers: Gauge
  erpPausedConnections: Gauge
  erpOldestChangeSeconds: Gauge
  walArchiveFailing: Gauge
  walArchiveWaitingSegments: Gauge
  walArchivedTimestampSeconds: Gauge
  baseBackupTimestampSeconds: Gauge
  poolConnections: Gauge<'pool' | 'state'>
  poolWaiting: Gauge<'pool'>
}

const TEXT_MS = 1_000
const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Gauge<T>({ name: `haltless_${name}`, help, labelNames: [...labelNames], registers })
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Counter<T>({ name: `haltless_${name}`, help, labelNames: [...labelNames], registers })
  const histogram = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Histogram<T>({ name: `haltless_${name}`, help, labelNames: [...labelNames], buckets: SECONDS, registers })

  const build = gauge('build_info', 'Version of the hub and of Node; always 1', ['version', 'node_version'])
  build.set({ version: packageJson.version, node_version: process.versions.node }, 1)
  const requests = histogram('http_request_seconds', 'Duration of HTTP requests by operation', ['method', 'path', 'status'])
  const readings = counter('readings_flushed_total', 'Readings committed, repeats included')
  const rejected = counter('readings_rejected_total', 'Readings rejected, by the code of their error', ['reason'])
  const refused = counter(
    'refusals_total',
    'Refused credentials and requests (401, 403, locked out), by the code of their error',
    ['reason'],
  )
  const flushes = histogram('flush_seconds', 'Duration of ingest flushes')
  const delivered = counter('delivery_attempts_total', 'Attempts to deliver alerts', ['channel_type', 'outcome'])
  const erpRuns = counter('erp_runs_total', 'Runs of the ERP exchange that ended in this hub', ['direction', 'entity', 'status'])
  const erpRecords = counter('erp_records_total', 'Records of the ERP exchange in this hub, by outcome', ['entity', 'status'])
  const jobRuns = counter('job_runs_total', 'Runs of background jobs that succeeded', ['name'])
  const jobFailures = counter('job_failures_total', 'Runs of background jobs that failed', ['name'])
  const jobInterval = gauge(
    'job_interval_seconds',
    'Time from the end of one turn of a background job to the start of the next',
    ['name'],
  )
  const jobSeconds = gauge('job_last_duration_seconds', 'Duration of the last run of a background job', ['name'])
  const jobLastRun = gauge('job_last_run_timestamp_seconds', 'When a background job last ended, Unix time', ['name'])

  const sealed = counter('sealed_readings_total', 'Readings that this hub moved from the tail into blocks')
  const sealingSeconds = counter('sealing_seconds_total', 'Time that this hub spent with sealing, compaction and merging')
  const sealingFailures = counter('sealing_failures_total', 'Failures of sealing, and stored readings that are damaged')
  const tailReadings = gauge('tail_readings', 'Readings of all hubs that are not in blocks yet')
  const tailOldest = gauge('tail_oldest_reading_seconds', 'Age of the oldest reading that is not in a block yet; 0 when all are')
  const behind = gauge('sealing_behind_seconds', 'For how long the longest waiting machine has been due for sealing')
  for (const unknown of [tailReadings, tailOldest, behind]) unknown.set(Number.NaN)

  const updates: (() => Promise<void> | void)[] = []
  return {
    text: shareInFlight(async () => {
      await Promise.all(updates.map((update) => update()))
      return registry.metrics()
    }, TEXT_MS),
    contentType: registry.contentType,
    beforeScrape: (update) => updates.push(update),
    observeRequest: (method, path, status, seconds) => requests.observe({ method, path, status }, seconds),
    observeFlush: (count, seconds) => {
      readings.inc(count)
      flushes.observe(seconds)
    },
    observeRejections: (reasons) => {
      for (const reason of reasons) rejected.inc({ reason })
    },
    observeRefusal: (reason) => refused.inc({ reason }),
    observeDelivery: (channel_type, outcome) => delivered.inc({ channel_type, outcome }),
    observeErpRecords: (entity, status, count) => erpRecords.inc({ entity, status }, count),
    observeErpRun: (direction, entity, status) => erpRuns.inc({ direction, entity, status }),
    listJob: (name, intervalSeconds) => {
      jobInterval.set({ name }, intervalSeconds)
      // The counter starts at 0: rate() would miss the first failure if that created the series.
      jobRuns.inc({ name }, 0)
      jobFailures.inc({ name }, 0)
    },
    observeJob: (job, seconds, isOk) => {
      jobRuns.inc({ name: job }, isOk ? 1 : 0)
      jobFailures.inc({ name: job }, isOk ? 0 : 1)
      jobSeconds.set({ name: job }, seconds)
      jobLastRun.set({ name: job }, Date.now() / 1_000)
    },
    observeSealing: (work) => {
      sealed.inc(work.sealed)
      sealingSeconds.inc(work.seconds)
      sealingFailures.inc(work.failures)
    },
    showTail: (tail) => {
      tailReadings.set(tail.readings)
      tailOldest.set(tail.oldestSeconds)
      behind.set(tail.behindSeconds)
    },
    mqttClients: gauge('mqtt_clients', 'Clients of the embedded broker'),
    liveStreams: gauge('live_streams', 'Open live streams of this process'),
    outboxDeliveries: gauge('outbox_deliveries', 'Deliveries of all hubs that wait to be sent, counted up to 10,000'),
    outboxOldestDueSeconds: gauge(
      'outbox_oldest_due_seconds',
      'How long the oldest delivery of all hubs has been due; 0 when none is',
    ),
    fullLimits: gauge(
      'tenants_near_limit',
      'Tenants that use 90 % or more of a limit (near), and those that get no more (reached), by the kind of the limit',
      ['kind', 'state'],
    ),
    erpDueRecords: gauge(
      'erp_due_records',
      'Records that active ERP connections with a toggle for them have to send, counted up to 10,000',
    ),
    erpOpenBreakers: gauge('erp_open_breakers', 'Active ERP connections whose circuit breaker is open'),
    erpPausedConnections: gauge('erp_paused_connections', 'Active ERP connections that are paused since a restore'),
    erpOldestChangeSeconds: gauge(
      'erp_oldest_change_seconds',
      'Age of the oldest change that the ERP exchange has not drained; 0 when none waits',
    ),
    walArchiveFailing: gauge('wal_archive_failing', 'Whether the last attempt to archive WAL failed; NaN without WAL_ARCHIVE'),
    walArchiveWaitingSegments: gauge('wal_archive_waiting_segments', 'Complete segments of the WAL that are not archived yet'),
    walArchivedTimestampSeconds: gauge('wal_archived_timestamp_seconds', 'When the last segment of the WAL was archived'),
    baseBackupTimestampSeconds: gauge(
      'base_backup_timestamp_seconds',
      'When the newest base backup was complete; 0: there is none',
    ),
    agentsOnline: gauge('agents_online', 'Agents of all hubs that reported within two heartbeats'),
    poolConnections: gauge('database_connections', 'Connections that a pool may open (size) and that are in use', [
      'pool',
      'state',
    ]),
    poolWaiting: gauge('database_waiting', 'Statements that wait for a connection of their pool', ['pool']),
  }
}
