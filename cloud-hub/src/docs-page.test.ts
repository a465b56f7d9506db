import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { DOCS_FILES, DOCS_POLICY } from './docs-page.ts'

const textOf = (name: string) => DOCS_FILES[name]?.text ?? ''

/** Stands for an operation or a group of Swagger UI's store. */
interface Store {
  get(name: string): unknown
  getIn(path: string[]): unknown
  set(name: string, value: unknown): Store
}
const store = (values: Record<string, unknown>): Store => ({
  get: (name) => values[name],
  getIn: ([first, second]) => (values[first as string] as Record<string, unknown>)[second as string],
  set: (name, value) => store({ ...values, [name]: value }),
})
const operation = (method: string, path: string, summary: string) =>
  store({ method, path, operation: { summary, description: '' } })
type Operations = Store[] & { size: number }
const operations = (...all: Store[]): Operations =>
  Object.assign(all, {
    size: all.length,
    filter: (keep: (one: Store) => boolean) => operations(...Array.from(all).filter((one) => keep(one))),
  })
/** Groups by name, with the two methods that the filter uses. */
const groups = (entries: [string, Store][]) => ({
  entries,
  map: (change: (group: Store, name: string) => Store) => groups(entries.map(([name, group]) => [name, change(group, name)])),
  filter: (keep: (group: Store) => boolean) => groups(entries.filter(([, group]) => keep(group))),
})

/** What the page passes to Swagger UI. */
function settings() {
  let given: Record<string, unknown> = {}
  const SwaggerUIBundle = (options: Record<string, unknown>) => {
    given = options
  }
  runInContext(textOf('init.js'), createContext({ SwaggerUIBundle }))
  return given
}

describe('the page of the API document', () => {
  it('begins with its groups collapsed and a filter, and asks no validator outside', () => {
    expect(settings()).toMatchObject({ docExpansion: 'none', filter: true, validatorUrl: null, url: '/api/v1/openapi.json' })
  })

  it('filters operations by path and words, and shows a group whole when its name fits', () => {
    type Plugin = (toolbox: object) => { fn: { opsFilter: (all: unknown, phrase: string) => unknown } }
    const [plugin] = settings().plugins as [Plugin]
    const all = groups([
      [
        'Alerts',
        store({
          operations: operations(operation('get', '/alerts', 'List alerts'), operation('post', '/alerts/{id}/snooze', 'Snooze')),
        }),
      ],
      ['Machines', store({ operations: operations(operation('get', '/machines', 'List machines')) })],
    ])
    const found = (phrase: string) =>
      (plugin({ React: {} }).fn.opsFilter(all, phrase) as ReturnType<typeof groups>).entries.map(([name, group]) => [
        name,
        ...Array.from(group.get('operations') as Store[]).map((one) => one.get('path')),
      ])
    expect(found('snooze')).toEqual([['Alerts', '/alerts/{id}/snooze']])
    expect(found(' LIST ')).toEqual([
      ['Alerts', '/alerts'],
      ['Machines', '/machines'],
    ])
    expect(found('machines')).toEqual([['Machines', '/machines']])
    expect(found('Alerts')).toEqual([['Alerts', '/alerts', '/alerts/{id}/snooze']])
    expect(found('nothing')).toEqual([])
  })

  it('follows the colour scheme of the reader, by the class that Swagger UI has a dark style for', () => {
    const classes = new Set<string>()
    const dark = {
      matches: true,
      listeners: [] as (() => void)[],
      addEventListener: (_: string, call: () => void) => dark.listeners.push(call),
    }
    const document = {
      documentElement: { classList: { toggle: (name: string, on: boolean) => (on ? classes.add(name) : classes.delete(name)) } },
    }
    runInContext(textOf('theme.js'), createContext({ document, matchMedia: () => dark }))
    expect([...classes]).toEqual(['dark-mode'])
    dark.matches = false
    for (const call of dark.listeners) call()
    expect([...classes]).toEqual([])
    const css = readFileSync(createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui.css'), 'utf8')
    expect(css).toContain('html.dark-mode')
  })

  it('runs scripts of this hub only, none of them inline', () => {
    expect(DOCS_POLICY).toMatch(/default-src 'none'; script-src 'self';/)
    expect(textOf('')).not.toMatch(/<script(?![^>]* src="\/)/)
    for (const { text } of Object.values(DOCS_FILES)) expect(text).not.toMatch(/https?:\/\//)
  })
})
