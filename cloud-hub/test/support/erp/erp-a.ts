import { randomBytes } from 'node:crypto'
import type { AcceptsValue, EntityType, Refusal, StoredRecord } from './store.ts'
import { type ErpCall, type ErpReply, echoOf, isSignedIn, jsonOf, type Vendor, type VendorSettings } from './vendor.ts'

const ROOT = '/sap/opu/odata/sap/ZHALTLESS_SRV/'
const CLIENT = '100'

/**
 * A service of SAP Gateway.
 * Source: help.sap.com, SAP Gateway, "Cross-Site Request Forgery Protection"; odata.org, "OData Version 2.0: JSON Format" (`d`, `results`,
 * `__metadata`, `__next`), "Operations" (201 with the entity, 204, 412); support.sap.com, 3514624 (428 without If-Match), 3048103 (cookies)
 */
const make = (settings: VendorSettings): Vendor => {
  const { store, url: origin } = settings
  const tokens = new Map<string, string>()
  const error = (status: number, code: string, message: string, field?: string): ErpReply => ({
    status,
    body: {
      error: {
        code,
        message: { lang: 'en', value: message },
        innererror: {
          transactionid: '5F1C0A2B3D4E0070E0060A1B2C3D4E5F',
          errordetails: [{ code, message, propertyref: field ?? '', severity: 'error' }],
        },
      },
    },
  })
  const uriOf = (type: EntityType, { externalId }: StoredRecord) => `${origin}${ROOT}${type.path}('${externalId}')`
  const etagOf = ({ version }: StoredRecord) => `W/"'${20260301120000 + version}'"`
  const shown = (type: EntityType, record: StoredRecord) => ({
    __metadata: {
      id: uriOf(type, record),
      uri: uriOf(type, record),
      type: `ZHALTLESS_SRV.${type.set}`,
      ...(settings.hasEtags && { etag: etagOf(record) }),
    },
    [type.key]: record.externalId,
    ...Object.fromEntries(Object.entries(record.fields).filter(([field]) => !type.lines.has(field))),
  })
  const entity = (status: number, type: EntityType, record: StoredRecord): ErpReply => ({
    status,
    headers: {
      dataserviceversion: '2.0',
      ...(settings.hasEtags && { etag: etagOf(record) }),
      ...(status === 201 && { location: uriOf(type, record) }),
    },
    body: { d: shown(type, record) },
  })
  const refuse = (refusal: Refusal, call: ErpCall): ErpReply => {
    const [code, text] = {
      unknown_field: ['/IWCOR/CX_DS_EDM_ERROR', `Property ${refusal.field} is invalid`],
      missing_field: ['ZHALTLESS/001', `Field ${refusal.field} is required`],
      wrong_type: ['/IWCOR/CX_DS_EDM_FACET_ERROR', `Invalid value for property ${refusal.field}`],
      too_long: [
        '/IWCOR/CX_DS_EDM_FACET_ERROR',
        `Property ${refusal.field} has an invalid length: maximum ${'max' in refusal ? refusal.max : 0}`,
      ],
      duplicate: ['ZHALTLESS/002', `A record with this ${refusal.field} already exists`],
    }[refusal.kind] as [string, string]
    return error(400, code, text + echoOf(call, settings), refusal.field)
  }

  function list(call: ErpCall, type: EntityType, query: URLSearchParams): ErpReply {
    let records = [...store.table(type.entity).values()]
    const filter = query.get('$filter')
    if (filter !== null) {
      const terms = filter.split(' or ').map((term) => /^(\w+) eq '([^']*)'$/.exec(term))
      const unknown = terms.find((term) => !term || !type.fields.has(term[1] as string))
      if (unknown !== undefined)
        return error(400, '005056A509B11EE1B9A8FEA8DE87F78E', `Property ${unknown?.[1]} not found${echoOf(call, settings)}`)
      records = records.filter(({ fields }) => terms.some((term) => fields[term?.[1] as string] === term?.[2]))
    }
    const from = Number(query.get('$skiptoken') ?? 0)
    const top = Number(query.get('$top') ?? Number.POSITIVE_INFINITY)
    const results = records.slice(from, from + Math.min(top, settings.pageSize)).map((record) => shown(type, record))
    const isMore = top > settings.pageSize && from + settings.pageSize < records.length
    const next = new URLSearchParams([...query].filter(([name]) => name !== '$skiptoken'))
    next.set('$skiptoken', String(from + settings.pageSize))
    const link = `${origin}${ROOT}${type.path}?${next}`
    return { status: 200, headers: { dataserviceversion: '2.0' }, body: { d: { results, ...(isMore && { __next: link }) } } }
  }

  /** @returns a refusal, or null when token and cookie belong together */
  function tokenRefusal(call: ErpCall): ErpReply | null {
    const id = /SAP_SESSIONID_HLT_100=(\w+)/.exec(call.headers.cookie ?? '')?.[1]
    const given = call.headers['x-csrf-token']
    if (
      id !== undefined &&
      given !== undefined &&
      tokens.get(id) === given &&
      call.headers.cookie?.includes(`sap-usercontext=sap-client=${CLIENT}`)
    )
      return null
    return {
      status: 403,
      headers: { 'x-csrf-token': 'Required', 'content-type': 'text/plain' },
      body: 'CSRF token validation failed',
    }
  }
  function withToken(call: ErpCall, reply: ErpReply): ErpReply {
    if (String(call.headers['x-csrf-token']).toLowerCase() !== 'fetch') return reply
    const [id, token] = [randomBytes(12).toString('hex'), randomBytes(18).toString('base64')]
    tokens.set(id, token)
    const cookies = [
      `sap-usercontext=sap-client=${CLIENT}; path=/`,
      `SAP_SESSIONID_HLT_100=${id}; path=/; secure; HttpOnly; expires=Tue, 01 Jan 2126 00:00:00 GMT`,
      'MYSAPSSO2=; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT',
    ]
    return { ...reply, headers: { ...reply.headers, 'x-csrf-token': token, 'set-cookie': cookies } }
  }

  function handle(call: ErpCall): ErpReply {
    if (!isSignedIn(call, settings) || call.headers['sap-client'] !== CLIENT)
      return {
        status: 401,
        headers: { 'www-authenticate': 'Basic realm="SAP NetWeaver Application Server [HLT/100]"', 'content-type': 'text/html' },
        body: `<html><head><title>Logon Error Message</title></head>${echoOf(call, settings)}</html>`,
      }
    if (call.method === 'GET') return withToken(call, read(call))
    return tokenRefusal(call) ?? write(call)
  }
  function target(call: ErpCall) {
    const url = new URL(call.path, origin)
    const [, path = '', key] =
      /^([\w-]*)(?:\((?:'((?:[^']|'')*)')\))?$/.exec(decodeURIComponent(url.pathname.slice(ROOT.length))) ?? []
    const type = url.pathname.startsWith(ROOT) ? store.typeAt(path) : undefined
    return { url, type, key, record: type && store.table(type.entity).get(key?.replaceAll("''", "'") ?? '') }
  }
  const notFound = (): ErpReply => error(404, '/IWFND/MED/170', 'Resource not found')

  function read(call: ErpCall): ErpReply {
    const { url, type, key, record } = target(call)
    if (url.pathname === ROOT)
      return { status: 200, body: { d: { EntitySets: [...store.types.values()].map(({ set }) => set) } } }
    if (!type) return notFound()
    if (key === undefined) return list(call, type, url.searchParams)
    return record ? entity(200, type, record) : notFound()
  }
  function write(call: ErpCall): ErpReply {
    const { type, key, record } = target(call)
    const body = jsonOf(call.body)
    if (!type || (key !== undefined && !record)) return notFound()
    if (!body) return error(400, '/IWBEP/CX_MGW_BUSI_EXCEPTION', 'Malformed JSON')
    if (!record) {
      const created = call.method === 'POST' ? store.create(type, body) : null
      if (!created) return error(405, '/IWFND/MED/405', 'Method not allowed')
      return 'kind' in created ? refuse(created, call) : entity(201, type, created)
    }
    if (call.method !== 'PATCH' && call.method !== 'MERGE') return error(405, '/IWFND/MED/405', 'Method not allowed')
    const match = call.headers['if-match']
    if (settings.hasEtags && match === undefined)
      return error(428, '/IWBEP/CM_MGW_RT/117', 'Precondition required: send If-Match')
    if (settings.hasEtags && match !== '*' && match !== etagOf(record))
      return error(412, '/IWBEP/CM_MGW_RT/116', 'Precondition failed')
    const list = Object.keys(body).find((field) => type.lines.has(field))
    if (list) return error(400, '/IWBEP/CM_MGW_RT/021', `Deep update of ${list} is not supported`)
    const refusal = store.update(type, record, body)
    return refusal ? refuse(refusal, call) : { status: 204 }
  }

  return {
    config: {
      base_url: `${origin}${ROOT.slice(0, -1)}`,
      client: CLIENT,
      username: settings.username,
      password: settings.password,
    },
    kindOf: (call) => {
      if (call.method !== 'GET') return call.method === 'POST' ? 'create' : 'update'
      return call.headers['x-csrf-token'] === undefined ? 'read' : null
    },
    handle,
    error,
    expireCredentials: () => tokens.clear(),
  }
}

const accepts: AcceptsValue = (value, kind) => {
  if (typeof value !== 'string') return false
  if (kind === 'number') return /^-?\d{1,12}(\.\d{1,3})?$/.test(value)
  return (kind !== 'instant' && kind !== 'date') || /^\/Date\(-?\d+\)\/$/.test(value)
}

export const erpA = { make, accepts }
