import { z } from '../../../support/http/z.ts'
import type { Channel, Notice } from '../channel.ts'
import { clip, facts, linkOf, oneLine } from '../notice-text.ts'

const Config = z.strictObject({ to_email: z.email('must be an e-mail address').max(254) })
type Config = z.output<typeof Config>

const COLOURS = { info: '#1d6fb8', warning: '#b26a00', critical: '#b3261e' } as const

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

function htmlBody(notice: Notice, link: string | null): string {
  const cells = facts(notice)
    .map(
      ([name, value]) =>
        `<tr><td style="padding:4px 16px 4px 0;color:#5f6b76">${name}</td><td style="padding:4px 0">${escapeHtml(value)}</td></tr>`,
    )
    .join('')
  const button = link
    ? `<p style="margin:16px 0"><a href="${escapeHtml(link)}" style="color:#1d6fb8">Open in Haltless</a></p>`
    : ''
  return `<div style="font:15px/1.5 system-ui,sans-serif;color:#17212b;max-width:560px"><p style="border-left:4px solid ${COLOURS[notice.severity]};padding-left:12px;margin:0 0 16px"><strong style="color:${COLOURS[notice.severity]};text-transform:uppercase">${notice.severity}</strong><br>${escapeHtml(oneLine(notice.message))}</p><table style="border-collapse:collapse">${cells}</table>${button}<p style="color:#5f6b76;font-size:13px">Sent by Haltless.</p></div>`
}

/** A mail of text and HTML; a repeat carries the same Message-ID, by which mail programs show it once. Source: RFC 5322, 2.2 and 3.6.4 */
export const email: Channel<Config> = {
  audience: 'people',
  config: Config,
  secrets: [],
  target: () => null,
  deliver: async (notice, config, { mailer, publicUrl }) => {
    const link = linkOf(notice, publicUrl)
    const width = Math.max(...facts(notice).map(([name]) => name.length))
    const table = facts(notice).map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    const outcome = await mailer.send({
      to: config.to_email,
      subject: clip(`[${notice.severity}] ${notice.message}`, 200),
      text: `${oneLine(notice.message)}\n\n${table.join('\n')}\n${link ? `\n${link}\n` : ''}`,
      html: htmlBody(notice, link),
      messageId: notice.deliveryId,
    })
    return outcome.ok ? { kind: 'delivered' } : { kind: outcome.isPermanent ? 'permanent' : 'transient', error: outcome.error }
  },
}
