import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Hono } from 'hono'
import type { Env } from '../support/http/http-app.ts'
import { staticFile } from '../support/http/static-file.ts'
import { type ApiDocument, operationsOf } from './document.ts'
import { errorsPage } from './errors-page.ts'
import { GUIDES, guidePage, homePage, servedMarkdown } from './guides.ts'
import { objectsPage } from './objects-page.ts'
import { areaSlug, referencePage } from './reference-page.ts'
import { searchEntries } from './search-entries.ts'
import { type NavGroup, page } from './shell.ts'

/** The pages load nothing from other hosts, and have no inline script or style. */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'

/**
 * The pages about the API at /docs, and /llms.txt. They are made of the API document and of `docs/api`, at the first request for each.
 * @param apiDocument as JSON
 */
export function mountDocs(app: Hono<Env>, apiDocument: () => string): void {
  let made: ApiDocument | undefined
  const document = () => (made ??= JSON.parse(apiDocument()) as ApiDocument)
  const serve = (address: string, type: string, text: () => string | Promise<string>) => {
    const answer = staticFile(async () => new TextEncoder().encode(await text()), type, 'no-cache')
    app.get(address, async (c) => {
      const response = await answer(c.req.raw.headers)
      response.headers.set('content-security-policy', DOCS_POLICY)
      return response
    })
  }
  const nav = () => navigation(document())
  const content = { '/docs': ['Start', homePage], '/docs/errors': ['Refusals', errorsPage] } as const
  for (const [address, [title, make]] of Object.entries(content)) serve(address, HTML, () => page(title, address, nav(), make()))
  serve('/docs/reference', HTML, async () => page('Operations', '/docs/reference', nav(), await referencePage(document())))
  serve('/docs/objects', HTML, async () => page('Objects', '/docs/objects', nav(), await objectsPage(document())))
  for (const [name, title] of GUIDES) {
    serve(`/docs/guides/${name}`, HTML, () => page(title, `/docs/guides/${name}`, nav(), guidePage(name)))
    serve(`/docs/guides/${name}.md`, MARKDOWN, () => servedMarkdown(name))
  }
  for (const address of ['/docs/', '/docs/guides', '/docs/guides/']) app.get(address, (c) => c.redirect('/docs', 301))
  serve('/docs/search.json', 'application/json', () => JSON.stringify(searchEntries(document())))
  for (const [file, type] of [
    ['docs.css', 'text/css'],
    ['docs.js', 'text/javascript'],
  ] as const)
    serve(`/docs/${file}`, type, () => readFile(path.join(import.meta.dirname, 'browser', file), 'utf8'))
  serve('/llms.txt', MARKDOWN, () => llmsText(document()))
}

const navigation = (document: ApiDocument): NavGroup[] => [
  {
    title: 'Guides',
    links: [{ href: '/docs', text: 'Start' }, ...GUIDES.map(([name, text]) => ({ href: `/docs/guides/${name}`, text }))],
  },
  {
    title: 'Reference',
    links: [
      {
        href: '/docs/reference',
        text: 'Operations',
        below: [
          ...document.tags
            .filter(({ name }) => operationsOf(document).some(({ tags }) => tags[0] === name))
            .map(({ name }) => ({ href: `#${areaSlug(name)}`, text: name })),
          { href: '#area-webhooks', text: 'Webhooks' },
        ],
      },
      { href: '/docs/objects', text: 'Objects' },
      { href: '/docs/errors', text: 'Refusals' },
    ],
  },
]

/** Source: llmstxt.org */
const llmsText = ({ info }: ApiDocument) => `# Haltless API

> Haltless monitors industrial machines. Its API takes readings and answers machines, alerts, work orders, downtime, OEE and predictions. Version ${info.version}.

## Guides

${GUIDES.map(([name, title]) => `- [${title}](/docs/guides/${name}.md)`).join('\n')}

## Reference

- [OpenAPI document](/api/v1/openapi.json): every operation with its fields, refusals and examples
`
