import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi'
import { ERROR_CODES, type ErrorCode } from '../../error-codes/index.ts'
import { fieldError } from '../errors.ts'
import type { Access } from './access.ts'
import { deprecationNote } from './deprecation.ts'
import { Examples, exampleId, type JsonSchema, overlayExample } from './example.ts'
import { IdempotencyKey, REPLAYED_HEADER, takesIdempotencyKey } from './idempotency.ts'
import { IfMatch } from './if-match.ts'
import { Problem, problemBody } from './problem.ts'
import { refusalsOf, SHARED_REFUSALS, type SharedRefusal, type StatusRefusals } from './refusals.ts'
import { responseHeaders, SHARED_HEADERS } from './response-headers.ts'
import { bucketOf, type Route, statusOf } from './route.ts'
import { describeDefaults, hoistVariants } from './variants.ts'

export interface DocumentInfo {
  version: string
  description: string
  contact: { name: string; email?: string }
  /** every tag that an operation may be filed under, in the order of the page */
  tags: readonly { name: string; description: string }[]
  /** requests that the hub sends to receivers of tenants */
  webhooks: readonly RouteConfig[]
  /** the scope that an access token of a program needs for an operation of signed-in users, or why it is closed to them */
  scopeOf(operation: string): { scope: string } | { closed: string }
}

const SECURITY: Record<Access, Record<string, string[]>[]> = {
  none: [],
  any: [{ bearerAuth: [] }],
  operator: [{ bearerAuth: [] }],
  admin: [{ bearerAuth: [] }],
  key: [{ apiKey: [] }],
  enrolment: [{ enrolmentKey: [] }],
  refresh: [{ refreshCookie: [] }],
}
const CALLERS: Record<Access, string> = {
  none: 'everybody, without authentication',
  any: 'any signed-in user',
  operator: 'operators and admins',
  admin: 'admins',
  key: 'holders of an API key',
  enrolment: 'holders of an enrolment key',
  refresh: 'holders of a refresh cookie',
}
const SECURITY_SCHEMES = {
  bearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `access_token` of a sign-in. It lasts 15 minutes; `POST /api/v1/auth/refresh` gives the next one.',
  },
  programToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ht_',
    description:
      'An access token of a program, from `POST /api/v1/tokens` or `POST /api/v1/service-accounts/{service_account_id}/tokens`. It acts as its owner, within its scopes: each operation names the one that it needs. It goes into the header only, never into an address.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'A key that an admin created with `POST /api/v1/api-keys`. It only sends data in. The credential of an enrolled agent has the same form, and is valid for that agent only.',
  },
  enrolmentKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A key that an admin created with `POST /api/v1/enrolment-keys`. It enrols one agent.',
  },
  refreshCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'refresh_token',
    description: 'Set by every sign-in; `HttpOnly`, lasts 30 days and rotates with every use.',
  },
} as const

const uploadBody = ({ field, description, example }: NonNullable<Route['spec']['upload']>) => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object' as const,
        required: [field],
        properties: { [field]: { type: 'string' as const, contentMediaType: 'application/octet-stream', description } },
      },
      example: { [field]: example },
    },
  },
})

const PROBLEM = 'application/problem+json'
const list = (codes: readonly ErrorCode[]) => codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].meaning}`).join('\n- ')

/** A refusal as the document shows it: every code it can carry, each with an example. */
const problemResponse = ({ status, codes }: { status: number; codes: readonly ErrorCode[] }) => ({
  headers: responseHeaders(status),
  description: codes.length === 1 ? list(codes) : `One of these codes:\n\n- ${list(codes)}`,
  content: {
    [PROBLEM]: {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
})

const problemExample = (code: ErrorCode, status: number) => ({
  summary: code,
  description: ERROR_CODES[code].remedy,
  value: problemBody(status, code, ERROR_CODES[code].meaning, exampleId('request_id'), {
    ...(status === 422 ? { errors: [fieldError('body.name', 'required')] } : {}),
    ...(status === 429 ? { retry_after: 30 } : {}),
  }),
})

function successResponse({ spec }: Route, shows: Record<string, unknown> | undefined = spec.shows) {
  const content = {
    ...(spec.returns === null ? {} : { 'application/json': { schema: spec.returns, example: shows } }),
    ...Object.fromEntries(
      Object.entries(spec.media ?? {}).map(([type, { description, example }]) => [
        type,
        { schema: { type: 'string' as const, description }, example },
      ]),
    ),
  }
  const headers = responseHeaders(statusOf(spec), {
    ...spec.answerHeaders,
    ...(takesIdempotencyKey(spec) ? REPLAYED_HEADER : {}),
  })
  return Object.keys(content).length === 0
    ? { description: 'Done; the answer has no body.', headers }
    : { description: 'Success.', headers, content }
}

/** Whom the operation lets in, in words and as security requirements. */
function accessOf({ access, operation }: Route['spec'], scopeOf: DocumentInfo['scopeOf']) {
  const security = SECURITY[access]
  if (!FOR_USERS.has(access)) return { security, words: CALLERS[access], extensions: {} }
  const token = scopeOf(operation)
  const isOpen = 'scope' in token
  const scopes = isOpen && token.scope !== 'any' ? [token.scope] : []
  return {
    security: isOpen ? [...security, { programToken: scopes }] : security,
    words: `${CALLERS[access]}. **Access token:** ${isOpen ? (scopes.length > 0 ? `scope \`${scopes[0]}\`` : 'any') : `none, \`${token.closed}\``}`,
    extensions: { 'x-access': access, 'x-token-scope': isOpen ? token.scope : null },
  }
}
const FOR_USERS: ReadonlySet<Access> = new Set(['any', 'operator', 'admin'])

function operationOf(route: Route, refusals: readonly StatusRefusals[], scopeOf: DocumentInfo['scopeOf']): RouteConfig {
  const { spec } = route
  const { security, words, extensions } = accessOf(spec, scopeOf)
  const success = successResponse(route)
  const others = Object.entries(spec.alsoAnswers ?? {}).map(([status, { description, shows }]) => [
    status,
    { ...successResponse(route, shows), description },
  ])
  const refused = refusals.map((one) => [
    String(one.status),
    one.shared ? { $ref: `#/components/responses/${one.shared}` } : problemResponse(one),
  ])
  return {
    method: spec.method,
    path: `/api/v1${spec.path}`,
    operationId: spec.operation,
    tags: [spec.tag],
    summary: spec.summary,
    ...(spec.deprecated ? { deprecated: true } : {}),
    description: `${spec.deprecated ? `${deprecationNote(spec.deprecated)}\n\n` : ''}${spec.description}\n\n**Access:** ${words}. **Rate limit:** ${bucketOf(spec)}.`,
    security,
    ...extensions,
    request: {
      ...(spec.params ? { params: spec.params } : {}),
      ...(spec.query ? { query: spec.query } : {}),
      ...(spec.changes ? { headers: IfMatch } : {}),
      ...(takesIdempotencyKey(spec) ? { headers: IdempotencyKey } : {}),
      ...(spec.upload ? { body: uploadBody(spec.upload) } : {}),
      ...(spec.body ? { body: { required: !spec.isBodyOptional, content: { 'application/json': { schema: spec.body } } } } : {}),
    },
    responses: { [statusOf(spec)]: success, ...Object.fromEntries([...others, ...refused]) },
  } as RouteConfig
}

/** The OpenAPI 3.1 document of the mounted operations, built from the objects that enforce access and validate input. */
export function openApiDocument(
  routes: readonly Route[],
  { version, description, contact, tags, webhooks, scopeOf }: DocumentInfo,
) {
  const registry = new OpenAPIRegistry()
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) registry.registerComponent('securitySchemes', name, scheme)
  for (const [name, { type, description: text }] of Object.entries(SHARED_HEADERS))
    registry.registerComponent('headers', name, { description: text, schema: { type } })
  for (const webhook of webhooks) registry.registerWebhook(webhook)
  registry.register('Problem', Problem)
  const [codes, shared] = [new Map<ErrorCode, number>(), new Set<SharedRefusal>()]
  for (const route of routes) {
    const refusals = refusalsOf(route)
    for (const one of refusals) {
      for (const code of one.codes) codes.set(code, one.status)
      if (one.shared) shared.add(one.shared)
    }
    registry.registerPath(operationOf(route, refusals, scopeOf))
  }
  for (const name of shared) registry.registerComponent('responses', name, problemResponse(SHARED_REFUSALS[name]))
  for (const [code, status] of codes) registry.registerComponent('examples', code, problemExample(code, status))
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Haltless API', version, description, contact, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'This hub' }],
    tags: [...tags],
  })
  addExamples(document as unknown as Documented)
  const schemas = (document.components?.schemas ?? {}) as Record<string, JsonSchema>
  for (const schema of Object.values(schemas)) describeDefaults(schema)
  hoistVariants(schemas)
  return document
}

interface Documented {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, JsonSchema> }
}
interface DocumentedOperation {
  parameters?: { name: string; required?: boolean; schema: JsonSchema; example?: unknown }[]
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }> }
  responses: Record<string, { content?: Record<string, { schema: JsonSchema; example?: unknown }> }>
}

/** Adds examples composed from the schemas to bodies, responses and parameters. */
function addExamples({ paths, components: { schemas } }: Documented): void {
  const examples = new Examples(schemas)
  for (const [name, schema] of Object.entries(schemas))
    if (schema.properties) schema.example = examples.of({ $ref: `#/components/schemas/${name}` })
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const parameters = operation.parameters ?? []
    // Optional parameters get an example only when their shape has one: documentation pages send examples, and a made-up id finds
    // nothing.
    const wanted = parameters.filter(({ required, schema }) => required || schema.example !== undefined)
    const first = parameters.filter(({ name }) => name !== 'Idempotency-Key').slice(0, 1)
    for (const parameter of wanted.length > 0 ? wanted : first) parameter.example = examples.of(parameter.schema, parameter.name)
    const body = operation.requestBody?.content['application/json']
    if (body) body.example = examples.of(body.schema)
    for (const { content } of Object.values(operation.responses)) {
      const answer = content?.['application/json']
      // The operation's own example overrides composed values.
      if (answer) answer.example = overlayExample(overlayExample(examples.of(answer.schema), body?.example), answer.example)
    }
  }
}
