import { Agent as PlainAgent } from 'node:http'
import { type AgentOptions, Agent as TlsAgent } from 'node:https'
import { BlockList, connect, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { errorMessage } from './error-message.ts'
import type { Secret } from './secret.ts'

/** An HTTP proxy that opens connections with CONNECT. Source: RFC 9110, 9.3.6. */
export interface ProxySettings {
  host: string
  port: number
  username: string | null
  password: Secret | null
  /** what is reached without it: hosts, `.domains`, addresses, networks such as `10.0.0.0/8`; `*`: everything */
  noProxy: readonly string[]
}

/** Why there is no connection through the proxy, in a sentence that names it. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  /** it accepts a user name and password by Basic, and had none, or others */
  readonly needsLogin: boolean

  constructor(message: string, needsLogin = false) {
    super(message)
    this.needsLogin = needsLogin
  }
}

/** From the first packet to the end of the TLS handshake: whoever waits for ten seconds still gets the reason. */
export const OPEN_MS = 8_000
const ANSWER_BYTES_MAX = 16_384
const BEGINNING = 'HTTP/1.'

/** A user name or password of a URL. One with a `%` that begins no code is taken as it is, as other programs do. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const proxyName = ({ host, port }: ProxySettings): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Whether a connection to this address goes through the proxy. */
export function isProxied(proxy: ProxySettings | null, url: string): proxy is ProxySettings {
  if (!proxy) return false
  const host = hostOf(new URL(url)).toLowerCase()
  return !proxy.noProxy.some((entry) => matches(entry.trim().toLowerCase(), host))
}

function matches(entry: string, host: string): boolean {
  if (entry === '*') return true
  const family = isIP(host)
  const [network = '', bits] = entry.split('/')
  if (bits !== undefined && family !== 0 && isIP(network) === family) {
    const list = new BlockList()
    list.addSubnet(network, Number(bits), family === 6 ? 'ipv6' : 'ipv4')
    return list.check(host, family === 6 ? 'ipv6' : 'ipv4')
  }
  const domain = entry.replace(/^\*?\./, '')
  return domain !== '' && (host === domain || (family === 0 && host.endsWith(`.${domain}`)))
}

/**
 * A connection to `host` that the proxy opens.
 * @throws ProxyError
 */
export async function openTunnel(proxy: ProxySettings, host: string, port: number, openMs = OPEN_MS): Promise<Socket> {
  const name = proxyName(proxy)
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const socket = connect({ host: proxy.host, port: proxy.port, noDelay: true, keepAlive: true })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<Socket>((resolve, reject) => {
      let isConnected = false
      let answer = Buffer.alloc(0)
      timer = setTimeout(() => {
        const what = isConnected ? 'accepts the connection and does not answer' : 'does not answer'
        reject(new ProxyError(`the proxy ${name} ${what} (${openMs / 1_000} s)`))
      }, openMs)
      socket.on('connect', () => {
        isConnected = true
        socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization(proxy)}\r\n`)
      })
      socket.on('error', (error) => reject(new ProxyError(`the proxy ${name}: ${errorMessage(error)}`)))
      socket.on('close', () => reject(new ProxyError(`the proxy ${name} closed the connection before it answered`)))
      socket.on('data', (part) => {
        answer = Buffer.concat([answer, part])
        const end = answer.indexOf('\r\n\r\n')
        const isHttp = BEGINNING.startsWith(answer.toString('latin1', 0, BEGINNING.length))
        if (end < 0 && answer.length < ANSWER_BYTES_MAX && isHttp) return
        const head = answer.toString('latin1', 0, Math.max(0, end))
        const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]
        if (!status) return reject(new ProxyError(`${name} does not answer like an HTTP proxy; is uplink.proxy.url right?`))
        if (!status.startsWith('2')) return reject(refusal(proxy, target, Number(status), head))
        socket.removeAllListeners()
        socket.pause()
        // The other side may speak first.
        if (answer.length > end + 4) socket.unshift(answer.subarray(end + 4))
        resolve(socket)
      })
    })
  } catch (error) {
    socket.on('error', () => {}).destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function authorization({ username, password }: ProxySettings): string {
  if (username === null) return ''
  const basic = Buffer.from(`${username}:${password?.reveal() ?? ''}`).toString('base64')
  return `Proxy-Authorization: Basic ${basic}\r\n`
}

function refusal(proxy: ProxySettings, target: string, status: number, head: string): ProxyError {
  const name = proxyName(proxy)
  if (status === 407) {
    const schemes = [...head.matchAll(/^proxy-authenticate: *(\w+)/gim)].map(([, scheme]) => scheme as string)
    if (schemes.length > 0 && !schemes.some((scheme) => /^basic$/i.test(scheme)))
      return new ProxyError(
        `the proxy ${name} wants ${schemes.join(' or ')}, and this agent speaks Basic only (407); let it offer Basic, or let this computer pass without`,
      )
    return new ProxyError(
      proxy.username === null
        ? `the proxy ${name} wants a user name and password (407); set uplink.proxy.username and uplink.proxy.password`
        : `the proxy ${name} refuses the user name or password in uplink.proxy (407)`,
      true,
    )
  }
  if (status === 403 || status === 405)
    return new ProxyError(`the proxy ${name} does not allow connections to ${target} (${status}); have that allowed`)
  const what = status === 502 || status === 503 || status === 504 ? 'cannot reach' : 'refuses a connection to'
  return new ProxyError(`the proxy ${name} ${what} ${target} (${status})`)
}

/**
 * TLS inside a tunnel.
 * @throws ProxyError or the error of TLS
 */
export async function openTlsTunnel(
  proxy: ProxySettings,
  host: string,
  port: number,
  options: ConnectionOptions,
): Promise<TLSSocket> {
  const startedAt = performance.now()
  const socket = await openTunnel(proxy, host, port)
  const secure = connectTls({ ...(isIP(host) === 0 && { servername: host }), ...options, host, socket })
  const silent = `nothing answers on the connection to ${host}:${port} that the proxy ${proxyName(proxy)} opened`
  const timer = setTimeout(() => secure.destroy(new ProxyError(silent)), OPEN_MS - (performance.now() - startedAt))
  try {
    await new Promise<void>((resolve, reject) => {
      secure.once('secureConnect', () => resolve())
      secure.once('error', reject)
      secure.once('close', () =>
        reject(new ProxyError(`the connection to ${host}:${port} was closed behind the proxy ${proxyName(proxy)}`)),
      )
    })
    return secure
  } catch (error) {
    secure.on('error', () => {}).destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

type Created = (error: Error | null, socket: Duplex) => void
interface Target {
  host?: string | null | undefined
  port?: number | string | null | undefined
}

/** Requests without TLS through a proxy. */
class PlainTunnelAgent extends PlainAgent {
  readonly #proxy: ProxySettings

  constructor(proxy: ProxySettings, options: AgentOptions) {
    super(options)
    this.#proxy = proxy
  }

  override createConnection(options: Target, created?: Created): undefined {
    openTunnel(this.#proxy, String(options.host), Number(options.port)).then(
      (socket) => created?.(null, socket),
      (error: Error) => created?.(error, undefined as never),
    )
  }
}

/** Requests with TLS through a proxy. */
class TlsTunnelAgent extends TlsAgent {
  readonly #proxy: ProxySettings

  constructor(proxy: ProxySettings, options: AgentOptions) {
    super(options)
    this.#proxy = proxy
  }

  override createConnection(options: Target & ConnectionOptions, created?: Created): undefined {
    openTlsTunnel(this.#proxy, String(options.host), Number(options.port), options).then(
      (socket) => created?.(null, socket),
      (error: Error) => created?.(error, undefined as never),
    )
  }
}

/** An agent for requests to `url`, or to others that go the same way. */
export function agentFor(url: string, proxy: ProxySettings | null, options: AgentOptions): PlainAgent {
  const isTls = /^(https|wss):/.test(url)
  if (isProxied(proxy, url)) return isTls ? new TlsTunnelAgent(proxy, options) : new PlainTunnelAgent(proxy, options)
  return isTls ? new TlsAgent(options) : new PlainAgent(options)
}
