import { and, asc, eq, ne } from 'drizzle-orm'
import { first, owned, type TenantDb, type TenantScope } from '../../../db/scope.ts'
import { escalationPolicies } from '../../../db/tables/escalations.ts'
import { notificationChannels } from '../../../db/tables/notifications.ts'
import { NotFound } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { PolicyBody, PolicyCreate, PolicyParams, PolicyPut } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Alert rules'
type PolicyRow = typeof escalationPolicies.$inferSelect

const presentPolicy = (row: PolicyRow) => ({
  id: row.id,
  tenant_id: row.tenantId,
  name: row.name,
  severity: row.severity,
  wait_minutes: row.waitMinutes,
  channel_id: row.channelId,
  is_active: row.isActive,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

const onePolicy = (scope: TenantScope, id: string) => and(owned(escalationPolicies, scope), eq(escalationPolicies.id, id))

async function findPolicy(scope: TenantScope, { policy_id }: { policy_id: string }): Promise<PolicyRow> {
  const row = await scope.read((db) => db.select().from(escalationPolicies).where(onePolicy(scope, policy_id)).then(first))
  if (!row) throw new NotFound('policy', policy_id)
  return row
}

/** Held, so that it is not deleted meanwhile. */
async function holdChannel(db: TenantDb, scope: TenantScope, channelId: string): Promise<void> {
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

export const escalationRoutes = () => [
  route(
    {
      method: 'get',
      path: '/escalation-policies',
      access: 'any',
      tag,
      summary: 'List escalation policies, oldest first',
      description: 'All policies of the tenant in one list.',
      returns: z.array(PolicyBody),
    },
    async ({ scope }) => {
      const rows = await scope.read((db) =>
        db
          .select()
          .from(escalationPolicies)
          .where(owned(escalationPolicies, scope))
          .orderBy(asc(escalationPolicies.createdAt), asc(escalationPolicies.id)),
      )
      return rows.map(presentPolicy)
    },
  ),
  route(
    {
      method: 'post',
      path: '/escalation-policies',
      access: 'admin',
      tag,
      summary: 'Create an escalation policy',
      description:
        'An alert of the severity goes to the channel when it is neither acknowledged nor cleared `wait_minutes` after it was raised, once per policy. A snoozed alert goes when its snooze has ended. Alerts whose readings arrived late do not escalate.',
      body: PolicyCreate,
      returns: PolicyBody,
      creates: true,
      refuses: { 404: ['channel_not_found'] },
    },
    async ({ scope, body }) =>
      scope.tx(async (db) => {
        await holdChannel(db, scope, body.channel_id)
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
        const row = await db.insert(escalationPolicies).values(values).returning().then(first)
        if (!row) throw new Error('an inserted policy was not returned')
        return presentPolicy(row)
      }),
  ),
  route(
    {
      method: 'put',
      path: '/escalation-policies/{policy_id}',
      access: 'admin',
      tag,
      summary: 'Change an escalation policy',
      description: 'Changes the given fields. An alert that the policy has sent already is not sent again.',
      params: PolicyParams,
      body: PolicyPut,
      returns: PolicyBody,
      refuses: { 404: ['channel_not_found'] },
    },
    async ({ scope, params, body }) =>
      scope.tx(async (db) => {
        if (body.channel_id) await holdChannel(db, scope, body.channel_id)
        const given = {
          name: body.name,
          severity: body.severity,
          waitMinutes: body.wait_minutes,
          channelId: body.channel_id,
          isActive: body.is_active,
        }
        const values = { ...given, updatedAt: scope.clock.now() }
        const row = await db
          .update(escalationPolicies)
          .set(values)
          .where(onePolicy(scope, params.policy_id))
          .returning()
          .then(first)
        if (!row) throw new NotFound('policy', params.policy_id)
        return presentPolicy(row)
      }),
    findPolicy,
  ),
  route(
    {
      method: 'delete',
      path: '/escalation-policies/{policy_id}',
      access: 'admin',
      tag,
      summary: 'Delete an escalation policy',
      description: 'Alerts no longer escalate by it. Messages that were sent are not withdrawn.',
      params: PolicyParams,
      returns: null,
    },
    async ({ scope, params }) => {
      const row = await scope.tx((db) =>
        db
          .delete(escalationPolicies)
          .where(onePolicy(scope, params.policy_id))
          .returning({ id: escalationPolicies.id })
          .then(first),
      )
      if (!row) throw new NotFound('policy', params.policy_id)
      return undefined
    },
  ),
]
