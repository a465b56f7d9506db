import type { ErpAnswer, ErpFailure, ErpHttp, ErpResult } from './erp-http.ts'
import { ErpUnavailable, type PushOutcome } from './provider.ts'

/** What a provider knows to read from its error bodies. */
export type ErrorText = (answer: ErpAnswer) => string | null

export interface ResultRules {
  http: ErpHttp
  errorText: ErrorText
  /** what a person checks after a 401, e.g. `username and password` */
  credentials: string
}

const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** What the ERP itself says, without secrets, or its status. */
export function reasonOf({ http, errorText }: ResultRules, answer: ErpAnswer): string {
  const text = errorText(answer)
  return text ? sentence(http.redactor.summary(text)) : `The ERP answered with status ${answer.status}.`
}

/**
 * @returns the error when this result says that the ERP cannot be used, whichever record is sent. Null: the ERP handled the request,
 * or may have handled it
 */
export function unavailable(rules: ResultRules, result: ErpResult): ErpUnavailable | null {
  const { request, response, met } = result
  const make = (reason: ErpUnavailable['reason'], message: string, retryAfterSeconds: number | null = null) =>
    new ErpUnavailable(reason, message, { request, response, met, retryAfterSeconds })
  const host = new URL(rules.http.base).origin
  if (!result.ok) {
    if (result.mayHaveArrived) return null
    return make('unreachable', unreachableText(host, result, 'base_url'))
  }
  const { status, retryAfterSeconds = null } = result
  if (status === 401)
    return make(
      'authentication',
      `The ERP does not accept the credentials: check ${rules.credentials}. ${reasonOf(rules, result)}`,
    )
  if (status === 403)
    return make('authorization', `The user of the connection lacks a right in the ERP. ${reasonOf(rules, result)}`)
  if (status === 429) return make('throttled', 'The ERP limits the requests of the connection.', retryAfterSeconds)
  if (status === 503) return make('maintenance', `The ERP is not available now. ${reasonOf(rules, result)}`, retryAfterSeconds)
  if (status >= 300 && status < 400)
    return make('unreachable', `${host} redirects to another address, which is not followed: correct base_url or config.paths.`)
  if (status < 300 && /^text\/html\b/i.test(result.headers['content-type'] ?? ''))
    return make('maintenance', `${host} answers with a web page, not with data: correct base_url or config.paths.`)
  return null
}

/** @param key the setting with the address */
export function unreachableText(host: string, { reason, fault }: ErpFailure, key: string): string {
  const advice =
    reason === 'tls'
      ? ' Check its certificate, and enter ca_certificate if a private authority issued it.'
      : reason === 'aborted'
        ? ''
        : ` Check ${key}, and whether a firewall admits the hub.`
  return `${host} cannot be reached: ${sentence(fault.detail)}${advice}`
}

/** As `unavailable`, for a read: anything but JSON with status 200 means that the ERP cannot be used. */
export function unreadable(rules: ResultRules, result: ErpResult, path: string): ErpUnavailable | null {
  const error = unavailable(rules, result)
  if (error) return error
  const { request, response } = result
  const make = (reason: ErpUnavailable['reason'], message: string) => new ErpUnavailable(reason, message, { request, response })
  if (!result.ok)
    return result.reason === 'too_large'
      ? make('maintenance', `The ERP answers ${path} with more than 8 MB at once: let it send pages of a few hundred records.`)
      : make('unreachable', `The ERP did not answer ${path}: ${sentence(result.fault.detail)}`)
  if (result.status === 404)
    return make('maintenance', `The ERP has no ${path}: create it there, or correct config.paths. ${reasonOf(rules, result)}`)
  if (result.status !== 200)
    return make('maintenance', `The ERP does not let Haltless read ${path} (status ${result.status}). ${reasonOf(rules, result)}`)
  if (result.json === undefined)
    return make('maintenance', `The ERP does not answer ${path} with JSON: correct base_url or config.paths.`)
  return null
}

/** The outcome of a request that changes one record and was not executed as wished. */
export function outcomeOf(rules: ResultRules, result: ErpResult): PushOutcome {
  const { request, response } = result
  if (!result.ok)
    return {
      kind: 'failed',
      request,
      response,
      message: `${sentence(result.fault.detail)} The ERP may have accepted the record.`,
    }
  const { status } = result
  const reason = reasonOf(rules, result)
  if (status >= 500 || status === 408 || status === 425)
    return { kind: 'failed', request, response, message: `The ERP failed on this record (status ${status}). ${reason}` }
  if (status === 409 || status === 412 || status === 428)
    return { kind: 'failed', request, response, message: `Another change of the record in the ERP was in the way. ${reason}` }
  return { kind: 'rejected', request, response, message: `The ERP refuses the record (status ${status}). ${reason}` }
}

export const goneOutcome = (result: { request: string; response: string }, externalId: string): PushOutcome => ({
  kind: 'rejected',
  request: result.request,
  response: result.response,
  message: `The ERP has no record ${externalId} any more: restore it there. Haltless never creates it a second time.`,
})

export const withoutIdOutcome = (result: { request: string; response: string }): PushOutcome => ({
  kind: 'failed',
  request: result.request,
  response: result.response,
  message: 'The ERP accepted the record without naming its id: it must be in the key field of the answer or in Location.',
})
