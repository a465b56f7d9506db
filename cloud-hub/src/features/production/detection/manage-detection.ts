import { and, eq, isNull } from 'drizzle-orm'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { downtimeDetections, signalChanges } from '../../../db/tables/detection.ts'
import { downtimeRecords } from '../../../db/tables/downtime.ts'
import { machines } from '../../../db/tables/machines.ts'
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

/** The settings of a machine, null before they are first set, and the ongoing automatic record. @throws NotFound */
export async function findDetection(
  scope: TenantScope,
  machineId: string,
): Promise<{ row: DetectionRow | null; recordId: string | null }> {
  const [machine, row, record] = await scope.read((db) =>
    Promise.all([
      db
        .select({ id: machines.id })
        .from(machines)
        .where(and(owned(machines, scope), eq(machines.id, machineId)))
        .then(first),
      selectDetection(db, scope, machineId),
      db
        .select({ id: downtimeRecords.id })
        .from(downtimeRecords)
        .where(
          and(
            owned(downtimeRecords, scope),
            eq(downtimeRecords.machineId, machineId),
            isNull(downtimeRecords.endedAt),
            eq(downtimeRecords.source, 'automatic'),
          ),
        )
        .then(first),
    ]),
  )
  if (!machine) throw new NotFound('machine', machineId)
  return { row: row ?? null, recordId: record?.id ?? null }
}

const selectDetection = (db: TenantDb, scope: TenantScope, machineId: string) =>
  db
    .select()
    .from(downtimeDetections)
    .where(and(owned(downtimeDetections, scope), eq(downtimeDetections.machineId, machineId)))
    .then(first)

/**
 * Sets or changes the detection of a machine. An ongoing automatic record is evaluated again by the new settings; when detection
 * is switched off, it stays for a person to end.
 * @throws NotFound for the machine or reason code, Unprocessable for settings that do not fit together
 */
export async function setDetection(scope: TenantScope, machineId: string, given: Given): Promise<void> {
  await scope.tx(async (db) => {
    const now = scope.clock.now()
    // One at a time: two requests that set detection first would both insert.
    const machine = await db
      .select({ id: machines.id })
      .from(machines)
      .where(and(owned(machines, scope), eq(machines.id, machineId)))
      .for('no key update')
      .then(first)
    if (!machine) throw new NotFound('machine', machineId)
    const before = await selectDetection(db, scope, machineId)
    const settings = mergeSettings(given, before)
    if (given.reason_code_id) await checkReasonCode(db, scope, given.reason_code_id)
    const activeSince = before?.isActive && settings.isActive ? before.activeSince : now
    const nextCheckAt = settings.isActive ? now : null
    const values = { ...settings, activeSince, nextCheckAt, updatedAt: now }
    await db
      .insert(downtimeDetections)
      .values({ ...values, tenantId: scope.tenantId, machineId, createdAt: now })
      .onConflictDoUpdate({ target: [downtimeDetections.tenantId, downtimeDetections.machineId], set: values })
    if (settings.isActive)
      await db.insert(signalChanges).values({ tenantId: scope.tenantId, machineId, fromAt: now, untilAt: now })
  })
}

/** @throws NotFound, Unprocessable for an inactive one */
async function checkReasonCode(db: TenantDb, scope: TenantScope, id: string): Promise<void> {
  const { isActive } = await loadReasonCode(db, scope, id)
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
