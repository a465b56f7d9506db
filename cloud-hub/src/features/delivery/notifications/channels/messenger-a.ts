import { invalid } from '../../../../support/http/validation-message.ts'
import { z } from '../../../../support/http/z.ts'
import type { Channel, Notice } from '../channel.ts'
import { joinTexts, jsonBody, outcomeOf, refusalOutcome } from '../http-outcome.ts'
import { alertLink, messageFields, truncateLine } from '../notice-text.ts'
import { Address, checkAddresses, joinUrl, originOf } from '../vendor-address.ts'

const VENDOR = 'https://api.telegram.org'
const Config = z.strictObject({
  bot_token: z.string().regex(/^[\w:-]{1,200}$/, invalid('invalid_credential', {}, 'must be a token such as 123456:ABC-DEF')),
  chat_id: z
    .union([z.string(), z.int().transform(String)])
    .pipe(
      z
        .string()
        .regex(/^(-?\d{1,20}|@\w{1,64})$/, invalid('invalid_credential', {}, 'must be a number, or the @name of a channel')),
    ),
  base_url: Address.optional(),
})
type Config = z.output<typeof Config>

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Disables links, mentions and commands: clients detect them in plain text, but not across the invisible U+2060. */
const inert = (text: string) => text.replace(/([@/.#])(?=[^\s\d])/g, '$1\u2060')

/** HTML, in which three characters are escaped; at most 4,096 characters after parsing. Clients detect no links inside `code`. */
function html(notice: Notice, publicUrl: string): string {
  const link = alertLink(notice, publicUrl)
  const lines = messageFields(notice).map(([name, value]) => `${name}: <code>${escaped(truncateLine(value, 300))}</code>`)
  return [
    `<b>${notice.severity.toUpperCase()}</b> ${escaped(inert(truncateLine(notice.message, 600)))}`,
    '',
    ...lines,
    ...(link ? [escaped(link)] : []),
  ].join('\n')
}

const isRefusal = (code: unknown): code is number => Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600

/**
 * Telegram, by a bot.
 * Source: core.telegram.org/bots/api, "Making requests" (`ok`, `description`), "ResponseParameters" (`retry_after` in seconds,
 * `migrate_to_chat_id`), "HTML style" (escaping, `code` holds no other entities), "sendMessage" (1-4,096 characters after parsing). It has no idempotency
 * key
 */
export const messengerA: Channel<Config> = {
  product: 'Telegram',
  audience: 'people',
  followsAlert: false,
  subjectKind: null,
  config: Config,
  secrets: ['bot_token'],
  target: (config) => originOf(config.base_url ?? VENDOR),
  check: ({ base_url }, http) => checkAddresses(http, {}, { base_url }),
  deliver: async (notice, config, { http, publicUrl }) => {
    const answer = await http.request(joinUrl(config.base_url ?? VENDOR, `/bot${config.bot_token}/sendMessage`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        chat_id: config.chat_id,
        text: html(notice, publicUrl),
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
      }),
    })
    if (!answer.ok) return outcomeOf(answer)
    const { ok, error_code, description, parameters } = jsonBody(answer)
    if (ok !== false) return outcomeOf(answer)
    const { retry_after: wait, migrate_to_chat_id: moved } = (parameters ?? {}) as Record<string, unknown>
    const status = isRefusal(error_code) ? error_code : Math.max(answer.status, 400)
    return refusalOutcome(
      status,
      joinTexts(description, typeof moved === 'number' ? `the chat_id is ${moved} now` : undefined),
      typeof wait === 'number' ? wait : answer.retryAfterSeconds,
    )
  },
}
