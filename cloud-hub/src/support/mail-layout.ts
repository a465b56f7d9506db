import type { Language } from '@haltless/protocol/languages'
/** The content of a mail; `renderMail` defines its layout. */
export interface MailContent {
  subject: string
  /** a coloured line above the text, such as the severity of an alert */
  banner?: { label: string; tone: Figure['tone'] }
  paragraphs: string[]
  /** names and values, a line each */
  facts?: [name: string, value: string][]
  /** key figures, at most 6 */
  figures?: Figure[]
  tables?: MailTable[]
  /** attaches the content as a PDF of this name; `unknownLetters` is the note about characters that its font lacks */
  pdf?: { name: string; unknownLetters: string }
  button?: { label: string; url: string }
  /** small print under the text */
  footnote?: string
}

export interface Figure {
  label: string
  value: string
  tone: keyof typeof TONES
}

export interface MailTable {
  title: string
  /** `share` of the width on paper; narrow mails show a row as a heading and lines, the heading being the column `isTitle` */
  columns: { name: string; share: number; isNumber?: boolean; isTitle?: boolean }[]
  rows: string[][]
  /** text for a table without rows */
  none: string
}

export const TONES = { plain: '#1d2730', info: '#0f5c8c', good: '#2e7d4f', warning: '#9a5b00', critical: '#b3261e' } as const

const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] as string)

/**
 * Colours are inline, because many mail clients drop style sheets. Clients that support style sheets and dark mode get readable
 * dark colours. Clients that darken mails themselves find a background for every text.
 */
const DARK = `@media (prefers-color-scheme: dark) {
.page { background: #10161b !important } .card { background: #1a2229 !important } .card, .card td:not(.soft), .card h2, .tone-plain { color: #e7ecf0 !important }
.soft { color: #9aa7b1 !important } .line { border-color: #3a4650 !important } .brand, .tone-info, .link { color: #6cb8e6 !important }
.tone-good { color: #6fd39f !important } .tone-warning { color: #f0b45c !important } .tone-critical { color: #ff8a80 !important } }`
const SOFT = 'color:#5b6770'

/** A mail as plain text and as HTML that shows well without images, without style sheets, in the dark, and on 320 pixels. */
export function renderMail(content: MailContent, locale: Language): { subject: string; text: string; html: string } {
  const { subject, banner, paragraphs, facts = [], figures = [], tables = [], button, footnote } = content
  const text = [
    ...(banner ? [banner.label.toUpperCase()] : []),
    ...paragraphs,
    ...(facts.length > 0 ? [factsText(facts)] : []),
    ...(figures.length > 0 ? [figures.map(({ label, value }) => `${label}: ${value}`).join('\n')] : []),
    ...tables.map(tableText),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...(footnote ? [footnote] : []),
    '-- \nHaltless',
  ].join('\n\n')
  const p = (inner: string, style = '', name = '') =>
    `<p${name ? ` class="${name}"` : ''} style="margin:0 0 16px;${style}">${inner}</p>`
  const body = [
    ...(banner ? [bannerHtml(banner)] : []),
    ...paragraphs.map((line) => p(escapeHtml(line))),
    ...(facts.length > 0 ? [factsHtml(facts)] : []),
    ...(figures.length > 0 ? [figuresHtml(figures)] : []),
    ...tables.map(tableHtml),
    ...(button
      ? [
          p(
            `<a href="${escapeHtml(button.url)}" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#0f5c8c;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(button.label)}</a>`,
          ),
          p(escapeHtml(button.url), `font-size:13px;${SOFT};word-break:break-all`, 'soft'),
        ]
      : []),
    ...(footnote ? [p(escapeHtml(footnote), `font-size:13px;${SOFT}`, 'soft')] : []),
  ].join('\n')
  const html = `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(subject)}</title><style>${DARK}</style></head>
<body class="page" style="margin:0;padding:16px;background:#f2f4f6;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#1d2730">
<div class="card" style="max-width:560px;margin:0 auto;padding:24px 20px;background:#ffffff;color:#1d2730;border-radius:8px;overflow-wrap:anywhere;word-break:break-word">
<div class="brand" style="margin:0 0 20px;font-size:20px;font-weight:700;color:#0f5c8c">Haltless</div>
${body}
</div></body></html>
`
  return { subject: subject.replace(/[\r\n]+/g, ' '), text: `${text}\n`, html }
}

const factsText = (facts: readonly [string, string][]): string => {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

const tableText = ({ title, columns, rows, none }: MailTable): string => {
  if (rows.length === 0) return `${title}\n${none}`
  const lines = [columns.map(({ name }) => name), ...rows]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? '').length)))
  const padded = (line: string[]) =>
    line.map((cell, i) => (columns[i]?.isNumber ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
  return [title, ...lines.map((line) => padded(line).join('  ').trimEnd())].join('\n')
}

const bannerHtml = ({ label, tone }: NonNullable<MailContent['banner']>): string =>
  `<p class="tone-${tone}" style="margin:0 0 16px;padding:0 0 0 12px;border-left:4px solid ${TONES[tone]};color:${TONES[tone]};font-weight:700;text-transform:uppercase">${escapeHtml(label)}</p>`

const factsHtml = (facts: readonly [string, string][]): string => {
  const row = ([name, value]: [string, string]) =>
    `<tr><td class="soft" style="padding:3px 16px 3px 0;vertical-align:top;white-space:nowrap;${SOFT}">${escapeHtml(name)}</td><td style="padding:3px 0;vertical-align:top;color:#1d2730">${escapeHtml(value)}</td></tr>`
  return `<table role="presentation" style="margin:0 0 16px;border-collapse:collapse">${facts.map(row).join('')}</table>`
}

const figuresHtml = (figures: Figure[]): string => {
  const cell = ({ label, value, tone }: Figure) =>
    `<td style="padding:12px 8px 12px 0;vertical-align:top"><div class="tone-${tone}" style="font-size:24px;line-height:1.2;font-weight:700;color:${TONES[tone]}">${escapeHtml(value)}</div><div class="soft" style="font-size:13px;${SOFT}">${escapeHtml(label)}</div></td>`
  return `<table role="presentation" style="width:100%;margin:0 0 16px;border-collapse:collapse"><tr>${figures.map(cell).join('')}</tr></table>`
}

/** Tables of many columns do not fit a telephone: each row is a heading and a line of names and values. */
const tableHtml = ({ title, columns, rows, none }: MailTable): string => {
  const heading = `<h2 style="margin:24px 0 8px;font-size:16px">${escapeHtml(title)}</h2>`
  if (rows.length === 0) return `${heading}<p class="soft" style="margin:0 0 16px;${SOFT}">${escapeHtml(none)}</p>`
  const titleAt = Math.max(
    0,
    columns.findIndex(({ isTitle }) => isTitle),
  )
  const row = (cells: string[]) => {
    const rest = columns.flatMap(({ name }, i) =>
      i === titleAt || !cells[i] ? [] : [`${escapeHtml(name)}: ${escapeHtml(cells[i])}`],
    )
    return `<tr><td class="line" style="padding:8px 0;border-top:1px solid #d5dbe0;vertical-align:top"><div style="font-weight:600">${escapeHtml(cells[titleAt] ?? '')}</div><div class="soft" style="${SOFT}">${rest.join(' &middot; ')}</div></td></tr>`
  }
  return `${heading}<table style="width:100%;margin:0 0 16px;border-collapse:collapse;font-size:14px">${rows.map(row).join('')}</table>`
}
