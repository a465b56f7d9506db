/** What a mail says; how it looks is decided once, below. */
export interface MailContent {
  subject: string
  paragraphs: string[]
  button?: { label: string; url: string }
  /** small print under the text */
  footnote?: string
}

export const MAIL_LOCALES = ['en', 'de'] as const
export type MailLocale = (typeof MAIL_LOCALES)[number]

/** The language we have for a BCP 47 tag; English for those that we have not. */
export function mailLocale(tag: string | null | undefined): MailLocale {
  const language = tag?.toLowerCase().split('-')[0]
  return MAIL_LOCALES.find((known) => known === language) ?? 'en'
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] as string)

/** A mail as plain text and as HTML that shows well without images, style sheets or a wide screen. */
export function renderMail(content: MailContent, locale: MailLocale): { subject: string; text: string; html: string } {
  const { subject, paragraphs, button, footnote } = content
  const text = [
    ...paragraphs,
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...(footnote ? [footnote] : []),
    '-- \nHaltless',
  ].join('\n\n')
  const p = (inner: string, style = '') => `<p style="margin:0 0 16px;${style}">${inner}</p>`
  const body = [
    ...paragraphs.map((line) => p(escapeHtml(line))),
    ...(button
      ? [
          p(
            `<a href="${escapeHtml(button.url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#0f5c8c;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(button.label)}</a>`,
          ),
          p(escapeHtml(button.url), 'font-size:13px;color:#5b6770;word-break:break-all'),
        ]
      : []),
    ...(footnote ? [p(escapeHtml(footnote), 'font-size:13px;color:#5b6770')] : []),
  ].join('\n')
  const html = `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f2f4f6;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#1d2730">
<div style="max-width:560px;margin:0 auto;padding:32px;background:#ffffff;border-radius:8px">
<div style="margin:0 0 24px;font-size:20px;font-weight:700;color:#0f5c8c">Haltless</div>
${body}
</div></body></html>
`
  return { subject: subject.replace(/[\r\n]+/g, ' '), text: `${text}\n`, html }
}
