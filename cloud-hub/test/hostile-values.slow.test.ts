import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { makeExampleTenant } from './example-tenant.ts'
import { PASSWORD, useHub } from './harness.ts'

const hub = useHub({ OUTBOUND_ALLOW: '' })

interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}
interface Operation {
  method: string
  path: string
  security?: Record<string, unknown>[]
  parameters?: { name: string; in: string; schema: Schema; example?: unknown }[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
}

/** What breaks a parser, a conversion or a statement; each is sent in place of every value that an operation takes. */
const HOSTILE: unknown[] = [
  { toString: 1 },
  [[]],
  null,
  '',
  '\0',
  '\ud800',
  -1,
  2_147_483_648,
  2 ** 63,
  1e308,
  '9999-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  '-1',
  '__proto__',
]
/** These end the session with which the others are sent, or wait for events. */
const LEFT_OUT = /\/(auth\/(logout|register|login|refresh|mfa\/disable)|stream|account|users\/\{user_id\})$/

/** The values at the limit of a schema, and one beyond each. */
function edgesOf(schema: Schema): unknown[] {
  return [schema, ...(schema.anyOf ?? [])].flatMap(({ minimum, maximum, minLength, maxLength, maxItems }) => [
    ...(maximum === undefined ? [] : [maximum, maximum + 1]),
    ...(minimum === undefined ? [] : [minimum, minimum - 1]),
    ...(maxLength === undefined || maxLength > 100_000
      ? []
      : ['x'.repeat(maxLength), 'x'.repeat(maxLength + 1), '\u{1f600}'.repeat(maxLength)]),
    ...(minLength ? ['x'.repeat(minLength - 1)] : []),
    ...(maxItems === undefined || maxItems > 2_000 ? [] : [Array(maxItems + 1).fill('x')]),
  ])
}

/** The example with one value replaced, for each value in it and each replacement. */
function* changed(value: unknown, schema: Schema, resolve: (schema: Schema) => Schema): Generator<unknown> {
  const own = resolve(schema)
  for (const other of [...HOSTILE, ...edgesOf(own)]) yield other
  if (Array.isArray(value)) {
    for (const inner of changed(value[0], own.items ?? {}, resolve)) yield [inner, ...value.slice(1)]
  } else if (typeof value === 'object' && value !== null) {
    const known = { ...value } as Record<string, unknown>
    for (const [name, property] of Object.entries(own.properties ?? {}))
      for (const inner of changed(known[name], property, resolve)) yield { ...known, [name]: inner }
  }
}

it('no value of a query or a body, at its limits, beyond them or of another kind, is answered with 500', {
  timeout: 900_000,
}, async () => {
  const { body: document } = await hub.call('GET', 'openapi.json')
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema) : schema
  const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const { admin, ids, key } = await makeExampleTenant(hub, `m-${randomUUID()}`)
  const { email } = (await admin.call('GET', 'auth/me')).body
  const failures: string[] = []
  const statuses = new Map<number, number>()
  let token = ''
  let calls = 0
  for (const operation of operations.filter(({ method, path }) => method !== 'DELETE' && !LEFT_OUT.test(path))) {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? randomUUID())
    const given = (operation.parameters ?? []).filter((one) => one.in === 'query')
    const usual = given.flatMap(({ name, example }): [string, string][] =>
      example === undefined ? [] : [[name, String(example)]],
    )
    const send = async (query: [string, string][], body?: unknown) => {
      // within the rate limits, and signed in: a token holds for 15 minutes
      if (calls % 20 === 0) hub.clock.advance(61)
      if (calls++ % 200 === 0) token = (await hub.call('POST', 'auth/login', { email, password: PASSWORD })).body.access_token
      const headers = { authorization: `Bearer ${token}`, 'x-api-key': key }
      const url = query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path
      const { status } = await hub.call(operation.method, url, body, headers)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500 && status !== 503)
        failures.push(`${status} ${operation.method} ${url} ${JSON.stringify(body)?.slice(0, 200) ?? ''}`)
    }
    for (const { name, schema } of given)
      for (const value of [...HOSTILE, ...edgesOf(resolve(schema))])
        await send([
          ...usual.filter(([other]) => other !== name),
          [name, typeof value === 'string' ? value : JSON.stringify(value)],
        ])
    const media = operation.requestBody?.content['application/json']
    if (media) for (const body of changed(media.example, media.schema, resolve)) await send(usual, body)
    if (failures.length > 40) break
  }
  expect(failures).toEqual([])
  // most are refused for what they hold, and not before anyone looks at it
  expect((statuses.get(422) ?? 0) / calls).toBeGreaterThan(0.7)
  expect(calls).toBeGreaterThan(5_000)
})
