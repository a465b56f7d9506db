import { Id, Instant, Paging, pageOf, pathId, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { CHANNEL_TYPES, configKeys } from './registry.ts'

export const ChannelParams = z.object({
  channel_id: pathId('channel').describe('The channel, from `GET /notification-channels`.'),
})
const Config = z
  .record(z.string().max(100), z.unknown())
  .openapi({ type: 'object', description: `Keys by channel type; secrets are answered as \`***\`. ${configKeys().join(' · ')}` })
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
  })
  .openapi('NotificationChannel', { example })
export const ChannelCreate = z
  .object({
    name: text(200).describe(texts.name),
    channel_type: z.enum(CHANNEL_TYPES).describe(`${texts.type} It never changes.`),
    config: Config,
    is_active: z.boolean().default(true).describe(`${texts.isActive} Default: true.`),
    notify_on_alert: z.boolean().default(true).describe(`${texts.notify} Default: true.`),
  })
  .openapi('NotificationChannelCreate', { example })
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
  })
  .openapi('ChannelTest', { example: { success: true, message: 'The receiver accepted the test.' } })

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
    attempted_at: Instant.describe('When it was tried.'),
  })
  .openapi('DeliveryAttempt', {
    example: { alert_id: null, event: 'raised', attempt: 1, status: 'delivered', response_status: null, error: null },
  })
export const AttemptPage = pageOf(AttemptBody).openapi('DeliveryAttemptPage')
export const AttemptQuery = z.object({
  alert_id: Id.optional().describe('Only attempts for this alert.'),
  event: Event.optional().describe('Only attempts about this event.'),
  status: AttemptStatus.optional().describe('Only attempts that ended so.'),
  ...Paging,
})
