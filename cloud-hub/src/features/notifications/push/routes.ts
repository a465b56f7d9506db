import type { TenantScope } from '../../../db/scope.ts'
import { Unavailable } from '../../../support/errors.ts'
import { type Route, routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import type { ChannelDeps } from '../manage-channel.ts'
import { subscribe, unsubscribe } from './subscriptions.ts'
import type { VapidKey } from './vapid.ts'

const route = routeFor<TenantScope>()
const tag = 'Notifications'

const Endpoint = z.string().min(1, 'must not be empty').max(2_048)
const Key = z.string().min(1, 'must not be empty').max(200)

const PushSubscribe = z
  .object({
    endpoint: Endpoint,
    keys: z.object({ p256dh: Key, auth: Key }),
    user_agent: z.string().max(1_000).nullish(),
  })
  .openapi('PushSubscribe')

export interface PushDeps extends ChannelDeps {
  /** null: switched off */
  vapid: VapidKey | null
}

export const pushRoutes = (deps: PushDeps): Route<TenantScope>[] => [
  route(
    {
      method: 'get',
      path: '/push/vapid-public-key',
      access: 'any',
      tag,
      summary: 'The key that browsers subscribe with',
      returns: z.object({ public_key: z.string().nullable(), enabled: z.boolean() }).openapi('VapidPublicKey'),
    },
    async () => ({ public_key: deps.vapid?.publicKey ?? null, enabled: deps.vapid !== null }),
  ),
  route(
    {
      method: 'post',
      path: '/push/subscribe',
      access: 'any',
      tag,
      summary: 'Send alerts to this browser',
      description:
        "As `PushSubscription.toJSON()` gives it. Messages are JSON: `title`, `body`, `severity`, `machine` {`id`, `name`}, `alert_id`, `link`, `tag`. A browser that subscribes again has one subscription; a person's 21st replaces the oldest.",
      body: PushSubscribe,
      returns: z.object({ subscribed: z.boolean() }).openapi('PushSubscribed'),
      creates: true,
      refuses: { 503: 'Web push is switched off' },
    },
    async ({ scope, body }) => {
      if (!deps.vapid) throw new Unavailable('web_push_disabled', 'Web push is switched off on this hub.', 3_600)
      const { endpoint, keys, user_agent } = body
      await subscribe(deps, scope, { endpoint, ...keys, userAgent: user_agent ?? undefined })
      return { subscribed: true }
    },
  ),
  route(
    {
      method: 'delete',
      path: '/push/subscribe',
      access: 'any',
      tag,
      summary: 'Send nothing more to this browser',
      body: z.object({ endpoint: Endpoint }).openapi('PushUnsubscribe'),
      returns: null,
      refuses: { 404: 'This browser is not subscribed' },
    },
    async ({ scope, body }) => {
      await unsubscribe(scope, body.endpoint)
      return undefined
    },
  ),
]
