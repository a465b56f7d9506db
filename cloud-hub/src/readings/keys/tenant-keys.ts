import type { Sql, TransactionSql } from '../../db/pools.ts'
import { KeySet } from './key-set.ts'
import { wordsOf } from './key-words.ts'

/** Keys are recognised for 7 days after their first use. They are dropped by whole UTC days, so some are recognised up to a day longer. */
const KEY_DAYS = 7

/** The UTC day of an instant, such as `2026-01-31`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** The oldest day whose keys are recognised. */
export const firstDay = (now: Date): string => dayOf(new Date(now.getTime() - KEY_DAYS * 86_400_000))

/** Keys of one UTC day that were sealed together: 2^bits pages by the first bits of the key. They never change. */
export interface KeyRun {
  id: number
  bits: number
}

/** A Bloom filter over some runs of a day. */
export interface KeyFilter {
  day: string
  runs: KeyRun[]
  filter: Uint32Array
}

interface Change {
  kind: 'tail' | 'filter'
  tenantId: string
  id: number
  day: string
  keys: Buffer | null
}

/**
 * What one process knows about the keys of a tenant: unsealed keys, and a filter for the sealed ones. It is brought up to date under
 * the tenant's lock. Identities of unsealed rows ascend in the order of commits, because the lock orders them.
 */
export class TenantKeys {
  readonly tenantId: string
  /** unsealed keys, by day */
  #tails = new Map<string, KeySet>()
  #seen = 0
  #filters = new Map<number, KeyFilter>()

  constructor(tenantId: string) {
    this.tenantId = tenantId
  }

  get byteLength(): number {
    let bytes = 0
    for (const set of this.#tails.values()) bytes += set.byteLength
    for (const { filter } of this.#filters.values()) bytes += filter.byteLength
    return bytes
  }

  filters(): Iterable<KeyFilter> {
    return this.#filters.values()
  }

  isUnsealed(words: Uint32Array, at: number): boolean {
    for (const set of this.#tails.values()) if (set.has(words, at)) return true
    return false
  }

  /** Reads what is stored now. Filters that are known stay, because they never change. */
  async load(sql: Sql | TransactionSql, oldest: string): Promise<void> {
    for (;;) {
      const changes = (await readChanges(sql, [this], true)).filter(({ day }) => day >= oldest)
      const filters = await this.#loadFilters(sql, changes)
      if (!filters) continue
      this.#filters = filters
      this.#tails = new Map()
      this.#seen = 0
      this.#addTails(changes)
      return
    }
  }

  /** @returns null when one is gone, because several became one meanwhile */
  async #loadFilters(sql: Sql | TransactionSql, changes: readonly Change[]): Promise<Map<number, KeyFilter> | null> {
    const filters = new Map<number, KeyFilter>()
    for (const { kind, id, day } of changes) {
      if (kind !== 'filter') continue
      let found = this.#filters.get(id)
      if (!found) {
        const [row] = await sql<{ runs: string[]; bits: number[]; filter: Buffer }[]>`
          select runs, bits, filter from reading_key_filters where tenant_id = ${this.tenantId} and id = ${id}`
        if (!row) return null
        const runs = row.runs.map((run, i) => ({ id: Number(run), bits: row.bits[i] as number }))
        found = { day, runs, filter: wordsOf(row.filter) }
      }
      filters.set(id, found)
    }
    return filters
  }

  #addTails(changes: readonly Change[]): void {
    for (const { kind, id, day, keys } of changes) {
      if (kind !== 'tail') continue
      let set = this.#tails.get(day)
      if (!set) {
        set = new KeySet()
        this.#tails.set(day, set)
      }
      set.addAll(wordsOf(keys as Buffer))
      this.#seen = Math.max(this.#seen, id)
    }
  }

  /** Forgets days before `oldest`, and learns what was stored since. @returns false when keys were sealed: {@link load} them again */
  #apply(changes: readonly Change[], oldest: string): boolean {
    for (const day of this.#tails.keys()) if (day < oldest) this.#tails.delete(day)
    for (const [id, { day }] of this.#filters) if (day < oldest) this.#filters.delete(id)
    const current = changes.filter(({ day }) => day >= oldest)
    const filters = current.filter(({ kind }) => kind === 'filter')
    if (filters.length !== this.#filters.size || filters.some(({ id }) => !this.#filters.has(id))) return false
    this.#addTails(current)
    return true
  }

  /** Brings tenants up to date. The transaction holds their locks. */
  static async refresh(tx: TransactionSql, tenants: readonly TenantKeys[], oldest: string): Promise<void> {
    const changes = Map.groupBy(await readChanges(tx, tenants, false), ({ tenantId }) => tenantId)
    for (const tenant of tenants) if (!tenant.#apply(changes.get(tenant.tenantId) ?? [], oldest)) await tenant.load(tx, oldest)
  }

  static seenOf = (tenant: TenantKeys): number => tenant.#seen
}

/** In one statement, so on one snapshot: unsealed keys that a tenant has not seen yet, and which filters there are. */
const readChanges = (sql: Sql | TransactionSql, tenants: readonly TenantKeys[], isAll: boolean) => sql<Change[]>`
  with known as (
    select * from unnest(${tenants.map(({ tenantId }) => tenantId)}::uuid[],
      ${tenants.map((tenant) => (isAll ? 0 : TenantKeys.seenOf(tenant)))}::bigint[]) k(tenant_id, seen))
  select 'tail' as kind, t.tenant_id as "tenantId", t.id::float8 as id, t.day::text as day, t.keys
  from known k, lateral (select t.tenant_id, t.id, t.day, t.keys from reading_key_tail t
    where t.tenant_id = k.tenant_id and t.id > k.seen) t
  union all
  select 'filter', f.tenant_id, f.id::float8, f.day::text, null
  from known k, lateral (select f.tenant_id, f.id, f.day from reading_key_filters f where f.tenant_id = k.tenant_id) f`
