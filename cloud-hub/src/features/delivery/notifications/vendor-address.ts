import { fieldMessage } from '../../../error-codes/field-messages.ts'
import type { FieldError } from '../../../support/errors.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { Channel } from './channel.ts'

export const Address = z.string().min(1, 'must not be empty').max(2_048)

/** A user name or password for Basic credentials. Source: RFC 7617, 2 (no control characters) */
export const credential = (max: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(max)
    .regex(/^\P{Cc}*$/u, invalid('control_characters'))

/** Appends a path to the vendor's own base URL, or to the configured one of a self-hosted or regional endpoint. */
export const joinUrl = (base: string, path: string): string => `${base.replace(/\/+$/, '')}${path}`

export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

/** Validates the URLs of a configuration. Base URLs, to which paths are appended, have neither query nor fragment. */
export function checkAddresses(
  http: GuardedClient,
  whole: Record<string, string | undefined>,
  bases: Record<string, string | undefined>,
): FieldError[] {
  const complaint = (url: string, isBase: boolean) =>
    http.checkUrl(url) ?? (isBase && /[?#]/.test(url) ? fieldMessage('url_with_query') : null)
  const check = (urls: Record<string, string | undefined>, isBase: boolean) =>
    Object.entries(urls).flatMap(([path, url]) => {
      const found = url === undefined ? null : complaint(url, isBase)
      return found ? [{ path, ...found }] : []
    })
  return [...check(whole, false), ...check(bases, true)]
}

/** HTTP Basic credentials. */
export const basicAuth = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`

/** What configurations of chats that are called by a webhook have in common: the whole address is the secret. */
export const WebhookConfig = z.strictObject({ webhook_url: Address, base_url: Address.optional() })
export type WebhookConfig = z.output<typeof WebhookConfig>
export const webhookDefaults = {
  audience: 'people',
  followsAlert: false,
  subjectKind: null,
  config: WebhookConfig,
  secrets: ['webhook_url'],
  secretUrls: ['webhook_url'],
  target: (config) => originOf(config.base_url ?? config.webhook_url),
  check: ({ webhook_url, base_url }, http) => checkAddresses(http, { webhook_url }, { base_url }),
} satisfies Omit<Channel<WebhookConfig>, 'deliver'>

/** Where a chat's webhook is called: at its own address, or by the same path at `base_url`. */
export function webhookAddress({ webhook_url, base_url }: WebhookConfig): string {
  if (base_url === undefined) return webhook_url
  const { pathname, search } = new URL(webhook_url)
  return joinUrl(base_url, `${pathname}${search}`)
}
