import { randomBytes, randomUUID } from 'node:crypto'
import type { AcceptsValue, EntityType, Refusal, StoredRecord } from './store.ts'
import { type ErpCall, type ErpReply, jsonOf, type Vendor, type VendorSettings } from './vendor.ts'

const ROOT = '/api/data/v9.2/'
const TENANT = 'contoso.example'
const CLIENT_ID = 'haltless'
const TOKEN_PATH = `/${TENANT}/oauth2/v2.0/token`

/**
 * The Dataverse Web API, and the endpoint that issues its tokens.
 * Source: learn.microsoft.com, Dataverse: "Execute batch operations using the Web API", "Create a table row using the Web API", "Update and
 * delete table rows using the Web API" (a PATCH without If-Match creates), "Query data using the Web API", "Service protection API limits",
 * "Web service error codes"; "Microsoft identity platform and the OAuth 2.0 client credentials flow"
 */
const make = (settings: VendorSettings): Vendor => {
  const { store, url: origin } = settings
  const tokens = new Set<string>()
  const error = (status: number, code: string, message: string): ErpReply => ({ status, body: { error: { code, message } } })
  const echo = (call: ErpCall) =>
    settings.echoes
      ? ` Received: ${call.headers.authorization} ${settings.password} ${encodeURIComponent(settings.password)} ${Buffer.from(settings.password).toString('base64')}`
      : ''
  const uriOf = (type: EntityType, { externalId }: StoredRecord) => `${origin}/${type.path}(${externalId})`
  const refuse = (refusal: Refusal, type: EntityType, call: ErpCall): ErpReply => {
    const table = type.set.replace(/s$/, '')
    const [code, text] = {
      unknown_field: [
        '0x80048d19',
        `Error identified in Payload provided by the user for Entity :'${type.set}'. Invalid property '${refusal.field}' was found in entity 'Microsoft.Dynamics.CRM.${table}'.`,
      ],
      missing_field: ['0x80040203', `Attribute '${refusal.field}' of '${table}' is required.`],
      wrong_type: ['0x80048d19', `Cannot convert the value of property '${refusal.field}' to the expected type.`],
      too_long: [
        '0x80044331',
        `A validation error occurred. The length of the '${refusal.field}' attribute of the '${table}' entity exceeded the maximum allowed length of '${'max' in refusal ? refusal.max : 0}'.`,
      ],
      duplicate: ['0x80040237', 'A record with matching key values already exists.'],
    }[refusal.kind] as [string, string]
    return error(refusal.kind === 'duplicate' ? 412 : 400, code, text + echo(call))
  }

  function issueToken(call: ErpCall): ErpReply {
    const form = new URLSearchParams(call.body)
    if (call.method !== 'POST' || form.get('grant_type') !== 'client_credentials')
      return {
        status: 400,
        body: { error: 'unsupported_grant_type', error_description: 'AADSTS70003: The grant type is not supported.' },
      }
    if (form.get('scope') !== `${origin}/.default`)
      return {
        status: 400,
        body: { error: 'invalid_scope', error_description: `AADSTS70011: The scope ${form.get('scope')} is not valid.` },
      }
    if (form.get('client_id') !== CLIENT_ID || form.get('client_secret') !== settings.password)
      return {
        status: 401,
        body: {
          error: 'invalid_client',
          error_description: `AADSTS7000215: Invalid client secret provided.${echo(call)}\r\nTrace ID: ${randomUUID()}`,
          error_codes: [7000215],
        },
      }
    const token = randomBytes(48).toString('base64url')
    tokens.add(token)
    return { status: 200, body: { token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599, access_token: token } }
  }

  function list(call: ErpCall, type: EntityType, query: URLSearchParams): ErpReply {
    const unknown = query
      .get('$select')
      ?.split(',')
      .find((field) => !type.fields.has(field) && field !== type.key)
    const filter = query.get('$filter')
    const terms = filter?.split(' or ').map((term) => /^(\w+) eq '([^']*)'$/.exec(term))
    const missing = unknown ?? terms?.find((term) => !term || !type.fields.has(term[1] as string))?.[1]
    if (missing !== undefined)
      return error(
        400,
        '0x80060888',
        `Could not find a property named '${missing}' on type 'Microsoft.Dynamics.CRM.${type.set}'.${echo(call)}`,
      )
    const all = [...store.table(type.entity).values()]
    const records = terms ? all.filter(({ fields }) => terms.some((term) => fields[term?.[1] as string] === term?.[2])) : all
    const asked = Number(/odata\.maxpagesize=(\d+)/.exec(String(call.headers.prefer))?.[1] ?? 5_000)
    const size = Math.min(asked, settings.pageSize)
    const from = Number(/pagenumber=(\d+)/.exec(query.get('$skiptoken') ?? '')?.[1] ?? 0) * size
    const fields = query.get('$select')?.split(',')
    const value = records.slice(from, from + size).map((record) => ({
      '@odata.etag': `W/"${1_000 + record.version}"`,
      [type.key]: record.externalId,
      ...Object.fromEntries(Object.entries(record.fields).filter(([field]) => !fields || fields.includes(field))),
    }))
    const next = new URLSearchParams([...query].filter(([name]) => name !== '$skiptoken'))
    next.set('$skiptoken', `<cookie pagenumber=${from / size + 1} istracking="False" />`)
    const isMore = from + size < records.length
    return {
      status: 200,
      headers: { 'content-type': 'application/json; odata.metadata=minimal', 'odata-version': '4.0' },
      body: {
        '@odata.context': `${origin}${ROOT}$metadata#${type.set}`,
        value,
        ...(isMore && { '@odata.nextLink': `${origin}/${type.path}?${next}` }),
      },
    }
  }

  /** One request, by itself or in a batch. */
  function operate(call: ErpCall): ErpReply {
    const url = new URL(call.path, origin)
    const [, path = '', key] = /^\/([^(]*)(?:\(([^()]*)\))?$/.exec(decodeURIComponent(url.pathname)) ?? []
    const type = store.typeAt(path)
    if (!type) return error(404, '0x8006088a', `Resource not found for the segment '${path.split('/').at(-1)}'.`)
    if (call.method === 'GET' && key === undefined) return list(call, type, url.searchParams)
    const body = jsonOf(call.body)
    if (!body) return error(400, '0x80048d19', 'The body is no JSON object.')
    const record = store.table(type.entity).get(key ?? '')
    if (call.method === 'PATCH' && record) {
      const deep = Object.keys(body).find((field) => type.lines.has(field))
      if (deep) return error(400, '0x80048d19', `Deep update of '${deep}' is not supported.`)
      const refusal = store.update(type, record, body)
      return refusal ? refuse(refusal, type, call) : { status: 204, headers: { 'odata-entityid': uriOf(type, record) } }
    }
    if (call.method === 'PATCH' && call.headers['if-match'] === '*')
      return error(404, '0x80040217', `Entity '${type.set.replace(/s$/, '')}' With Id = ${key} Does Not Exist`)
    if (call.method !== 'POST' && call.method !== 'PATCH') return error(405, '0x80060888', 'Method not allowed.')
    const created = store.create(type, body)
    if ('kind' in created) return refuse(created, type, call)
    return { status: 204, headers: { 'odata-version': '4.0', 'odata-entityid': uriOf(type, created) } }
  }

  function batch(call: ErpCall): ErpReply {
    const boundary = /^multipart\/mixed; ?boundary=(.+)$/.exec(String(call.headers['content-type']))?.[1]
    if (!boundary || !call.body.endsWith(`--${boundary}--\r\n`) || /[^\r]\n/.test(call.body))
      return error(400, '0x80060888', 'The batch is not valid: lines must end with CRLF, and the last one with the boundary.')
    const answer = `batchresponse_${randomUUID()}`
    const parts: string[] = []
    for (const part of call.body.split(`--${boundary}\r\n`).slice(1)) {
      const [mime = '', head = '', ...rest] = part.split('\r\n\r\n')
      if (!/Content-Type: application\/http/i.test(mime) || !/Content-Transfer-Encoding: binary/i.test(mime))
        return error(400, '0x80060888', 'A part of the batch has no valid header.')
      const [line = '', ...lines] = head.split('\r\n')
      const [method = '', path = ''] = line.split(' ')
      const headers = Object.fromEntries(
        lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
      )
      const reply = operate({ method, path, headers, body: (rest.join('\r\n\r\n').split(`--${boundary}--`)[0] as string).trim() })
      parts.push(partOf(answer, reply))
      if (reply.status >= 400 && !String(call.headers.prefer).includes('odata.continue-on-error')) break
    }
    return {
      status: 200,
      headers: { 'content-type': `multipart/mixed; boundary=${answer}`, 'odata-version': '4.0' },
      body: `${parts.join('')}--${answer}--\r\n`,
    }
  }
  function partOf(boundary: string, { status, headers = {}, body }: ErpReply): string {
    const names = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const json = body === undefined ? [] : ['Content-Type: application/json; odata.metadata=minimal']
    const lines = [
      `--${boundary}`,
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `HTTP/1.1 ${status} X`,
      ...json,
      ...names,
      '',
    ]
    return [...lines, body === undefined ? '' : JSON.stringify(body), ''].join('\r\n')
  }

  function handle(call: ErpCall): ErpReply {
    if (call.path === TOKEN_PATH) return issueToken(call)
    const token = /^Bearer (.+)$/.exec(String(call.headers.authorization))?.[1]
    if (!token || !tokens.has(token))
      return {
        status: 401,
        headers: { 'www-authenticate': `Bearer authorization_uri=${origin}${TOKEN_PATH}, resource_id=${origin}/` },
        body: echo(call),
      }
    return call.path === `${ROOT}$batch` && call.method === 'POST' ? batch(call) : operate(call)
  }

  return {
    config: {
      base_url: origin,
      token_url: `${origin}${TOKEN_PATH}`,
      tenant_id: TENANT,
      client_id: CLIENT_ID,
      client_secret: settings.password,
    },
    kindOf: (call) => {
      if (call.path === TOKEN_PATH) return null
      if (call.method === 'GET') return 'read'
      return call.body.includes('PATCH /') ? 'update' : 'create'
    },
    handle,
    error,
    expireCredentials: () => tokens.clear(),
  }
}

const accepts: AcceptsValue = (value, kind) => {
  if (kind === 'number') return typeof value === 'number'
  if (typeof value !== 'string') return false
  if (kind === 'instant') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(value)
  return kind !== 'date' || /^\d{4}-\d\d-\d\d$/.test(value)
}

export const erpB = { make, accepts }
