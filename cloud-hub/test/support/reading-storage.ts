import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'

/**
 * What benchmarks ask about the tables of readings, beside `stored-readings.ts`: how many readings each level holds, and what all
 * of it occupies on disk.
 */

/** Numbers of readings by level, in one snapshot. Levels are disjoint. */
export interface StoredLevels {
  /** as they were ingested */
  tail: number
  /** sealed, of days that are not merged */
  open: number
  /** sealed, of merged days */
  days: number
}

export async function storedLevels(owner: postgres.Sql): Promise<StoredLevels> {
  const [levels] = await owner<[StoredLevels]>`
    select (select coalesce(sum(n), 0) from reading_tail)::float8 as tail,
      (select coalesce(sum(n), 0) from reading_blocks_open)::float8 as open,
      (select coalesce(sum(n), 0) from reading_blocks)::float8 as days`
  return levels
}

/** How many readings are stored, by the counts that stand beside them. Fails unless it is the expected number. */
export async function assertStored(owner: postgres.Sql, expected: number): Promise<void> {
  const { tail, open, days } = await storedLevels(owner)
  const stored = tail + open + days
  if (stored !== expected) throw new Error(`${stored} readings are stored, not ${expected}`)
}

/** Waits until all readings of finished days are sealed and merged. Without readings of today and yesterday that is all of them. */
export async function untilMerged(owner: postgres.Sql, limitMs: number, isStopped = () => false): Promise<void> {
  for (const end = Date.now() + limitMs; !isStopped(); await sleep(500)) {
    const { tail, open } = await storedLevels(owner)
    if (tail + open === 0) return
    if (Date.now() > end) throw new Error(`after ${limitMs / 1_000} s, ${tail} readings are not sealed and ${open} not merged`)
  }
}

/** Bytes on disk of all tables that hold readings, statistics and newest values, with indexes, free space and dead rows. */
export async function storedBytes(owner: postgres.Sql): Promise<number> {
  const [row] = await owner<[{ bytes: number }]>`
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and c.relname ~ '^(reading_tail|reading_blocks|reading_hours|reading_minutes|machine_latest|series$)'`
  return row.bytes
}

/** Stores idempotency keys that were used at an instant, without readings. */
export async function storeKeys(owner: postgres.Sql, tenantId: string, count: number, at: Date): Promise<void> {
  for (let stored = 0; stored < count; stored += 1_000_000)
    await owner`
      insert into reading_keys (tenant_id, key, seen_at)
      select ${tenantId}, gen_random_uuid(), ${at} from generate_series(1, ${Math.min(1_000_000, count - stored)}::int)`
}

/** Number and bytes on disk of the stored idempotency keys. */
export async function storedKeys(owner: postgres.Sql): Promise<{ keys: number; bytes: number }> {
  const [row] = await owner<[{ keys: number; bytes: number }]>`
    select (select count(*) from reading_keys)::float8 as keys, pg_total_relation_size('reading_keys')::float8 as bytes`
  return row
}
