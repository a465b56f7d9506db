import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TlsOptions } from 'node:tls'
import { getRequestListener } from '@hono/node-server'
import { connectionName, expectProxyHeaders, showClient } from '../net/proxied-server.ts'
import { AddressConnections } from './address-connections.ts'
import { type RequestHandler, SerialRequestQueue } from './serial-request-queue.ts'

export interface HttpServerOptions {
  fetch: Parameters<typeof getRequestListener>[0]
  /** absent: plain HTTP */
  tls?: TlsOptions | undefined
  /** time limit for receiving a request, including its body */
  requestSeconds: number
  /** requests whose body may take longer */
  uploads?: { seconds: number; isUpload(request: IncomingMessage): boolean }
  trustedProxies: readonly string[]
  /** present: connections from trusted proxies begin with a header of the PROXY protocol; learns of those that were refused */
  onHeaderRefused?: ((proxy: string, reason: string) => void) | undefined
  /** time limit for a client that reads nothing of a response */
  stallMs?: number
  maxConnectionsPerAddress?: number
}

const STALL_MS = 30_000
const HANDSHAKE_MS = 10_000
const KEEP_ALIVE_MS = 65_000
/** How often Node checks for requests that arrive too slowly. */
const CHECK_MS = 500
/** A waiting request costs about 4 KB. */
const WAITING = 128
const WAITING_PER_ADDRESS = 4_096
const CONNECTIONS_PER_ADDRESS = 1_000

/**
 * The HTTP server of the hub. It limits connections per address (the oldest without a request makes room), pipelined requests, the time to send a request, and the time
 * without reading a response.
 */
export function createHttpServer(options: HttpServerOptions): Server {
  const { trustedProxies, requestSeconds, stallMs = STALL_MS } = options
  const limits = { waiting: WAITING, waitingPerAddress: WAITING_PER_ADDRESS, trustedProxies }
  const requests = new SerialRequestQueue(requestHandler(options.fetch), limits)
  const { uploads } = options
  const settings = {
    requestTimeout: Math.max(requestSeconds, uploads?.seconds ?? 0) * 1_000,
    headersTimeout: requestSeconds * 1_000,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Other clients offer `h2c` and accept HTTP/1.1 (RFC 9110, 7.8).
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
  }
  const listener: RequestHandler = (request, response) => {
    if (uploads && !uploads.isUpload(request)) limitReceiving(request, requestSeconds * 1_000)
    requests.listener(request, response)
  }
  const server = options.tls
    ? createHttpsServer({ ...settings, ...options.tls, handshakeTimeout: HANDSHAKE_MS }, listener)
    : createServer(settings, listener)
  const connections = new AddressConnections({
    perAddress: options.maxConnectionsPerAddress ?? CONNECTIONS_PER_ADDRESS,
    trustedProxies,
    mayEnd: (admitted) => {
      const socket = served.get(connectionName(admitted as Socket))
      return !socket || (!upgraded.has(socket) && !requests.isBusy(socket))
    },
  })
  /** by name of the connection, since under TLS the socket that carries requests is not the one that was admitted */
  const served = new Map<string, Socket>()
  const upgraded = new WeakSet<Duplex>()
  server.prependListener('connection', (socket: Socket) => connections.admit(socket, socket.remoteAddress ?? ''))
  server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    showClient(socket)
    const name = connectionName(socket)
    served.set(name, socket)
    requests.add(socket)
    socket.once('close', () => served.delete(name))
  })
  server.on('upgrade', (_request, socket) => {
    upgraded.add(socket)
    requests.remove(socket as Socket)
  })
  // Node calls this after `stallMs` without progress, and once for an idle connection.
  server.setTimeout(stallMs, (socket: Socket) => {
    if (socket.writableLength > 0 || !requests.isBusy(socket)) socket.destroy()
  })
  if (options.onHeaderRefused) expectProxyHeaders(server, trustedProxies, options.onHeaderRefused)
  return server
}

/** Only HTTP/1.1 requires a Host header (RFC 9112, 3.2); the URL of a request without one gets the name `localhost`. */
function requestHandler(fetch: HttpServerOptions['fetch']): RequestHandler {
  const handle = getRequestListener(fetch)
  const handleWithoutHost = getRequestListener(fetch, { hostname: 'localhost' })
  return (request, response) => {
    const isWithoutHost = request.httpVersion === '1.0' && request.headers.host === undefined
    return (isWithoutHost ? handleWithoutHost : handle)(request, response)
  }
}

/**
 * Node has one limit for all requests, that of uploads; this is its answer for the others. The time before a handler begins to read the body is
 * the hub's own, as while it waits for the database, and does not count.
 */
function limitReceiving(request: IncomingMessage, ms: number): void {
  if (request.complete) return
  const { socket } = request
  let timer: NodeJS.Timeout | undefined
  request.once('resume', () => {
    timer = setTimeout(() => {
      if (request.complete || socket.destroyed) return
      socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
      socket.destroySoon()
      request.destroy()
    }, ms)
  })
  const stop = () => clearTimeout(timer)
  request.once('end', stop).once('close', stop)
}
