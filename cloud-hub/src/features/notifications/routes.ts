import type { TenantScope } from '../../db/scope.ts'
import type { Clock } from '../../support/clock.ts'
import { routeFor } from '../../support/http/route.ts'
import { Id, Instant, Paging, pageOf, pathId, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'
import type { Logger } from '../../support/logger.ts'
import type { Mailer } from '../../support/mail.ts'
import {
  type ChannelRow,
  changeChannel,
  createChannel,
  deleteChannel,
  findChannel,
  listAttempts,
  listChannels,
  recordTest,
} from './manage-channel.ts'
import { type PushDeps, pushRoutes } from './push/routes.ts'
import { CHANNEL_TYPES, configKeys } from './registry.ts'
import { sendTest } from './send-test.ts'

const route = routeFor<TenantScope>()
const tag = 'Notifications'

export interface NotificationDeps extends PushDeps {
  mailer: Mailer
  publicUrl: string
  clock: Clock
  logger: Logger
}

const ChannelParams = z.object({ channel_id: pathId('channel') })
const Config = z
  .record(z.string().max(100), z.unknown())
  .openapi({ type: 'object', description: `Keys by channel type; secrets are answered as \`***\`. ${configKeys()}` })

const ChannelBody = z
  .object({
    id: Id,
    tenant_id: Id,
    name: z.string(),
    channel_type: z.string(),
    config: Config,
    is_active: z.boolean(),
    notify_on_alert: z.boolean(),
    created_by: Id,
    created_at: Instant,
  })
  .openapi('NotificationChannel')

const ChannelCreate = z
  .object({
    name: text(255),
    channel_type: z.enum(CHANNEL_TYPES),
    config: Config,
    is_active: z.boolean().default(true),
    notify_on_alert: z.boolean().default(true),
  })
  .openapi('NotificationChannelCreate')
const ChannelPut = z
  .object({ name: text(255), config: Config, is_active: z.boolean(), notify_on_alert: z.boolean() })
  .partial()
  .openapi('NotificationChannelPut')

const Event = z.enum(['raised', 'acknowledged', 'cleared'])
const AttemptStatus = z.enum(['delivered', 'failed'])
const AttemptBody = z
  .object({
    id: Id,
    alert_id: Id.nullable(),
    event: Event,
    attempt: z.int(),
    status: z.string().openapi({ description: '`delivered` or `failed`' }),
    response_status: z.int().nullable(),
    error: z.string().nullable(),
    attempted_at: Instant,
  })
  .openapi('DeliveryAttempt')

const presentChannel = (row: ChannelRow) => ({
  id: row.id,
  tenant_id: row.tenantId,
  name: row.name,
  channel_type: row.channelType,
  config: row.maskedConfig,
  is_active: row.isActive,
  notify_on_alert: row.notifyOnAlert,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
})

export const notificationRoutes = (deps: NotificationDeps) => [
  ...pushRoutes(deps),
  route(
    {
      method: 'get',
      path: '/notification-channels',
      access: 'any',
      tag,
      summary: 'List channels, oldest first',
      returns: z.array(ChannelBody),
    },
    async ({ scope }) => (await listChannels(scope)).map(presentChannel),
  ),
  route(
    {
      method: 'post',
      path: '/notification-channels',
      access: 'operator',
      tag,
      summary: 'Create a channel',
      description: [
        '`config` by type; addresses are HTTPS on public hosts; `base_url` is for a self-hosted or regional endpoint.',
        '`email`: `to_email`. `webhook`: `url`, `headers`, `signing_secret` (Standard Webhooks signature).',
        '`sms` (Twilio): `account_sid`, `auth_token`, `from_number`, `to_number`, `base_url`.',
        '`chat_a` (Slack), `chat_b` (Teams): `webhook_url`, `base_url`. `messenger_a` (Telegram): `bot_token`, `chat_id`, `base_url`.',
        '`incident_a` (PagerDuty): `routing_key`, `base_url`. `incident_b` (Opsgenie): `api_key`, `region` (`us`, `eu`), `base_url`.',
        '`ticketing_a` (Jira): `base_url`, `email`, `api_token`, `project_key`, `issue_type`.',
        '`ticketing_b` (ServiceNow): `instance_url`, `username`, `password`, `table`, `base_url`.',
      ].join('\n'),
      body: ChannelCreate,
      returns: ChannelBody,
      creates: true,
    },
    async ({ scope, body }) =>
      presentChannel(
        await createChannel(deps, scope, {
          name: body.name,
          channelType: body.channel_type,
          config: body.config,
          isActive: body.is_active,
          notifyOnAlert: body.notify_on_alert,
        }),
      ),
  ),
  route(
    {
      method: 'put',
      path: '/notification-channels/{channel_id}',
      access: 'any',
      tag,
      summary: 'Change a channel',
      description:
        '`config` merges: absent keeps, `***` keeps a secret, null deletes. A changed address asks for its secrets again.',
      params: ChannelParams,
      body: ChannelPut,
      returns: ChannelBody,
    },
    async ({ scope, params, body }) =>
      presentChannel(
        await changeChannel(deps, scope, params.channel_id, {
          name: body.name,
          config: body.config,
          isActive: body.is_active,
          notifyOnAlert: body.notify_on_alert,
        }),
      ),
    findChannel,
  ),
  route(
    {
      method: 'delete',
      path: '/notification-channels/{channel_id}',
      access: 'any',
      tag,
      summary: 'Delete a channel and what still waits for it',
      params: ChannelParams,
      returns: null,
      refuses: { 409: 'An escalation policy names it' },
    },
    async ({ scope, params }) => {
      await deleteChannel(scope, params.channel_id)
      return undefined
    },
  ),
  route(
    {
      method: 'post',
      path: '/notification-channels/{channel_id}/test',
      access: 'any',
      tag,
      summary: 'Send a test, also to an inactive channel',
      description: 'The incident or ticket that a test opens is closed again at once; where that fails `message` says so.',
      params: ChannelParams,
      returns: z.object({ success: z.boolean(), message: z.string() }).openapi('ChannelTest'),
      status: 200,
    },
    async ({ scope, params }) => {
      const row = await findChannel(scope, params)
      const { outcome, message } = await sendTest(deps, row)
      await recordTest(scope, row.id, outcome)
      const isDelivered = outcome.kind === 'delivered'
      return { success: isDelivered, message }
    },
  ),
  route(
    {
      method: 'get',
      path: '/notification-channels/{channel_id}/deliveries',
      access: 'any',
      tag,
      summary: 'Every delivery attempt of a channel, newest first',
      description: 'Kept for 90 days, or what the operator has set (`DELIVERY_RETENTION_DAYS`).',
      params: ChannelParams,
      query: z.object({ alert_id: Id.optional(), event: Event.optional(), status: AttemptStatus.optional(), ...Paging }),
      returns: pageOf(AttemptBody).openapi('DeliveryAttemptPage'),
    },
    async ({ scope, params, query }) => {
      const { items, total } = await listAttempts(scope, params.channel_id, query)
      const presented = items.map((row) => ({
        id: row.id,
        alert_id: row.alertId,
        event: row.event,
        attempt: row.attempt,
        status: row.status,
        response_status: row.responseStatus,
        error: row.error,
        attempted_at: row.attemptedAt.toISOString(),
      }))
      return { items: presented, pagination: { total, page: query.page, page_size: query.page_size } }
    },
    findChannel,
  ),
]
