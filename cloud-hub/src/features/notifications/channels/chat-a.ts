import { z } from '../../../support/http/z.ts'
import type { Channel, Notice } from '../channel.ts'
import { outcomeOf } from '../http-outcome.ts'
import { clip, facts, linkOf } from '../notice-text.ts'
import { Address, judgeAddresses, originOf, webhookAddress } from '../vendor-address.ts'

const Config = z.object({ webhook_url: Address, base_url: Address.optional() })
type Config = z.output<typeof Config>

const MARKS = { info: ':large_blue_circle:', warning: ':large_orange_circle:', critical: ':red_circle:' } as const

/** These three begin commands such as mentions; the rest stands as it is. */
const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/**
 * `text` is what a notification shows, `blocks` what the channel does. Limits: 3,000 characters a section, 2,000 a field, 10 fields, where an
 * escaped character counts as five.
 */
function message(notice: Notice, publicUrl: string) {
  const link = linkOf(notice, publicUrl)
  const title = `${MARKS[notice.severity]} *${notice.severity.toUpperCase()}* ${escaped(clip(notice.message, 590))}`
  const fields = facts(notice).map(([name, value]) => ({ type: 'mrkdwn', text: `*${name}*\n${escaped(clip(value, 390))}` }))
  return {
    text: escaped(clip(`[${notice.severity}] ${notice.message}`, 2_000)),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: title } },
      { type: 'section', fields },
      ...(link ? [{ type: 'context', elements: [{ type: 'mrkdwn', text: `<${link}|Open in Haltless>` }] }] : []),
    ],
  }
}

/**
 * Slack, by an incoming webhook.
 * Source: docs.slack.dev, "Sending messages using incoming webhooks" (errors are words in the body), "Formatting message text" (escaping),
 * "Rate limits" (429 with Retry-After)
 */
export const chatA: Channel<Config> = {
  audience: 'people',
  config: Config,
  secrets: ['webhook_url'],
  secretUrls: ['webhook_url'],
  target: (config) => originOf(config.base_url ?? config.webhook_url),
  judge: ({ webhook_url, base_url }, http) => judgeAddresses(http, { webhook_url }, { base_url }),
  deliver: async (notice, config, { http, publicUrl }) => {
    const answer = await http.request(webhookAddress(config), {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(message(notice, publicUrl)),
    })
    return outcomeOf(answer, ({ body }) => (/^[a-z_]{1,60}$/.test(body) ? body : undefined))
  },
}
