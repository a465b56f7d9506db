import { createHash } from 'node:crypto'

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] as string)

// the colours of the console
const STYLE = `
:root { color-scheme: light dark; --ink: #18222b; --soft: #52606b; --paper: #ffffff; --ground: #f1f4f6; --line: #d5dce1; --brand: #0f5c8c; --on-brand: #ffffff; --bad: #b3211a; --good: #17693f }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ecf0; --soft: #a3b0ba; --paper: #151d23; --ground: #0d1317; --line: #2f3b45; --brand: #62b4e4; --on-brand: #06202f; --bad: #ff8d83; --good: #5fce95 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif }
main { width: 100%; max-width: 24rem; padding: 32px; background: var(--paper); border: 1px solid var(--line); border-radius: 12px }
.brand { margin: 0 0 24px; font-weight: 700; font-size: 1.1rem; color: var(--brand) }
h1 { margin: 0 0 12px; font-size: 1.4rem; line-height: 1.25 }
p { margin: 0 0 16px }
button:focus-visible { outline: 3px solid color-mix(in srgb, var(--brand) 45%, transparent); outline-offset: 1px }
.fault { padding: 10px 12px; border-left: 4px solid var(--bad); color: var(--bad); background: color-mix(in srgb, var(--bad) 10%, transparent); border-radius: 4px }
.done { padding: 10px 12px; border-left: 4px solid var(--good); color: var(--good); background: color-mix(in srgb, var(--good) 10%, transparent); border-radius: 4px }
dl { margin: 0 }
dt { margin-top: 12px; font-size: .875rem; color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
code { overflow-wrap: anywhere }
a { color: var(--brand) }
.link { margin: 20px 0 0 }
button { width: 100%; margin-top: 16px; padding: 11px 16px; border: 0; border-radius: 8px; background: var(--brand); color: var(--on-brand); font: inherit; font-weight: 600; cursor: pointer }
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Pages load no resources, forms go only to the hub, and other sites cannot frame the page. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

export interface Page {
  language: string
  title: string
  /** error message */
  fault?: string
  /** confirmation message */
  done?: string
  paragraphs?: string[]
  /** names and values, a line each; values may have several lines */
  facts?: [name: string, value: string][]
  link?: { text: string; path: string }
  /** a button that posts these values */
  form?: { action: string; button: string; values: Record<string, string> }
}

const factHtml = ([name, value]: [string, string]) =>
  `<dt>${escapeHtml(name)}</dt>${value
    .split('\n')
    .map((line) => `<dd>${escapeHtml(line)}</dd>`)
    .join('')}`

const inputHtml = ([name, value]: [string, string]) =>
  `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`

/** A page that works without JavaScript. */
export function renderPage(page: Page): string {
  const { language, title, fault, done, paragraphs = [], facts = [], link, form } = page
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    ...(fault ? [`<p class="fault" role="alert">${escapeHtml(fault)}</p>`] : []),
    ...(done ? [`<p class="done" role="status">${escapeHtml(done)}</p>`] : []),
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(facts.length > 0 ? [`<dl>${facts.map(factHtml).join('')}</dl>`] : []),
    ...(form
      ? [
          `<form method="post" action="${escapeHtml(form.action)}">`,
          ...Object.entries(form.values).map(inputHtml),
          `<button type="submit">${escapeHtml(form.button)}</button>`,
          '</form>',
        ]
      : []),
    ...(link ? [`<p class="link"><a href="${escapeHtml(link.path)}">${escapeHtml(link.text)}</a></p>`] : []),
  ]
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(title)} · Haltless</title><style>${STYLE}</style></head>
<body><main><p class="brand">Haltless</p>
${body.join('\n')}
</main></body></html>
`
}
