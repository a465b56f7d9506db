import type { HubConfig } from './config.ts'
import { compressSegments, keptSince, missingArchiveFault, walFolder } from './db/recovery/index.ts'
import { purgeRateWindows } from './db/replicas.ts'
import { refreshStatistics } from './db/statistics.ts'
import { purgeEnrolments } from './features/agents/enrolment/index.ts'
import { advanceRollouts, failSilentUpdates, purgeRollouts } from './features/agents/updates/index.ts'
import { escalateDue } from './features/alerting/escalation/index.ts'
import { completeDurations, sweepSilentMachines } from './features/alerting/evaluation/index.ts'
import { purgeDeliveries } from './features/delivery/notifications/index.ts'
import { purgeExchange } from './features/exchange/sync/index.ts'
import { purgeMails } from './features/mails/index.ts'
import { purgeExpiredSignInData } from './features/people/accounts/index.ts'
import { purgeIdempotentRequests } from './features/people/idempotency/index.ts'
import { watchTokens } from './features/people/tokens/index.ts'
import { analyzeMachines, purgePredictions } from './features/predictions/health/index.ts'
import { detectDowntime } from './features/production/detection/index.ts'
import { recomputeOee } from './features/production/oee/index.ts'
import { runAutomaticLogs } from './features/production/shifts/index.ts'
import { queueReports } from './features/reports/index.ts'
import { purgeDeletions } from './features/stream/index.ts'
import { recomputeBaselines } from './features/telemetry/baselines/index.ts'
import { purgeDictionaries } from './features/telemetry/dictionaries/index.ts'
import { deleteFiles } from './features/work/attachments/index.ts'
import { fillRecurrences } from './features/work/maintenance/index.ts'
import { purgeReminders, purgeWorkMessages, queueReminders, sendWorkMessages } from './features/work/messages/index.ts'
import { anchorChains } from './features/work/signoffs/index.ts'
import type { Services } from './hub/services.ts'
import { purgeAnomalies, purgeKeys, sealKeys } from './readings/index.ts'
import { repeat } from './support/jobs.ts'

/** A background job. It is safe in several replicas at once, and after a kill its next run does the rest. */
interface Job {
  /** verb and object in snake_case: the label `name` of its metrics, also for the log */
  name: string
  /** from the end of one run to the start of the next */
  intervalSeconds: number | ((config: HubConfig) => number)
  /** runs in every hub; other jobs run in hubs with the worker role */
  everyRole?: true
  /** @param signal aborted when the hub stops; a long run then ends early */
  run(services: Services, now: Date, signal: AbortSignal): Promise<unknown>
}

const HOUR = 3_600

const JOBS: readonly Job[] = [
  // the first token signed with a rotated key also loads that key
  { name: 'reload_signing_keys', intervalSeconds: 5, everyRole: true, run: ({ keys }) => keys.reload() },
  // without statistics, the planner assumes that a table that has just been filled is small
  { name: 'refresh_statistics', intervalSeconds: 3, run: ({ pools }) => refreshStatistics(pools.system) },
  {
    name: 'sweep_silent_machines',
    intervalSeconds: 2,
    run: ({ pools, config }, now) => sweepSilentMachines(pools.system, now, config.machineOfflineAfterSeconds),
  },
  {
    name: 'complete_rule_durations',
    intervalSeconds: 1,
    run: ({ pools, clock, config }) => completeDurations(pools.ingest, clock, config.machineOfflineAfterSeconds),
  },
  {
    name: 'detect_downtime',
    intervalSeconds: 1,
    run: ({ pools, store, logger }, now, signal) =>
      detectDowntime(pools.system, store, now, { logger, isStopping: () => signal.aborted }),
  },
  {
    name: 'escalate_alerts',
    intervalSeconds: (config) => config.escalationTickSeconds,
    run: ({ pools }, now) => escalateDue(pools.system, now),
  },
  {
    name: 'recompute_baselines',
    intervalSeconds: (config) => config.baselineIntervalSeconds,
    run: ({ pools, store }, now, signal) => recomputeBaselines(pools.system, store, now, () => !signal.aborted),
  },
  {
    name: 'predict_failures',
    intervalSeconds: 30,
    run: ({ pools, store }, now, signal) => analyzeMachines(pools.system, store, now, () => signal.aborted),
  },
  { name: 'fail_silent_updates', intervalSeconds: 60, run: ({ pools }, now) => failSilentUpdates(pools.system, now) },
  { name: 'advance_rollouts', intervalSeconds: 60, run: ({ pools }, now) => advanceRollouts(pools.system, now) },
  { name: 'purge_rollouts', intervalSeconds: HOUR, run: ({ pools }, now) => purgeRollouts(pools.system, now) },
  { name: 'purge_predictions', intervalSeconds: HOUR, run: ({ pools }, now) => purgePredictions(pools.system, now) },
  {
    name: 'seal_idempotency_keys',
    intervalSeconds: 5,
    run: ({ pools }, now, signal) => sealKeys(pools.system, now, { isStopping: () => signal.aborted, onlyNew: true }),
  },
  { name: 'purge_idempotency_keys', intervalSeconds: HOUR, run: ({ pools }, now) => purgeKeys(pools.system, now) },
  {
    name: 'purge_idempotent_requests',
    intervalSeconds: HOUR,
    run: ({ pools }, now) => purgeIdempotentRequests(pools.system, now),
  },
  { name: 'purge_agent_dictionaries', intervalSeconds: HOUR, run: ({ pools }, now) => purgeDictionaries(pools.system, now) },
  { name: 'purge_anomalies', intervalSeconds: HOUR, run: ({ pools }, now) => purgeAnomalies(pools.system, now) },
  {
    name: 'purge_readings',
    intervalSeconds: HOUR,
    run: async ({ sealer, config }, now, signal) => sealer?.removeExpired(now, config.retention, signal),
  },
  {
    name: 'purge_deliveries',
    intervalSeconds: HOUR,
    run: ({ pools, config }, now) => purgeDeliveries(pools.system, now, config.deliveryRetentionDays),
  },
  {
    name: 'delete_attachment_files',
    intervalSeconds: 5,
    run: async ({ pools, files, logger, config }, now, signal) => {
      const since = config.walArchive ? await keptSince(config.walArchive) : null
      await deleteFiles({ allTenants: pools.system, store: files.store, logger, keptSince: since }, now, signal)
    },
  },
  {
    name: 'compress_wal_archive',
    intervalSeconds: 30,
    run: async ({ config: { walArchive } }, _now, signal) => {
      const fault = walArchive && (await missingArchiveFault(walArchive))
      if (fault) throw new Error(fault)
      if (walArchive && walArchive.restoreCommand === undefined) await compressSegments(walFolder(walArchive), signal)
    },
  },
  { name: 'purge_rate_windows', intervalSeconds: HOUR, run: ({ pools }) => purgeRateWindows(pools.system) },
  {
    name: 'queue_reports',
    intervalSeconds: 60,
    run: ({ pools, ...services }, now) => queueReports({ allTenants: pools.system, ...services }, now),
  },
  {
    name: 'send_work_messages',
    intervalSeconds: 2,
    run: ({ pools, ...services }, _now, signal) =>
      sendWorkMessages({ allTenants: pools.system, ...services }, () => signal.aborted),
  },
  {
    name: 'fill_recurrences',
    intervalSeconds: 60,
    run: ({ pools }, now, signal) => fillRecurrences(pools.system, now, () => signal.aborted),
  },
  { name: 'queue_reminders', intervalSeconds: 30, run: ({ pools }, now) => queueReminders(pools.system, now) },
  {
    name: 'purge_work_messages',
    intervalSeconds: HOUR,
    run: async ({ pools }, now) => {
      await purgeWorkMessages(pools.system, now)
      await purgeReminders(pools.system, now)
      await purgeDeletions(pools.system, now)
    },
  },
  {
    name: 'run_shift_logs',
    intervalSeconds: 5,
    run: ({ pools }, now, signal) => runAutomaticLogs(pools.system, now, () => signal.aborted),
  },
  {
    name: 'recompute_oee',
    intervalSeconds: 2,
    run: ({ pools, ...services }, now, signal) => recomputeOee(pools.system, services, now, () => signal.aborted),
  },
  { name: 'run_erp_exchange', intervalSeconds: (config) => config.erpSyncTickSeconds, run: ({ erp }, now) => erp.tick(now) },
  {
    name: 'purge_erp_logs',
    intervalSeconds: HOUR,
    run: ({ pools }, now) => purgeExchange(pools.system, now),
  },
  {
    name: 'anchor_signoff_chains',
    intervalSeconds: HOUR,
    run: ({ pools, logger }, now) => anchorChains(pools.system, logger, now),
  },
  { name: 'purge_mails', intervalSeconds: HOUR, run: ({ pools }, now) => purgeMails(pools.system, now) },
  { name: 'purge_enrolments', intervalSeconds: HOUR, run: ({ pools }, now) => purgeEnrolments(pools.system, now) },
  {
    name: 'watch_tokens',
    intervalSeconds: HOUR,
    run: ({ pools, ...services }, now) => watchTokens({ allTenants: pools.system, ...services }, now),
  },
  { name: 'purge_accounts', intervalSeconds: HOUR, run: ({ pools }, now) => purgeExpiredSignInData(pools.system, now) },
]

/** Starts the jobs of this hub's roles and registers their metrics. @returns aborts long runs and waits for all runs under way */
export function startJobs(services: Services): () => Promise<void> {
  const { clock, config, logger, metrics } = services
  const stopping = new AbortController()
  const stops = JOBS.filter(({ everyRole }) => everyRole || config.roles.has('worker')).map(({ name, intervalSeconds, run }) => {
    const seconds = typeof intervalSeconds === 'number' ? intervalSeconds : intervalSeconds(config)
    metrics.listJob(name, seconds)
    return repeat(name, seconds, logger, () => run(services, clock.now(), stopping.signal))
  })
  return async () => {
    stopping.abort()
    await Promise.all(stops.map((stop) => stop()))
  }
}
