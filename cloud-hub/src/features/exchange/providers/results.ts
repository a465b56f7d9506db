import { type Fault, fault } from '@haltless/protocol'
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
const asSentence = (found: Fault): Fault => ({ ...found, detail: sentence(found.detail) })

/** What the ERP itself says, without secrets, or its status. */
export function reasonOf({ http, errorText }: ResultRules, answer: ErpAnswer): string | Fault {
  const text = errorText(answer)
  return text ? sentence(http.redactor.summary(text)) : fault('erp_status', { status: answer.status })
}

/**
 * @returns the error when this result says that the ERP cannot be used, whichever record is sent. Null: the ERP handled the request,
 * or may have handled it
 */
export function unavailable(rules: ResultRules, result: ErpResult): ErpUnavailable | null {
  const { request, response, met } = result
  const make = (reason: ErpUnavailable['reason'], found: Fault, retryAfterSeconds: number | null = null) =>
    new ErpUnavailable(reason, found, { request, response, met, retryAfterSeconds })
  const host = new URL(rules.http.base).origin
  if (!result.ok) {
    if (result.mayHaveArrived) return null
    return make('unreachable', unreachable(host, result))
  }
  const { status, retryAfterSeconds = null } = result
  if (status === 401)
    return make(
      'authentication',
      fault('erp_credentials_refused', { settings: rules.credentials, reason: reasonOf(rules, result) }),
    )
  if (status === 403) return make('authorization', fault('erp_right_missing', { reason: reasonOf(rules, result) }))
  if (status === 429) return make('throttled', fault('erp_throttled'), retryAfterSeconds)
  if (status === 503)
    return make('maintenance', fault('erp_not_available', { reason: reasonOf(rules, result) }), retryAfterSeconds)
  if (status >= 300 && status < 400) return make('unreachable', fault('erp_redirects', { host }))
  if (status < 300 && /^text\/html\b/i.test(result.headers['content-type'] ?? ''))
    return make('maintenance', fault('erp_web_page', { host }))
  return null
}

function unreachable(host: string, { reason: kind, fault: found }: ErpFailure): Fault {
  const reason = asSentence(found)
  if (kind === 'tls') return fault('erp_unsecured', { host, reason })
  if (kind === 'aborted') return fault('erp_call_cancelled', { host, reason })
  return fault('erp_unreachable', { host, reason, setting: 'base_url' })
}

/** As `unreachable`, of the server that issues the tokens. */
export function issuerUnreachable(host: string, { reason: kind, fault: found }: ErpFailure): Fault {
  const reason = asSentence(found)
  if (kind === 'tls') return fault('erp_issuer_unsecured', { host, reason })
  if (kind === 'aborted') return fault('erp_issuer_call_cancelled', { host, reason })
  return fault('erp_issuer_unreachable', { host, reason, setting: 'token_url' })
}

/** As `unavailable`, for a read: anything but JSON with status 200 means that the ERP cannot be used. */
export function unreadable(rules: ResultRules, result: ErpResult, path: string): ErpUnavailable | null {
  const error = unavailable(rules, result)
  if (error) return error
  const { request, response } = result
  const make = (reason: ErpUnavailable['reason'], found: Fault) => new ErpUnavailable(reason, found, { request, response })
  if (!result.ok)
    return result.reason === 'too_large'
      ? make('maintenance', fault('erp_answer_too_large', { path }))
      : make('unreachable', fault('erp_path_not_answered', { path, reason: asSentence(result.fault) }))
  const { status } = result
  if (status === 404) return make('maintenance', fault('erp_path_missing', { path, reason: reasonOf(rules, result) }))
  if (status !== 200) return make('maintenance', fault('erp_path_unreadable', { path, status, reason: reasonOf(rules, result) }))
  if (result.json === undefined) return make('maintenance', fault('erp_no_json', { path }))
  return null
}

/** The outcome of a request that changes one record and was not executed as wished. */
export function outcomeOf(rules: ResultRules, result: ErpResult): PushOutcome {
  const { request, response } = result
  if (!result.ok) {
    const reason = asSentence(result.fault)
    return { kind: 'failed', request, response, fault: fault('erp_record_unconfirmed', { reason }) }
  }
  const { status } = result
  const reason = reasonOf(rules, result)
  if (status >= 500 || status === 408 || status === 425)
    return { kind: 'failed', request, response, fault: fault('erp_record_failed', { status, reason }) }
  if (status === 409 || status === 412 || status === 428)
    return { kind: 'failed', request, response, fault: fault('erp_record_changed_there', { reason }) }
  return { kind: 'rejected', request, response, fault: fault('erp_record_refused', { status, reason }) }
}

export const goneOutcome = (result: { request: string; response: string }, externalId: string): PushOutcome => ({
  kind: 'rejected',
  request: result.request,
  response: result.response,
  fault: fault('erp_record_gone', { id: externalId }),
})

export const withoutIdOutcome = (result: { request: string; response: string }): PushOutcome => ({
  kind: 'failed',
  request: result.request,
  response: result.response,
  fault: fault('erp_record_without_id'),
})
