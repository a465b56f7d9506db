import type { Answer, Failure, GuardedRequest } from '../../../support/net/guarded-request.ts'
import type { SessionSettings } from './provider.ts'
import { createRedactor, MAX_SUMMARY, type Redactor } from './redact.ts'

const TIMEOUT_MS = 30_000
/** A page of assets, and the answer to a batch, must fit into it. */
const MAX_RESPONSE_BYTES = 8 * 1_024 * 1_024
const MAX_REDIRECTS = 3

export interface ErpRequest {
  method: string
  url: string
  headers?: Record<string, string>
  body?: string
  /** what the log shows of the body; default: the body */
  shown?: string
  /** sending it twice changes nothing, so that a kept connection may be used */
  isRepeatable: boolean
}

/** Summaries for the log: at most 500 characters, no secret. */
interface Summaries {
  request: string
  response: string
  /** what the request met before, as the response says it */
  met?: string
}
export type ErpAnswer = Answer & Summaries & { json: unknown }
/** Says in the log what a request met before its answer, such as an expired token that was renewed. */
export function notedBefore<T extends { response: string; met?: string }>(met: string, result: T): T {
  if (met === '') return result
  const response = result.met ? result.response : `then ${result.response}`
  return { ...result, met: listed(met, result.met), response: `${met}, ${response}`.slice(0, MAX_SUMMARY) }
}
export const listed = (...met: (string | undefined)[]): string => met.filter(Boolean).join(', ')
export type ErpFailure = Failure & Summaries
export type ErpResult = ErpAnswer | ErpFailure

/** The calls of a session: with its private authority, time limit, whole bodies and summaries without secrets. */
export interface ErpHttp {
  redactor: Redactor
  /** `base_url` without a slash at its end */
  base: string
  /** Follows redirects of a GET on the same origin. Never throws. */
  call(request: ErpRequest, signal: AbortSignal): Promise<ErpResult>
  /** @returns the absolute address of a link from a response, or null when it leads to another origin */
  onOrigin(link: string, from: string): string | null
}

/** @param secrets beside the password or client secret, e.g. the Basic credentials */
export function erpHttp(
  { config, http, cacheKey, timeoutMs = TIMEOUT_MS }: SessionSettings,
  secrets: readonly string[],
): ErpHttp {
  const redactor = createRedactor(secrets)
  const base = String(config.base_url).replace(/\/+$/, '')
  const ca = config.ca_certificate as string | undefined

  function onOrigin(link: string, from: string): string | null {
    const url = URL.parse(link, from)
    return url && url.origin === new URL(from).origin && !url.username && !url.password ? url.href : null
  }

  async function call(request: ErpRequest, signal: AbortSignal): Promise<ErpResult> {
    const { method, url, headers, body, isRepeatable } = request
    const settings: GuardedRequest = {
      method,
      headers: { accept: 'application/json', ...headers },
      signal,
      timeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      wholeBody: true,
      ...(body !== undefined && { body }),
      ...(ca !== undefined && { ca }),
      ...(isRepeatable && { owner: `erp/${cacheKey}` }),
    }
    let answer = await http.request(url, settings)
    let at = url
    for (let left = MAX_REDIRECTS; left > 0 && method === 'GET' && isRedirect(answer); left--) {
      const next = onOrigin(answer.headers.location as string, at)
      if (next === null) break
      at = next
      answer = await http.request(at, settings)
    }
    const met = answer.isRepeated ? 'connection lost' : ''
    const sent = redactor.summary([method, url, request.shown ?? body].filter(Boolean).join(' '))
    if (!answer.ok)
      return notedBefore(met, {
        ...answer,
        fault: redactor.cleanFault(answer.fault),
        request: sent,
        response: redactor.summary(answer.fault.detail),
      })
    const location = answer.headers.location ? `Location: ${answer.headers.location}` : ''
    const response = redactor.summary([answer.status, location, answer.body].filter(Boolean).join(' '))
    return notedBefore(met, { ...answer, json: parsed(answer.body), request: sent, response })
  }

  return { redactor, base, call, onOrigin }
}

const isRedirect = (answer: Answer | Failure): answer is Answer =>
  answer.ok && [301, 302, 303, 307, 308].includes(answer.status) && Boolean(answer.headers.location)

/** undefined for a body that is not JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Credentials as RFC 7617 describes them, in UTF-8. */
export const basic = (user: unknown, password: unknown): string =>
  Buffer.from(`${String(user)}:${String(password)}`).toString('base64')

type JsonObject = Record<string, unknown>
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
/** Ids of the ERP are texts or integers. */
export const idOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : Number.isSafeInteger(value) ? String(value) : null
