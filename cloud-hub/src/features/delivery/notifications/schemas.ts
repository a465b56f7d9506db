import { CursorPaging, cursorPageOf } from '../../../support/http/cursor.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { configVariants } from '../../../support/http/variants.ts'
import { z } from '../../../support/http/z.ts'
import { FaultBody } from '../../plant/faults/index.ts'
import { CHANNEL_TYPES, channelOf, configKeys } from './registry.ts'

export const ChannelParams = z.object({
  channel_id: pathId('channel').describe('The channel, from `GET /notification-channels`.'),
})
const Config = z.record(z.string().max(100), z.unknown()).openapi({
  type: 'object',
  additionalProperties: true,
  description: `Keys by channel type; secrets are answered as \`***\`. ${configKeys().join(' · ')}`,
})
const variants = configVariants(
  {
    property: 'channel_type',
    texts: {
      to_email: 'The address that mails go to.',
      url: 'The HTTPS address of the receiver, on a public host.',
      headers: 'Headers that each request carries, at most 50.',
      signing_secret: 'Signs each request, as Standard Webhooks describe it.',
      account_sid: 'The SID of the account.',
      auth_token: 'The token of the account.',
      from_number: 'The number, sender name or messaging service that messages come from.',
      to_number: 'The number that messages go to, such as +4915112345678.',
      base_url: 'The HTTPS address of the instance; of cloud services only for a regional or self-hosted endpoint.',
      webhook_url: 'The address that the tool gave the incoming webhook.',
      bot_token: 'The token of the bot.',
      chat_id: 'The number of the chat, or the @name of a channel.',
      routing_key: 'The integration key of the service.',
      api_key: 'The key of the integration.',
      region: 'Where the account is.',
      email: 'The user whose API token it is.',
      api_token: 'The API token of the user.',
      project_key: 'The key of the project in which issues are created, such as OPS.',
      issue_type: 'The type of the issues.',
      instance_url: 'The address of the instance.',
      username: 'The user who creates records.',
      password: 'The password of the user.',
      table: 'The table in which records are created.',
    },
  },
  Object.fromEntries(CHANNEL_TYPES.map((type) => [type, channelOf(type).config])),
)
const texts = {
  name: 'The name that people see.',
  type: 'What kind of tool the channel reaches.',
  isActive: 'Whether anything is sent to the channel.',
  notify: 'Whether alerts are sent to the channel when they are raised. Escalation policies reach it either way.',
}
const example = { name: 'Maintenance', channel_type: 'email', config: { to_email: 'maintenance@example.com' } }

export const ChannelBody = z
  .object({
    id: Id.describe('Identifies the channel: the `channel_id` of paths and of other answers.'),
    tenant_id: Id.describe('The tenant that it belongs to.'),
    name: z.string().describe(texts.name),
    channel_type: z.string().describe(texts.type),
    config: Config,
    is_active: z.boolean().describe(texts.isActive),
    notify_on_alert: z.boolean().describe(texts.notify),
    created_by: Id.describe('The user who created it.'),
    created_at: Instant.describe('When it was created.'),
    version: RecordVersion,
  })
  .openapi('NotificationChannel', { example, ...variants })
export const ChannelCreate = z
  .object({
    name: text(200).describe(texts.name),
    channel_type: z.enum(CHANNEL_TYPES).describe(`${texts.type} It never changes.`),
    config: Config,
    is_active: z.boolean().default(true).describe(`${texts.isActive} Default: true.`),
    notify_on_alert: z.boolean().default(true).describe(`${texts.notify} Default: true.`),
  })
  .openapi('NotificationChannelCreate', { example, ...variants })
export const ChannelPut = z
  .object({
    name: text(200).describe(texts.name),
    config: Config,
    is_active: z.boolean().describe(texts.isActive),
    notify_on_alert: z.boolean().describe(texts.notify),
  })
  .partial()
  .openapi('NotificationChannelPut', { example: { is_active: true } })
export const ChannelTest = z
  .object({
    success: z.boolean().describe('Whether the tool accepted the test.'),
    message: z.string().describe('What it answered, or what is wrong and what to check.'),
    fault: FaultBody.nullable().describe(
      'What failed, as a fault; of a test that was accepted, why its ticket or incident stays open.',
    ),
  })
  .openapi('ChannelTest', { example: { success: true, message: 'The receiver accepted the test.', fault: null } })

const Event = z.enum(['raised', 'acknowledged', 'cleared'])
const AttemptStatus = z.enum(['delivered', 'failed'])
const AttemptBody = z
  .object({
    id: Id.describe('Identifies the attempt.'),
    alert_id: Id.nullable().describe('The alert that was sent; null for a test.'),
    event: Event.describe('What the message was about: the alert was raised, acknowledged or cleared.'),
    attempt: z.int().describe('Which attempt of this delivery it was, from 1.'),
    status: z.string().describe('`delivered` or `failed`.'),
    response_status: z.int().nullable().describe('The HTTP status of the answer; null when there was none.'),
    error: z.string().nullable().describe('What went wrong; null when it was delivered.'),
    fault: FaultBody.nullable().describe('The same as a fault; null of attempts before this version too.'),
    attempted_at: Instant.describe('When it was tried.'),
  })
  .openapi('DeliveryAttempt', {
    example: {
      alert_id: null,
      event: 'raised',
      attempt: 1,
      status: 'delivered',
      response_status: null,
      error: null,
      fault: null,
    },
  })
export const AttemptPage = cursorPageOf(AttemptBody).openapi('DeliveryAttemptPage')
export const AttemptQuery = z.object({
  alert_id: Id.optional().describe('Only attempts for this alert.'),
  event: Event.optional().describe('Only attempts about this event.'),
  status: AttemptStatus.optional().describe('Only attempts that ended so.'),
  ...CursorPaging,
})
