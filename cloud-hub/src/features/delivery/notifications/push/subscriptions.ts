import { createECDH, createHash, randomUUID } from 'node:crypto'
import type { Sql, TransactionSql } from '../../../../db/pools.ts'
import type { TenantScope } from '../../../../db/scope.ts'
import { fieldError, NotFound, Unprocessable } from '../../../../support/errors.ts'
import { maskConfig } from '../../../../support/secrets/secret-config.ts'
import type { DeliveryOutcome } from '../channel.ts'
import { CHANNEL_COLUMNS, type ChannelDeps, type ChannelRow, encryptionContext } from '../manage-channel.ts'
import { capabilitiesOf, channelOf } from '../registry.ts'

export interface Subscription {
  endpoint: string
  p256dh: string
  auth: string
  userAgent: string | undefined
}

/** The limit of browsers per user; a new one replaces the oldest. */
const MAX_PER_USER = 20

const hashOf = (endpoint: string) => createHash('sha256').update(endpoint).digest('hex')

/** An uncompressed point of P-256: with anything else no message could be encrypted. */
function isPoint(key: Buffer): boolean {
  try {
    const ours = createECDH('prime256v1')
    ours.generateKeys()
    ours.computeSecret(key)
    return key.length === 65
  } catch {
    return false
  }
}

/** Some clients write them as padded base64. */
const asBase64Url = (key: string) => Buffer.from(key, 'base64url').toString('base64url')

/** @throws Unprocessable for an endpoint that is not allowed, or keys that no browser makes */
function checkSubscription(http: ChannelDeps['http'], { endpoint, p256dh, auth }: Subscription): void {
  const address = http.checkUrl(endpoint)
  const faults = [
    ...(address ? [{ path: 'body.endpoint', ...address }] : []),
    ...(isPoint(Buffer.from(p256dh, 'base64url'))
      ? []
      : [fieldError('body.keys.p256dh', 'invalid_key', {}, 'is no public key of P-256')]),
    ...(Buffer.from(auth, 'base64url').length === 16
      ? []
      : [fieldError('body.keys.auth', 'invalid_key', {}, 'must be 16 bytes, base64url')]),
  ]
  if (faults.length > 0) throw new Unprocessable(faults)
}

/**
 * Stores a browser as a channel that is not listed, so that digests and retries work as for other human-facing channels. A
 * browser that subscribes again, perhaps for another user, keeps one subscription.
 */
export async function subscribe(deps: ChannelDeps, scope: TenantScope, subscription: Subscription): Promise<void> {
  checkSubscription(deps.http, subscription)
  const { endpoint, p256dh, auth, userAgent } = subscription
  const config = { endpoint, p256dh: asBase64Url(p256dh), auth: asBase64Url(auth) }
  const [id, now] = [randomUUID(), scope.clock.now()]
  const masked = { ...maskConfig(channelOf('push'), config), endpoint_hash: hashOf(endpoint) }
  const { audience, followsAlert, subjectKind } = capabilitiesOf('push')
  const row = {
    id,
    tenant_id: scope.tenantId,
    name: [...(userAgent || 'Browser')].slice(0, 255).join(''),
    channel_type: 'push',
    audience,
    follows_alert: followsAlert,
    subject_kind: subjectKind,
    sealed_config: deps.box.seal(JSON.stringify(config), encryptionContext(scope.tenantId, id)),
    created_by: scope.actor.id,
    created_at: now,
    updated_at: now,
  }
  await scope.tx(async (sql) => {
    await remove(sql, scope.tenantId, endpoint)
    await sql`insert into notification_channels ${sql({ ...row, masked_config: sql.json(masked) } as never)} on conflict do nothing`
    await sql`
      delete from notification_channels where tenant_id = ${scope.tenantId} and id in (
        select id from notification_channels where tenant_id = ${scope.tenantId} and channel_type = 'push' and created_by = ${scope.actor.id}
        order by created_at desc, id offset ${MAX_PER_USER})`
  })
}

/** Deletes a subscription. @param userId only when this user created it */
const remove = (sql: TransactionSql, tenantId: string, endpoint: string, userId: string | null = null) => sql`
  delete from notification_channels
  where tenant_id = ${tenantId} and channel_type = 'push' and masked_config ->> 'endpoint_hash' = ${hashOf(endpoint)}
    and created_by = coalesce(${userId}::uuid, created_by) returning id`

/** The channel of a browser that this user subscribed. @throws NotFound when there is none */
export async function findSubscription(scope: TenantScope, endpoint: string): Promise<ChannelRow> {
  const [row] = await scope.read(
    (sql) => sql<ChannelRow[]>`
      select ${sql.unsafe(CHANNEL_COLUMNS)} from notification_channels
      where tenant_id = ${scope.tenantId} and channel_type = 'push' and created_by = ${scope.actor.id}
        and masked_config ->> 'endpoint_hash' = ${hashOf(endpoint)}`,
  )
  if (!row) throw new NotFound('subscription')
  return row
}

/** Ends a subscription. @throws NotFound when this browser is not subscribed, or another user subscribed it */
export async function unsubscribe(scope: TenantScope, endpoint: string): Promise<void> {
  const removed = await scope.tx((sql) => remove(sql, scope.tenantId, endpoint, scope.actor.id))
  if (removed.length === 0) throw new NotFound('subscription')
}

/** A push service that refuses a subscription for longer will not accept it again; the browser subscribes anew when it is opened. */
const REFUSED_MS = 86_400_000

/**
 * Deletes a subscription that is gone (404, 410) or was refused (401, 403) for a day, after a message to it; remembers since when it is
 * refused. @returns whether it was deleted
 */
export async function endIfRefused(
  sql: Sql | TransactionSql,
  now: Date,
  { tenantId, id }: { tenantId: string; id: string },
  outcome: DeliveryOutcome,
): Promise<boolean> {
  const isGone = outcome.kind === 'permanent' && outcome.isGone === true
  const isRefused = outcome.kind === 'permanent' && [401, 403].includes(outcome.responseStatus ?? 0)
  if (!isGone && !isRefused && outcome.kind !== 'delivered') return false
  if (!isGone)
    await sql`
      update notification_channels set refused_since = ${isRefused ? sql`coalesce(refused_since, ${now})` : null}
      where tenant_id = ${tenantId} and id = ${id} and channel_type = 'push' and (refused_since is null) = ${isRefused}`
  const latest = isGone ? null : new Date(now.getTime() - REFUSED_MS)
  const deleted = await sql`
    delete from notification_channels
    where tenant_id = ${tenantId} and id = ${id} and channel_type = 'push' and (${latest}::timestamptz is null or refused_since <= ${latest})
    returning id`
  return deleted.length > 0
}
