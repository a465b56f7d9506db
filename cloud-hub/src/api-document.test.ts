import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { API_INFO } from './api-info.ts'
import { type AppDeps, allRoutes, apiDocument, apiDocumentText } from './app.ts'
import { loadConfig } from './config.ts'
import { ERROR_CODES } from './error-codes/index.ts'
import type { Notice } from './features/delivery/notifications/channel.ts'
import { webhookBody } from './features/delivery/notifications/channels/webhook.ts'
import type { JsonSchema } from './support/http/example.ts'

interface Media {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, unknown>
}
interface Response {
  $ref?: string
  description?: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
}
interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters?: { name: string; description?: string; schema: JsonSchema; example?: unknown }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
}

const NOTICE: Notice = {
  type: 'alert',
  event: 'raised',
  deliveryId: 'd',
  message: 'm',
  severity: 'info',
  metricName: 'm',
  triggerValue: 1,
  thresholdValue: 1,
  alert: { id: 'a', unit: 'u', triggeredAt: new Date(0), createdAt: new Date(0) },
  machine: { id: 'm', name: 'n', identifier: 'i', location: null },
}

const text = JSON.stringify(apiDocument(allRoutes({ config: loadConfig({}) } as AppDeps)))
const document = JSON.parse(text) as {
  info: { contact: { name: string } }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, Response>
    examples: Record<string, { value: { code: string; status: number } }>
  }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, name: `${method.toUpperCase()} ${path}`, path })),
)
const isText = (value: unknown) => typeof value === 'string' && value.trim().length > 1
const responseOf = ({ $ref, ...response }: Response): Response =>
  $ref ? (document.components.responses[$ref.split('/').at(-1) as string] as Response) : response

/** A description of the schema itself, of one of its parts, or of the component that it refers to. */
const isDescribed = (schema: JsonSchema): boolean =>
  isText(schema.description) ||
  (schema.$ref !== undefined && isText(document.components.schemas[schema.$ref.split('/').at(-1) as string]?.description)) ||
  (schema.allOf ?? []).some(isDescribed)

/** Every property below a schema that has no description, by its path; components are walked by themselves. */
function undescribed(schema: JsonSchema, at: string): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(isDescribed(property) ? [] : [`${at}.${name}`]),
    ...undescribed(property, `${at}.${name}`),
  ])
  const inner = [
    schema.items,
    schema.additionalProperties,
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ]
  return [...own, ...inner.flatMap((part) => (typeof part === 'object' ? undescribed(part, at) : []))]
}

describe('the API document', () => {
  it('is built once for a hub, and is the same for the path that serves it and the pages', () => {
    const routes = allRoutes({ config: loadConfig({}) } as AppDeps)
    let walks = 0
    const walk = routes[Symbol.iterator].bind(routes)
    Object.assign(routes, {
      [Symbol.iterator]: () => {
        walks++
        return walk()
      },
    })
    expect(apiDocumentText(routes)).toBe(text)
    const once = walks
    expect(apiDocumentText(routes)).toBe(text)
    expect([once > 0, walks]).toEqual([true, once])
  })

  it('describes every operation, parameter and property, nested ones included', () => {
    const missing = operations.flatMap(({ name, summary, description, parameters = [], requestBody, responses }) => [
      // "Access" and "Rate limit" are added to every description and say nothing about the operation
      ...(isText(summary) && isText(description?.split('**Access:**')[0]) ? [] : [name]),
      ...parameters.filter((one) => !isText(one.description)).map((one) => `${name} ${one.name}`),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => undescribed(schema, name)),
      ...Object.entries(responses).flatMap(([status, response]) => [
        ...(isText(responseOf(response).description) ? [] : [`${name} ${status}`]),
        ...Object.values(responseOf(response).content ?? {}).flatMap(({ schema }) => undescribed(schema, `${name} ${status}`)),
      ]),
    ])
    const components = Object.entries(document.components.schemas).flatMap(([name, schema]) => undescribed(schema, name))
    expect([...missing, ...components]).toEqual([])
  })

  it('gives every operation a request example, an example of its answer and one of each refusal', () => {
    const hasExample = ({ example }: { example?: unknown }) => example !== undefined
    const missing = operations.flatMap(({ name, parameters = [], requestBody, responses }) => {
      const bodies = Object.values(requestBody?.content ?? {})
      // documentation pages send examples, and one key for all requests would refuse them
      const shown = parameters.filter((one) => one.name !== 'Idempotency-Key')
      const answers = Object.entries(responses).flatMap(([status, response]) =>
        Object.values(responseOf(response).content ?? {}).map((media) => ({ status, media })),
      )
      return [
        ...(shown.length === 0 || shown.some(hasExample) ? [] : [`${name}: parameters`]),
        ...(bodies.every(hasExample) ? [] : [`${name}: body`]),
        ...answers
          .filter(({ media }) => !hasExample(media) && Object.keys(media.examples ?? {}).length === 0)
          .map(({ status }) => `${name}: ${status}`),
      ]
    })
    expect(missing).toEqual([])
  })

  it('names every operation once, by a verb and what it acts on', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
    expect(ids.filter((id) => !/^[a-z]+[A-Z][A-Za-z]+$/.test(id))).toEqual([])
    expect(ids.filter((id) => /^(post|put|patch)[A-Z]/.test(id))).toEqual([])
    expect(ids).toEqual(
      expect.arrayContaining(['listMachines', 'createMachine', 'getMachine', 'updateMachine', 'ingestReadings']),
    )
  })

  it('shows the keys of every configuration by the kind that it belongs to', () => {
    const { schemas } = document.components
    const variantsOf = (name: string) => {
      const { oneOf, discriminator } = schemas[name] as JsonSchema & {
        discriminator: { propertyName: string; mapping: Record<string, string> }
      }
      expect(oneOf?.map(({ $ref }) => $ref)).toEqual(Object.values(discriminator.mapping))
      const keys = Object.entries(discriminator.mapping).map(([value, ref]) => {
        const variant = schemas[ref.split('/').at(-1) as string]
        expect(variant?.properties?.[discriminator.propertyName]?.enum).toEqual([value])
        expect(variant?.required).toContain('name')
        return [value, Object.keys(variant?.properties?.config?.properties ?? {})]
      })
      return [discriminator.propertyName, Object.fromEntries(keys)]
    }
    const channels = [
      'channel_type',
      expect.objectContaining({ email: ['to_email'], webhook: ['url', 'headers', 'signing_secret'] }),
    ]
    const sources = ['protocol', { opcua: expect.arrayContaining(['nodes']), modbus: expect.arrayContaining(['registers']) }]
    const erp = ['provider', expect.objectContaining({ erp_c: ['base_url', 'paths', 'ca_certificate', 'username', 'password'] })]
    for (const suffix of ['', 'Create'])
      expect(['NotificationChannel', 'IngestSource', 'ErpConnection'].map((name) => variantsOf(name + suffix))).toEqual([
        channels,
        sources,
        erp,
      ])
    expect(schemas.NotificationChannelPut?.properties?.config?.additionalProperties).toBe(true)
  })

  it('has no property with a default that is absent in requests, because generators would require it', () => {
    const optional = Object.entries(document.components.schemas).flatMap(([name, { properties, required }]) =>
      Object.entries(properties ?? {})
        .filter(([key, property]) => 'default' in property && !required?.includes(key))
        .map(([key]) => `${name}.${key}`),
    )
    expect(optional).toEqual([])
    const { is_active } = document.components.schemas.NotificationChannelCreateEmail?.properties ?? {}
    expect(is_active?.description).toContain('Default: true')
  })

  it('declares the headers of every answer, and the request of a webhook', () => {
    const headersOf = (status: string) =>
      operations.map(({ responses }) => Object.keys(responses[status] ? (responseOf(responses[status]).headers ?? {}) : {}))
    for (const { name, responses } of operations)
      for (const response of Object.values(responses))
        expect([name, Object.keys(responseOf(response).headers ?? {})]).toEqual([
          name,
          expect.arrayContaining(['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
        ])
    expect(headersOf('429').every((names) => names.includes('Retry-After'))).toBe(true)
    expect(document.paths['/api/v1/auth/login']?.post?.responses[200]?.headers).toHaveProperty('Set-Cookie')
    const sent = document.webhooks.alert?.post?.requestBody?.content['application/json']?.schema
    expect([...(sent?.anyOf ?? []), ...(sent?.oneOf ?? [])].map(({ $ref }) => $ref)).toEqual([
      '#/components/schemas/WebhookAlert',
      '#/components/schemas/WebhookTest',
    ])
    for (const [shape, notice] of [['WebhookAlert', NOTICE] as const, ['WebhookTest', { ...NOTICE, alert: null }] as const])
      expect(Object.keys(document.components.schemas[shape]?.properties ?? {}).sort()).toEqual(
        Object.keys(JSON.parse(webhookBody(notice))).sort(),
      )
  })

  it('declares who to contact, and describes every tag that an operation is filed under', () => {
    expect(isText(document.info.contact.name)).toBe(true)
    expect(document.tags.filter(({ description }) => !isText(description))).toEqual([])
    expect([...new Set(operations.flatMap(({ tags }) => tags))].sort()).toEqual(API_INFO.tags.map(({ name }) => name).sort())
  })

  it('lists every error code with its status, meaning and remedy', () => {
    const { description, enum: codes } = document.components.schemas.ErrorCode as JsonSchema
    expect(codes).toEqual(Object.keys(ERROR_CODES))
    for (const { meaning, remedy } of Object.values(ERROR_CODES)) expect(description).toContain(`| ${meaning} | ${remedy} |`)
    for (const [code, { value }] of Object.entries(document.components.examples)) {
      expect(value.code).toBe(code)
      expect([ERROR_CODES[code as keyof typeof ERROR_CODES].status].flat()).toContain(value.status)
    }
  })

  it('names at every operation the codes that any caller can meet', () => {
    for (const { name, responses } of operations) {
      const codes = Object.values(responses).flatMap((response) =>
        Object.keys(responseOf(response).content?.['application/problem+json']?.examples ?? {}),
      )
      expect([name, codes]).toEqual([name, expect.arrayContaining(['rate_limited', 'internal_error', 'request_timeout'])])
    }
  })

  it('leaves the linter nothing to report', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        'no-invalid-media-type-examples': 'error',
        'no-invalid-parameter-examples': 'error',
        'no-invalid-schema-examples': 'error',
        'operation-description': 'error',
        'parameter-description': 'error',
        'tag-description': 'error',
      },
    })
    const lint = async (source: string) =>
      (await lintFromString({ source, config, absoluteRef: 'openapi.json' })).map(
        ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
      )
    // a browser is redirected there, so no answer of it is a 2xx
    const redirect = /^operation-2xx-response #\/paths\/~1api~1v1~1auth~1sso~1callback\/get\/responses/
    // the paths are specified; an attachment's id is a UUID, and literals come first
    const specified = /^no-ambiguous-paths #\/paths\/~1api~1v1~1attachments~1\{attachment_id\}~1download:/
    const isKnown = (problem: string) => redirect.test(problem) || specified.test(problem)
    expect((await lint(text)).filter((problem) => !isKnown(problem))).toEqual([])
    const broken = text.replace('"example":{"status":"ok"', '"example":{"status":"fine"')
    expect((await lint(broken)).join('\n')).toContain('example')
  })
})
