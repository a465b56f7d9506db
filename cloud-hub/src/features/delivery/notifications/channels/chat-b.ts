import type { Channel, Notice } from '../channel.ts'
import { outcomeOf, refusalOutcome } from '../http-outcome.ts'
import { alertLink, messageFields, truncateLine } from '../notice-text.ts'
import { type WebhookConfig, webhookAddress, webhookDefaults } from '../vendor-address.ts'

const COLOURS = { info: 'Accent', warning: 'Warning', critical: 'Attention' } as const

const run = (text: string, style: Record<string, unknown> = {}) => ({ type: 'TextRun', text, ...style })
const block = (...inlines: unknown[]) => ({ type: 'RichTextBlock', inlines })

/**
 * Text runs, because other texts of a card are Markdown and a machine's name may contain asterisks. The card stays below 14,000
 * characters, because a connector counts two bytes for each.
 */
function card(notice: Notice, publicUrl: string) {
  const link = alertLink(notice, publicUrl)
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      block(run(notice.severity.toUpperCase(), { weight: 'Bolder', size: 'Medium', color: COLOURS[notice.severity] })),
      block(run(truncateLine(notice.message, 1_000), { weight: 'Bolder' })),
      ...messageFields(notice).map(([name, value]) => block(run(`${name}: `, { isSubtle: true }), run(truncateLine(value, 300)))),
    ],
    ...(link ? { actions: [{ type: 'Action.OpenUrl', title: 'Open in Haltless', url: link }] } : {}),
  }
}

/**
 * Microsoft Teams, by a webhook of Workflows (or an Office 365 connector): an Adaptive Card of at most 28 KB.
 * Source: learn.microsoft.com, "Create incoming webhooks with Workflows", "Create and send messages" (a connector answers 200 also to a rejected card and
 * reports that in the body), "Format cards in Microsoft Teams" (Markdown in TextBlock and Fact, not in TextRun). It has no idempotency
 * key
 */
export const chatB: Channel<WebhookConfig> = {
  ...webhookDefaults,
  product: 'Teams',
  deliver: async (notice, config, { http, publicUrl }) => {
    const attachment = {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: card(notice, publicUrl),
    }
    const answer = await http.request(webhookAddress(config), {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ type: 'message', attachments: [attachment] }),
    })
    const inside = answer.ok && answer.status === 200 ? /returned HTTP error (\d{3})/.exec(answer.body)?.[1] : undefined
    return inside
      ? refusalOutcome(Number(inside), 'Microsoft Teams rejected it', answer.ok ? answer.retryAfterSeconds : undefined)
      : outcomeOf(answer)
  },
}
