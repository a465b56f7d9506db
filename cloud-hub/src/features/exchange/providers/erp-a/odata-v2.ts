import type { FieldKind, FieldValue } from '../../fields.ts'
import { type ErpAnswer, idOf, isObject, objectsIn } from '../erp-http.ts'
import type { WriteValue } from '../record-body.ts'

/**
 * Values in the JSON of OData v2: Edm.DateTime as `/Date(ms)/` in UTC, Edm.Decimal as text.
 * Source: odata.org, "OData Version 2.0: JSON Format", 4
 */
export const writeV2: WriteValue = (value: FieldValue, kind: FieldKind) => {
  if (value === null) return null
  if (kind === 'date' || kind === 'instant') return dateOf(value)
  return typeof value === 'number' ? decimalOf(value) : value
}

function dateOf(value: FieldValue): unknown {
  const ms = value instanceof Date ? value.getTime() : Date.parse(String(value))
  return Number.isFinite(ms) ? `/Date(${ms})/` : value
}

/** At most three decimals, as the documentation recommends to declare them; never in exponential notation. */
const decimalOf = (value: number): string => value.toFixed(3).replace(/\.?0+$/, '')

/** The key of an entity in its address: text in quotes, which are doubled inside; other keys as the ERP wrote them. */
export const keyPredicate = (externalId: string): string =>
  /^guid'[0-9a-f-]{36}'$/i.test(externalId) || /^\w+='.*'$/.test(externalId)
    ? encodeURIComponent(externalId).replaceAll('%3D', '=').replaceAll('%2C', ',')
    : `'${encodeURIComponent(externalId.replaceAll("'", "''"))}'`

/** @returns the key in an address such as `.../WorkOrders('4711')`, or null */
export function keyInUri(uri: string): string | null {
  const found = /\(([^()]*(?:\([^()]*\)[^()]*)*)\)\/?$/.exec(uri)?.[1]
  if (!found) return null
  const key = decoded(found)
  const text = /^'(.*)'$/.exec(key)?.[1]
  return text === undefined || /^'[^']*'[^']/.test(key) ? key : text.replaceAll("''", "'")
}

/** The id of an entity: its key field, or else the key in its address. */
export function externalIdOf(entity: Readonly<Record<string, unknown>>, key: string): string | null {
  const metadata = entity.__metadata
  return idOf(entity[key]) ?? (isObject(metadata) && typeof metadata.uri === 'string' ? keyInUri(metadata.uri) : null)
}

/** Entities and next link of `{"d": {"results": [...], "__next": "..."}}`. Null: the answer has another form */
export function resultsOf({ json }: ErpAnswer): { results: Record<string, unknown>[]; next: string | null } | null {
  const d = isObject(json) ? json.d : undefined
  const results = isObject(d) ? d.results : d
  if (!Array.isArray(results)) return null
  return { results: objectsIn(results), next: isObject(d) && typeof d.__next === 'string' ? d.__next : null }
}

export const entityOf = ({ json }: ErpAnswer): Record<string, unknown> => (isObject(json) && isObject(json.d) ? json.d : {})

/**
 * The message of an error, in JSON or XML, with the details that name the field.
 * Source: help.sap.com, SAP Gateway, "OData Error Log", "Message Container": `innererror.errordetails`
 */
export function errorTextV2({ json, body }: ErpAnswer): string | null {
  const error = isObject(json) ? json.error : undefined
  if (!isObject(error)) return xmlText(body)
  const { message, innererror } = error
  const main = isObject(message) ? message.value : message
  const details = objectsIn(isObject(innererror) ? innererror.errordetails : undefined)
    .map(({ message: text, propertyref, target }) =>
      [propertyref || target, text].filter((one) => typeof one === 'string' && one !== ''),
    )
    .map((parts) => parts.join(': '))
  const texts = [typeof main === 'string' ? main : '', ...details].filter(Boolean)
  // The first detail usually repeats the message.
  return (
    texts
      .filter((text, index) => !texts.some((other, at) => at !== index && other.includes(text) && (other !== text || at < index)))
      .join(' ') || null
  )
}

function xmlText(body: string): string | null {
  const text = /<message[^>]*>([^<]*)<\/message>/.exec(body)?.[1]
  if (text !== undefined)
    return text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&')
  return body.length < 300 && body.trim() !== '' && !body.includes('<') ? body : null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
