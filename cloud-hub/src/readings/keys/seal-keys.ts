import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { PendingQuery, Row } from 'postgres'
import { lockKeySealing } from '../../db/advisory-locks.ts'
import { byteaArray } from '../../db/binary-array.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import { addToFilter, newFilter } from './key-filter.ts'
import { copyKey } from './key-set.ts'
import { bytesOf, KEY_BYTES, KEY_WORDS, pageOf, wordsOf } from './key-words.ts'
import { dayOf } from './tenant-keys.ts'

/** Unsealed keys of a tenant and day that become a run, also before the day is over. */
const RUN_KEYS = 2 ** 20
/** A page has 36 to 72 keys on average, so that almost every row stays below the size at which PostgreSQL stores it elsewhere. */
const PAGE_KEYS = 72
/** So many filters of single runs become one: a flush tests its keys with each filter. */
const MAX_RUN_FILTERS = 8
/** Rows of fewer keys become one row when there are so many of them. */
const SMALL_ROW = { keys: 256, rows: 256 }
/** Pages in one statement. */
const PAGES_AT_ONCE = 1_024
/** Keys between two pauses in which the process answers requests. */
const KEYS_AT_ONCE = 2 ** 15

interface TenantDay {
  tenantId: string
  day: string
}

interface Search {
  today: string
  runKeys: number
  /** null: all */
  tenants: readonly string[] | null
}

interface SealOptions {
  runKeys?: number
  isStopping?: () => boolean
  /** examines all tenants once a day, and otherwise those that may have got many keys since the last run of this process */
  onlyNew?: boolean
}

/**
 * Moves unsealed keys into pages when there are many, or when their day is over. One replica at a time. It needs no lock of a flush:
 * pages and filters never change, and a flush reads filters and unsealed keys on one snapshot.
 */
export async function sealKeys(
  allTenants: Sql,
  now: Date,
  { runKeys = RUN_KEYS, isStopping = () => false, onlyNew = false }: SealOptions = {},
): Promise<void> {
  const seal = (tenants: Search['tenants']) => sealOf(allTenants, { today: dayOf(now), runKeys, tenants }, isStopping)
  if (onlyNew) await sealNew(allTenants, dayOf(now), seal)
  else await seal(null)
}

/** @returns false when another replica seals, or the hub stops */
async function sealOf(allTenants: Sql, search: Search, isStopping: () => boolean): Promise<boolean> {
  for (const step of [joinSmallRows, sealRun, mergeFilters])
    for (let isDone = false; !isDone; ) {
      if (isStopping()) return false
      const found = await allTenants.begin(async (tx) => ((await lockKeySealing(tx)) ? step(tx, search) : null))
      if (found === null) return false
      isDone = !found
    }
  return true
}

/** Marked rows that one run examines. */
const MARKS_AT_ONCE = 200
/** What a process has examined, by its pool: the day on which it examined all tenants, and the newest marked row since then. */
const examinedBy = new WeakMap<Sql, { day: string; mark: string }>()

/** An index marks every 32nd row, so what other tenants have stored is not read. */
async function sealNew(allTenants: Sql, day: string, seal: (tenants: Search['tenants']) => Promise<boolean>): Promise<void> {
  const known = examinedBy.get(allTenants)
  if (known?.day !== day) {
    const [newest] = await allTenants<{ id: string }[]>`
      select id from reading_key_tail where id % 32 = 0 order by id desc limit 1`
    for (let after: string | undefined = NO_TENANT; after !== undefined; ) {
      const tenants: string[] = await nextTenants(allTenants, after)
      if (tenants.length > 0 && !(await seal(tenants))) return
      after = tenants.at(-1)
    }
    examinedBy.set(allTenants, { day, mark: newest?.id ?? known?.mark ?? '0' })
    return
  }
  const marks = await allTenants<{ id: string | null; tenantId: string }[]>`
    (select id, tenant_id as "tenantId" from reading_key_tail where id % 32 = 0 and id > ${known.mark} order by id limit ${MARKS_AT_ONCE})
    union all
    (select null, tenant_id from reading_key_tail where day < ${day} order by day limit ${MARKS_AT_ONCE})`
  if (marks.length === 0) return
  const tenants = [...new Set(marks.map(({ tenantId }) => tenantId))]
  if (await seal(tenants)) known.mark = marks.findLast(({ id }) => id !== null)?.id ?? known.mark
}

const NO_TENANT = '00000000-0000-0000-0000-000000000000'
/** Tenants that one statement examines. */
const TENANTS_AT_ONCE = 200

/** The next tenants with keys after one, by two probes of an index for each. */
const nextTenants = async (allTenants: Sql, after: string): Promise<string[]> => {
  const next = (last: PendingQuery<Row[]>) => allTenants`least(
    (select t.tenant_id from reading_key_tail t where t.tenant_id > ${last} order by t.tenant_id limit 1),
    (select f.tenant_id from reading_key_filters f where f.tenant_id > ${last} order by f.tenant_id limit 1))`
  const rows = await allTenants<{ id: string }[]>`
    with recursive found as (
      select ${next(allTenants`${after}::uuid`)} as tenant_id, 1 as n
      union all
      select ${next(allTenants`found.tenant_id`)}, n + 1 from found where tenant_id is not null and n < ${TENANTS_AT_ONCE})
    select tenant_id as id from found where tenant_id is not null order by 1`
  return rows.map(({ id }) => id)
}

const isSearched = (tx: TransactionSql, { tenants }: Search) =>
  tenants ? tx`tenant_id = any(${tenants as string[]}::uuid[])` : tx`true`

/** @returns whether there was something to do */
async function joinSmallRows(allTenants: TransactionSql, search: Search): Promise<boolean> {
  const [small] = await allTenants<TenantDay[]>`
    select tenant_id as "tenantId", day::text as day from reading_key_tail
    where ${isSearched(allTenants, search)} and octet_length(keys) < ${SMALL_ROW.keys * KEY_BYTES}
    group by tenant_id, day having count(*) >= ${SMALL_ROW.rows} limit 1`
  if (!small) return false
  await allTenants`
    with small as (
      delete from reading_key_tail
      where tenant_id = ${small.tenantId} and day = ${small.day} and octet_length(keys) < ${SMALL_ROW.keys * KEY_BYTES} returning keys)
    insert into reading_key_tail (tenant_id, day, keys) select ${small.tenantId}, ${small.day}, string_agg(keys, '') from small`
  return true
}

async function sealRun(allTenants: TransactionSql, search: Search): Promise<boolean> {
  const { today, runKeys } = search
  const [full] = await allTenants<TenantDay[]>`
    select tenant_id as "tenantId", day::text as day from reading_key_tail where ${isSearched(allTenants, search)}
    group by tenant_id, day having day < ${today} or sum(octet_length(keys)) >= ${runKeys * KEY_BYTES} limit 1`
  if (!full) return false
  const { tenantId, day } = full
  const rows = await allTenants<{ keys: Buffer }[]>`
    delete from reading_key_tail where tenant_id = ${tenantId} and id = any(array(
      select id from (
        select id, sum(octet_length(keys)) over (order by id) - octet_length(keys) as before
        from reading_key_tail where tenant_id = ${tenantId} and day = ${day}) r
      where before < ${runKeys * KEY_BYTES}))
    returning keys`
  const words = wordsOf(Buffer.concat(rows.map(({ keys }) => keys)))
  const count = words.length / KEY_WORDS
  const bits = Math.max(0, Math.ceil(Math.log2(count / PAGE_KEYS)))
  const filter = newFilter(count)
  await eachKey(words, (at) => addToFilter(filter, words, at))
  await allTenants`select ensure_key_partition(${day})`
  const run = await insertFilter(allTenants, full, { runs: [], bits: [bits], n: count, filter })
  const ends = await sortByPage(words, bits)
  for (let page = 0; page < ends.length; page += PAGES_AT_ONCE) await insertPages(allTenants, full, run, words, ends, page)
  return true
}

/** @param row `runs` is empty for a new run, which has the id of its filter. @returns the id */
async function insertFilter(
  tx: TransactionSql,
  { tenantId, day }: TenantDay,
  { runs, bits, n, filter }: { runs: string[]; bits: number[]; n: number; filter: Uint32Array },
): Promise<string> {
  const [row] = await tx<[{ id: string }]>`
    insert into reading_key_filters (tenant_id, id, day, runs, bits, n, filter)
    select ${tenantId}, id, ${day}, coalesce(nullif(${runs}::bigint[], '{}'), array[id]), ${bits}::smallint[], ${n}, ${bytesOf(filter)}
    from nextval('reading_key_filters_id_seq') id returning id`
  return row.id
}

async function eachKey(words: Uint32Array, visit: (at: number) => void): Promise<void> {
  for (let from = 0; from < words.length; from += KEYS_AT_ONCE * KEY_WORDS) {
    if (from > 0) await yieldToEvents()
    const to = Math.min(words.length, from + KEYS_AT_ONCE * KEY_WORDS)
    for (let at = from; at < to; at += KEY_WORDS) visit(at)
  }
}

/** Sorts keys by page, in place. @returns for each page the end of its keys, as an index of `words` */
async function sortByPage(words: Uint32Array, bits: number): Promise<Uint32Array> {
  const ends = new Uint32Array(2 ** bits)
  await eachKey(words, (at) => {
    const page = pageOf(words, at, bits)
    ends[page] = (ends[page] as number) + KEY_WORDS
  })
  for (let page = 1; page < ends.length; page++) ends[page] = (ends[page] as number) + (ends[page - 1] as number)
  const next = ends.slice()
  const unsorted = words.slice()
  await eachKey(unsorted, (at) => {
    const page = pageOf(unsorted, at, bits)
    next[page] = (next[page] as number) - KEY_WORDS
    copyKey(unsorted, at, words, next[page] as number)
  })
  return ends
}

async function insertPages(
  tx: TransactionSql,
  { tenantId, day }: TenantDay,
  run: string,
  words: Uint32Array,
  ends: Uint32Array,
  first: number,
): Promise<void> {
  const pages: number[] = []
  const keys: Buffer[] = []
  for (let page = first; page < Math.min(ends.length, first + PAGES_AT_ONCE); page++) {
    const from = page === 0 ? 0 : (ends[page - 1] as number)
    if (from === ends[page]) continue
    pages.push(page)
    keys.push(bytesOf(words.subarray(from, ends[page])))
  }
  await tx`
    insert into reading_key_pages (tenant_id, day, run, page, keys)
    select ${tenantId}, ${day}, ${run}, p, k from unnest(${pages}::int[], ${byteaArray(tx, keys)}) n(p, k)`
}

/** Replaces filters of a day by one for all their runs: those of single runs when there are many, and all when the day is over. */
async function mergeFilters(allTenants: TransactionSql, search: Search): Promise<boolean> {
  const { today } = search
  const [group] = await allTenants<(TenantDay & { ids: string[]; runs: string[]; bits: number[]; n: number })[]>`
    select f.tenant_id as "tenantId", f.day::text as day, array_agg(distinct f.id) as ids, array_agg(r.run order by r.run) as runs,
      array_agg(r.bits order by r.run) as bits, (select sum(n)::float8 from reading_key_filters o where o.id = any(array_agg(distinct f.id))) as n
    from reading_key_filters f, unnest(f.runs, f.bits) r(run, bits)
    where ${isSearched(allTenants, search)} and (f.day < ${today} or cardinality(f.runs) = 1)
    group by f.tenant_id, f.day
    having count(distinct f.id) >= case when f.day < ${today} then 2 else ${MAX_RUN_FILTERS} end limit 1`
  if (!group) return false
  const { tenantId, day, ids, runs, bits, n } = group
  const filter = newFilter(n)
  for (const [i, run] of runs.entries())
    for (let page = 0; page < 2 ** (bits[i] as number); page += PAGES_AT_ONCE) {
      const pages = await allTenants<{ keys: Buffer }[]>`
        select keys from reading_key_pages
        where tenant_id = ${tenantId} and day = ${day} and run = ${run} and page >= ${page} and page < ${page + PAGES_AT_ONCE}`
      const words = wordsOf(Buffer.concat(pages.map(({ keys }) => keys)))
      await eachKey(words, (at) => addToFilter(filter, words, at))
    }
  await allTenants`delete from reading_key_filters where tenant_id = ${tenantId} and id = any(${ids}::bigint[])`
  await insertFilter(allTenants, group, { runs, bits, n, filter })
  return true
}
