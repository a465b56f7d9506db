import { ERROR_CODES } from '../error-codes/index.ts'
import { type ApiDocument, operationsOf } from './document.ts'
import { GUIDES, guideText } from './guides.ts'
import { sectionsOf } from './markdown.ts'

/** What the search finds: short names, because a browser loads all of it. */
export interface SearchEntry {
  /** title */
  t: string
  /** address */
  u: string
  /** kind */
  k: 'Guide' | 'Operation' | 'Object' | 'Refusal'
  /** what else is searched */
  x: string
}

export function searchEntries(document: ApiDocument): SearchEntry[] {
  const guides = GUIDES.flatMap(([name, title]) =>
    sectionsOf(guideText(name)).map((section): SearchEntry => {
      const u = `/docs/guides/${name}${section.slug && `#${section.slug}`}`
      return { t: section.slug ? `${title}: ${section.title}` : title, u, k: 'Guide', x: section.text }
    }),
  )
  const operations = operationsOf(document).map(
    ({ operationId, method, path, summary, description, parameters = [] }): SearchEntry => {
      const names = parameters.map(({ name }) => name).join(' ')
      return {
        t: summary,
        u: `/docs/reference#${operationId}`,
        k: 'Operation',
        x: `${method} ${path.replace('/api/v1', '')}. ${operationId} ${description} ${names}`,
      }
    },
  )
  const objects = Object.entries(document.components.schemas).map(
    ([name, { properties = {} }]): SearchEntry => ({
      t: name,
      u: `/docs/objects#${name}`,
      k: 'Object',
      x: Object.keys(properties).join(' '),
    }),
  )
  const refusals = Object.entries(ERROR_CODES).map(
    ([code, { meaning, remedy }]): SearchEntry => ({
      t: code,
      u: `/docs/errors#${code}`,
      k: 'Refusal',
      x: `${meaning} ${remedy}`,
    }),
  )
  return [...guides, ...operations, ...refusals, ...objects]
}
