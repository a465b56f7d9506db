import type { Channel, Notice } from '../channel.ts'
import { outcomeOf, refused } from '../http-outcome.ts'
import { clip, facts, linkOf } from '../notice-text.ts'
import { byWebhook, type WebhookConfig, webhookAddress } from '../vendor-address.ts'

const COLOURS = { info: 'Accent', warning: 'Warning', critical: 'Attention' } as const

const run = (text: string, style: Record<string, unknown> = {}) => ({ type: 'TextRun', text, ...style })
const block = (...inlines: unknown[]) => ({ type: 'RichTextBlock', inlines })

/**
 * Text runs, because other texts of a card are read as Markdown, and a machine's name may hold asterisks. All of it stays below 14,000
 * characters, since a connector counts two bytes for each.
 */
function card(notice: Notice, publicUrl: string) {
  const link = linkOf(notice, publicUrl)
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      block(run(notice.severity.toUpperCase(), { weight: 'Bolder', size: 'Medium', color: COLOURS[notice.severity] })),
      block(run(clip(notice.message, 1_000), { weight: 'Bolder' })),
      ...facts(notice).map(([name, value]) => block(run(`${name}: `, { isSubtle: true }), run(clip(value, 300)))),
    ],
    ...(link ? { actions: [{ type: 'Action.OpenUrl', title: 'Open in Haltless', url: link }] } : {}),
  }
}

/**
 * Microsoft Teams, by a webhook of Workflows (or an Office 365 connector): an Adaptive Card of at most 28 KB.
 * Source: learn.microsoft.com, "Create incoming webhooks with Workflows", "Create and send messages" (a connector answers 200 also when it was
 * turned away, and says so in the body), "Format cards in Microsoft Teams" (Markdown in TextBlock and Fact, not in TextRun). It has no key
 * against repeats
 */
export const chatB: Channel<WebhookConfig> = {
  ...byWebhook,
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
      ? refused(Number(inside), 'Microsoft Teams turned it away', answer.ok ? answer.retryAfterSeconds : undefined)
      : outcomeOf(answer)
  },
}
