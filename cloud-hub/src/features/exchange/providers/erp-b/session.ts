import { fault } from '@haltless/protocol'
import type { ErpEntity, OutboundEntity } from '../../../../db/enums.ts'
import type { ErpRecord } from '../../fields.ts'
import { checkEntities } from '../check-entities.ts'
import {
  assetOf,
  checkFound,
  type EntityAddress,
  endlessSearch,
  entityAddresses,
  idIn,
  MAX_SEARCH_PAGES,
  NO_RECORD,
  portionsByUrl,
  queryText,
} from '../entity-address.ts'
import { type ErpAnswer, type ErpResult, erpHttp, idOf, isObject, notedBefore, objectsIn } from '../erp-http.ts'
import {
  type EntityDefaults,
  type ErpSession,
  ErpUnavailable,
  type PreparedRequest,
  type PushOutcome,
  type SessionSettings,
} from '../provider.ts'
import { notSent } from '../push-each.ts'
import { recordBody, writeIso } from '../record-body.ts'
import { goneOutcome, outcomeOf, type ResultRules, reasonOf, unavailable, unreadable, withoutIdOutcome } from '../results.ts'
import { accessTokens, CREDENTIALS } from './access-token.ts'
import { type BatchPart, readBatch, writeBatch } from './batch.ts'

const PAGE = 500
/** A record with the same alternate or primary key exists. Source: learn.microsoft.com, "Web service error codes" */
const DUPLICATE_CODES = ['0x80040237', '0x80060892']

/**
 * The Dataverse Web API of Dynamics 365, OData v4: OAuth 2, batches, alternate keys, service protection limits.
 * Source: learn.microsoft.com, Dataverse: "Create a table row using the Web API" (`OData-EntityId`), "Update and delete table rows using the Web
 * API" (`If-Match: *` prevents a create), "Query data using the Web API" (`odata.maxpagesize`, `@odata.nextLink`), "Service protection API limits"
 */
export function erpBSession(defaults: Readonly<Record<ErpEntity, EntityDefaults>>, settings: SessionSettings): ErpSession {
  const http = erpHttp(settings, [String(settings.config.client_secret)])
  const addresses = entityAddresses(http.base, defaults, settings)
  const rules: ResultRules = { http, errorText, credentials: CREDENTIALS }
  const tokens = accessTokens(http, settings)

  async function readList(url: string, { path }: EntityAddress, signal: AbortSignal, prefer: string) {
    const request = { method: 'GET', url, headers: { ...HEADERS, prefer }, isRepeatable: true }
    const result = await tokens.call(request, signal)
    const error = unreadable(rules, result, path)
    if (error) throw error
    const { json } = result as ErpAnswer
    if (!isObject(json) || !Array.isArray(json.value))
      throw new ErpUnavailable('maintenance', fault('erp_no_odata_v4', { path }), result)
    return { rows: objectsIn(json.value), next: nextOf(json['@odata.nextLink'], url, result) }
  }
  /** @throws ErpUnavailable for a link to another origin: the token must not be sent there */
  function nextOf(next: unknown, url: string, result: ErpResult): string | null {
    if (typeof next !== 'string') return null
    const link = http.onOrigin(next, url)
    if (link === null) throw new ErpUnavailable('maintenance', fault('erp_page_elsewhere'), result)
    if (link === url) throw new ErpUnavailable('maintenance', fault('erp_page_links_itself'), result)
    return link
  }

  function prepare(record: ErpRecord, externalId: string | null): PreparedRequest {
    const { url, names } = addresses[record.entity]
    const body = recordBody(record, defaults[record.entity], settings.fieldMapping, writeIso)
    if (externalId === null) return { method: 'POST', url, headers: PART_HEADERS, body }
    // Only a create has lines: the Web API has no deep update.
    for (const { field } of names.lines.values()) delete body[field]
    return {
      method: 'PATCH',
      url: `${url}(${encodeURIComponent(externalId)})`,
      headers: { ...PART_HEADERS, 'if-match': '*' },
      body,
    }
  }

  /** @returns the answer to each request, or what became of the batch as a whole @throws ErpUnavailable when nothing was executed */
  async function sendBatch(requests: readonly PreparedRequest[], serviceUrl: string, isRepeatable: boolean, signal: AbortSignal) {
    const { contentType, body } = writeBatch(requests)
    const headers = { ...HEADERS, 'content-type': contentType, prefer: 'odata.continue-on-error' }
    const whole = await tokens.call({ method: 'POST', url: `${serviceUrl}/$batch`, headers, body, isRepeatable }, signal)
    const error = unavailable(rules, whole)
    if (error) throw error
    const parts = whole.ok ? readBatch(whole) : null
    // A batch that the ERP does not understand is no refusal of its records.
    if (whole.ok && whole.status < 500 && !parts) throw noBatch(rules, whole, serviceUrl)
    const results = requests.map((request, index) => resultOf(request, parts ? parts[index] : null, whole))
    const errors = results.map((result) => unavailable(rules, result))
    const [first] = errors
    if (first && errors.every(Boolean)) throw first
    return results.map((result, index) => ({ result, error: errors[index] ?? null }))
  }

  /** @param part null: the batch was not answered with parts; undefined: it has no part for this request */
  function resultOf({ method, url, body }: PreparedRequest, part: BatchPart | null | undefined, whole: ErpResult): ErpResult {
    const request = http.redactor.summary(`${method} ${url} ${JSON.stringify(body)}`)
    if (part === null) return { ...whole, request }
    const missing = { ok: false, reason: 'unreachable', fault: fault('erp_record_unanswered') } as const
    if (!part) return { ...missing, mayHaveArrived: true, request, response: whole.response }
    const id = part.headers['odata-entityid'] ? `OData-EntityId: ${part.headers['odata-entityid']}` : ''
    const response = http.redactor.summary([part.status, id, part.body].filter(Boolean).join(' '))
    const json = jsonOf(part.body)
    return notedBefore(whole.met ?? '', { ok: true, ...part, setCookies: [], cut: false, json, request, response })
  }

  function outcome(
    result: ErpResult,
    error: ErpUnavailable | null,
    created: (answer: ErpAnswer) => string | null,
    externalId: string | null,
  ): PushOutcome {
    const { request, response } = result
    if (error) return notSent(error)
    if (result.ok && result.status < 300) {
      const id = externalId ?? created(result)
      return id === null ? withoutIdOutcome(result) : { kind: 'sent', externalId: id, request, response }
    }
    if (externalId === null && result.ok && isDuplicate(result)) return { kind: 'exists', request, response }
    if (externalId !== null && result.ok && result.status === 404) return goneOutcome(result, externalId)
    return outcomeOf(rules, result)
  }
  function createdId(answer: ErpAnswer, { url, key }: EntityAddress): string | null {
    const id = isObject(answer.json) ? idOf(answer.json[key]) : null
    const uri = answer.headers['odata-entityid'] ?? answer.headers.location
    const address = uri === undefined ? null : http.onOrigin(uri, url)
    return id ?? /\(([^()]+)\)\/?$/.exec(address ?? '')?.[1] ?? null
  }

  async function create(records: readonly ErpRecord[], signal: AbortSignal): Promise<PushOutcome[]> {
    const [first] = records
    if (!first) return []
    const address = addresses[first.entity]
    // Not repeatable: a batch that is sent again on another connection could create records twice.
    const answers = await sendBatch(
      records.map((record) => prepare(record, null)),
      address.serviceUrl,
      false,
      signal,
    )
    return answers.map(({ result, error }) => outcome(result, error, (answer) => createdId(answer, address), null))
  }
  async function update(
    records: readonly { record: ErpRecord; externalId: string }[],
    signal: AbortSignal,
  ): Promise<PushOutcome[]> {
    const [first] = records
    if (!first) return []
    const requests = records.map(({ record, externalId }) => prepare(record, externalId))
    const answers = await sendBatch(requests, addresses[first.record.entity].serviceUrl, true, signal)
    return answers.map(({ result, error }, index) =>
      outcome(result, error, () => null, (records[index] as typeof first).externalId),
    )
  }

  async function find(entity: OutboundEntity, ids: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
    const address = addresses[entity]
    const { url, idField, key } = address
    // The primary key is always a part of the answer.
    const urlOf = (some: readonly string[]) =>
      `${url}?$select=${idField}&$filter=${queryText(some.map((id) => `${idField} eq '${id}'`).join(' or '))}`
    const found = new Map<string, string>()
    for (const portion of portionsByUrl(ids, urlOf)) {
      for (let at: string | null = urlOf(portion), page = 1; at !== null; page++) {
        if (page > MAX_SEARCH_PAGES) throw endlessSearch(address)
        const { rows, next } = await readList(at, address, signal, 'odata.include-annotations="none"')
        for (const row of rows) {
          const [ours, theirs] = checkFound(address, portion, row[idField], idOf(row[key]))
          if (!found.has(ours)) found.set(ours, theirs)
        }
        at = next
      }
    }
    return found
  }

  async function assets(page: string | null, signal: AbortSignal) {
    const address = addresses.machine
    const first = `${address.url}?$select=${[...address.names.fields.values()].join(',')}`
    // A stored link is checked again: base_url may have changed since.
    const url = page === null ? first : http.onOrigin(page, first)
    if (url === null) throw new ErpUnavailable('maintenance', fault('erp_stored_page_elsewhere'))
    const { rows, next } = await readList(url, address, signal, `odata.maxpagesize=${PAGE}`)
    const found = rows.map((row) => assetOf(address, idIn(address.path, address.key, idOf(row[address.key])), row))
    return { assets: found, nextPage: next }
  }

  const probe = async (entity: ErpEntity, signal: AbortSignal): Promise<void> => {
    if (entity === 'machine') await assets(null, signal)
    else await find(entity, [NO_RECORD], signal)
  }
  const check = (signal: AbortSignal) => checkEntities(new URL(http.base).origin, (entity) => probe(entity, signal))
  return { batchSize: 20, prepare, create, update, find, assets, check }
}

/** Source: learn.microsoft.com, "Compose HTTP requests and handle errors" */
const HEADERS = { 'odata-version': '4.0', 'odata-maxversion': '4.0', 'accept-language': 'en' }
const PART_HEADERS = { 'content-type': 'application/json; charset=utf-8', accept: 'application/json' }

const errorOf = ({ json }: ErpAnswer) => (isObject(json) && isObject(json.error) ? json.error : {})
function errorText(answer: ErpAnswer): string | null {
  const { message } = errorOf(answer)
  return typeof message === 'string' && message !== '' ? message : null
}
const isDuplicate = (answer: ErpAnswer): boolean =>
  answer.status === 409 || DUPLICATE_CODES.includes(String(errorOf(answer).code).toLowerCase())

const noBatch = (rules: ResultRules, whole: ErpAnswer, serviceUrl: string) =>
  new ErpUnavailable(
    'maintenance',
    fault('erp_no_batches', { path: `${serviceUrl}/$batch`, status: whole.status, reason: reasonOf(rules, whole) }),
    whole,
  )

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
