import { and, asc, eq, ne } from 'drizzle-orm'
import { first, owned, type TenantDb, type TenantScope } from '../../db/scope.ts'
import { SEVERITIES } from '../../db/tables/alerts.ts'
import { escalationPolicies } from '../../db/tables/escalations.ts'
import { notificationChannels } from '../../db/tables/notifications.ts'
import { NotFound } from '../../support/errors.ts'
import { routeFor } from '../../support/http/route.ts'
import { Id, Instant, pathId, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'

const route = routeFor<TenantScope>()
const tag = 'Alert rules'
type PolicyRow = typeof escalationPolicies.$inferSelect

const PolicyParams = z.object({ policy_id: pathId('policy') })
const PolicyBody = z
  .object({
    id: Id,
    tenant_id: Id,
    name: z.string(),
    severity: z.enum(SEVERITIES),
    wait_minutes: z.int(),
    channel_id: Id,
    is_active: z.boolean(),
    created_at: Instant,
    updated_at: Instant,
  })
  .openapi('EscalationPolicy')

const fields = {
  name: text(200),
  severity: z.enum(SEVERITIES),
  wait_minutes: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1_440, 'must be at most 1440')
    .openapi({ description: 'counted from when the alert was raised' }),
  channel_id: Id,
}
const PolicyCreate = z.object({ ...fields, is_active: z.boolean().default(true) }).openapi('EscalationPolicyCreate')
const PolicyPut = z
  .object({ ...fields, is_active: z.boolean() })
  .partial()
  .openapi('EscalationPolicyPut')

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
        'An alert of that severity that nobody has acknowledged and that has not cleared after so many minutes goes to the channel, once. A snoozed one goes when its snooze has ended.',
      body: PolicyCreate,
      returns: PolicyBody,
      creates: true,
      refuses: { 404: 'There is no such channel' },
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
      description: 'What is left out stays. An alert that it has sent already is not sent again.',
      params: PolicyParams,
      body: PolicyPut,
      returns: PolicyBody,
      refuses: { 404: 'There is no such policy, or no such channel' },
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
