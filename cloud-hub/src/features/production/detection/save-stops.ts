import type { TransactionSql } from '../../../db/pools.ts'
import type { Stop } from './find-stops.ts'
import type { Period, PeriodStops } from './read-stops.ts'

/** The machine of the records, and the reason that new ones get. */
export interface RecordOwner {
  tenantId: string
  machineId: string
  reasonCodeId: string | null
}

interface StoredRecord {
  id: string
  /** Unix ms */
  from: number
  /** Unix ms; null while ongoing */
  until: number | null
  isAutomatic: boolean
  /** a person changed it */
  isEdited: boolean
}

/** The records of a machine that touch a period, Unix ms; its end null for no end. */
async function recordsIn(
  tx: TransactionSql,
  { tenantId, machineId }: RecordOwner,
  { from, until }: Stop,
): Promise<StoredRecord[]> {
  const rows = await tx<(Omit<StoredRecord, 'from' | 'until'> & { startedAt: Date; endedAt: Date | null })[]>`
    select id, started_at as "startedAt", ended_at as "endedAt", source = 'automatic' as "isAutomatic", edited_at is not null as "isEdited"
    from downtime_records
    where tenant_id = ${tenantId} and machine_id = ${machineId} and (ended_at is null or ended_at >= ${new Date(from)})
      and started_at <= ${until === null ? 'infinity' : new Date(until).toISOString()}::text::timestamptz
    order by started_at, id`
  return rows.map(({ startedAt, endedAt, ...row }) => ({ ...row, from: startedAt.getTime(), until: endedAt?.getTime() ?? null }))
}

/** The period, widened to the records that late readings in it may change. */
export async function widenToRecords(tx: TransactionSql, owner: RecordOwner, period: Period, now: number): Promise<Period> {
  const records = (await recordsIn(tx, owner, period)).filter((one) => one.isAutomatic && (!one.isEdited || one.until === null))
  return {
    from: Math.min(period.from, ...records.map(({ from }) => from)),
    until: Math.max(period.until, ...records.map(({ until }) => until ?? now)),
  }
}

const endOf = ({ until }: Stop) => until ?? Number.POSITIVE_INFINITY
const overlap = (a: Stop, b: Stop) => Math.min(endOf(a), endOf(b)) - Math.max(a.from, b.from)

/** The records to change so that they show these stops. */
export interface RecordChanges {
  opened: Stop[]
  moved: { id: string; stop: Stop }[]
  removed: string[]
}

/**
 * Compares stops with the records of their period. Records that a person made or changed stay, and a stop that they record gets no
 * other; only an ongoing automatic record ends with its stop, also a classified one. All other automatic records of the period
 * follow the stops, also beside those of people, except that a machine has one ongoing record.
 */
export function compareStops({ stops, from, until }: PeriodStops, records: readonly StoredRecord[], now: number): RecordChanges {
  const changes: RecordChanges = { opened: [], moved: [], removed: [] }
  const inside = records.filter((record) => overlap(record, { from, until }) > 0)
  const own = new Set(inside.filter(({ isAutomatic, isEdited }) => isAutomatic && !isEdited))
  const kept = inside.filter((record) => !own.has(record))
  for (const stop of stops) {
    const [best] = [...own].filter((record) => overlap(record, stop) > 0).sort((a, b) => overlap(b, stop) - overlap(a, stop))
    if (!best) {
      if (!isRecorded(stop, kept)) changes.opened.push(stop)
      continue
    }
    own.delete(best)
    if (stop.until === null && kept.some((record) => record.until === null)) continue
    if (best.from !== stop.from || best.until !== stop.until) changes.moved.push({ id: best.id, stop })
  }
  changes.removed.push(...[...own].map(({ id }) => id))
  for (const { id, from: startedAt, until: endedAt, isAutomatic } of kept) {
    if (!isAutomatic || endedAt !== null) continue
    const last = stops.filter((stop) => overlap({ from: startedAt, until: null }, stop) > 0).at(-1)
    if (last?.until === null) continue
    changes.moved.push({ id, stop: { from: startedAt, until: last ? (last.until as number) : now } })
  }
  return changes
}

/**
 * Whether records that people made or changed record a stop: an ongoing one, an automatic one that a person changed, or others that
 * cover at least half of it. People round times, so less would record a stop twice; a short entry must not hide a long stop.
 */
function isRecorded(stop: Stop, kept: readonly StoredRecord[]): boolean {
  const touching = kept.filter((record) => overlap(record, stop) > 0)
  if (touching.some(({ until, isAutomatic }) => until === null || isAutomatic)) return true
  const covered = touching.reduce((sum, record) => sum + overlap(record, stop), 0)
  return stop.until !== null && 2 * covered >= stop.until - stop.from
}

/** Opens, moves, ends and removes automatic records, so that they show the stops of a period. Its last statements are not awaited. */
export async function saveStops(tx: TransactionSql, owner: RecordOwner, found: PeriodStops, now: number): Promise<void> {
  const { opened, moved, removed } = compareStops(found, await recordsIn(tx, owner, found), now)
  const { tenantId, machineId, reasonCodeId } = owner
  const at = new Date(now)
  const instants = (values: readonly (number | null)[]) =>
    `{${values.map((ms) => (ms === null ? 'null' : `"${new Date(ms).toISOString()}"`)).join()}}`
  // before others begin, because a machine has one ongoing record
  if (removed.length > 0)
    tx`delete from downtime_records where tenant_id = ${tenantId} and id = any(${`{${removed.join()}}`}::text::uuid[])`.execute()
  if (moved.length > 0)
    tx`
      update downtime_records r set started_at = n.started, ended_at = n.ended, updated_at = ${at}
      from unnest(${`{${moved.map(({ id }) => id).join()}}`}::text::uuid[], ${instants(moved.map(({ stop }) => stop.from))}::text::timestamptz[],
        ${instants(moved.map(({ stop }) => stop.until))}::text::timestamptz[]) n(id, started, ended)
      where r.tenant_id = ${tenantId} and r.id = n.id`.execute()
  if (opened.length > 0)
    tx`
      insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type, reason_code_id, source, created_at, updated_at)
      select ${tenantId}, ${machineId}, n.started, n.ended, coalesce(c.category, 'unplanned'), c.id, 'automatic', ${at}, ${at}
      from unnest(${instants(opened.map(({ from }) => from))}::text::timestamptz[],
        ${instants(opened.map(({ until }) => until))}::text::timestamptz[]) n(started, ended)
      left join reason_codes c on c.tenant_id = ${tenantId} and c.id = ${reasonCodeId} and c.is_active
      on conflict do nothing`.execute()
}
