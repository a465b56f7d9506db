import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { placesOf } from './claim-places.ts'
import { LIMIT_KINDS, type LimitKind, NEAR, type OwnLimits, type Standards } from './kinds.ts'

/** The use of one limit of a tenant. */
export interface LimitUse {
  kind: LimitKind
  used: number
  /** null: no limit */
  limit: number | null
  /** the operator has set it for this tenant */
  isOwn: boolean
}

interface Row {
  own: OwnLimits
  used: Readonly<Record<string, number>>
}

/** Every limit of a tenant with its use. @returns null for an unknown tenant */
export async function limitsOf(sql: Sql | TransactionSql, tenantId: string, standards: Standards): Promise<LimitUse[] | null> {
  const [row] = await sql<Row[]>`
    select t.limits as own, coalesce((select jsonb_object_agg(u.kind, u.used) from tenant_usage u where u.tenant_id = t.id), '{}') as used
    from tenants t where t.id = ${tenantId}`
  return row ? usesOf(row, standards) : null
}

/** Every limit with its use. */
export const usesOf = ({ own, used }: Row, standards: Standards): LimitUse[] =>
  LIMIT_KINDS.map((kind) => {
    const places = placesOf(kind, { own, used: used[kind] ?? 0 }, standards[kind])
    return { kind, used: places.used, limit: places.limit, isOwn: own[kind] !== undefined }
  })

/** The part of a limit that is used, from 0; above 1 where a limit was lowered below the use. */
export const shareOf = ({ used, limit }: Pick<LimitUse, 'used' | 'limit'>): number =>
  limit === null ? 0 : limit === 0 ? (used > 0 ? Number.POSITIVE_INFINITY : 1) : used / limit

/** Tenants that use much of a limit. */
export interface FullTenant extends LimitUse {
  tenantId: string
  name: string
}

/** The limits of all tenants of which 90 % or more are used, the fullest first. A limit of 0 counts when there is more. */
export async function fullLimits(allTenants: Sql, standards: Standards): Promise<FullTenant[]> {
  const rows = await allTenants<
    { tenantId: string; name: string; kind: LimitKind; used: number; limit: number; isOwn: boolean }[]
  >`
    select t.id as "tenantId", t.name, u.kind, u.used::float8 as used, l.value::float8 as "limit", t.limits ? u.kind as "isOwn"
    from tenant_usage u join tenants t on t.id = u.tenant_id
    cross join lateral (
      select (case when t.limits ? u.kind then t.limits -> u.kind else ${allTenants.json(standards)}::jsonb -> u.kind end #>> '{}')::numeric as value
    ) l
    where u.used > 0 and u.used >= ${NEAR}::numeric * l.value
    order by u.used / nullif(l.value, 0) desc nulls first, t.created_at, t.id, u.kind`
  return [...rows]
}
