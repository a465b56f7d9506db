import type { AcceptsValue, EntityType, Refusal, StoredRecord } from './store.ts'
import { type ErpCall, type ErpReply, echoOf, isSignedIn, jsonOf, type Vendor, type VendorSettings } from './vendor.ts'

const ROOT = '/rest/v1/'

/**
 * A REST service in the manner of Oracle Fusion Cloud.
 * Source: docs.oracle.com, "REST API for Oracle Fusion Cloud Applications": "Manage Collections" (`q`, `limit`, `offset`, `orderBy`; an answer
 * has `items`, `count`, `hasMore`, `limit`, `offset`), "Resource Methods", "HTTP Status Codes"; RFC 9110, 13.1.1 (If-Match)
 */
const make = (settings: VendorSettings): Vendor => {
  const { store } = settings
  const error = (status: number, code: string, message: string): ErpReply => ({
    status,
    headers: { 'content-type': 'application/vnd.oracle.adf.error+json' },
    body: { title: message, status: String(status), 'o:errorDetails': [{ detail: message, 'o:errorCode': code }] },
  })
  const etagOf = ({ version }: StoredRecord) => `"${Buffer.from(`v${version}`).toString('hex')}"`
  const shown = (type: EntityType, record: StoredRecord) => ({ [type.key]: Number(record.externalId), ...record.fields })
  const one = (status: number, type: EntityType, record: StoredRecord): ErpReply => ({
    status,
    headers: {
      ...(settings.hasEtags && { etag: etagOf(record) }),
      ...(status === 201 && { location: `${settings.url}${ROOT}${type.path}/${record.externalId}` }),
    },
    body: shown(type, record),
  })
  const refuse = (refusal: Refusal, call: ErpCall): ErpReply => {
    const text = {
      unknown_field: `Attribute ${refusal.field} is unknown.`,
      missing_field: `Attribute ${refusal.field} is required.`,
      wrong_type: `Attribute ${refusal.field} has a value of the wrong type.`,
      too_long: `The value of attribute ${refusal.field} exceeds the maximum length of ${'max' in refusal ? refusal.max : 0}.`,
      duplicate: `A resource with the same ${refusal.field} already exists.`,
    }[refusal.kind]
    return error(refusal.kind === 'duplicate' ? 409 : 400, `FND-${refusal.kind}`, text + echoOf(call, settings))
  }

  function list(call: ErpCall, type: EntityType, query: URLSearchParams): ErpReply {
    let records = [...store.table(type.entity).values()]
    const q = query.get('q')
    if (q !== null) {
      const terms = q.split(' or ').map((term) => /^(\w+)='([^']*)'$/.exec(term))
      const isExpression = Number(call.headers['rest-framework-version'] ?? 1) >= 2
      if (!isExpression || terms.some((term) => !term || !type.fields.has(term[1] as string)))
        return error(400, 'FND-q', `The q parameter is not valid: ${q}${echoOf(call, settings)}`)
      records = records.filter(({ fields }) => terms.some((term) => fields[term?.[1] as string] === term?.[2]))
    }
    const offset = Number(query.get('offset') ?? 0)
    const limit = Math.min(Number(query.get('limit') ?? 25), settings.pageSize, 500)
    const items = records.slice(offset, offset + limit).map((record) => shown(type, record))
    return { status: 200, body: { items, count: items.length, hasMore: offset + limit < records.length, limit, offset } }
  }

  function handle(call: ErpCall): ErpReply {
    if (!isSignedIn(call, settings)) {
      const reply = error(401, 'FND-401', `Unauthorized.${echoOf(call, settings)}`)
      return { ...reply, headers: { ...reply.headers, 'www-authenticate': 'Basic realm="ERP"' } }
    }
    const url = new URL(call.path, settings.url)
    const [path = '', id] = url.pathname.slice(ROOT.length).split('/')
    const type = url.pathname.startsWith(ROOT) ? store.typeAt(path) : undefined
    if (!type) return error(404, 'FND-404', `Not found: ${url.pathname}.`)
    if (id === undefined && call.method === 'GET') return list(call, type, url.searchParams)
    const body = jsonOf(call.body)
    if (id === undefined && call.method === 'POST') {
      if (!body) return error(400, 'FND-json', 'The body is no JSON object.')
      const created = store.create(type, body)
      return 'kind' in created ? refuse(created, call) : one(201, type, created)
    }
    const record = store.table(type.entity).get(decodeURIComponent(id ?? ''))
    if (!record) return error(404, 'FND-404', `Not found: ${url.pathname}.`)
    if (call.method === 'GET') return one(200, type, record)
    if (call.method !== 'PATCH' || !body) return error(405, 'FND-405', 'Method not allowed.')
    const match = call.headers['if-match']
    if (match !== undefined && match !== '*' && match !== etagOf(record))
      return error(412, 'FND-412', 'The resource was changed by another user.')
    const refusal = store.update(type, record, body)
    return refusal ? refuse(refusal, call) : one(200, type, record)
  }

  return {
    config: { base_url: `${settings.url}${ROOT.slice(0, -1)}`, username: settings.username, password: settings.password },
    kindOf: ({ method }) => (method === 'GET' ? 'read' : method === 'POST' ? 'create' : 'update'),
    handle,
    error,
    expireCredentials() {},
  }
}

const accepts: AcceptsValue = (value, kind) => {
  if (kind === 'number') return typeof value === 'number'
  if (typeof value !== 'string') return false
  if (kind === 'instant') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(value)
  return kind !== 'date' || /^\d{4}-\d\d-\d\d$/.test(value)
}

export const erpC = { make, accepts }
