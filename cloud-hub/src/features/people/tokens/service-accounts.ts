import { randomBytes } from 'node:crypto'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import { claimPlace } from '../limits/index.ts'
import { translateUserError } from '../users/index.ts'

export interface ServiceAccountRow {
  id: string
  name: string
  role: string
  responsibleId: string | null
  isActive: boolean
  activeTokens: number
  lastUsedAt: Date | null
  createdAt: Date
}

const accounts = (sql: TransactionSql, { tenantId, clock }: TenantScope, id: string | null) => sql<ServiceAccountRow[]>`
  select u.id, u.full_name as name, u.role, u.responsible_id as "responsibleId", u.is_active as "isActive", u.created_at as "createdAt",
    (select count(*)::int from access_tokens k
      where k.tenant_id = ${tenantId} and k.user_id = u.id and k.is_active and k.expires_at > ${clock.now()}) as "activeTokens",
    (select max(k.last_used_at) from access_tokens k where k.tenant_id = ${tenantId} and k.user_id = u.id) as "lastUsedAt"
  from users u where u.tenant_id = ${tenantId} and u.is_service and (${id}::uuid is null or u.id = ${id})
  order by u.is_active desc, u.full_name collate natural_order, u.id`

/** Active ones first, then by name. */
export const listServiceAccounts = (scope: TenantScope): Promise<ServiceAccountRow[]> =>
  scope.read((sql) => accounts(sql, scope, null))

async function accountIn(sql: TransactionSql, scope: TenantScope, id: string): Promise<ServiceAccountRow> {
  const [row] = await accounts(sql, scope, id)
  if (!row) throw new NotFound('service account', id)
  return row
}
/** @throws NotFound */
export const findServiceAccount = (scope: TenantScope, id: string) => scope.tx((sql) => accountIn(sql, scope, id))

/**
 * Creates a member without a password, for programs. Nobody signs in as it, and its address, which no mail reaches, only makes it unique.
 * @throws Conflict `tenant_limit`, Unprocessable for an unknown role or an inactive person
 */
export async function createServiceAccount(
  scope: TenantScope,
  given: { name: string; role: string; responsible_id?: string | undefined },
): Promise<ServiceAccountRow> {
  const { tenantId, actor, clock } = scope
  const responsibleId = given.responsible_id ?? actor.id
  try {
    return await scope.tx(async (sql) => {
      await claimPlace(sql, scope, 'users')
      await requirePerson(sql, scope, responsibleId)
      const values = {
        tenant_id: tenantId,
        email: `${randomBytes(8).toString('hex')}@service.invalid`,
        full_name: given.name,
        role: given.role,
        is_service: true,
        responsible_id: responsibleId,
        created_at: clock.now(),
      }
      const [row] = await sql<{ id: string }[]>`insert into users ${sql(values)} returning id`
      return accountIn(sql, scope, row?.id ?? '')
    })
  } catch (error) {
    throw translateUserError(error)
  }
}

/** @throws NotFound, Conflict `tenant_limit` when it is activated again, Unprocessable for an unknown role or an inactive person */
export async function changeServiceAccount(
  scope: TenantScope,
  id: string,
  change: {
    name?: string | undefined
    role?: string | undefined
    responsible_id?: string | undefined
    is_active?: boolean | undefined
  },
): Promise<ServiceAccountRow> {
  const { name, ...others } = change
  const values = Object.fromEntries(Object.entries({ full_name: name, ...others }).filter(([, value]) => value !== undefined))
  try {
    return await scope.tx(async (sql) => {
      const before = await accountIn(sql, scope, id)
      if (Object.keys(values).length === 0) return before
      if (change.is_active && !before.isActive) await claimPlace(sql, scope, 'users')
      if (change.responsible_id) await requirePerson(sql, scope, change.responsible_id)
      await sql`update users set ${sql(values)} where tenant_id = ${scope.tenantId} and id = ${id} and is_service`
      return accountIn(sql, scope, id)
    })
  } catch (error) {
    throw translateUserError(error)
  }
}

/** Locks a service account until the end of the transaction. */
export const lockServiceAccount = (sql: TransactionSql, { tenantId }: TenantScope, id: string) =>
  sql`select 1 from users where tenant_id = ${tenantId} and id = ${id} and is_service for no key update`

async function requirePerson(sql: TransactionSql, { tenantId }: TenantScope, id: string): Promise<void> {
  const [person] = await sql`
    select 1 from users where tenant_id = ${tenantId} and id = ${id} and is_active and not is_invited and not is_service`
  if (!person) throw new Unprocessable([fieldError('body.responsible_id', 'inactive_user')])
}
