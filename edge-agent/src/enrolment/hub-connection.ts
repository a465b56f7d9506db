import { lookup } from 'node:dns/promises'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { isIP } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { EnrolmentOffer } from '@haltless/protocol'
import type { Finding } from '../commands/findings.ts'
import { errorMessage } from '../support/error-message.ts'
import type { HttpClient } from '../support/http.ts'
import { problemDetail } from '../support/problem.ts'
import { agentFor, isProxied, openTunnel, ProxyError, type ProxySettings, proxyName } from '../support/proxy.ts'
import type { Secret } from '../support/secret.ts'

/** A step that takes longer has failed. */
export const STEP_MS = 10_000

export const finding = (what: string, result: Finding['result'], words: string, ...lines: string[]): Finding => ({
  what,
  result,
  words,
  lines,
})

/** Rejects with a sentence when the work takes longer than a step may. */
export async function withinStep<T>(work: Promise<T>, stepMs = STEP_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${stepMs / 1_000} s`)), stepMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')
const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

/** Whether the name of the hub has an address. A proxy resolves it itself. */
export async function testDns(hubUrl: string, proxy: ProxySettings | null, stepMs: number, resolve = lookup): Promise<Finding> {
  const host = hostOf(hubUrl)
  if (isProxied(proxy, hubUrl)) return finding('DNS', 'ok', `the proxy resolves ${host}`)
  if (isIP(host)) return finding('DNS', 'ok', `not needed: ${host} is an address`)
  try {
    const addresses = await withinStep(resolve(host, { all: true }), stepMs)
    return finding('DNS', 'ok', `${host} is ${addresses.map(({ address }) => address).join(', ')}`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const words =
      code === 'ENOTFOUND'
        ? `there is no host ${host}; correct --hub, or the name server of this computer`
        : `${host} cannot be resolved: ${errorMessage(error)}; check the name server of this computer and its network`
    return finding('DNS', 'FAIL', words)
  }
}

/** Whether the proxy opens a connection to the hub. */
export async function testProxy(hubUrl: string, proxy: ProxySettings | null, stepMs: number): Promise<Finding> {
  if (proxy === null) return finding('proxy', 'ok', 'none is set')
  if (!isProxied(proxy, hubUrl)) return finding('proxy', 'ok', `not used for the hub, which is listed in no_proxy`)
  try {
    const socket = await openTunnel(proxy, hostOf(hubUrl), Number(portOf(new URL(hubUrl))), Math.min(stepMs, 8_000))
    socket.on('error', () => {}).destroy()
    return finding('proxy', 'ok', `${proxyName(proxy)} opens connections to the hub`)
  } catch (error) {
    if (!(error instanceof ProxyError && error.needsLogin)) return finding('proxy', 'FAIL', errorMessage(error))
    // Settings with `uplink.proxy` may not exist yet.
    const name = proxyName(proxy)
    const fault = proxy.username === null ? 'wants a user name and password' : 'refuses the user name or password'
    return finding('proxy', 'FAIL', `the proxy ${name} ${fault} (407); give both: --proxy http://USER:PASSWORD@${name}`)
  }
}

/** What one request to the hub shows whose certificate is not checked; it carries no secret. */
interface FirstContact {
  /** by its `Date`, less half of the round trip; null when the answer has none */
  aheadMs: number | null
  tls: { protocol: string; fault: NodeJS.ErrnoException | null; certificate: PeerCertificate } | null
}

/** @throws Error of the network */
export function contactHub(
  hubUrl: string,
  { ca, proxy }: { ca: string[] | undefined; proxy: ProxySettings | null },
  stepMs: number,
  now: () => number,
): Promise<FirstContact> {
  const isTls = hubUrl.startsWith('https:')
  const signal = AbortSignal.timeout(stepMs)
  const startedAt = now()
  return new Promise((resolve, reject) => {
    const tls = isTls ? { ...(ca && { ca }), rejectUnauthorized: false } : {}
    const options = { method: 'GET', agent: agentFor(hubUrl, proxy, tls), signal }
    const request = (isTls ? requestTls : requestPlain)(`${hubUrl}/healthz`, options)
    request.on('error', (error) => reject(signal.aborted ? new Error(`no answer within ${stepMs / 1_000} s`) : error))
    request.on('response', (response) => {
      const date = Date.parse(response.headers.date ?? '')
      const socket = response.socket as TLSSocket
      const tls = isTls
        ? {
            protocol: socket.getProtocol() ?? 'TLS',
            fault: socket.authorized ? null : (asError(socket.authorizationError) as NodeJS.ErrnoException),
            certificate: socket.getPeerCertificate(true),
          }
        : null
      // A Date has whole seconds.
      resolve({ aheadMs: Number.isNaN(date) ? null : date + 500 - (startedAt + now()) / 2, tls })
      response.destroy()
    })
    request.end()
  })
}

const asError = (fault: Error | string | null): Error =>
  fault instanceof Error ? fault : Object.assign(new Error(String(fault)), { code: String(fault) })

/** Clocks that differ by less agree. */
const CLOCK_TOLERANCE_MS = 10_000

export function checkClock(aheadMs: number | null): Finding {
  if (aheadMs === null) return finding('clock', 'note', 'the hub does not say what time it is')
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  if (Math.abs(aheadMs) < CLOCK_TOLERANCE_MS) return finding('clock', 'ok', 'that of this computer agrees with that of the hub')
  const span =
    seconds < 7_200
      ? `${seconds} s`
      : seconds < 172_800
        ? `${Math.round(seconds / 3_600)} h`
        : `${Math.round(seconds / 86_400)} days`
  return finding(
    'clock',
    'note',
    `that of this computer is ${span} ${aheadMs > 0 ? 'behind' : 'ahead of'} that of the hub; set it, and let NTP keep it`,
  )
}

/** Whether the certificate of the hub is trusted. */
export function checkTls(hubUrl: string, { aheadMs, tls }: FirstContact): Finding {
  if (tls === null) return finding('TLS', 'ok', 'not used: the connection is not encrypted')
  const { fault, certificate, protocol } = tls
  const issuer = certificate.issuer?.O ?? certificate.issuer?.CN ?? 'an unknown authority'
  if (!fault) return finding('TLS', 'ok', `${protocol}, certificate from ${issuer}, valid until ${certificate.valid_to}`)
  const isClockWrong = Math.abs(aheadMs ?? 0) >= CLOCK_TOLERANCE_MS
  const clock = isClockWrong ? 'the clock of this computer is wrong: set it' : 'report it to the operator of the hub'
  const words: Record<string, string> = {
    CERT_HAS_EXPIRED: `the certificate of the hub expired on ${certificate.valid_to}; ${clock}`,
    CERT_NOT_YET_VALID: `the certificate of the hub is valid only from ${certificate.valid_from}; ${clock}`,
    ERR_TLS_CERT_ALTNAME_INVALID: `the certificate is that of another host (${certificate.subjectaltname ?? certificate.subject?.CN}), not of ${hostOf(hubUrl)}; use one of its names in --hub`,
  }
  const untrusted = `the certificate comes from ${issuer}, which this computer does not trust; if it is your own authority, name its file with --ca`
  return finding(
    'TLS',
    'FAIL',
    words[fault.code ?? ''] ?? (/CERT|ISSUER|SIGNATURE|SIGNED/.test(fault.code ?? '') ? untrusted : errorMessage(fault)),
  )
}

/** The finding about a hub that gave no answer at all. */
export function noContact(hubUrl: string, error: unknown): Finding {
  const url = new URL(hubUrl)
  const where = `${url.hostname}:${portOf(url)}`
  const { code } = error as NodeJS.ErrnoException
  const what = url.protocol === 'https:' ? 'TLS' : 'HTTP'
  if (code === 'ECONNREFUSED')
    return finding(what, 'FAIL', `${where} refuses the connection; is the address right, and does the hub run?`)
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL'))
    return finding(what, 'FAIL', `${where} does not speak TLS; is the port right, or should the address begin with http://?`)
  return finding(what, 'FAIL', `${where}: ${errorMessage(error)}; does the firewall let this computer reach it?`)
}

/** Requests what the enrolment key allows. */
export async function testApi(
  hubUrl: string,
  key: Secret,
  http: HttpClient,
  stepMs: number,
): Promise<{ finding: Finding; offer: EnrolmentOffer | null }> {
  const what = hubUrl.startsWith('https:') ? 'HTTPS' : 'HTTP'
  const failed = (words: string) => ({ finding: finding(what, 'FAIL', words), offer: null })
  try {
    const { status, body } = await http.get(`${hubUrl}/api/v1/agent/enroll`, { 'x-api-key': key.reveal() }, stepMs)
    const offer = EnrolmentOffer.safeParse(body)
    if (status === 200 && offer.success)
      return { finding: finding(what, 'ok', `${hubUrl} accepts the enrolment key`), offer: offer.data }
    const { code } = (body ?? {}) as { code?: unknown }
    if (typeof code === 'string' && code !== 'path_not_found') return failed(`the hub answered ${status}${problemDetail(body)}`)
    if (code === 'path_not_found') return failed('the hub is older than this agent and enrols none: use an API key (hub.api_key)')
    return failed(`${hubUrl} answered ${status}, and not like a Haltless hub; is --hub right, or does a proxy answer?`)
  } catch (error) {
    return failed(`${hubUrl}: ${errorMessage(error)}`)
  }
}
