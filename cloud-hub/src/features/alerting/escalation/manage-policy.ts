import { lockRulesExclusive } from '../../../db/advisory-locks.ts'
import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { columnValues, qualified } from '../../../db/sql.ts'
import type { escalationPolicies } from '../../../db/tables/escalations.ts'
import { NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import type { PolicyCreate, PolicyPut } from './schemas.ts'

/** A policy, and whether its channel is active: an inactive one gets escalations only after it is activated. */
export type PolicyRow = typeof escalationPolicies.$inferSelect & { channelIsActive: boolean }

const COLUMNS = qualified(columns.escalationPolicies, 'p')

/** Oldest first. @param policyId null for all */
const selectPolicies = (sql: TransactionSql, { tenantId }: TenantScope, policyId: string | null) => sql<PolicyRow[]>`
  select ${sql.unsafe(COLUMNS)}, c.is_active as "channelIsActive"
  from escalation_policies p join notification_channels c on c.tenant_id = p.tenant_id and c.id = p.channel_id
  where p.tenant_id = ${tenantId} ${policyId ? sql`and p.id = ${policyId}` : sql``}
  order by p.created_at, p.id`

/** @throws NotFound */
async function policyOf(sql: TransactionSql, scope: TenantScope, policyId: string): Promise<PolicyRow> {
  const [row] = await selectPolicies(sql, scope, policyId)
  if (!row) throw new NotFound('policy', policyId)
  return row
}

/** @throws NotFound */
export const findPolicy = (scope: TenantScope, { policy_id }: { policy_id: string }): Promise<PolicyRow> =>
  scope.read((sql) => policyOf(sql, scope, policy_id))

export const listPolicies = (scope: TenantScope): Promise<PolicyRow[]> => scope.read((sql) => selectPolicies(sql, scope, null))

/** Locks the channel until the end of the transaction, so that it cannot be deleted meanwhile. @throws NotFound */
async function lockChannel(sql: TransactionSql, { tenantId }: TenantScope, channelId: string): Promise<void> {
  const [channel] = await sql`
    select id from notification_channels
    where tenant_id = ${tenantId} and id = ${channelId} and channel_type <> 'push' for key share`
  if (!channel) throw new NotFound('channel', channelId)
}

/**
 * No flush of the tenant runs meanwhile: a trigger of its alerts reads the policies, and a trigger of the policies the open alerts.
 * @throws NotFound for an unknown channel
 */
export const createPolicy = (scope: TenantScope, body: z.output<typeof PolicyCreate>): Promise<PolicyRow> =>
  scope.tx(async (sql) => {
    await lockRulesExclusive(sql, scope)
    await lockChannel(sql, scope, body.channel_id)
    const now = scope.clock.now()
    const [created] = await sql<{ id: string }[]>`
      insert into escalation_policies (tenant_id, name, severity, wait_minutes, channel_id, is_active, created_at, updated_at)
      values (${scope.tenantId}, ${body.name}, ${body.severity}, ${body.wait_minutes}, ${body.channel_id}, ${body.is_active}, ${now}, ${now})
      returning id`
    return policyOf(sql, scope, created?.id as string)
  })

/** Like {@link createPolicy}. @throws NotFound for an unknown policy or channel */
export const changePolicy = (scope: TenantScope, policyId: string, body: z.output<typeof PolicyPut>): Promise<PolicyRow> =>
  scope.tx(async (sql) => {
    await lockRulesExclusive(sql, scope)
    if (body.channel_id) await lockChannel(sql, scope, body.channel_id)
    const values = columnValues<typeof escalationPolicies>({
      name: body.name,
      severity: body.severity,
      waitMinutes: body.wait_minutes,
      channelId: body.channel_id,
      isActive: body.is_active,
      updatedAt: scope.clock.now(),
    })
    await sql`update escalation_policies set ${sql(values)} where tenant_id = ${scope.tenantId} and id = ${policyId}`
    return policyOf(sql, scope, policyId)
  })

/** @throws NotFound */
export async function deletePolicy(scope: TenantScope, policyId: string): Promise<void> {
  const [row] = await scope.tx(
    (sql) => sql`delete from escalation_policies where tenant_id = ${scope.tenantId} and id = ${policyId} returning id`,
  )
  if (!row) throw new NotFound('policy', policyId)
}
