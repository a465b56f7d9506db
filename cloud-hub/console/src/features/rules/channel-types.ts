import type { Schemas } from '../../api/client.ts'

export type ChannelType = Schemas['NotificationChannelCreate']['channel_type']

interface ConfigField {
  name: string
  type: 'text' | 'email' | 'url' | 'password'
  isOptional?: boolean
}

const text = (name: string, isOptional = false): ConfigField => ({ name, type: 'text', isOptional })
const secret = (name: string, isOptional = false): ConfigField => ({ name, type: 'password', isOptional })
const url = (name: string, isOptional = false): ConfigField => ({ name, type: 'url', isOptional })

/** The keys of each channel's `config`, as the API document describes them. Names of vendors are what people look for. */
export const CHANNEL_TYPES: Record<ChannelType, { label: string; fields: readonly ConfigField[]; hasHeaders?: boolean }> = {
  email: { label: 'E-mail', fields: [{ name: 'to_email', type: 'email' }] },
  webhook: { label: 'Webhook', fields: [url('url'), secret('signing_secret', true)], hasHeaders: true },
  sms: { label: 'SMS (Twilio)', fields: [text('account_sid'), secret('auth_token'), text('from_number'), text('to_number')] },
  chat_a: { label: 'Slack', fields: [secret('webhook_url')] },
  chat_b: { label: 'Microsoft Teams', fields: [secret('webhook_url')] },
  messenger_a: { label: 'Telegram', fields: [secret('bot_token'), text('chat_id')] },
  incident_a: { label: 'PagerDuty', fields: [secret('routing_key')] },
  incident_b: { label: 'Opsgenie', fields: [secret('api_key'), text('region', true)] },
  ticketing_a: {
    label: 'Jira',
    fields: [
      url('base_url'),
      { name: 'email', type: 'email' },
      secret('api_token'),
      text('project_key'),
      text('issue_type', true),
    ],
  },
  ticketing_b: { label: 'ServiceNow', fields: [url('instance_url'), text('username'), secret('password'), text('table', true)] },
}

/** Reads a header from each line, such as `X-Plant: Hall 3`. */
export const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [name = '', ...rest] = line.split(':')
      return line.trim() === '' ? [] : [[name.trim(), rest.join(':').trim()] as const]
    }),
  )
