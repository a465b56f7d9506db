import { dbError, isLocked } from '../../db/errors.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import { mergeColumns } from '../codec/block.ts'
import { blockBytes, decodeStored, deleteBlocks, isRefusal, refuseBlock, type StoredBlock } from './blocks.ts'
import { DAY_MS, dayOf, SEAL_LIMITS } from './limits.ts'
import { ChangedMeanwhile, type MachineKey, type Refusal, withMachineWhenFree } from './machine.ts'
import { firstKept, type Retention, tenantsWithOldData } from './old-data.ts'
import { dayKey, type Remains, remainsOf, saveRemains, storedRemains } from './statistics-rows.ts'

/** Readings that arrive after their retention has passed are kept for this long, so that an import can be checked. */
const NEW_DAYS = 7
const ROWS_AT_ONCE = 10_000
const BLOCKS_AT_ONCE = 1_000

export interface RemovalResult {
  /** readings that became statistics */
  removed: number
  refused: Refusal[]
}

interface RemovalOptions {
  /** ends the run after the transaction under way */
  signal?: AbortSignal
  /** learns how many readings have been removed */
  progress?: (removed: number) => void
  /** tenants that a run of this process has finished, each with the day and the retention; retention is in whole days, so once a day suffices */
  finished?: Map<string, string>
}

type TenantRetention = Retention & { id: string }

/**
 * Removes what each tenant no longer keeps, in whole UTC days: a day goes when all of it is older than the retention. Readings
 * leave their statistics by hour and minute, and their instants; these go after retentions of their own. Safe in several replicas.
 * Tenants without old data cost nothing.
 * @param hub applies to tenants without a rule of their own
 */
export async function removeExpired(
  allTenants: Sql,
  now: Date,
  hub: Retention,
  options: RemovalOptions = {},
): Promise<RemovalResult> {
  const { signal, finished = new Map() } = options
  const result: RemovalResult = { removed: 0, refused: [] }
  for (const tenant of await retentionOf(allTenants, hub, await tenantsWithOldData(allTenants, now, hub))) {
    if (signal?.aborted) return result
    const { id, rawDays, minuteDays, hourDays } = tenant
    const state = [dayOf(now.getTime()), rawDays, minuteDays, hourDays].join()
    if (finished.get(id) === state) continue
    const isComplete = await removeReadings(allTenants, tenant, now, result, options)
    await removeStatistics(allTenants, tenant, now)
    if (isComplete) finished.set(id, state)
  }
  await dropEmptyPartitions(allTenants, now)
  return result
}

const retentionOf = (allTenants: Sql, hub: Retention, ids: readonly string[]) => allTenants<TenantRetention[]>`
  select id, coalesce(raw_retention_days, ${hub.rawDays}) as "rawDays", coalesce(minute_retention_days, ${hub.minuteDays}) as "minuteDays",
    coalesce(hour_retention_days, ${hub.hourDays}) as "hourDays"
  from tenants
  where id = any(${ids as string[]}::uuid[])
  order by id`

interface ExpiredBlock extends StoredBlock {
  machineId: string
}

/** @returns false when blocks are left that another process has changed meanwhile, or after an abort */
async function removeReadings(
  allTenants: Sql,
  tenant: TenantRetention,
  now: Date,
  result: RemovalResult,
  { signal, progress }: RemovalOptions,
): Promise<boolean> {
  if (tenant.rawDays === 0) return true
  let isComplete = true
  let last: ExpiredBlock | undefined
  do {
    const blocks: ExpiredBlock[] = await expiredBlocks(allTenants, tenant, now, last)
    last = blocks.length === BLOCKS_AT_ONCE ? blocks.at(-1) : undefined
    for (const its of portionsByMachine(blocks)) {
      if (signal?.aborted) return false
      const machine = { tenantId: tenant.id, machineId: (its[0] as ExpiredBlock).machineId }
      const removed = await removeBlocks(allTenants, machine, its, { tenant, now, refused: result.refused })
      if (removed === null) isComplete = false
      result.removed += removed ?? 0
      progress?.(result.removed)
    }
  } while (last)
  return isComplete
}

/** The next blocks after `last`. A block that was sealed when its day had expired already stays for a week. */
const expiredBlocks = async (
  allTenants: Sql,
  { id, rawDays }: { id: string; rawDays: number },
  now: Date,
  last?: StoredBlock,
) => [
  ...(await allTenants<ExpiredBlock[]>`
    select s.machine_id as "machineId", b.series_id as "seriesId", (extract(epoch from b.t0) * 1000)::float8 as t0,
      (extract(epoch from b.t1) * 1000)::float8 as t1, b.n, false as "isOpen"
    from reading_blocks b
    join series s on s.tenant_id = b.tenant_id and s.id = b.series_id
    where b.tenant_id = ${id} and b.t0 < ${new Date(firstKept(rawDays, now))}
      and (b.series_id, b.t0) > (${last?.seriesId ?? 0}, ${new Date(last?.t0 ?? 0)}::timestamptz)
      and (b.sealed_at < date_trunc('day', b.t0, 'UTC') + make_interval(days => ${rawDays + 1})
        or b.sealed_at < ${new Date(now.getTime() - NEW_DAYS * DAY_MS)})
    order by b.series_id, b.t0
    limit ${BLOCKS_AT_ONCE}`),
]

/** Blocks of one machine each, of which one transaction decodes all. */
function portionsByMachine(blocks: readonly ExpiredBlock[]): ExpiredBlock[][] {
  const portions: ExpiredBlock[][] = []
  for (const its of Map.groupBy(blocks, ({ machineId }) => machineId).values()) {
    let readings = Number.POSITIVE_INFINITY
    for (const block of its) {
      if (readings + block.n > SEAL_LIMITS.portionReadings) {
        portions.push([])
        readings = 0
      }
      portions.at(-1)?.push(block)
      readings += block.n
    }
  }
  return portions
}

interface Removal {
  tenant: Retention
  now: Date
  refused: Refusal[]
}

/**
 * Turns blocks into statistics, in one transaction. Waits while the machine is sealed; what another process changes is left to the next run.
 * @returns the number of readings; null when another process has changed the blocks
 */
async function removeBlocks(
  allTenants: Sql,
  machine: MachineKey,
  blocks: readonly StoredBlock[],
  { tenant, now, refused }: Removal,
): Promise<number | null> {
  const [minutesFrom, hoursFrom] = [firstKept(tenant.minuteDays, now), firstKept(tenant.hourDays, now)]
  const days = new Map(blocks.map(({ seriesId, t0 }) => [dayKey({ seriesId, day: dayOf(t0) }), { seriesId, day: dayOf(t0) }]))
  await makeMinutePartitions(
    allTenants,
    [...days.values()].map(({ day }) => day).filter((day) => day >= minutesFrom),
  )
  const work = async (tx: TransactionSql) => {
    const bytes = await blockBytes(tx, machine.tenantId, blocks)
    const stored = await storedRemains(tx, machine.tenantId, [...days.values()])
    const remains: Remains[] = []
    const removed: StoredBlock[] = []
    for (const [key, its] of Map.groupBy(blocks, ({ seriesId, t0 }) => dayKey({ seriesId, day: dayOf(t0) }))) {
      const day = days.get(key) as { seriesId: number; day: number }
      let block = its[0] as StoredBlock
      try {
        const parts = []
        for (block of its) parts.push(decodeStored(block, bytes))
        remains.push(
          remainsOf(day, mergeColumns(parts), stored, { hours: day.day >= hoursFrom, minutes: day.day >= minutesFrom }),
        )
        removed.push(...its)
      } catch (error) {
        if (!isRefusal(error)) throw error
        refused.push(refuseBlock(machine, block, error))
      }
    }
    await saveRemains(tx, machine.tenantId, remains)
    await deleteBlocks(tx, machine.tenantId, removed)
    return removed.reduce((sum, { n }) => sum + n, 0)
  }
  return withMachineWhenFree(allTenants, machine, work).catch((error) => {
    if (error instanceof ChangedMeanwhile) return null
    throw error
  })
}

/** Before the transaction, because creating a partition locks the series table. */
async function makeMinutePartitions(allTenants: Sql, days: readonly number[]): Promise<void> {
  const months = new Map(days.map((day) => [new Date(day).toISOString().slice(0, 7), day]))
  for (const day of months.values()) await allTenants`select ensure_minutes_partition(${new Date(day)}::date)`
}

async function removeStatistics(allTenants: Sql, { id, minuteDays, hourDays }: TenantRetention, now: Date): Promise<void> {
  for (const [table, days] of [
    ['reading_minutes', minuteDays],
    ['reading_hours', hourDays],
  ] as const) {
    if (days === 0) continue
    const before = new Date(firstKept(days, now)).toISOString().slice(0, 10)
    for (let gone = ROWS_AT_ONCE; gone === ROWS_AT_ONCE; ) {
      const { count } = await allTenants`
        delete from ${allTenants(table)} where (tenant_id, series_id, day) in (
          select tenant_id, series_id, day from ${allTenants(table)}
          where tenant_id = ${id} and day < ${before}::date
          limit ${ROWS_AT_ONCE})`
      gone = count
    }
  }
}

/** Newer partitions stay, because readings come soon. */
const EMPTY_DAYS = 8
/** undefined_table: another replica has just dropped it */
const GONE = '42P01'

async function dropEmptyPartitions(allTenants: Sql, now: Date): Promise<void> {
  const empty = await allTenants<{ name: string }[]>`
    select p.name from store_partitions p
    where p.upper < ${new Date(now.getTime() - EMPTY_DAYS * DAY_MS)} and case p.parent
      when 'reading_blocks' then not exists (select from reading_blocks b where b.t0 >= p.lower and b.t0 < p.upper)
      else not exists (
        select from reading_minutes m
        where m.day >= (p.lower at time zone 'UTC')::date and m.day < (p.upper at time zone 'UTC')::date)
      end
    order by p.lower`
  for (const { name } of empty)
    await allTenants`select drop_empty_partition(${name})`.catch((error) => {
      if (!isLocked(error) && dbError(error)?.code !== GONE) throw error
    })
}
