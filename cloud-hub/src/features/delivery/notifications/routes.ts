import type { TenantScope } from '../../../db/scope.ts'
import type { Clock } from '../../../support/clock.ts'
import { cursorPage, listPartOf } from '../../../support/http/cursor.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import type { Logger } from '../../../support/logger.ts'
import type { Mailer } from '../../../support/mail.ts'
import { claimTestQuota, type SendingLimits } from '../../mails/index.ts'
import {
  type ChannelRow,
  changeChannel,
  createChannel,
  deleteChannel,
  findChannel,
  listAttempts,
  listChannels,
  lockChannel,
  recordTest,
} from './manage-channel.ts'
import { PushBrowser, type PushDeps, pushRoutes } from './push/routes.ts'
import { endIfRefused, findSubscription } from './push/subscriptions.ts'
import { configKeys } from './registry.ts'
import { AttemptPage, AttemptQuery, ChannelBody, ChannelCreate, ChannelParams, ChannelPut, ChannelTest } from './schemas.ts'
import { sendTest } from './send-test.ts'

const route = routeFor<TenantScope>()
const tag = 'Notifications'

export interface NotificationDeps extends PushDeps {
  mailer: Mailer
  publicUrl: string
  clock: Clock
  logger: Logger
  config: { sendingLimits: SendingLimits }
}

const withVersion = versionedBy(ChannelPut)
const presentChannel = (row: ChannelRow) =>
  withVersion(
    {
      id: row.id,
      tenant_id: row.tenantId,
      name: row.name,
      channel_type: row.channelType,
      config: row.maskedConfig,
      is_active: row.isActive,
      notify_on_alert: row.notifyOnAlert,
      created_by: row.createdBy,
      created_at: row.createdAt.toISOString(),
    },
    row.sealedConfig,
  )

export const notificationRoutes = (deps: NotificationDeps) => [
  ...pushRoutes(deps),
  route(
    {
      method: 'post',
      path: '/push/test',
      operation: 'testPush',
      isTrial: true,
      access: 'any',
      tag,
      summary: 'Send a test to this browser',
      description:
        'Sends a test message to a browser that the user subscribed, and answers what became of it: a failed test is 200 with `success` false. A subscription that the push service no longer knows is deleted.',
      body: PushBrowser,
      returns: ChannelTest,
      status: 200,
      refuses: { 404: ['subscription_not_found'], 429: ['sending_limit'] },
    },
    async ({ scope, body }) => {
      const row = await findSubscription(scope, body.endpoint)
      await scope.tx((sql) => claimTestQuota(sql, scope.clock.now(), deps.config.sendingLimits, scope.tenantId))
      const { outcome, message, fault } = await sendTest(deps, row)
      await scope.tx((sql) => endIfRefused(sql, scope.clock.now(), row, outcome))
      return { success: outcome.kind === 'delivered', message, fault }
    },
  ),
  route(
    {
      method: 'get',
      path: '/notification-channels',
      operation: 'listNotificationChannels',
      access: 'any',
      tag,
      summary: 'List channels, oldest first',
      description: 'All channels of the tenant in one list, browsers aside. Secrets in `config` are `***`.',
      returns: z.array(ChannelBody),
    },
    async ({ scope }) => (await listChannels(scope)).map(presentChannel),
  ),
  route(
    {
      method: 'post',
      path: '/notification-channels',
      operation: 'createNotificationChannel',
      access: 'operator',
      tag,
      summary: 'Create a channel',
      description: [
        'Each active channel with `notify_on_alert` gets every alert when it is raised, save for those whose readings arrived late. `config` by type; addresses are HTTPS on public hosts; `base_url` is for a self-hosted or regional endpoint, and keys with a question mark are optional.',
        ...configKeys(),
      ].join('\n'),
      body: ChannelCreate,
      returns: ChannelBody,
      creates: true,
      refuses: { 409: ['tenant_limit'] },
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
      operation: 'updateNotificationChannel',
      access: 'any',
      tag,
      summary: 'Change a channel',
      description:
        'Changes the given fields. `config` merges: an absent key stays, `***` keeps a secret, null deletes a key. A changed address needs its secrets again, because a secret goes only where it was entered for.',
      params: ChannelParams,
      body: ChannelPut,
      changes: { lock: lockChannel, current: async (scope, params) => presentChannel(await findChannel(scope, params)) },
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
      operation: 'deleteNotificationChannel',
      access: 'any',
      tag,
      summary: 'Delete a channel and what still waits for it',
      description:
        'Deliveries that still wait for the channel are dropped. A channel that an escalation policy names cannot be deleted.',
      params: ChannelParams,
      returns: null,
      refuses: { 409: ['channel_in_use'] },
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
      operation: 'testNotificationChannel',
      isTrial: true,
      access: 'any',
      tag,
      summary: 'Send a test, also to an inactive channel',
      description:
        'Sends a test message now, also to an inactive channel, and answers what became of it: a failed test is 200 with `success` false. An incident or ticket that the test opens is closed again at once; where that fails `message` says so.',
      params: ChannelParams,
      returns: ChannelTest,
      status: 200,
      refuses: { 429: ['sending_limit'] },
    },
    async ({ scope, params }) => {
      const row = await findChannel(scope, params)
      await scope.tx((sql) => claimTestQuota(sql, scope.clock.now(), deps.config.sendingLimits, scope.tenantId))
      const { outcome, message, fault } = await sendTest(deps, row)
      await recordTest(scope, row.id, outcome)
      const isDelivered = outcome.kind === 'delivered'
      return { success: isDelivered, message, fault }
    },
  ),
  route(
    {
      method: 'get',
      path: '/notification-channels/{channel_id}/deliveries',
      operation: 'listNotificationDeliveries',
      access: 'any',
      tag,
      summary: 'Every delivery attempt of a channel, newest first',
      description:
        'Every attempt, tests included, newest first. Kept for 90 days, unless the hub is set otherwise (`DELIVERY_RETENTION_DAYS`).',
      params: ChannelParams,
      query: AttemptQuery,
      returns: AttemptPage,
    },
    async ({ scope, params, query }) => {
      const part = listPartOf(['deliveries', scope.tenantId, params.channel_id], query)
      const { items, total } = await listAttempts(scope, params.channel_id, query, part)
      const page = cursorPage(part, items, total, ({ attemptedAt, id }) => ({ at: attemptedAt, id }))
      const presented = page.items.map((row) => ({
        id: row.id,
        alert_id: row.alertId,
        event: row.event,
        attempt: row.attempt,
        status: row.status,
        response_status: row.responseStatus,
        error: row.error,
        fault: row.fault,
        attempted_at: row.attemptedAt.toISOString(),
      }))
      return { ...page, items: presented }
    },
    findChannel,
  ),
]
