import type { TransactionSql } from '../../../db/pools.ts'
import { KEY_WORDS, type KeyUse, type StoredKeys, type TenantKeys, writeKey } from '../../../readings/index.ts'
import type { LoadedContext } from '../series/index.ts'
import type { IngestRequest } from './request.ts'

/** The first use of a key in a flush: the request and the index of the reading. */
interface FirstUse {
  r: number
  i: number
}

/** Indexes of readings by request. */
type Repeats = (Set<number> | undefined)[]

/** Whether readings of the request have idempotency keys. */
export const hasKeys = ({ submission }: IngestRequest): boolean => submission.keys !== null

/**
 * Stores the idempotency keys of a flush for 7 days. Keys of readings that are rejected are not stored. The transaction holds the locks of
 * the tenants' keys.
 * @returns for each request the indexes of readings that repeat a key; they count as accepted and are not stored again
 */
export async function storeIdempotencyKeys(
  tx: TransactionSql,
  { stored, tenants }: { stored: StoredKeys; tenants: readonly TenantKeys[] },
  requests: readonly IngestRequest[],
  slots: readonly (readonly number[])[],
  { series }: LoadedContext,
  now: Date,
): Promise<Repeats> {
  const repeats: Repeats = []
  const repeat = (r: number, i: number) => {
    repeats[r] ??= new Set()
    repeats[r].add(i)
  }
  const isKnown = (r: number, s: number) => series[slots[r]?.[s] as number] != null
  const uses = new Map<string, KeyUse>()
  const firstUses = new Map<string, FirstUse[]>()
  for (const [tenantId, its] of Map.groupBy(requests.keys(), (r) => (requests[r] as IngestRequest).tenantId)) {
    const { use, first } = distinctKeys(requests, its, isKnown, repeat)
    if (first.length === 0) continue
    uses.set(tenantId, use)
    firstUses.set(tenantId, first)
  }
  if (uses.size === 0) return repeats
  for (const [tenantId, known] of await stored.claim(tx, tenants, uses, now))
    for (const index of known) {
      const { r, i } = (firstUses.get(tenantId) as FirstUse[])[index] as FirstUse
      repeat(r, i)
    }
  return repeats
}

/** The distinct keys of the requests of a tenant; the other readings with these keys are repeats. */
function distinctKeys(
  requests: readonly IngestRequest[],
  its: readonly number[],
  isKnown: (r: number, seriesIndex: number) => boolean,
  repeat: (r: number, i: number) => void,
): { use: KeyUse; first: FirstUse[] } {
  const distinct = new Set<string>()
  const first: FirstUse[] = []
  for (const r of its) {
    const { keys, columns } = (requests[r] as IngestRequest).submission
    for (const [i, key] of keys?.entries() ?? []) {
      if (!key || !isKnown(r, columns.seriesIndex[i] as number)) continue
      if (distinct.has(key)) repeat(r, i)
      else {
        distinct.add(key)
        first.push({ r, i })
      }
    }
  }
  const words = new Uint32Array(distinct.size * KEY_WORDS)
  for (const [index, uuid] of [...distinct].entries()) writeKey(uuid, words, index * KEY_WORDS)
  return { use: { words }, first }
}
