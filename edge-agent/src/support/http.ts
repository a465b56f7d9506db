import { type IncomingMessage, type Agent as PlainAgent, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { agentFor, type ProxySettings } from './proxy.ts'

export interface HttpAnswer {
  status: number
  /** parsed JSON; null when the body is none */
  body: unknown
  /** what `Retry-After` asks for, ms; null when absent */
  retryAfterMs: number | null
}

/** No answer of a hub is larger: 1,000 rejections with their sentences take about 300 KB. */
const ANSWER_BYTES_MAX = 4 * 1_048_576

/** JSON over HTTP(S), with certificate authorities of our own where a plant has them, and through its proxy. Connections are kept. */
export class HttpClient {
  readonly #ca: string[] | undefined
  readonly #proxy: ProxySettings | null
  /** by origin */
  readonly #agents = new Map<string, PlainAgent>()

  constructor(ca?: string[], proxy: ProxySettings | null = null) {
    this.#ca = ca
    this.#proxy = proxy
  }

  #agentFor(url: string): PlainAgent {
    const { origin } = new URL(url)
    const known = this.#agents.get(origin)
    if (known) return known
    const agent = agentFor(url, this.#proxy, { keepAlive: true, maxSockets: 8, ...(this.#ca && { ca: this.#ca }) })
    this.#agents.set(origin, agent)
    return agent
  }

  /** Posts JSON. Rejects when no whole answer comes within `timeoutMs`; redirects are answers like any other. */
  post(
    url: string,
    body: unknown,
    headers: Record<string, string>,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<HttpAnswer> {
    const text = Buffer.from(JSON.stringify(body))
    const described = { ...headers, 'content-type': 'application/json', 'content-length': String(text.length) }
    return this.#request('POST', url, text, described, timeoutMs, signal)
  }

  /** Like {@link post}, without a body. */
  get(url: string, headers: Record<string, string>, timeoutMs: number): Promise<HttpAnswer> {
    return this.#request('GET', url, undefined, headers, timeoutMs)
  }

  /** Begins to get something large. Rejects when no answer begins within `timeoutMs`; later silence of that length ends the answer. */
  open(url: string, headers: Record<string, string>, timeoutMs: number, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = (url.startsWith('https:') ? requestTls : requestPlain)(url, { agent: this.#agentFor(url), headers, signal })
      request.setTimeout(timeoutMs, () => request.destroy(new Error(`nothing came within ${timeoutMs / 1_000} s`)))
      request.on('error', reject)
      request.on('response', resolve)
      request.end()
    })
  }

  #request(
    method: 'GET' | 'POST',
    url: string,
    body: Buffer | undefined,
    headers: Record<string, string>,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<HttpAnswer> {
    const isTls = url.startsWith('https:')
    const limit = AbortSignal.timeout(timeoutMs)
    return new Promise((resolve, reject) => {
      const request = (isTls ? requestTls : requestPlain)(url, {
        method,
        agent: this.#agentFor(url),
        headers: { ...headers, accept: 'application/json' },
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      request.on('error', (error) => reject(limit.aborted ? new Error(`no answer within ${timeoutMs / 1_000} s`) : error))
      request.on('response', (response) => void readAnswer(response).then(resolve, reject))
      request.end(body)
    })
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }
}

async function readAnswer(response: IncomingMessage): Promise<HttpAnswer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response) {
    length += part.length
    if (length > ANSWER_BYTES_MAX) {
      response.destroy()
      throw new Error('the answer is too large')
    }
    parts.push(part)
  }
  return {
    status: response.statusCode ?? 0,
    body: parseJson(Buffer.concat(parts).toString('utf8')),
    retryAfterMs: retryAfterMs(response.headers['retry-after']),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Source: RFC 9110, 10.2.3: seconds or an HTTP date. Never more than an hour: a typing error must not silence a plant for a week. */
function retryAfterMs(header: string | undefined): number | null {
  if (!header) return null
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), 3_600_000)
}
