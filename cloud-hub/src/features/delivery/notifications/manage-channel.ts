import { randomUUID } from 'node:crypto'
import { columns } from '../../../db/columns.ts'
import { isForeignKeyViolation } from '../../../db/errors.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { columnValues } from '../../../db/sql.ts'
import type { DeliveryEvent, deliveryAttempts, notificationChannels } from '../../../db/tables/notifications.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { ListPart } from '../../../support/http/cursor.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { type Config, maskConfig, resolveConfig } from '../../../support/secrets/secret-config.ts'
import { claimPlace } from '../../people/limits/index.ts'
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

/** The columns of a {@link ChannelRow}. */
export const CHANNEL_COLUMNS = columns.notificationChannels
const ATTEMPT_COLUMNS = columns.deliveryAttempts

/** Browsers are channels too, but this API neither lists nor changes them. */
const isListed = (sql: TransactionSql, { tenantId }: TenantScope) => sql`tenant_id = ${tenantId} and channel_type <> 'push'`

export const listChannels = (scope: TenantScope): Promise<ChannelRow[]> =>
  scope.read(
    (sql) => sql<ChannelRow[]>`
      select ${sql.unsafe(CHANNEL_COLUMNS)} from notification_channels where ${isListed(sql, scope)} order by created_at, id`,
  )

/** @throws NotFound */
export async function findChannel(scope: TenantScope, { channel_id }: { channel_id: string }): Promise<ChannelRow> {
  const [row] = await scope.read(
    (sql) => sql<ChannelRow[]>`
      select ${sql.unsafe(CHANNEL_COLUMNS)} from notification_channels where ${isListed(sql, scope)} and id = ${channel_id}`,
  )
  if (!row) throw new NotFound('channel', channel_id)
  return row
}

/** Locks a channel until the end of the transaction. */
export const lockChannel = (sql: TransactionSql, scope: TenantScope, { channel_id }: { channel_id: string }) =>
  sql`select 1 from notification_channels where ${isListed(sql, scope)} and id = ${channel_id} for update`

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
  const [row] = await scope.tx(async (sql) => {
    await claimPlace(sql, scope, 'channels')
    return sql<ChannelRow[]>`
      insert into notification_channels ${sql(columnValues<typeof notificationChannels>(values))} returning ${sql.unsafe(CHANNEL_COLUMNS)}`
  })
  return row as ChannelRow
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
  return scope.tx(async (sql) => {
    const [before] = await sql<ChannelRow[]>`
      select ${sql.unsafe(CHANNEL_COLUMNS)} from notification_channels where ${isListed(sql, scope)} and id = ${id} for update`
    if (!before) throw new NotFound('channel', id)
    const { config, ...rest } = change
    const resolved = config && resolveConfig(configRules(before.channelType, deps.http), openConfig(deps.box, before), config)
    const values = {
      ...rest,
      updatedAt: scope.clock.now(),
      ...(resolved ? stored(deps, before.tenantId, before.id, before.channelType, resolved) : {}),
    }
    const [row] = await sql<ChannelRow[]>`
      update notification_channels set ${sql(columnValues<typeof notificationChannels>(values))}
      where ${isListed(sql, scope)} and id = ${id} returning ${sql.unsafe(CHANNEL_COLUMNS)}`
    if (!row) throw new NotFound('channel', id)
    return row
  })
}

/** Deletes a channel and its waiting deliveries. @throws NotFound; Conflict when an escalation policy names it */
export async function deleteChannel(scope: TenantScope, id: string): Promise<void> {
  const [row] = await scope
    .tx((sql) => sql`delete from notification_channels where ${isListed(sql, scope)} and id = ${id} returning id`)
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
  const status = isDelivered ? 'delivered' : 'failed'
  await scope.tx(async (sql) => {
    const [found] = await sql`
      select id from notification_channels where ${isListed(sql, scope)} and id = ${channelId} for key share`
    if (!found) throw new NotFound('channel', channelId)
    await sql`
      insert into delivery_attempts (tenant_id, channel_id, attempt, status, response_status, error, fault, attempted_at)
      values (${scope.tenantId}, ${channelId}, 1, ${status}, ${outcome.responseStatus ?? null}, ${isDelivered ? null : outcome.fault.detail},
        ${isDelivered ? null : sql.json(outcome.fault as never)},
        ${scope.clock.now()})`
  })
}

export interface AttemptQuery {
  alert_id?: string | undefined
  event?: DeliveryEvent | undefined
  status?: 'delivered' | 'failed' | undefined
}

type AttemptRow = typeof deliveryAttempts.$inferSelect

/** A part of the attempts of a channel, newest first (exactly in the order of an index), and the number of all matches where the part does not know it. */
export async function listAttempts(
  scope: TenantScope,
  channelId: string,
  { alert_id: alertId, event, status }: AttemptQuery,
  { limit, offset, after, total }: ListPart,
): Promise<{ items: AttemptRow[]; total: number }> {
  return scope.read(async (sql) => {
    const mine = sql`tenant_id = ${scope.tenantId} and channel_id = ${channelId} ${alertId ? sql`and alert_id = ${alertId}` : sql``}
      ${event ? sql`and event = ${event}` : sql``} ${status ? sql`and status = ${status}` : sql``}`
    const [items, totals] = await Promise.all([
      sql<AttemptRow[]>`
        select ${sql.unsafe(ATTEMPT_COLUMNS)} from delivery_attempts where ${mine}
        ${after ? sql`and (attempted_at, id) < (${after.at}, ${after.id})` : sql``}
        order by attempted_at desc nulls last, id desc nulls last limit ${limit} offset ${offset}`,
      total === null ? sql<{ total: number }[]>`select count(*)::int as total from delivery_attempts where ${mine}` : [{ total }],
    ])
    return { items: [...items], total: totals[0]?.total ?? 0 }
  })
}
