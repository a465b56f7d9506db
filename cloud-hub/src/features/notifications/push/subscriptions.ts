import { createHash, randomUUID } from 'node:crypto'
import type { TenantScope } from '../../../db/scope.ts'
import { NotFound, Unprocessable } from '../../../support/errors.ts'
import { maskConfig } from '../../../support/secrets/secret-config.ts'
import type { ChannelDeps } from '../manage-channel.ts'
import { sealContext } from '../manage-channel.ts'
import { channelOf } from '../registry.ts'
import { messageKeys } from './encrypt.ts'

export interface Subscription {
  endpoint: string
  p256dh: string
  auth: string
  userAgent: string | undefined
}

/** Browsers of one person at most; the oldest makes room. */
const MAX_PER_USER = 20

const hashOf = (endpoint: string) => createHash('sha256').update(endpoint).digest('hex')

function isPoint(key: Buffer): boolean {
  try {
    messageKeys().computeSecret(key)
    return key.length === 65
  } catch {
    return false
  }
}

/** @throws Unprocessable for an endpoint that is not allowed, or keys that no browser makes */
function judge(http: ChannelDeps['http'], { endpoint, p256dh, auth }: Subscription): void {
  const address = http.judgeUrl(endpoint)
  const faults = [
    ...(address ? [{ path: 'body.endpoint', message: address }] : []),
    ...(isPoint(Buffer.from(p256dh, 'base64url')) ? [] : [{ path: 'body.keys.p256dh', message: 'is no public key of P-256' }]),
    ...(Buffer.from(auth, 'base64url').length === 16 ? [] : [{ path: 'body.keys.auth', message: 'must be 16 bytes, base64url' }]),
  ]
  if (faults.length > 0) throw new Unprocessable(faults)
}

/**
 * A browser is a channel of its own, which nobody lists: so alerts reach it as they reach people everywhere, gathered and tried again. A browser
 * that subscribes again, perhaps for another person, has one subscription.
 */
export async function subscribe(deps: ChannelDeps, scope: TenantScope, subscription: Subscription): Promise<void> {
  judge(deps.http, subscription)
  const { endpoint, p256dh, auth, userAgent } = subscription
  const [id, now, config] = [randomUUID(), scope.clock.now(), { endpoint, p256dh, auth }]
  const masked = { ...maskConfig(channelOf('push'), config), endpoint_hash: hashOf(endpoint) }
  const row = {
    id,
    tenant_id: scope.tenantId,
    name: [...(userAgent || 'Browser')].slice(0, 255).join(''),
    channel_type: 'push',
    sealed_config: deps.box.seal(JSON.stringify(config), sealContext(scope.tenantId, id)),
    created_by: scope.actor.id,
    created_at: now,
    updated_at: now,
  }
  await scope.rawTx(async (sql) => {
    await remove(sql, scope.tenantId, endpoint)
    await sql`insert into notification_channels ${sql({ ...row, masked_config: sql.json(masked) } as never)} on conflict do nothing`
    await sql`
      delete from notification_channels where tenant_id = ${scope.tenantId} and id in (
        select id from notification_channels where tenant_id = ${scope.tenantId} and channel_type = 'push' and created_by = ${scope.actor.id}
        order by created_at desc, id offset ${MAX_PER_USER})`
  })
}

const remove = (sql: Parameters<Parameters<TenantScope['rawTx']>[0]>[0], tenantId: string, endpoint: string) => sql`
  delete from notification_channels
  where tenant_id = ${tenantId} and channel_type = 'push' and masked_config ->> 'endpoint_hash' = ${hashOf(endpoint)} returning id`

/** @throws NotFound when this browser is not subscribed */
export async function unsubscribe(scope: TenantScope, endpoint: string): Promise<void> {
  const removed = await scope.rawTx((sql) => remove(sql, scope.tenantId, endpoint))
  if (removed.length === 0) throw new NotFound('subscription')
}
