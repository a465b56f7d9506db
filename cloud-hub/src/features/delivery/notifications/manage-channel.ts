import { randomUUID } from 'node:crypto'
import { and, asc, count, desc, eq, ne } from 'drizzle-orm'
import { isForeignKeyViolation } from '../../../db/errors.ts'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { type DeliveryEvent, deliveryAttempts, notificationChannels } from '../../../db/tables/notifications.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { type Config, maskConfig, resolveConfig } from '../../../support/secrets/secret-config.ts'
import type { DeliveryOutcome } from './channel.ts'
import { type ChannelType, capabilitiesOf, channelOf, configRules } from './registry.ts'

export type ChannelRow = typeof notificationChannels.$inferSelect

export interface ChannelDeps {
  box: SecretBox
  http: GuardedClient
}

export const encryptionContext = (tenantId: string, channelId: string): string =>
  `notification_channels/${tenantId}/${channelId}/config`
export const openConfig = (box: SecretBox, row: { tenantId: string; id: string; sealedConfig: string }): Config =>
  JSON.parse(box.open(row.sealedConfig, encryptionContext(row.tenantId, row.id))) as Config

/** Browsers are channels too, but this API neither lists nor changes them. */
const listed = (scope: TenantScope) => and(owned(notificationChannels, scope), ne(notificationChannels.channelType, 'push'))
const oneChannel = (scope: TenantScope, id: string) => and(listed(scope), eq(notificationChannels.id, id))

export const listChannels = (scope: TenantScope) =>
  scope.read((db) =>
    db
      .select()
      .from(notificationChannels)
      .where(listed(scope))
      .orderBy(asc(notificationChannels.createdAt), asc(notificationChannels.id)),
  )

/** @throws NotFound */
export async function findChannel(scope: TenantScope, { channel_id }: { channel_id: string }): Promise<ChannelRow> {
  const row = await scope.read((db) => db.select().from(notificationChannels).where(oneChannel(scope, channel_id)).then(first))
  if (!row) throw new NotFound('channel', channel_id)
  return row
}

const stored = (deps: ChannelDeps, tenantId: string, id: string, type: string, config: Config) => ({
  maskedConfig: maskConfig(channelOf(type), config),
  sealedConfig: deps.box.seal(JSON.stringify(config), encryptionContext(tenantId, id)),
})

/** @throws Unprocessable for a configuration that does not fit the type */
export async function createChannel(
  deps: ChannelDeps,
  scope: TenantScope,
  given: { name: string; channelType: ChannelType; config: Config; isActive: boolean; notifyOnAlert: boolean },
): Promise<ChannelRow> {
  const { config, ...rest } = given
  const resolved = resolveConfig(configRules(given.channelType, deps.http), null, config)
  const [id, now] = [randomUUID(), scope.clock.now()]
  const values = {
    ...rest,
    id,
    tenantId: scope.tenantId,
    createdBy: scope.actor.id,
    createdAt: now,
    updatedAt: now,
    ...capabilitiesOf(given.channelType),
    ...stored(deps, scope.tenantId, id, given.channelType, resolved),
  }
  const row = await scope.tx((db) => db.insert(notificationChannels).values(values).returning().then(first))
  if (!row) throw new Error('an inserted channel was not returned')
  return row
}

/** Changes a channel; `config` merges. The type stays. @throws NotFound, Unprocessable */
export async function changeChannel(
  deps: ChannelDeps,
  scope: TenantScope,
  id: string,
  change: {
    name?: string | undefined
    config?: Config | undefined
    isActive?: boolean | undefined
    notifyOnAlert?: boolean | undefined
  },
): Promise<ChannelRow> {
  return scope.tx(async (db) => {
    const before = await db.select().from(notificationChannels).where(oneChannel(scope, id)).for('update').then(first)
    if (!before) throw new NotFound('channel', id)
    const { config, ...rest } = change
    const resolved = config && resolveConfig(configRules(before.channelType, deps.http), openConfig(deps.box, before), config)
    const values = {
      ...rest,
      updatedAt: scope.clock.now(),
      ...(resolved ? stored(deps, before.tenantId, before.id, before.channelType, resolved) : {}),
    }
    const row = await db.update(notificationChannels).set(values).where(oneChannel(scope, id)).returning().then(first)
    if (!row) throw new NotFound('channel', id)
    return row
  })
}

/** Deletes a channel and its waiting deliveries. @throws NotFound; Conflict when an escalation policy names it */
export async function deleteChannel(scope: TenantScope, id: string): Promise<void> {
  const row = await scope
    .tx((db) =>
      db.delete(notificationChannels).where(oneChannel(scope, id)).returning({ id: notificationChannels.id }).then(first),
    )
    .catch((error) => {
      throw isForeignKeyViolation(error, 'escalation_policies_channel_fk')
        ? new Conflict('channel_in_use', 'An escalation policy names this channel: give that one another channel, or delete it.')
        : error
    })
  if (!row) throw new NotFound('channel', id)
}

/** Records a test. @throws NotFound when the channel was deleted meanwhile */
export async function recordTest(scope: TenantScope, channelId: string, outcome: DeliveryOutcome): Promise<void> {
  const isDelivered = outcome.kind === 'delivered'
  const attempt = {
    tenantId: scope.tenantId,
    channelId,
    attempt: 1,
    status: isDelivered ? 'delivered' : 'failed',
    responseStatus: outcome.responseStatus ?? null,
    error: isDelivered ? null : outcome.error,
    attemptedAt: scope.clock.now(),
  }
  await scope.tx(async (db) => {
    const found = await db
      .select({ id: notificationChannels.id })
      .from(notificationChannels)
      .where(oneChannel(scope, channelId))
      .for('key share')
      .then(first)
    if (!found) throw new NotFound('channel', channelId)
    await db.insert(deliveryAttempts).values(attempt)
  })
}

export interface AttemptQuery {
  alert_id?: string | undefined
  event?: DeliveryEvent | undefined
  status?: 'delivered' | 'failed' | undefined
  page: number
  page_size: number
}

/** The attempts of a channel, newest first. */
export async function listAttempts(scope: TenantScope, channelId: string, query: AttemptQuery) {
  const { page, page_size: pageSize, alert_id: alertId, event, status } = query
  const mine = and(
    owned(deliveryAttempts, scope),
    eq(deliveryAttempts.channelId, channelId),
    alertId ? eq(deliveryAttempts.alertId, alertId) : undefined,
    event ? eq(deliveryAttempts.event, event) : undefined,
    status ? eq(deliveryAttempts.status, status) : undefined,
  )
  return scope.read(async (db) => {
    const [items, totals] = await Promise.all([
      db
        .select()
        .from(deliveryAttempts)
        .where(mine)
        .orderBy(desc(deliveryAttempts.attemptedAt), desc(deliveryAttempts.id))
        .limit(pageSize)
        .offset((page - 1) * pageSize),
      db.select({ total: count() }).from(deliveryAttempts).where(mine),
    ])
    return { items, total: totals[0]?.total ?? 0 }
  })
}
