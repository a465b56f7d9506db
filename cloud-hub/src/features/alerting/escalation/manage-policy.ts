import { and, asc, eq, getTableColumns, ne, type SQL } from 'drizzle-orm'
import { lockRulesExclusive } from '../../../db/advisory-locks.ts'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { escalationPolicies } from '../../../db/tables/escalations.ts'
import { notificationChannels } from '../../../db/tables/notifications.ts'
import { NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import type { PolicyCreate, PolicyPut } from './schemas.ts'

/** A policy, and whether its channel is active: an inactive one gets escalations only after it is activated. */
export type PolicyRow = typeof escalationPolicies.$inferSelect & { channelIsActive: boolean }

const onePolicy = (scope: TenantScope, id: string) => and(owned(escalationPolicies, scope), eq(escalationPolicies.id, id))

/** Oldest first. */
const selectPolicies = (db: TenantDb, where: SQL | undefined): Promise<PolicyRow[]> =>
  db
    .select({ ...getTableColumns(escalationPolicies), channelIsActive: notificationChannels.isActive })
    .from(escalationPolicies)
    .innerJoin(
      notificationChannels,
      and(
        eq(notificationChannels.tenantId, escalationPolicies.tenantId),
        eq(notificationChannels.id, escalationPolicies.channelId),
      ),
    )
    .where(where)
    .orderBy(asc(escalationPolicies.createdAt), asc(escalationPolicies.id))

/** @throws NotFound */
export async function findPolicy(scope: TenantScope, { policy_id }: { policy_id: string }): Promise<PolicyRow> {
  const row = await scope.read((db) => selectPolicies(db, onePolicy(scope, policy_id)).then(first))
  if (!row) throw new NotFound('policy', policy_id)
  return row
}

export const listPolicies = (scope: TenantScope): Promise<PolicyRow[]> =>
  scope.read((db) => selectPolicies(db, owned(escalationPolicies, scope)))

/** Locks the channel until the end of the transaction, so that it cannot be deleted meanwhile. @throws NotFound */
async function lockChannel(db: TenantDb, scope: TenantScope, channelId: string): Promise<void> {
  const channel = await db
    .select({ id: notificationChannels.id })
    .from(notificationChannels)
    .where(
      and(
        owned(notificationChannels, scope),
        eq(notificationChannels.id, channelId),
        ne(notificationChannels.channelType, 'push'),
      ),
    )
    .for('key share')
    .then(first)
  if (!channel) throw new NotFound('channel', channelId)
}

/**
 * No flush of the tenant runs meanwhile: a trigger of its alerts reads the policies, and a trigger of the policies the open alerts.
 * @throws NotFound for an unknown channel
 */
export const createPolicy = (scope: TenantScope, body: z.output<typeof PolicyCreate>): Promise<PolicyRow> =>
  scope.tx(async (db) => {
    await lockRulesExclusive(db, scope)
    await lockChannel(db, scope, body.channel_id)
    const now = scope.clock.now()
    const values = {
      tenantId: scope.tenantId,
      name: body.name,
      severity: body.severity,
      waitMinutes: body.wait_minutes,
      channelId: body.channel_id,
      isActive: body.is_active,
      createdAt: now,
      updatedAt: now,
    }
    const created = await db.insert(escalationPolicies).values(values).returning({ id: escalationPolicies.id }).then(first)
    const row = created && (await selectPolicies(db, onePolicy(scope, created.id)).then(first))
    if (!row) throw new Error('an inserted policy was not returned')
    return row
  })

/** Like {@link createPolicy}. @throws NotFound for an unknown policy or channel */
export const changePolicy = (scope: TenantScope, policyId: string, body: z.output<typeof PolicyPut>): Promise<PolicyRow> =>
  scope.tx(async (db) => {
    await lockRulesExclusive(db, scope)
    if (body.channel_id) await lockChannel(db, scope, body.channel_id)
    const given = {
      name: body.name,
      severity: body.severity,
      waitMinutes: body.wait_minutes,
      channelId: body.channel_id,
      isActive: body.is_active,
    }
    const values = { ...given, updatedAt: scope.clock.now() }
    await db.update(escalationPolicies).set(values).where(onePolicy(scope, policyId))
    const row = await selectPolicies(db, onePolicy(scope, policyId)).then(first)
    if (!row) throw new NotFound('policy', policyId)
    return row
  })

/** @throws NotFound */
export async function deletePolicy(scope: TenantScope, policyId: string): Promise<void> {
  const row = await scope.tx((db) =>
    db.delete(escalationPolicies).where(onePolicy(scope, policyId)).returning({ id: escalationPolicies.id }).then(first),
  )
  if (!row) throw new NotFound('policy', policyId)
}
