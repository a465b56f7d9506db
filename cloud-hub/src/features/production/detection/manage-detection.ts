import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { downtimeDetections } from '../../../db/tables/detection.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { loadReasonCode } from '../reason-codes/index.ts'
import type { DetectionPut } from './schemas.ts'

export type DetectionRow = typeof downtimeDetections.$inferSelect
type Given = z.output<typeof DetectionPut>
type Settings = Pick<
  DetectionRow,
  | 'isActive'
  | 'signal'
  | 'metricName'
  | 'unit'
  | 'stoppedValues'
  | 'limitValue'
  | 'forSeconds'
  | 'silentAfterSeconds'
  | 'reasonCodeId'
>

const COLUMNS = columns.downtimeDetections

/** The settings of a machine, null before they are first set, and the ongoing automatic record. @throws NotFound */
export async function findDetection(
  scope: TenantScope,
  machineId: string,
): Promise<{ row: DetectionRow | null; recordId: string | null }> {
  const { tenantId } = scope
  const [[machine], row, [record]] = await scope.read((sql) =>
    Promise.all([
      sql`select id from machines where tenant_id = ${tenantId} and id = ${machineId}`,
      selectDetection(sql, scope, machineId),
      sql<{ id: string }[]>`
        select id from downtime_records
        where tenant_id = ${tenantId} and machine_id = ${machineId} and ended_at is null and source = 'automatic'`,
    ]),
  )
  if (!machine) throw new NotFound('machine', machineId)
  return { row: row ?? null, recordId: record?.id ?? null }
}

const selectDetection = (sql: TransactionSql, scope: TenantScope, machineId: string): Promise<DetectionRow | undefined> =>
  sql<DetectionRow[]>`
    select ${sql.unsafe(COLUMNS)} from downtime_detections where tenant_id = ${scope.tenantId} and machine_id = ${machineId}`.then(
    ([row]) => row,
  )

/** Locks the settings of a machine, also before they are first set, until the end of the transaction. */
export const lockDetection = (sql: TransactionSql, { tenantId }: TenantScope, { machine_id }: { machine_id: string }) =>
  sql`select id from machines where tenant_id = ${tenantId} and id = ${machine_id} for no key update`

/**
 * Sets or changes the detection of a machine. An ongoing automatic record is evaluated again by the new settings; when detection
 * is switched off, it stays for a person to end.
 * @throws NotFound for the machine or reason code, Unprocessable for settings that do not fit together
 */
export async function setDetection(scope: TenantScope, machineId: string, given: Given): Promise<void> {
  await scope.tx(async (sql) => {
    const { tenantId } = scope
    const now = scope.clock.now()
    // One at a time: two requests that set detection first would both insert.
    const [machine] = await lockDetection(sql, scope, { machine_id: machineId })
    if (!machine) throw new NotFound('machine', machineId)
    const before = await selectDetection(sql, scope, machineId)
    const settings = mergeSettings(given, before)
    if (given.reason_code_id) await checkReasonCode(sql, scope, given.reason_code_id)
    const activeSince = before?.isActive && settings.isActive ? before.activeSince : now
    await sql`
      insert into downtime_detections (tenant_id, machine_id, is_active, signal, metric_name, unit, stopped_values, limit_value, for_seconds,
        silent_after_seconds, reason_code_id, active_since, next_check_at, created_at, updated_at)
      values (${tenantId}, ${machineId}, ${settings.isActive}, ${settings.signal}, ${settings.metricName}, ${settings.unit},
        ${settings.stoppedValues && `{${settings.stoppedValues.join()}}`}::text::float8[], ${settings.limitValue}, ${settings.forSeconds},
        ${settings.silentAfterSeconds}, ${settings.reasonCodeId}, ${activeSince}, ${settings.isActive ? now : null}, ${now}, ${now})
      on conflict (tenant_id, machine_id) do update set is_active = excluded.is_active, signal = excluded.signal,
        metric_name = excluded.metric_name, unit = excluded.unit, stopped_values = excluded.stopped_values, limit_value = excluded.limit_value,
        for_seconds = excluded.for_seconds, silent_after_seconds = excluded.silent_after_seconds, reason_code_id = excluded.reason_code_id,
        active_since = excluded.active_since, next_check_at = excluded.next_check_at, updated_at = excluded.updated_at`
    if (settings.isActive)
      await sql`
        insert into signal_changes (tenant_id, machine_id, from_at, until_at) values (${tenantId}, ${machineId}, ${now}, ${now})`
  })
}

/** @throws NotFound, Unprocessable for an inactive one */
async function checkReasonCode(sql: TransactionSql, scope: TenantScope, id: string): Promise<void> {
  const { isActive } = await loadReasonCode(sql, scope, id)
  if (!isActive)
    throw new Unprocessable([
      fieldError('body.reason_code_id', 'inactive_reason_code', {}, 'is an inactive reason code; choose an active one'),
    ])
}

const REQUIRED = {
  state: ['metric_name', 'stopped_values'],
  level: ['metric_name', 'limit'],
  count: ['metric_name', 'limit'],
  silence: ['silent_after_seconds'],
} as const

/** The given settings over the stored ones. Fields that the signal does not use become null. @throws Unprocessable */
function mergeSettings(given: Given, before: DetectionRow | undefined): Settings {
  const signal = given.signal ?? before?.signal
  if (!signal) throw new Unprocessable([fieldError('body.signal', 'required', {}, 'is required when detection is first set')])
  const pick = <T>(value: T | undefined, known: T | undefined) => (value === undefined ? (known ?? null) : value)
  const merged = {
    metric_name: signal === 'silence' ? null : pick(given.metric_name, before?.metricName),
    unit: signal === 'silence' ? null : pick(given.unit, before?.unit),
    stopped_values: signal === 'state' ? pick(given.stopped_values, before?.stoppedValues) : null,
    limit: signal === 'level' || signal === 'count' ? pick(given.limit, before?.limitValue) : null,
    silent_after_seconds: pick(given.silent_after_seconds, before?.silentAfterSeconds),
  }
  const errors = REQUIRED[signal]
    .filter((name) => merged[name as keyof typeof merged] === null)
    .map((name) => fieldError(`body.${name}`, 'required', {}, `is required for the signal ${signal}`))
  if (signal === 'count' && merged.limit !== null && merged.limit <= 0)
    errors.push(fieldError('body.limit', 'more_than', { limit: 0 }, 'must be above 0 for the signal count'))
  const forSeconds =
    given.for_seconds ?? (given.signal && given.signal !== before?.signal ? defaultSeconds(signal) : before?.forSeconds) ?? 0
  if (signal === 'count' && forSeconds === 0)
    errors.push(fieldError('body.for_seconds', 'more_than', { limit: 0 }, 'must be above 0 for the signal count'))
  if (errors.length > 0) throw new Unprocessable(errors)
  return {
    isActive: given.is_active ?? before?.isActive ?? true,
    signal,
    metricName: merged.metric_name,
    unit: merged.unit,
    stoppedValues: merged.stopped_values,
    limitValue: merged.limit,
    forSeconds,
    silentAfterSeconds: merged.silent_after_seconds,
    reasonCodeId: pick(given.reason_code_id, before?.reasonCodeId),
  }
}

const defaultSeconds = (signal: DetectionRow['signal']) => (signal === 'level' || signal === 'count' ? 60 : 0)
