import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { type AppDeps, allRoutes, apiDocument } from '../app.ts'
import { loadConfig } from '../config.ts'
import { ERROR_CODES } from '../error-codes/index.ts'
import { exampleId } from '../support/http/example.ts'
import { type ApiDocument, operationsOf } from './document.ts'
import { GUIDES } from './guides.ts'
import { mountDocs } from './index.ts'
import { markdown } from './markdown.ts'
import { requestCode, requestOf } from './request-code.ts'
import { typeOf } from './schema-table.ts'

const made = apiDocument(allRoutes({ config: loadConfig({}) } as AppDeps))
const document = JSON.parse(JSON.stringify(made)) as ApiDocument
const app = new Hono()
let asked = 0
mountDocs(app as never, () => {
  asked++
  return JSON.stringify(made)
})
const get = async (address: string) => {
  const answer = await app.request(address)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
const PAGES = ['/docs', '/docs/reference', '/docs/objects', '/docs/errors', ...GUIDES.map(([name]) => `/docs/guides/${name}`)]
const operation = (id: string) => {
  const found = operationsOf(document).find(({ operationId }) => operationId === id)
  if (!found) throw new Error(`There is no operation ${id}.`)
  return found
}
const MACHINE = exampleId('machine_id')
const code = (id: string) => {
  const request = requestOf(operation(id), (name) => `<${name}>`)
  return { sh: requestCode(request, 'curl'), ts: requestCode(request, 'typescript'), py: requestCode(request, 'python') }
}

describe('the documentation', () => {
  it.each(PAGES)('%s loads nothing from other hosts, and nothing inline', async (address) => {
    const { status, headers, text } = await get(address)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/)
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=|(?:src|href)="(?:https?:)?\/\//)
  })

  it('has every operation, object and code once, and every link of its pages leads somewhere', async () => {
    const texts = new Map(await Promise.all(PAGES.map(async (address) => [address, (await get(address)).text] as const)))
    const idsOf = (address: string) => [...(texts.get(address) ?? '').matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string)
    for (const address of PAGES)
      expect([address, idsOf(address).filter((id, i, all) => all.indexOf(id) !== i)]).toEqual([address, []])
    expect(idsOf('/docs/reference')).toEqual(expect.arrayContaining(operationsOf(document).map(({ operationId }) => operationId)))
    expect(idsOf('/docs/objects')).toEqual(expect.arrayContaining(Object.keys(document.components.schemas)))
    expect(idsOf('/docs/errors')).toEqual(expect.arrayContaining(Object.keys(ERROR_CODES)))
    const broken: string[] = []
    for (const [address, text] of texts)
      for (const [, href = ''] of text.matchAll(/<a[^>]* href="([^"]*)"/g)) {
        const [path, id] = href.split('#')
        const page = path || address
        if (page.startsWith('/docs') && !page.endsWith('.md') && !texts.has(page)) broken.push(`${address}: ${href}`)
        if (id && texts.has(page) && !idsOf(page).includes(id)) broken.push(`${address}: ${href}`)
      }
    expect(broken).toEqual([])
  })

  it('asks for the API document once, whatever pages are read', async () => {
    for (const address of [...PAGES, ...PAGES, '/docs/search.json', '/llms.txt']) await get(address)
    expect(asked).toBe(1)
  })

  it('is there as Markdown too, with an index', async () => {
    const index = await get('/llms.txt')
    const listed = [...index.text.matchAll(/\]\((\/docs\/[^)]*)\)/g)].map(([, address]) => address as string)
    expect(listed).toEqual(GUIDES.map(([name]) => `/docs/guides/${name}.md`))
    for (const address of listed) {
      const { status, headers, text } = await get(address)
      expect(text).not.toMatch(/\]\(\.\./)
      expect([status, headers.get('content-type'), text.slice(0, 2)]).toEqual([200, 'text/markdown; charset=utf-8', '# '])
    }
  })

  it('is searched by title and text: guides by section, operations, objects and codes', async () => {
    const entries = JSON.parse((await get('/docs/search.json')).text) as { t: string; u: string; k: string; x: string }[]
    const of = (kind: string) => entries.filter(({ k }) => k === kind)
    expect(of('Operation').length).toBe(operationsOf(document).length)
    expect(of('Refusal').length).toBe(Object.keys(ERROR_CODES).length)
    expect(entries.find(({ t }) => t === 'Create a work order')).toMatchObject({ u: '/docs/reference#createWorkOrder' })
    expect(entries.find(({ t }) => t === 'Webhooks: Verify the sender')).toMatchObject({
      u: '/docs/guides/webhooks#verify-the-sender',
    })
  })
})

describe('examples', () => {
  it('of a read, with ids in their places', () => {
    expect(code('getMachine')).toEqual({
      sh: `curl -s "$url/machines/${MACHINE}" \\\n  -H "Authorization: Bearer $token"`,
      ts: [
        "import { HaltlessClient } from '@haltless/client'",
        '',
        'const hub = new HaltlessClient({ url, token })',
        "const answer = await hub.get('/machines/{machine_id}', {",
        '  path: {',
        `    "machine_id": "${MACHINE}"`,
        '  },',
        '})',
      ].join('\n'),
      py: [
        'import json, urllib.request',
        '',
        'request = urllib.request.Request(',
        `    url + "/machines/${MACHINE}",`,
        '    headers={"Authorization": "Bearer " + token},',
        ')',
        'with urllib.request.urlopen(request) as answer:',
        '    print(json.load(answer))',
      ].join('\n'),
    })
  })

  it('of a change have its body in the words of the language', () => {
    const { sh, py } = code('createAlertRule')
    expect(sh).toContain('curl -s -X POST "$url/alert-rules"')
    expect(sh).toContain("-H 'Content-Type: application/json'")
    expect(py).toContain('method="POST"')
    expect(py).not.toMatch(/\b(true|false|null)\b/)
  })

  it('of readings have an API key, and those of files a form', () => {
    expect(code('ingestReadings').sh).toContain('-H "X-API-Key: $key"')
    expect(code('importMachines').sh).toContain('-F file=@file')
    expect(code('importMachines').ts).toContain("form.set('file', file)")
    expect(code('importMachines').py).toContain('multipart/form-data; boundary=')
    expect(code('enrollAgent').sh).toContain('X-API-Key: $enrolment_key')
  })

  it('of a stream read line by line', () => {
    const { sh, ts, py } = code('streamEvents')
    expect(sh).toContain('curl -sN ')
    expect(ts).toContain('for await (const { event, data } of hub.stream())')
    expect(py).toContain('for line in answer:')
  })

  it('quote what a shell would read', () => {
    const request = requestOf(operation('createMachine'), (name) => name)
    const quoted = requestCode({ ...request, body: { kind: 'json', value: { name: "Anna's" } } }, 'curl')
    expect(quoted).toContain(`"name": "Anna'\\''s"`)
  })
})

it('texts are escaped, and links to files that no hub has are words', () => {
  expect(String(markdown('a <b>x</b> [guide](tokens.md#x) [file](../oee.md) `<i>`'))).toBe(
    '<p>a &lt;b&gt;x&lt;/b&gt; <a href="/docs/guides/tokens#x">guide</a> file <code>&lt;i&gt;</code></p>\n',
  )
})

it('types are words: unions, arrays, constants and names of objects', () => {
  const schema = { type: ['array', 'null'], items: { $ref: '#/components/schemas/Machine' } }
  expect(typeOf(schema)).toBe('array of Machine | null')
  expect(typeOf({ enum: ['low', 'high'] })).toBe('"low" | "high"')
  expect(typeOf({ type: ['string', 'null'], format: 'uuid' })).toBe('string (uuid) | null')
  expect(typeOf({ anyOf: [{ type: 'string' }, { type: 'string' }, { const: 1 }] })).toBe('string | 1')
})
