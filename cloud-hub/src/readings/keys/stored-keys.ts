import { lockKeys } from '../../db/advisory-locks.ts'
import { byteaArray } from '../../db/binary-array.ts'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import { mayHave } from './key-filter.ts'
import { copyKey, isSameKey } from './key-set.ts'
import { bytesOf, KEY_WORDS, pageOf, wordsOf } from './key-words.ts'
import { dayOf, firstDay, TenantKeys } from './tenant-keys.ts'

/** Distinct keys of a tenant in a flush. */
export interface KeyUse {
  /** of each key, one after the other */
  words: Uint32Array
}

/** A process caches tenants up to this size: filters of 2 bytes a key, and unsealed keys of 16 to 43 bytes. */
const MAX_BYTES = 512 * 2 ** 20

/**
 * The idempotency keys of the last days. Keys of a flush are appended to `reading_key_tail`, and {@link sealKeys} moves them into
 * pages that a Bloom filter stands for. A flush reads pages only of keys that a filter does not exclude.
 */
export class StoredKeys {
  readonly #ingest: Sql
  readonly #cache = new Map<string, { tenant: Promise<TenantKeys>; bytes: number }>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(ingest: Sql, maxBytes = MAX_BYTES) {
    this.#ingest = ingest
    this.#maxBytes = maxBytes
  }

  /** Loads what the cache does not have. Before the transaction, because the filters of a busy tenant take a while. */
  async prepare(tenantIds: Iterable<string>, now: Date): Promise<TenantKeys[]> {
    const tenants: Promise<TenantKeys>[] = []
    for (const tenantId of new Set(tenantIds)) tenants.push(this.#get(tenantId, now))
    return Promise.all(tenants)
  }

  #get(tenantId: string, now: Date): Promise<TenantKeys> {
    let entry = this.#cache.get(tenantId)
    this.#cache.delete(tenantId)
    if (!entry) {
      const loading = new TenantKeys(tenantId)
      entry = { tenant: loading.load(this.#ingest, firstDay(now)).then(() => loading), bytes: 0 }
      entry.tenant.catch(() => this.#delete(tenantId))
    }
    this.#cache.set(tenantId, entry)
    return entry.tenant
  }

  /** After a failure, which may be the move to another server that has lost the last commits. */
  forget(tenantIds: Iterable<string>): void {
    for (const tenantId of tenantIds) this.#delete(tenantId)
  }

  #delete(tenantId: string): void {
    this.#bytes -= this.#cache.get(tenantId)?.bytes ?? 0
    this.#cache.delete(tenantId)
  }

  /** Deletes the tenants that were used least recently while the cache is too large. */
  #weigh({ tenantId, byteLength }: TenantKeys): void {
    const entry = this.#cache.get(tenantId)
    if (!entry) return
    this.#bytes += byteLength - entry.bytes
    entry.bytes = byteLength
    for (const oldest of this.#cache.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#cache.size === 1) return
      this.#delete(oldest)
    }
  }

  /**
   * Stores the keys of a flush that are not stored yet. The transaction holds the locks of the tenants ({@link lockKeys}).
   * @param tenants from {@link prepare}
   * @returns by tenant the indexes of the keys that were stored before
   */
  async claim(
    tx: TransactionSql,
    tenants: readonly TenantKeys[],
    uses: ReadonlyMap<string, KeyUse>,
    now: Date,
  ): Promise<Map<string, Set<number>>> {
    const used = tenants.filter(({ tenantId }) => uses.has(tenantId))
    await TenantKeys.refresh(tx, used, firstDay(now))
    const stored = new Map(used.map(({ tenantId }) => [tenantId, new Set<number>()]))
    const probes: Probe[] = []
    for (const tenant of used) {
      const { words } = uses.get(tenant.tenantId) as KeyUse
      findInMemory(tenant, words, stored.get(tenant.tenantId) as Set<number>, probes)
      this.#weigh(tenant)
    }
    await findInPages(tx, uses, stored, probes)
    insertFresh(tx, uses, stored, now)
    return stored
  }
}

/** Key `index` of a tenant may be in this page. */
interface Probe {
  tenantId: string
  index: number
  day: string
  run: number
  page: number
}

function findInMemory(tenant: TenantKeys, words: Uint32Array, stored: Set<number>, probes: Probe[]): void {
  const { tenantId } = tenant
  for (let at = 0; at < words.length; at += KEY_WORDS) if (tenant.isUnsealed(words, at)) stored.add(at / KEY_WORDS)
  for (const { day, runs, filter } of tenant.filters())
    for (let at = 0; at < words.length; at += KEY_WORDS) {
      if (!mayHave(filter, words, at)) continue
      const index = at / KEY_WORDS
      if (stored.has(index)) continue
      for (const { id: run, bits } of runs) probes.push({ tenantId, index, day, run, page: pageOf(words, at, bits) })
    }
}

async function findInPages(
  tx: TransactionSql,
  uses: ReadonlyMap<string, KeyUse>,
  stored: ReadonlyMap<string, Set<number>>,
  probes: readonly Probe[],
): Promise<void> {
  if (probes.length === 0) return
  const column = (value: (probe: Probe) => unknown) => `{${probes.map(value).join()}}`
  const found = await tx<{ probe: number; keys: Buffer }[]>`
    select k.i::int - 1 as probe, p.keys
    from unnest(${column((p) => p.tenantId)}::text::uuid[], ${column((p) => p.day)}::text::date[], ${column((p) => p.run)}::text::bigint[],
      ${column((p) => p.page)}::text::int[]) with ordinality k(tenant_id, day, run, page, i),
    lateral (select keys from reading_key_pages p
      where p.tenant_id = k.tenant_id and p.day = k.day and p.run = k.run and p.page = k.page limit 1) p`
  for (const row of found) {
    const { tenantId, index } = probes[row.probe] as Probe
    const { words } = uses.get(tenantId) as KeyUse
    if (hasKey(wordsOf(row.keys), words, index * KEY_WORDS)) stored.get(tenantId)?.add(index)
  }
}

function hasKey(page: Uint32Array, words: Uint32Array, at: number): boolean {
  for (let i = 0; i < page.length; i += KEY_WORDS) if (isSameKey(page, i, words, at)) return true
  return false
}

/** Sent, not awaited. */
function insertFresh(
  tx: TransactionSql,
  uses: ReadonlyMap<string, KeyUse>,
  stored: ReadonlyMap<string, ReadonlySet<number>>,
  now: Date,
): void {
  const rows: { tenantId: string; keys: Buffer }[] = []
  for (const [tenantId, { words }] of uses) {
    const known = stored.get(tenantId) as ReadonlySet<number>
    const fresh = new Uint32Array(words.length - known.size * KEY_WORDS)
    let to = 0
    for (let at = 0; at < words.length; at += KEY_WORDS) {
      if (known.has(at / KEY_WORDS)) continue
      copyKey(words, at, fresh, to)
      to += KEY_WORDS
    }
    if (to > 0) rows.push({ tenantId, keys: bytesOf(fresh) })
  }
  if (rows.length === 0) return
  tx`
    insert into reading_key_tail (tenant_id, day, keys)
    select t, ${dayOf(now)}::date, k from unnest(${`{${rows.map(({ tenantId }) => tenantId).join()}}`}::text::uuid[],
      ${byteaArray(
        tx,
        rows.map(({ keys }) => keys),
      )}) n(t, k)`.execute()
}
