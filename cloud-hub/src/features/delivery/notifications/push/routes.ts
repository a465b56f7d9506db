import type { TenantScope } from '../../../../db/scope.ts'
import { Unavailable } from '../../../../support/errors.ts'
import { type Route, routeFor } from '../../../../support/http/route.ts'
import { z } from '../../../../support/http/z.ts'
import type { ChannelDeps } from '../manage-channel.ts'
import { subscribe, unsubscribe } from './subscriptions.ts'
import type { VapidKey } from './vapid.ts'

const route = routeFor<TenantScope>()
const tag = 'Notifications'

const Endpoint = z
  .string()
  .min(1, 'must not be empty')
  .max(2_048)
  .describe('The `endpoint` of the subscription: an HTTPS address of the push service of the browser.')
const Key = z.string().min(1, 'must not be empty').max(200)

const example = {
  endpoint: 'https://push.example.com/send/c3Vic2NyaXB0aW9u',
  // the public key and secret of RFC 8291, appendix A
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/146.0',
}
const PushSubscribe = z
  .object({
    endpoint: Endpoint,
    keys: z
      .object({
        p256dh: Key.describe('The public key of the browser: an uncompressed point of P-256 in base64url.'),
        auth: Key.describe('The authentication secret of the browser: 16 bytes in base64url.'),
      })
      .describe('The `keys` of the subscription; messages are encrypted with them.'),
    user_agent: z
      .string()
      .max(1_000)
      .nullish()
      .describe('The browser, for recognizing the subscription; up to 1,000 characters.'),
  })
  .openapi('PushSubscribe', { example })

const VapidPublicKey = z
  .object({
    public_key: z.string().nullable().describe('The key of this hub (VAPID, RFC 8292) in base64url; null while web push is off.'),
    enabled: z.boolean().describe('Whether this hub sends to browsers.'),
  })
  .openapi('VapidPublicKey', { example: { public_key: example.keys.p256dh, enabled: true } })
const PushSubscribed = z.object({ subscribed: z.boolean().describe('Always true.') }).openapi('PushSubscribed')
/** Names the browser, which is subscribed, by its endpoint. */
export const PushBrowser = z.object({ endpoint: Endpoint }).openapi('PushBrowser', { example: { endpoint: example.endpoint } })
const PushUnsubscribe = z.object({ endpoint: Endpoint }).openapi('PushUnsubscribe', { example: { endpoint: example.endpoint } })

export interface PushDeps extends ChannelDeps {
  /** null: switched off */
  vapid: VapidKey | null
}

export const pushRoutes = (deps: PushDeps): Route<TenantScope>[] => [
  route(
    {
      method: 'get',
      path: '/push/vapid-public-key',
      operation: 'getPushKey',
      holdsSecrets: true,
      access: 'any',
      tag,
      summary: 'The key that browsers subscribe with',
      description:
        'Give `public_key` to `PushManager.subscribe()` as `applicationServerKey`, then send the subscription to `POST /push/subscribe`.',
      returns: VapidPublicKey,
    },
    async () => ({ public_key: deps.vapid?.publicKey ?? null, enabled: deps.vapid !== null }),
  ),
  route(
    {
      method: 'post',
      path: '/push/subscribe',
      operation: 'subscribePush',
      access: 'any',
      tag,
      summary: 'Send alerts and your work to this browser',
      description:
        'Send what `PushSubscription.toJSON()` gives. The browser gets alerts, and messages about work orders and maintenance of the user who subscribed it. Messages are JSON: `title`, `body`, `severity`, `machine` {`id`, `name`}, `alert_id`, `work_order_id`, `maintenance_event_id`, `link`, `tag`. A browser that subscribes again keeps one subscription; the 21st browser of a user replaces the oldest.',
      body: PushSubscribe,
      returns: PushSubscribed,
      creates: true,
      refuses: { 503: ['web_push_disabled'] },
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
      operation: 'unsubscribePush',
      access: 'any',
      tag,
      summary: 'Send nothing more to this browser',
      description: 'Ends the subscription of this browser. Only the user who subscribed can end it.',
      body: PushUnsubscribe,
      returns: null,
      refuses: { 404: ['subscription_not_found'] },
    },
    async ({ scope, body }) => {
      await unsubscribe(scope, body.endpoint)
      return undefined
    },
  ),
]
