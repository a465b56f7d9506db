import { Email } from '../../../../support/http/email-address.ts'
import { z } from '../../../../support/http/z.ts'
import { renderMail } from '../../../../support/mail-layout.ts'
import type { Channel } from '../channel.ts'
import { alertLink, messageFields, oneLine, truncateLine } from '../notice-text.ts'

const Config = z.strictObject({ to_email: Email })
type Config = z.output<typeof Config>

/** A mail of text and HTML; a repeat carries the same Message-ID, by which mail programs show it once. Source: RFC 5322, 2.2 and 3.6.4 */
export const email: Channel<Config> = {
  audience: 'people',
  followsAlert: false,
  subjectKind: null,
  isMail: true,
  config: Config,
  secrets: [],
  target: () => null,
  deliver: async (notice, config, { mailer, publicUrl, timeZoneOf }) => {
    const link = alertLink(notice, publicUrl)
    const timeZone = await timeZoneOf(config.to_email)
    const mail = renderMail(
      {
        subject: truncateLine(`[${notice.severity}] ${notice.message}`, 200),
        banner: { label: notice.severity, tone: notice.severity },
        paragraphs: [oneLine(notice.message)],
        facts: messageFields(notice, timeZone),
        ...(link && { button: { label: 'Open in Haltless', url: link } }),
        footnote: notice.alert ? `Times are in ${timeZone}.` : 'This is a test of a notification channel.',
      },
      'en',
    )
    const outcome = await mailer.send({ to: config.to_email, messageId: notice.deliveryId, ...mail })
    return outcome.ok ? { kind: 'delivered' } : { kind: outcome.isPermanent ? 'permanent' : 'transient', fault: outcome.fault }
  },
}
