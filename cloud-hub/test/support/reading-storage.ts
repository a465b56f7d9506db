import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { sealKeys } from '../../src/readings/keys/seal-keys.ts'
import { openDays } from '../../src/readings/seal/blocks.ts'
import { divideArrivals, scanArrivals } from '../../src/readings/seal/divide-arrivals.ts'
import { mergeEnd } from '../../src/readings/seal/limits.ts'
import { mergeDay } from '../../src/readings/seal/merge-day.ts'
import { sealMachine } from '../../src/readings/seal/seal-machine.ts'
import { scanTail } from '../../src/readings/seal/tail-rows.ts'

/**
 * What benchmarks ask about the tables of readings, beside `stored-readings.ts`: how many readings each level holds, and what all
 * of it occupies on disk.
 */

/** Numbers of readings by level, in one snapshot. Levels are disjoint. */
export interface StoredLevels {
  /** as they were ingested, arrivals included */
  tail: number
  /** sealed, of days that are not merged */
  open: number
  /** sealed, of merged days */
  days: number
}

export async function storedLevels(owner: postgres.Sql): Promise<StoredLevels> {
  const [levels] = await owner<[StoredLevels]>`
    select (select coalesce(sum(n), 0) from (select n from reading_arrivals union all select n from reading_tail) t)::float8 as tail,
      (select coalesce(sum(n), 0) from reading_blocks_open)::float8 as open,
      (select coalesce(sum(n), 0) from reading_blocks)::float8 as days`
  return levels
}

/** How many rows of a tenant flushes have left where they inserted them. */
export async function flushedRows(owner: postgres.Sql, tenantId: string): Promise<{ arrivals: number; tail: number }> {
  const [rows] = await owner<[{ arrivals: number; tail: number }]>`
    select (select count(*)::int from reading_arrivals where tenant_id = ${tenantId}) as arrivals,
      (select count(*)::int from reading_tail where tenant_id = ${tenantId}) as tail`
  return rows
}

/** The groups of series with arrivals of a tenant. */
export async function arrivalGroups(owner: postgres.Sql, tenantId: string): Promise<number[]> {
  const rows = await owner<{ group: number }[]>`
    select distinct series_group as group from reading_arrivals where tenant_id = ${tenantId} order by 1`
  return rows.map(({ group }) => group)
}

/** How many readings are stored, by the counts that stand beside them. Fails unless it is the expected number. */
export async function assertStored(owner: postgres.Sql, expected: number): Promise<void> {
  const { tail, open, days } = await storedLevels(owner)
  const stored = tail + open + days
  if (stored !== expected) throw new Error(`${stored} readings are stored, not ${expected}`)
}

/** Waits until the hub has sealed and merged all readings. It merges days when they have been over and quiet for a while. */
export async function untilMerged(owner: postgres.Sql, limitMs: number): Promise<void> {
  for (const end = Date.now() + limitMs; ; await sleep(1_000)) {
    const { tail, open } = await storedLevels(owner)
    if (tail + open === 0) return
    if (Date.now() > end) throw new Error(`after ${limitMs / 1_000} s, ${tail} readings are not sealed and ${open} not merged`)
  }
}

/** Seals and merges all readings of finished days at once, as the hub does later, beside its own sealer. */
export async function mergeAll(owner: postgres.Sql): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const now = new Date()
    for (const group of await scanArrivals(owner)) await divideArrivals(owner, group)
    for (const machine of await scanTail(owner)) await sealMachine(owner, machine, now, { movesLate: true })
    for (const { day, ...machine } of await openDays(owner, new Date(mergeEnd(now)), now))
      await mergeDay(owner, machine, day, now)
    const { tail, open } = await storedLevels(owner)
    if (tail + open === 0) return
    // the hub's sealer has the lock of a machine
    await sleep(100)
  }
  throw new Error('readings of finished days stay unsealed')
}

/** Bytes on disk of all tables that hold readings, statistics and newest values, with indexes, free space and dead rows. */
export async function storedBytes(owner: postgres.Sql): Promise<number> {
  const [row] = await owner<[{ bytes: number }]>`
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and c.relname ~ '^(reading_arrivals|reading_tail|reading_blocks|reading_hours|reading_minutes|machine_latest|series$)'`
  return row.bytes
}

/** Stores idempotency keys that were used at an instant, without readings, as if they had arrived in requests of 1,000. */
export async function storeKeys(owner: postgres.Sql, tenantId: string, count: number, at: Date): Promise<void> {
  const day = at.toISOString().slice(0, 10)
  for (let stored = 0; stored < count; stored += 1_000_000)
    await owner`
      insert into reading_key_tail (tenant_id, day, keys)
      select ${tenantId}, ${day}, string_agg(uuid_send(gen_random_uuid()), '')
      from generate_series(1, ${Math.min(1_000_000, count - stored)}::int) i group by i / 1000`
  // a hub may be sealing, too
  const left = () => owner`
    select from reading_key_tail where day = ${day} union all
    (select from reading_key_filters where day = ${day} and tenant_id = ${tenantId} offset 1) limit 1`
  while ((await left()).length > 0) await sealKeys(owner, new Date(at.getTime() + 86_400_000))
}

/** Number and bytes on disk of the stored idempotency keys, with filters and indexes. */
export async function storedKeys(owner: postgres.Sql): Promise<{ keys: number; bytes: number }> {
  const [row] = await owner<[{ keys: number; bytes: number }]>`
    select ((select coalesce(sum(n), 0) from reading_key_filters)
        + (select coalesce(sum(octet_length(keys) / 16), 0) from reading_key_tail))::float8 as keys,
      (select sum(pg_total_relation_size(oid)) from pg_class
        where relname ~ '^reading_key_' and relkind = 'r' and relnamespace = 'public'::regnamespace)::float8 as bytes`
  return row
}
