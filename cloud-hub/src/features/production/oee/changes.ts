import type { TransactionSql } from '../../../db/pools.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import { counterSeries } from './counters.ts'

interface Change {
  tenantId: string
  reasonCodeId: string | null
  machineId: string | null
  fromAt: Date | null
  untilAt: Date | null
}

/** Queues the completed logs that changed reason codes and counter readings concern. */
export async function expandChanges(tx: TransactionSql, store: ReadingStore, changes: readonly Change[]): Promise<void> {
  for (const { tenantId, reasonCodeId, machineId, fromAt, untilAt } of changes)
    if (reasonCodeId) await queueLogsOfCode(tx, tenantId, reasonCodeId)
    else if (machineId && fromAt && untilAt) await queueLogsOfReadings(tx, store, { tenantId, machineId, fromAt, untilAt })
}

const queueLogsOfCode = (tx: TransactionSql, tenantId: string, reasonCodeId: string) => tx`
  insert into oee_changes (tenant_id, shift_log_id)
  select distinct l.tenant_id, l.id from downtime_records d
  join shift_logs l on l.tenant_id = d.tenant_id and l.machine_id = d.machine_id and l.status = 'completed'
    and l.actual_end > d.started_at and l.actual_start < coalesce(d.ended_at, 'infinity')
  where d.tenant_id = ${tenantId} and d.reason_code_id = ${reasonCodeId}`

/**
 * Readings change the counts of the logs that they fall into, and of those around: they show whether the reading before was a dip,
 * the increase of the next one is counted from them, and the one after it may show that the next one is a dip. An ideal cycle holds
 * until the next one.
 */
async function queueLogsOfReadings(
  tx: TransactionSql,
  store: ReadingStore,
  { tenantId, machineId, fromAt, untilAt }: { tenantId: string; machineId: string; fromAt: Date; untilAt: Date },
): Promise<void> {
  const series = (await counterSeries(tx, tenantId, [machineId])).get(machineId) ?? []
  const around = (at: number, before: number, after: number) =>
    store.neighbours(
      tx,
      series.map(({ id }) => ({ series: { tenantId, id }, at, before, after })),
    )
  const previous = (await around(fromAt.getTime() - 1, 1, 0)).flatMap(({ times }) => [...times])
  const next = await around(untilAt.getTime(), 0, 2)
  const first = Math.min(fromAt.getTime(), ...previous)
  const last =
    next.length > 0 && next.every(({ length }) => length > 0) ? Math.max(...next.flatMap(({ times }) => [...times])) : null
  await tx`
    insert into oee_changes (tenant_id, shift_log_id, has_new_counts)
    select tenant_id, id, true from shift_logs
    where tenant_id = ${tenantId} and machine_id = ${machineId} and status = 'completed' and actual_end > ${new Date(first)}
      and actual_start <= ${last === null ? 'infinity' : new Date(last).toISOString()}::text::timestamptz`
}
