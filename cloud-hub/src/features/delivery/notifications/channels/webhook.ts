import { createHmac } from 'node:crypto'
import { fieldError } from '../../../../support/errors.ts'
import { invalid } from '../../../../support/http/validation-message.ts'
import { z } from '../../../../support/http/z.ts'
import type { Channel, Notice } from '../channel.ts'
import { outcomeOf } from '../http-outcome.ts'

/** No receiver accepts more headers than this. */
const [MAX_HEADERS, MAX_HEADER_CHARACTERS] = [50, 16_000]

/** The signing key: base64 after `whsec_`, or the bytes of any other text. */
const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret, 'utf8')
const isWhole = (secret: string) =>
  !secret.startsWith('whsec_') || (/^[A-Za-z0-9+/]+={0,2}$/.test(secret.slice(6)) && keyOf(secret).length >= 16)

const Config = z.strictObject({
  url: z.string().min(1).max(2_048),
  headers: z.record(z.string().max(200), z.string().max(4_000)).optional(),
  signing_secret: z
    .string()
    .min(16, 'must have at least 16 characters')
    .max(500)
    .refine(isWhole, invalid('invalid_credential', {}, 'must be base64 of at least 16 bytes after whsec_'))
    .optional(),
})
type Config = z.output<typeof Config>

const RESERVED = /^(webhook-(id|timestamp|signature)|content-type|user-agent)$/i

/** The specified fields; receivers ignore what they do not know. A test has no machine. */
export function webhookBody(notice: Notice): string {
  const specified = {
    message: notice.message,
    severity: notice.severity,
    metric_name: notice.metricName,
    trigger_value: notice.triggerValue,
    threshold_value: notice.thresholdValue,
  }
  if (!notice.alert || !notice.machine) return JSON.stringify({ type: notice.type, ...specified })
  return JSON.stringify({
    type: notice.type,
    ...specified,
    machine_id: notice.machine.id,
    machine_name: notice.machine.name,
    machine_identifier: notice.machine.identifier,
    alert_id: notice.alert.id,
    unit: notice.alert.unit,
    triggered_at: notice.alert.triggeredAt.toISOString(),
    created_at: notice.alert.createdAt.toISOString(),
  })
}

/**
 * Standard Webhooks signature: `v1,` and base64 of HMAC-SHA256 over `{id}.{timestamp}.{body}`. A secret that begins with `whsec_`
 * is base64, any other is used as UTF-8 bytes.
 * Source: Standard Webhooks specification, "Signature scheme" and "Webhook headers"
 */
export function signature(secret: string, id: string, timestamp: number, body: string): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/** A tenant's own receiver. Source: the specification's "Alert delivery"; Standard Webhooks (`webhook-id` is constant over retries) */
export const webhook: Channel<Config> = {
  audience: 'program',
  followsAlert: false,
  subjectKind: null,
  config: Config,
  secrets: ['headers', 'signing_secret'],
  target: (config) => (URL.canParse(config.url) ? new URL(config.url).origin : config.url),
  check: (config, http) => {
    const url = http.checkUrl(config.url)
    const headers = http.checkHeaders(config.headers ?? {})
    const names = Object.keys(config.headers ?? {})
    const length = Object.entries(config.headers ?? {})
      .flat()
      .join('').length
    const exceedsLimit = names.length > MAX_HEADERS || length > MAX_HEADER_CHARACTERS
    const reserved = names.find((name) => RESERVED.test(name))
    const twice = names.find((name, i) => names.some((other, j) => j < i && other.toLowerCase() === name.toLowerCase()))
    return [
      ...(url ? [{ path: 'url', ...url }] : []),
      ...(headers ? [{ path: 'headers', ...headers }] : []),
      ...(exceedsLimit
        ? [
            fieldError(
              'headers',
              'max_items',
              { limit: MAX_HEADERS },
              `must be at most ${MAX_HEADERS}, of ${MAX_HEADER_CHARACTERS} characters in all`,
            ),
          ]
        : []),
      ...(twice ? [fieldError(`headers.${twice}`, 'duplicate_header', { name: twice })] : []),
      ...(reserved ? [fieldError(`headers.${reserved}`, 'reserved_header', { name: reserved })] : []),
    ]
  },
  deliver: async (notice, config, { http, now }) => {
    const body = webhookBody(notice)
    const timestamp = Math.floor(now.getTime() / 1000)
    const headers = {
      ...config.headers,
      'content-type': 'application/json',
      'user-agent': 'Haltless-Webhook/1',
      'webhook-id': notice.deliveryId,
      'webhook-timestamp': String(timestamp),
      ...(config.signing_secret
        ? { 'webhook-signature': signature(config.signing_secret, notice.deliveryId, timestamp, body) }
        : {}),
    }
    return outcomeOf(await http.request(config.url, { method: 'POST', headers, body }))
  },
}
