import { ADVISORY_LOCKS } from '../../../db/advisory-locks.ts'
import { retryCollisions } from '../../../db/errors.ts'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import type { Logger } from '../../../support/logger.ts'
import { type StopSignal, stopSignalOf } from '../../telemetry/series/index.ts'
import { findStops, type Period, type SignalSeries } from './read-stops.ts'
import { type RecordOwner, saveStops, widenToRecords } from './save-stops.ts'

/** Maximum of machines of one query. */
const MAX_MACHINES = 200
/** Maximum of queued changes of a machine in one transaction. */
const MAX_CHANGES = 1_000
/** Changes closer than this are evaluated as one. */
const NEAR_MS = 3_600_000
/** A stopped counter is read again after a tenth of its stop, within these limits. */
const [MIN_RECHECK_MS, MAX_RECHECK_MS] = [2_000, 60_000]

/** A machine whose evaluation failed is evaluated again after this pause, so that its error is logged once a minute. */
const RETRY_MS = 60_000
/** Until when this process leaves out machines that failed, Unix ms by their ids. */
const failedUntil = new Map<string, number>()

type Store = Pick<ReadingStore, 'columns' | 'neighbours' | 'seriesOf' | 'latest'>
interface Machine {
  tenantId: string
  machineId: string
}

/**
 * Evaluates the machines with queued signal changes, and those whose stop or silence is due without a reading. A change of readings
 * from a clock ahead of the hub's stays queued until their time has come. Each machine is one transaction. Safe in several replicas at once; after a kill the next run does the rest.
 */
export async function detectDowntime(
  allTenants: Sql,
  store: Store,
  now: Date,
  { logger, isStopping }: { logger: Logger; isStopping: () => boolean },
): Promise<void> {
  for (const [machineId, until] of failedUntil) if (until <= now.getTime()) failedUntil.delete(machineId)
  const done = new Set<string>(failedUntil.keys())
  while (!isStopping()) {
    const due = (await dueMachines(allTenants, now, [...done])).filter(({ machineId }) => !done.has(machineId))
    if (due.length === 0) return
    for (const machine of due) {
      if (isStopping()) return
      done.add(machine.machineId)
      try {
        await retryCollisions(() => allTenants.begin((tx) => detectOfMachine(tx, store, machine, now.getTime())))
      } catch (error) {
        failedUntil.set(machine.machineId, now.getTime() + RETRY_MS)
        logger.error({ err: error, machine_id: machine.machineId }, 'detection of downtime failed; it is tried again in a minute')
      }
    }
  }
}

const dueMachines = (allTenants: Sql, now: Date, except: readonly string[]) => allTenants<Machine[]>`
  select tenant_id as "tenantId", machine_id as "machineId" from (
    (select tenant_id, machine_id from signal_changes
     where until_at <= ${now} and machine_id <> all (${`{${except.join()}}`}::text::uuid[]) order by id limit ${MAX_MACHINES})
    union
    (select tenant_id, machine_id from downtime_detections
     where next_check_at <= ${now} and machine_id <> all (${`{${except.join()}}`}::text::uuid[]) order by next_check_at limit ${MAX_MACHINES})) due`

interface DetectionRow {
  signal: StopSignal['kind']
  metric: string | null
  unit: string | null
  stoppedValues: string | null
  limit: number | null
  forSeconds: number
  silentAfterSeconds: number | null
  reasonCodeId: string | null
  activeSince: Date
  nextCheckAt: Date | null
}

async function detectOfMachine(tx: TransactionSql, store: Store, { tenantId, machineId }: Machine, now: number): Promise<void> {
  const [lock] = await tx<
    { ours: boolean }[]
  >`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.detection}, hashtext(${machineId})) as ours`
  if (!lock?.ours) return
  const changes = await tx<{ id: string; fromAt: Date; untilAt: Date }[]>`
    select id, from_at as "fromAt", until_at as "untilAt" from signal_changes
    where tenant_id = ${tenantId} and machine_id = ${machineId} and until_at <= ${new Date(now)} order by from_at limit ${MAX_CHANGES}`
  const [row] = await tx<DetectionRow[]>`
    select d.signal, d.metric_name as metric, d.unit, array_to_json(d.stopped_values)::text as "stoppedValues", d.limit_value as limit,
      d.for_seconds as "forSeconds", d.silent_after_seconds as "silentAfterSeconds", d.reason_code_id as "reasonCodeId",
      d.active_since as "activeSince", d.next_check_at as "nextCheckAt"
    from downtime_detections d join machines m on m.tenant_id = d.tenant_id and m.id = d.machine_id
    where d.tenant_id = ${tenantId} and d.machine_id = ${machineId} and d.is_active and m.is_active for update of d`
  if (row) await evaluate(tx, store, { tenantId, machineId, reasonCodeId: row.reasonCodeId }, row, changes, now)
  else
    tx`update downtime_detections set next_check_at = null where tenant_id = ${tenantId} and machine_id = ${machineId}`.execute()
  if (changes.length > 0)
    tx`delete from signal_changes where tenant_id = ${tenantId} and id = any(${`{${changes.map(({ id }) => id).join()}}`}::text::uuid[])`.execute()
}

async function evaluate(
  tx: TransactionSql,
  store: Store,
  owner: RecordOwner,
  row: DetectionRow,
  changes: readonly { fromAt: Date; untilAt: Date }[],
  now: number,
): Promise<void> {
  const { tenantId, machineId } = owner
  const signal = stopSignalOf({ name: row.signal, a: row.limit, b: row.silentAfterSeconds, current: row.stoppedValues })
  const of: SignalSeries = {
    tenantId,
    machineId,
    signal,
    forMs: row.forSeconds * 1_000,
    seriesIds: await seriesOfSignal(tx, store, owner, row),
    activeSince: row.activeSince.getTime(),
  }
  // the lock of the trigger that keeps figures of downtime: no record of the machine changes until the commit
  await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.downtimeFigures}, hashtext(${machineId}))`
  const periods = mergePeriods(changes.map(({ fromAt, untilAt }) => ({ from: fromAt.getTime(), until: untilAt.getTime() })))
  const isDue = row.nextCheckAt !== null && row.nextCheckAt.getTime() <= now
  let checkAt = isDue ? null : row.nextCheckAt?.getTime()
  for (const period of isDue ? [...periods, { from: now, until: now }] : periods) {
    const found = await findStops(tx, store, of, await widenToRecords(tx, owner, period, now), now)
    await saveStops(tx, owner, found, now)
    if (found.until !== null) continue
    const open = found.stops.at(-1)
    checkAt = open?.until === null && signal.kind === 'count' ? now + recheckAfter(now - open.from) : found.checkAt
  }
  tx`
    update downtime_detections set next_check_at = ${checkAt ? new Date(checkAt) : null}
    where tenant_id = ${tenantId} and machine_id = ${machineId}`.execute()
}

const recheckAfter = (stoppedMs: number) => Math.min(MAX_RECHECK_MS, Math.max(MIN_RECHECK_MS, stoppedMs / 10))

/** Of several units of its metric the one with the newest reading; for silence all series of the machine. */
async function seriesOfSignal(
  tx: TransactionSql,
  store: Store,
  { tenantId, machineId }: RecordOwner,
  { metric, unit }: DetectionRow,
): Promise<number[]> {
  const all = (await store.seriesOf(tx, tenantId, machineId)) ?? []
  if (metric === null) return all.map(({ id }) => id)
  const its = all.filter((one) => one.metric === metric && (unit === null || one.unit === unit))
  if (its.length < 2) return its.map(({ id }) => id)
  const [latest] = await store.latest(tx, tenantId, [machineId])
  const ofMetric = (latest ?? []).filter((one) => one.metric === metric)
  const newest = ofMetric.sort((a, b) => b.timestamp.getTime() - a.timestamp.getTime())[0]
  return its.filter((one) => one.unit === newest?.unit).map(({ id }) => id)
}

/** @param periods ascending by their start */
function mergePeriods(periods: readonly Period[]): Period[] {
  const merged: Period[] = []
  for (const { from, until } of periods) {
    const last = merged.at(-1)
    if (last && from - last.until < NEAR_MS) last.until = Math.max(last.until, until)
    else merged.push({ from, until })
  }
  return merged
}
