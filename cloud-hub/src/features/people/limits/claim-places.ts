import { type TenantLock, tenantLockKey } from '../../../db/advisory-locks.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import { Conflict } from '../../../support/errors.ts'
import { LIMITS, type LimitKind, limitOf, type OwnLimits } from './kinds.ts'

/** How much of a kind a tenant may have, and has. */
export interface Places {
  used: number
  /** null: no limit */
  limit: number | null
  /** what can be added; infinite without a limit, 0 also where a limit was lowered below the use */
  free: number
}

/**
 * Locks what a tenant may have of a kind until the end of the transaction, and tells what is free: of two that claim the last place, the
 * second sees what the first has added. Before any row of the kind is inserted or activated, because triggers then lock the tenant's count.
 * @param standard the default of a kind that a setting changes; null: no limit
 */
export async function lockPlaces(
  sql: TransactionSql,
  { tenantId }: { tenantId: string },
  kind: LimitKind,
  standard?: number | null,
): Promise<Places> {
  // The look-up is a statement of its own, so that it sees what the holder of the lock has committed. Both are sent in one packet; a lock that is
  // not granted in time fails the transaction, which answers 503.
  sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey(`limit ${kind}` satisfies TenantLock, { tenantId })}, 0))`.execute()
  const [row] = await sql<{ used: number; own: OwnLimits }[]>`
    select coalesce(u.used, 0)::float8 as used, t.limits as own
    from tenants t left join tenant_usage u on u.tenant_id = t.id and u.kind = ${kind} where t.id = ${tenantId}`
  return placesOf(kind, row ?? { used: 0, own: {} }, standard)
}

/** @param standard as for {@link lockPlaces} */
export function placesOf(kind: LimitKind, { used, own }: { used: number; own: OwnLimits }, standard?: number | null): Places {
  const limit = limitOf(kind, own, standard)
  return { used, limit, free: limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - used) }
}

/** Claims a place for one more of a kind, as {@link lockPlaces}. @returns what there was before. @throws Conflict `tenant_limit` */
export async function claimPlace(sql: TransactionSql, tenant: { tenantId: string }, kind: LimitKind): Promise<Places> {
  const places = await lockPlaces(sql, tenant, kind)
  const { limit, free } = places
  if (free < 1) throw new Conflict('tenant_limit', limitReached(kind, limit ?? 0), { kind, limit: limit ?? 0 })
  return places
}

/** What a person reads who cannot add one more. */
const limitReached = (kind: LimitKind, limit: number): string =>
  `Your tenant may have ${limit} ${LIMITS[kind].noun}, and has no place left: delete or deactivate what is not needed, or ask the operator of the hub for more.`
