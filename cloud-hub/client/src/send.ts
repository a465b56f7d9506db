import { HaltlessError, type Problem } from './error.ts'
import { KEYED_PATHS } from './keyed-paths.ts'
import type { CallOptions } from './types.ts'

/**
 * An access token (15 minutes) or a token of a program (`ht_...`). A function is asked for every call; with a token that the hub has refused,
 * it answers another one.
 */
export type Token = string | ((refused?: string) => string | Promise<string>)

export interface ClientOptions {
  /** the address of the hub, such as `https://hub.example.com`; with or without `/api/v1`; '' with a `fetch` that knows it */
  url: string
  token?: Token
  /** in place of the global `fetch` */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** how often a call is tried, at least once; default 4 */
  attempts?: number
  /** time limit of one attempt; default 30 */
  timeoutSeconds?: number
}

/** The function that answers tokens failed: its error is passed on, and nothing is repeated. */
class TokenFault extends Error {}

/** A call with its types forgotten. */
export interface Call extends CallOptions {
  method: string
  /** below `/api/v1`, with `{name}` for ids */
  path: string
  values?: Record<string, unknown> | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
  /** the time limit ends with the head of the answer */
  isStream?: boolean
}

/** @throws TypeError for what is no address of HTTP */
function baseOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(
      `The address of the hub begins with https:// or http://, as in https://hub.example.com; this is ${JSON.stringify(url)}.`,
    )
  return url.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}

/** Longest wait that a refusal may ask for; beyond it the caller decides. */
const MAX_WAIT_SECONDS = 60
/** Statuses after which a request may or may not have been done. */
const UNCLEAR = [502, 503, 504]

/**
 * Sends calls, and repeats what may be repeated: what the hub refused for a moment (429, a key in use), and after a lost connection or a 502
 * to 504 what changes nothing twice: GET, PUT, and each POST that takes an `Idempotency-Key`, which it has.
 */
export class Sender {
  readonly #url: string
  readonly #token: Token | undefined
  readonly #fetch: NonNullable<ClientOptions['fetch']>
  readonly #attempts: number
  readonly #timeoutMs: number

  constructor({ url, token, fetch, attempts = 4, timeoutSeconds = 30 }: ClientOptions) {
    this.#url = fetch && url === '' ? '' : baseOf(url)
    this.#token = token
    this.#fetch = fetch ?? globalThis.fetch.bind(globalThis)
    this.#attempts = Math.max(1, attempts)
    this.#timeoutMs = timeoutSeconds * 1_000
  }

  /**
   * @param read reads the answer, which is one of success: a connection that is lost meanwhile counts as lost
   * @throws HaltlessError, or what `fetch` throws
   */
  async send<T>(call: Call, read: (response: Response) => T | Promise<T>): Promise<T> {
    const { signal } = call
    const headers = headersOf(call)
    const isRepeatable = ['GET', 'PUT'].includes(call.method) || headers['idempotency-key'] !== undefined
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(await this.#attempt(call, headers))
      } catch (error) {
        signal?.throwIfAborted()
        if (error instanceof TokenFault) throw error.cause
        const seconds = waitAfter(error, isRepeatable, attempt)
        if (seconds === null || attempt >= this.#attempts) throw error
        await pause(seconds * 1_000, signal)
      }
    }
  }

  /** One attempt; two where a token has run out. */
  async #attempt(call: Call, headers: Record<string, string>): Promise<Response> {
    let token = await this.#tokenFor()
    for (let isSecond = false; ; isSecond = true) {
      const response = await this.#fetchOnce(call, { ...headers, ...(token ? { authorization: `Bearer ${token}` } : {}) })
      if (response.ok) return response
      const error = new HaltlessError(response, `${call.method} ${call.path}`, await problemOf(response))
      if (isSecond || error.status !== 401 || typeof this.#token !== 'function') throw error
      token = await this.#tokenFor(token)
    }
  }

  /** @throws TokenFault */
  async #tokenFor(refused?: string): Promise<string | undefined> {
    if (typeof this.#token !== 'function') return this.#token
    try {
      return await this.#token(refused)
    } catch (cause) {
      throw new TokenFault('there is no token', { cause })
    }
  }

  async #fetchOnce(call: Call, headers: Record<string, string>): Promise<Response> {
    const { method, body, signal, isStream } = call
    const limit = new AbortController()
    // the body of an answer counts too; timers that have done their work abort nothing
    const limits = [isStream ? limit.signal : AbortSignal.timeout(this.#timeoutMs), ...(signal ? [signal] : [])]
    const timer = isStream ? setTimeout(() => limit.abort(), this.#timeoutMs) : undefined
    try {
      return await this.#fetch(`${this.#url}/api/v1${pathOf(call)}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
        signal: AbortSignal.any(limits),
      })
    } finally {
      clearTimeout(timer)
    }
  }
}

function headersOf({ method, path, body, headers, idempotencyKey }: Call): Record<string, string> {
  const isKeyed = method === 'POST' && KEYED_PATHS.has(path)
  return {
    accept: 'application/json',
    ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    ...(isKeyed ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
    ...headers,
  }
}

function pathOf({ path, values = {}, query = {} }: Call): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) search.append(name, String(one))
  return search.size > 0 ? `${filled}?${search}` : filled
}

const problemOf = async (response: Response): Promise<Partial<Problem> | undefined> =>
  response.headers.get('content-type')?.startsWith('application/problem+json')
    ? await response.json().catch(() => undefined)
    : undefined

/** Seconds until the next attempt makes sense; null: it does not. */
function waitAfter(error: unknown, isRepeatable: boolean, attempt: number): number | null {
  const backoff = Math.min(2 ** (attempt - 1), 30) * (0.5 + Math.random() / 2)
  // the connection was lost, or never came about
  if (!(error instanceof HaltlessError)) return isRepeatable ? backoff : null
  const isRefusedForNow = error.status === 429 || error.code === 'idempotency_key_in_use'
  if (!isRefusedForNow && !(isRepeatable && UNCLEAR.includes(error.status))) return null
  const seconds = Math.max(error.retryAfter ?? 0, backoff)
  return seconds > MAX_WAIT_SECONDS ? null : seconds
}

/** Rejects when the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
