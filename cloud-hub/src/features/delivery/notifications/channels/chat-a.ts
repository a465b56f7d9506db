import type { Channel, Notice } from '../channel.ts'
import { joinTexts, jsonBody, outcomeOf, refusalOutcome } from '../http-outcome.ts'
import { alertLink, messageFields, truncateLine } from '../notice-text.ts'
import { type WebhookConfig, webhookAddress, webhookDefaults } from '../vendor-address.ts'

const MARKS = { info: '🔵', warning: '🟠', critical: '🔴' } as const

/** These three begin commands such as mentions, in texts of both kinds. */
const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Names and messages are plain text: in the other kind `*` and `_` are marks that cannot be escaped, and addresses become links. */
const plain = (text: string) => ({ type: 'plain_text', text: escaped(text), emoji: false })

/**
 * `text` is what a notification shows, `blocks` what the channel does. Limits: 3,000 characters a section, 2,000 a field, 10 fields, where an
 * escaped character counts as five.
 */
function message(notice: Notice, publicUrl: string) {
  const link = alertLink(notice, publicUrl)
  return {
    text: escaped(truncateLine(`[${notice.severity}] ${notice.message}`, 700)),
    mrkdwn: false,
    blocks: [
      {
        type: 'section',
        text: plain(`${MARKS[notice.severity]} ${notice.severity.toUpperCase()}: ${truncateLine(notice.message, 580)}`),
      },
      { type: 'section', fields: messageFields(notice).map(([name, value]) => plain(`${name}\n${truncateLine(value, 380)}`)) },
      ...(link ? [{ type: 'context', elements: [{ type: 'mrkdwn', text: `<${link}|Open in Haltless>`, verbatim: true }] }] : []),
    ],
  }
}

/**
 * Slack, by an incoming webhook.
 * Source: docs.slack.dev, "Sending messages using incoming webhooks" (the body names the error), "Formatting message text" (escaping,
 * `mrkdwn`), "Text object" (`plain_text`, `verbatim`, 3,000), "Section block" (10 fields of 2,000), "Rate limits" (429 with Retry-After). It has
 * no idempotency key
 */
export const chatA: Channel<WebhookConfig> = {
  ...webhookDefaults,
  product: 'Slack',
  deliver: async (notice, config, { http, publicUrl }) => {
    const answer = await http.request(webhookAddress(config), {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(message(notice, publicUrl)),
    })
    if (answer.ok && answer.status < 300) {
      // what a relay in front of it passes on may be the answer of the Web API, which is 200 in any case
      const { ok, error } = jsonBody(answer)
      if (ok === false) return refusalOutcome(error === 'ratelimited' ? 429 : 400, joinTexts(error), answer.retryAfterSeconds)
    }
    return outcomeOf(answer, ({ body }) => (/^[a-z_]{1,60}$/.test(body.trim()) ? body.trim() : undefined))
  },
}
