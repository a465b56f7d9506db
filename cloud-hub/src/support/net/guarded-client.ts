import http from 'node:http'
import https from 'node:https'
import { type Fault, fault } from '@haltless/protocol/faults'
import { type FieldMessage, fieldMessage } from '../../error-codes/field-messages.ts'
import { type AddressClass, addressPolicy, literalAddress } from './address-policy.ts'
import type { Answer, Failure, GuardedRequest } from './guarded-request.ts'
import { performRequest } from './http-exchange.ts'
import { keepAliveAgents } from './keep-alive-agents.ts'
import { BlockedTarget, type HostAddress, hostResolver, isHostName, type Lookup, UnknownHost } from './resolve-host.ts'
import { trustedAuthorities } from './trusted-authorities.ts'

export interface GuardedClientOptions {
  /** OUTBOUND_ALLOW: CIDR ranges that may be called although they are not public, and by plain HTTP */
  allow: readonly string[]
  /** for the whole call, from the DNS query to the last byte; default 10,000 */
  timeoutMs?: number
  /** of an answer's body; default 65,536 */
  maxResponseBytes?: number
  /** for tests; default: the system's */
  lookup?: Lookup
  /** PEM of a certificate authority that is trusted instead of the usual ones */
  ca?: string
}

/**
 * The only client for targets that a tenant chose. A call uses a new connection, so its address is always checked. A call with an
 * `owner` may reuse a connection of that owner.
 */
export interface GuardedClient {
  /** @returns an answer or a failure; never throws */
  request(url: string, request?: GuardedRequest): Promise<Answer | Failure>
  /** Checks a URL before it is stored. @returns what to answer with 422, or null. Host names are checked when connecting */
  checkUrl(url: string): FieldMessage | null
  /** Checks headers that a tenant chose. @returns what to answer with 422, or null */
  checkHeaders(headers: Record<string, string>): FieldMessage | null
  /**
   * Checks a host before it is stored.
   * @returns the end of a sentence for a 422, or null. Host names are checked when connecting
   */
  checkHost(host: string): FieldMessage | null
  /** An address to dial for a host that a tenant chose. @throws BlockedTarget, UnknownHost */
  resolvePublicHost(host: string): Promise<string>
  /** Aborts all calls in progress; later ones fail as `aborted` */
  close(): void
}

const MAX_URL_LENGTH = 2_048
/** These headers control framing and connection; a tenant could use them to smuggle requests or forge the host. */
const OWN_HEADERS = new Set(
  'connection content-length expect host http2-settings keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const classify = addressPolicy(options.allow)
  const resolve = hostResolver(classify, options.lookup)
  const connections = keepAliveAgents()
  const trustIn = trustedAuthorities(options.ca)
  const underWay = new Set<AbortController>()
  let closed = false

  /** Accepts spaces: URLs stored before spaces were refused are still called, as parsed. */
  function checkTarget(text: string): FieldMessage | null {
    if (text.length > MAX_URL_LENGTH)
      return fieldMessage('max_characters', { limit: MAX_URL_LENGTH }, `A URL has at most ${MAX_URL_LENGTH} characters.`)
    const url = URL.parse(text)
    if (!url) return fieldMessage('invalid_url', {}, 'This is not a valid URL.')
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return fieldMessage('https_required')
    if (url.username || url.password) return fieldMessage('url_with_credentials')
    const literal = literalAddress(url.hostname)
    if (!literal && !isHostName(url.hostname)) return fieldMessage('invalid_host', {}, 'The URL contains no valid host name.')
    const addressClass = literal ? classify(literal) : null
    if (addressClass === 'blocked')
      return fieldMessage('host_not_public', {}, 'The URL leads to an address that is not on the public Internet.')
    // A name may resolve to an allowlisted address; a literal address cannot.
    if (url.protocol === 'http:' && (addressClass === 'public' || options.allow.length === 0))
      return fieldMessage('https_required')
    return null
  }

  function checkUrl(text: string): FieldMessage | null {
    const complaint = checkTarget(text)
    // URL parsing drops or converts these characters, so the request would differ from the text.
    const isMisread = /[\s\p{Cc}\\]/u.test(text)
    if (complaint || !isMisread) return complaint
    return fieldMessage('invalid_url', {}, 'A URL must contain neither spaces, line breaks nor backslashes.')
  }

  async function request(text: string, given: GuardedRequest = {}): Promise<Answer | Failure> {
    const { after, ...plain } = given
    if (!after) return call(text, plain)
    let went = false
    const early = await call(text, {
      ...plain,
      after: after.then(() => {
        went = true
      }),
    })
    if (went) return early
    // An early connection that broke says nothing about the target.
    return after.then(
      () => call(text, plain),
      () => failure('aborted', fault('http_cancelled')),
    )
  }

  async function call(text: string, { signal, timeoutMs, owner, ca, ...rest }: GuardedRequest): Promise<Answer | Failure> {
    const complaint = checkTarget(text) ?? checkHeaders(rest.headers ?? {})
    if (complaint) return failure('blocked', refusalOf(complaint))
    if (closed || signal?.aborted) return failure('aborted', fault('http_cancelled'))
    const url = new URL(text)
    const clear = url.protocol === 'http:'
    const end = new AbortController()
    const giveUp = () => end.abort()
    underWay.add(end)
    signal?.addEventListener('abort', giveUp, { once: true })
    let tookTooLong = false
    const timer = setTimeout(
      () => {
        tookTooLong = true
        end.abort()
      },
      timeoutMs ?? options.timeoutMs ?? 10_000,
    )
    const whyEnded = () => (tookTooLong ? failure('timeout', fault('http_timeout')) : failure('aborted', fault('http_cancelled')))
    try {
      const trust = trustIn(ca)
      const accept = (addressClass: AddressClass) => addressClass === 'allowlisted' || (addressClass === 'public' && !clear)
      const kept = owner === undefined ? undefined : connections.of(owner, url, trust)
      const addresses = kept?.hasFree() ? [] : await unlessEnded(resolve(url.hostname, accept), end.signal)
      const { result, isStale } = await performRequest({
        open: (settings) => (clear ? http : https).request(url, { ...settings, ...trust.options, agent: kept?.agent ?? false }),
        addresses,
        signal: end.signal,
        maxResponseBytes: options.maxResponseBytes ?? 65_536,
        ...rest,
      })
      if (isStale && owner !== undefined)
        return {
          ...(await call(text, { ...rest, ...(ca && { ca }), ...(signal && { signal }), ...(timeoutMs && { timeoutMs }) })),
          isRepeated: true,
        }
      return result.ok || result.reason !== 'aborted' ? result : { ...whyEnded(), mayHaveArrived: result.mayHaveArrived }
    } catch (error) {
      if (end.signal.aborted) return whyEnded()
      if (error instanceof BlockedTarget)
        return failure('blocked', clear ? fault('http_only_allowed_plain', { reason: error.fault }) : error.fault)
      return failure('unreachable', error instanceof UnknownHost ? error.fault : fault('http_request_failed'))
    } finally {
      clearTimeout(timer)
      underWay.delete(end)
      signal?.removeEventListener('abort', giveUp)
    }
  }

  return {
    request,
    checkUrl,
    checkHeaders,
    checkHost(host) {
      const literal = literalAddress(host)
      if (literal) return classify(literal) === 'blocked' ? fieldMessage('host_not_public') : null
      return isHostName(host) ? null : fieldMessage('invalid_host')
    },
    async resolvePublicHost(host) {
      const [first] = await resolve(host, (addressClass) => addressClass !== 'blocked')
      return (first as HostAddress).address
    },
    close() {
      closed = true
      for (const end of underWay) end.abort()
      connections.close()
    },
  }
}

function checkHeaders(headers: Record<string, string>): FieldMessage | null {
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADERS.has(name.toLowerCase()))
      return fieldMessage('reserved_header', { name }, `The header ${name} is reserved: remove it.`)
    try {
      http.validateHeaderName(name)
      http.validateHeaderValue(name, value)
    } catch {
      return fieldMessage(
        'invalid_header',
        { name },
        `The header ${JSON.stringify(name)} has a name or value that HTTP does not allow.`,
      )
    }
  }
  return null
}

const failure = (reason: Failure['reason'], found: Fault): Failure => ({ ok: false, reason, fault: found, mayHaveArrived: false })

/** A target that was stored while the hub still allowed it. */
function refusalOf({ code, message }: FieldMessage): Fault {
  if (code === 'host_not_public') return fault('http_address_not_public')
  if (code === 'https_required') return fault('http_not_encrypted')
  return fault('http_request_not_allowed', { text: message })
}

function unlessEnded<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}
