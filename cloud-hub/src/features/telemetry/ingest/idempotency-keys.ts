import type { TransactionSql } from '../../../db/pools.ts'
import type { LoadedContext } from '../series/index.ts'
import type { IngestRequest } from './request.ts'

/**
 * Stores the idempotency keys of a flush for 7 days.
 * @returns for each request the indexes of readings that repeat a key; they count as accepted and are not stored again
 */
export async function storeIdempotencyKeys(
  tx: TransactionSql,
  requests: readonly IngestRequest[],
  slots: readonly (readonly number[])[],
  { series }: LoadedContext,
  now: Date,
): Promise<(Set<number> | undefined)[]> {
  const firstUse = new Map<string, { tenantId: string; key: string; r: number; i: number }>()
  const repeats: (Set<number> | undefined)[] = []
  const repeat = (r: number, i: number) => {
    repeats[r] ??= new Set()
    repeats[r].add(i)
  }
  requests.forEach(({ tenantId, submission }, r) => {
    submission.keys?.forEach((key, i) => {
      if (!key || !series[slots[r]?.[submission.columns.seriesIndex[i] as number] as number]) return
      const name = `${tenantId} ${key}`
      if (firstUse.has(name)) repeat(r, i)
      else firstUse.set(name, { tenantId, key, r, i })
    })
  })
  if (firstUse.size === 0) return repeats
  const all = [...firstUse.values()]
  const stored = await tx<{ name: string }[]>`
    insert into reading_keys (tenant_id, key, seen_at)
    select t, k, ${now} from unnest(${all.map((a) => a.tenantId)}::uuid[], ${all.map((a) => a.key)}::uuid[]) n(t, k) order by 1, 2
    on conflict do nothing returning tenant_id || ' ' || key as name`
  const fresh = new Set(stored.map((row) => row.name))
  for (const [name, { r, i }] of firstUse) if (!fresh.has(name)) repeat(r, i)
  return repeats
}
