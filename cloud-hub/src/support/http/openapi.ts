import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import { Problem } from './problem.ts'
import { type Access, type Route, statusOf } from './route.ts'

const SECURITY: Record<Access, Record<string, string[]>[]> = {
  none: [],
  any: [{ bearerAuth: [] }],
  operator: [{ bearerAuth: [] }],
  admin: [{ bearerAuth: [] }],
  key: [{ apiKey: [] }],
  refresh: [{ refreshCookie: [] }],
}

const SHARED_REFUSALS: Record<number, string> = {
  400: 'The body could not be read',
  401: 'Missing, invalid, expired or revoked credential',
  403: 'Known, but not allowed',
  404: 'Missing, or not accessible',
  413: 'The body is too large',
  415: 'Wrong media type',
  422: 'A field or limit is out of range',
  429: 'Rate limit exceeded; see Retry-After',
}

/** Which of the shared refusals an operation can answer. */
function refusalsOf({ spec }: Route): Record<number, string> {
  const wanted = [429]
  if (spec.access !== 'none') wanted.push(401)
  if (spec.access !== 'none' && spec.access !== 'refresh') wanted.push(403)
  if (spec.params) wanted.push(404)
  if (spec.body || spec.upload) wanted.push(400, 413, 415)
  if (spec.body || spec.upload || spec.query) wanted.push(422)
  return {
    ...Object.fromEntries(wanted.map((status) => [status, SHARED_REFUSALS[status] as string])),
    ...(spec.refuses as Record<number, string>),
  }
}

/** `/alerts/bulk/acknowledge` post -> `postAlertsBulkAcknowledge` */
const operationId = (method: string, path: string) =>
  method + path.replace(/[{}]/g, '').replace(/(^|[/_.-])([a-z0-9])/g, (_, _sep, letter: string) => letter.toUpperCase())

const uploadBody = ({ field, description }: { field: string; description: string }) => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object' as const,
        required: [field],
        properties: { [field]: { type: 'string' as const, contentMediaType: 'application/octet-stream', description } },
      },
    },
  },
})

/** The OpenAPI 3.1 document of the mounted operations: made from the very objects that enforce access and check input. */
export function openApiDocument(routes: readonly Route[], version: string) {
  const registry = new OpenAPIRegistry()
  registry.registerComponent('securitySchemes', 'bearerAuth', { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
  registry.registerComponent('securitySchemes', 'apiKey', { type: 'apiKey', in: 'header', name: 'X-API-Key' })
  registry.registerComponent('securitySchemes', 'refreshCookie', { type: 'apiKey', in: 'cookie', name: 'refresh_token' })
  for (const route of routes) {
    const { spec } = route
    const problem = (description: string) => ({ description, content: { 'application/problem+json': { schema: Problem } } })
    const refusals = Object.entries(refusalsOf(route)).map(([status, description]) => [status, problem(description)])
    const content = {
      ...(spec.returns === null ? {} : { 'application/json': { schema: spec.returns } }),
      ...Object.fromEntries(
        Object.entries(spec.media ?? {}).map(([type, description]) => [
          type,
          { schema: { type: 'string' as const, description } },
        ]),
      ),
    }
    const answer = Object.keys(content).length === 0 ? { description: 'Done' } : { description: 'Success', content }
    registry.registerPath({
      method: spec.method,
      path: `/api/v1${spec.path}`,
      operationId: operationId(spec.method, spec.path),
      tags: [spec.tag],
      summary: spec.summary,
      ...(spec.description ? { description: spec.description } : {}),
      security: SECURITY[spec.access],
      ...(['any', 'operator', 'admin'].includes(spec.access) ? { 'x-access': spec.access } : {}),
      request: {
        ...(spec.params ? { params: spec.params } : {}),
        ...(spec.query ? { query: spec.query } : {}),
        ...(spec.upload ? { body: uploadBody(spec.upload) } : {}),
        ...(spec.body ? { body: { required: true, content: { 'application/json': { schema: spec.body } } } } : {}),
      },
      responses: { [statusOf(spec)]: answer, ...Object.fromEntries(refusals) },
    })
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Haltless API',
      version,
      description:
        'Monitoring for industrial machines. Sign in with `POST /api/v1/auth/login` and send `Authorization: Bearer <access token>`; agents and direct clients send readings with `X-API-Key`. Errors are RFC 9457 problem documents with a stable `code`.',
    },
    servers: [{ url: '/' }],
  })
}
