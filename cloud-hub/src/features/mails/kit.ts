/** What a mail says; how it looks is decided once, below. */
export interface MailContent {
  subject: string
  paragraphs: string[]
  /** numbers to take in at a glance, at most 6 */
  figures?: Figure[]
  tables?: MailTable[]
  /** the same as a document, attached under this name; `unknownLetters` is said in it of those that its font has not */
  pdf?: { name: string; unknownLetters: string }
  button?: { label: string; url: string }
  /** small print under the text */
  footnote?: string
}

export interface Figure {
  label: string
  value: string
  tone: 'plain' | 'good' | 'warning' | 'critical'
}

export interface MailTable {
  title: string
  columns: { name: string /** share of the width */; share: number; isNumber?: boolean }[]
  rows: string[][]
  /** said where there are no rows */
  none: string
}

export const TONES = { plain: '#1d2730', good: '#2e7d4f', warning: '#b26a00', critical: '#b3261e' } as const

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
  const { subject, paragraphs, figures = [], tables = [], button, footnote } = content
  const text = [
    ...paragraphs,
    ...(figures.length > 0 ? [figures.map(({ label, value }) => `${label}: ${value}`).join('\n')] : []),
    ...tables.map(tableText),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...(footnote ? [footnote] : []),
    '-- \nHaltless',
  ].join('\n\n')
  const p = (inner: string, style = '') => `<p style="margin:0 0 16px;${style}">${inner}</p>`
  const body = [
    ...paragraphs.map((line) => p(escapeHtml(line))),
    ...(figures.length > 0 ? [figuresHtml(figures)] : []),
    ...tables.map(tableHtml),
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

const tableText = ({ title, columns, rows, none }: MailTable): string => {
  if (rows.length === 0) return `${title}\n${none}`
  const lines = [columns.map(({ name }) => name), ...rows]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? '').length)))
  const padded = (line: string[]) =>
    line.map((cell, i) => (columns[i]?.isNumber ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
  return [title, ...lines.map((line) => padded(line).join('  ').trimEnd())].join('\n')
}

const figuresHtml = (figures: Figure[]): string => {
  const cell = ({ label, value, tone }: Figure) =>
    `<td style="padding:12px 8px 12px 0;vertical-align:top"><div style="font-size:26px;line-height:1.2;font-weight:700;color:${TONES[tone]}">${escapeHtml(value)}</div><div style="font-size:13px;color:#5b6770">${escapeHtml(label)}</div></td>`
  return `<table role="presentation" style="width:100%;margin:0 0 16px;border-collapse:collapse"><tr>${figures.map(cell).join('')}</tr></table>`
}

const tableHtml = ({ title, columns, rows, none }: MailTable): string => {
  const heading = `<h2 style="margin:24px 0 8px;font-size:16px">${escapeHtml(title)}</h2>`
  if (rows.length === 0) return `${heading}<p style="margin:0 0 16px;color:#5b6770">${escapeHtml(none)}</p>`
  const align = (i: number) => (columns[i]?.isNumber ? 'right' : 'left')
  const head = columns
    .map(
      ({ name }, i) =>
        `<th style="padding:6px 8px 6px 0;text-align:${align(i)};font-weight:600;color:#5b6770;border-bottom:1px solid #d5dbe0">${escapeHtml(name)}</th>`,
    )
    .join('')
  const row = (cells: string[]) =>
    `<tr>${cells.map((cell, i) => `<td style="padding:6px 8px 6px 0;text-align:${align(i)};border-bottom:1px solid #eceff1">${escapeHtml(cell)}</td>`).join('')}</tr>`
  return `${heading}<table style="width:100%;margin:0 0 16px;border-collapse:collapse;font-size:14px"><tr>${head}</tr>${rows.map(row).join('')}</table>`
}
