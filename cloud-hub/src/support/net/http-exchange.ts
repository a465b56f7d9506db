import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { type Fault, type FaultCode, fault } from '@haltless/protocol/faults'
import type { Answer, Failure, GuardedRequest } from './guarded-request.ts'
import type { HostAddress } from './resolve-host.ts'

interface Exchange extends Omit<GuardedRequest, 'signal' | 'timeoutMs' | 'owner' | 'ca'> {
  open(settings: RequestOptions): ClientRequest
  /** the only addresses dialled; the first that answers wins. Empty when a connection exists already */
  addresses: HostAddress[]
  signal: AbortSignal
  maxResponseBytes: number
}

/**
 * One request and its response, aborted by `signal` at any point.
 * @returns `isStale`: the connection existed before the request and broke before any response
 */
export function performRequest({
  open,
  addresses,
  signal,
  maxResponseBytes,
  method,
  headers,
  body,
  after,
  wholeBody,
}: Exchange): Promise<{ result: Answer | Failure; isStale: boolean }> {
  return new Promise((resolve) => {
    let connected = false
    let sent = false
    const bytes = body === undefined ? undefined : Buffer.from(body as string)
    const call = open({
      method: method ?? (bytes ? 'POST' : 'GET'),
      headers: { 'user-agent': 'haltless', ...headers, ...(bytes && { 'content-length': String(bytes.length) }) },
      // Node calls this for host names only; an address in the URL was checked before.
      lookup: (_host, { all }, done) => {
        const [first] = addresses as [HostAddress?]
        if (!first) done(new Error('no allowed address to connect to'), '')
        else if (all) done(null, addresses)
        else done(null, first.address, first.family)
      },
    } as RequestOptions)

    let answered = false
    const settle = (result: Answer | Failure) => {
      signal.removeEventListener('abort', ended)
      const isStale =
        connected && (call.reusedSocket || after !== undefined) && !answered && !result.ok && result.reason === 'unreachable'
      resolve({ result, isStale })
      // Further data is ignored; after a complete response the owner may reuse the connection.
      if (!call.shouldKeepAlive || !result.ok || result.cut) call.destroy()
    }
    const fail = (reason: Failure['reason'], found: Fault) =>
      settle({ ok: false, reason, fault: found, mayHaveArrived: connected && sent })
    const ended = () => fail('aborted', fault('http_cancelled'))

    if (signal.aborted) return ended()
    signal.addEventListener('abort', ended, { once: true })
    call.once('socket', (socket) => {
      connected = call.reusedSocket
      if (connected) return
      const secure = 'encrypted' in socket
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        connected = true
      })
    })
    call.on('error', (error: NodeJS.ErrnoException) => fail(...explain(error)))
    call.once('upgrade', () => fail('unreachable', fault('http_other_protocol')))
    call.once('response', (response) => {
      answered = true
      signal.removeEventListener('abort', ended)
      readBody(response, maxResponseBytes, signal).then(({ text, incomplete }) => {
        if (incomplete && wholeBody) {
          if (incomplete === 'ended') return ended()
          return incomplete === 'long'
            ? fail('too_large', fault('http_response_too_long', { bytes: maxResponseBytes }))
            : fail('unreachable', fault('http_connection_lost'))
        }
        settle({
          ok: true,
          status: response.statusCode as number,
          headers: flat(response),
          setCookies: response.headers['set-cookie'] ?? [],
          body: text,
          cut: incomplete !== null,
          ...retryAfter(response),
        })
      })
    })
    const send = () => {
      sent = true
      call.end(bytes)
    }
    if (after) after.then(send, ended)
    else send()
  })
}

/** @returns the received part as UTF-8, and why it is incomplete: too long, aborted, or connection lost */
function readBody(
  response: IncomingMessage,
  max: number,
  signal: AbortSignal,
): Promise<{ text: string; incomplete: null | 'long' | 'ended' | 'broken' }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (incomplete: null | 'long' | 'ended' | 'broken') => {
      signal.removeEventListener('abort', ended)
      resolve({ text: Buffer.concat(chunks).subarray(0, max).toString('utf8'), incomplete })
    }
    const ended = () => finish('ended')
    if (signal.aborted) return ended()
    signal.addEventListener('abort', ended, { once: true })
    response.on('data', (chunk: Buffer) => {
      if (size > max) return
      chunks.push(chunk)
      size += chunk.length
      if (size > max) finish('long')
    })
    response.once('end', () => finish(null))
    response.once('error', () => finish('broken'))
    response.once('close', () => finish('broken'))
  })
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

/** Seconds or a date. Source: RFC 9110, 10.2.3 */
function retryAfter({ headers }: IncomingMessage): { retryAfterSeconds?: number } {
  const text = headers['retry-after']?.trim()
  if (!text) return {}
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1_000)
  return Number.isFinite(seconds) ? { retryAfterSeconds: Math.max(0, seconds) } : {}
}

function explain(error: NodeJS.ErrnoException): [Failure['reason'], Fault] {
  const code = error.code ?? ''
  if (code === 'HPE_HEADER_OVERFLOW') return ['too_large', fault('http_header_too_long')]
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|INVALID_|HOSTNAME_|PATH_LENGTH_|EPROTO)/.test(code))
    return ['tls', fault(UNSAFE[code as keyof typeof UNSAFE] ?? 'https_failed')]
  // Several addresses failed.
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException | undefined)?.code : code
  return ['unreachable', fault(PLAIN[first as keyof typeof PLAIN] ?? 'http_connection_failed')]
}

const UNSAFE = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'https_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'https_self_signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'https_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'https_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'https_untrusted',
  CERT_HAS_EXPIRED: 'https_expired',
  CERT_NOT_YET_VALID: 'https_not_yet_valid',
  CERT_REVOKED: 'https_revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'https_other_host',
} as const satisfies Record<string, FaultCode>

const PLAIN = {
  ECONNREFUSED: 'http_refused',
  ECONNRESET: 'http_closed',
  EHOSTUNREACH: 'http_no_route',
  ENETUNREACH: 'http_no_route',
  ETIMEDOUT: 'http_no_answer',
  HPE_INVALID_CONSTANT: 'http_not_spoken',
} as const satisfies Record<string, FaultCode>
