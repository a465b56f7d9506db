import { raw } from 'hono/html'
import { Marked } from 'marked'

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')

/** Guides link to each other by file, as they do in the repository. @returns null for other files of the repository, which no hub serves */
function addressOf(href: string): string | null {
  const [, guide, section = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (guide) return `/docs/guides/${guide}${section}`
  return href.startsWith('/') || href.startsWith('#') ? href : null
}

const marked = new Marked({
  gfm: true,
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }) {
      const address = addressOf(href)
      const text = this.parser.parseInline(tokens)
      return address === null ? text : `<a href="${escapeText(address)}">${text}</a>`
    },
    code({ text, lang = '' }) {
      const [language] = lang.split(' ')
      return `<pre tabindex="0"${language ? ` data-language="${escapeText(language)}"` : ''}><code>${escapeText(text)}</code></pre>\n`
    },
    table(token) {
      const cells = (row: typeof token.header, name: 'th' | 'td') =>
        `<tr>${row.map((cell) => `<${name}>${this.parser.parseInline(cell.tokens)}</${name}>`).join('')}</tr>`
      const body = token.rows.map((row) => cells(row, 'td')).join('\n')
      return `<div class="table" tabindex="0"><table><thead>${cells(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
    },
    /** our own texts have none */
    html({ text }) {
      return escapeText(text)
    },
  },
})

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escapeText = (text: string): string => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] as string)

export const markdown = (text: string) => raw(marked.parse(text, { async: false }))
export const inlineMarkdown = (text: string) => raw(marked.parseInline(text, { async: false }))

export interface Section {
  /** '' for what comes before the first heading of the second level */
  slug: string
  title: string
  text: string
}

/** A guide by its headings of the second level, for the search, without its code. */
export function sectionsOf(guide: string): Section[] {
  const text = guide.replace(/^```[\s\S]*?^```$/gm, '')
  const [first = '', ...rest] = text.split(/^## /m)
  const title = /^# (.*)$/m.exec(first)?.[1] ?? ''
  return [
    { slug: '', title, text: first },
    ...rest.map((part) => {
      const [heading = '', ...lines] = part.split('\n')
      return { slug: slugOf(heading), title: heading, text: lines.join('\n') }
    }),
  ]
}
