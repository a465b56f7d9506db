import { z } from '../../../support/http/z.ts'
import type { Channel, Notice } from '../channel.ts'
import { jsonOf, outcomeOf, refused, said } from '../http-outcome.ts'
import { clip, facts, linkOf } from '../notice-text.ts'
import { Address, judgeAddresses, originOf, under } from '../vendor-address.ts'

const VENDOR = 'https://api.telegram.org'
const Config = z.object({
  bot_token: z.string().regex(/^[\w:-]{1,200}$/, 'must be a token such as 123456:ABC-DEF'),
  chat_id: z
    .union([z.string(), z.int().transform(String)])
    .pipe(z.string().regex(/^(-?\d{1,20}|@\w{1,64})$/, 'must be a number, or the @name of a channel')),
  base_url: Address.optional(),
})
type Config = z.output<typeof Config>

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** HTML, in which three characters are escaped; at most 4,096 characters when it has been read. */
function html(notice: Notice, publicUrl: string): string {
  const link = linkOf(notice, publicUrl)
  const lines = facts(notice).map(([name, value]) => `${name}: ${escaped(clip(value, 300))}`)
  return [
    `<b>${notice.severity.toUpperCase()}</b> ${escaped(clip(notice.message, 2_000))}`,
    '',
    ...lines,
    ...(link ? [escaped(link)] : []),
  ].join('\n')
}

/**
 * Telegram, by a bot.
 * Source: core.telegram.org/bots/api, "Making requests" (`ok`, `description`, `parameters.retry_after` in seconds), "sendMessage"
 */
export const messengerA: Channel<Config> = {
  audience: 'people',
  config: Config,
  secrets: ['bot_token'],
  target: (config) => originOf(config.base_url ?? VENDOR),
  judge: ({ base_url }, http) => judgeAddresses(http, {}, { base_url }),
  deliver: async (notice, config, { http, publicUrl }) => {
    const answer = await http.request(under(config.base_url ?? VENDOR, `/bot${config.bot_token}/sendMessage`), {
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
    const { ok, error_code, description, parameters } = jsonOf(answer)
    if (ok !== false) return outcomeOf(answer)
    const wait = (parameters as { retry_after?: unknown } | undefined)?.retry_after
    const status = typeof error_code === 'number' && error_code >= 400 ? error_code : Math.max(answer.status, 400)
    return refused(status, said(description), typeof wait === 'number' ? wait : answer.retryAfterSeconds)
  },
}
