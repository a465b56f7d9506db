import type { Server, Socket } from 'node:net'
import { inRanges } from '../http/client-ip.ts'
import type { Logger } from '../logger.ts'
import { FIXED_BYTES, type ProxiedClient, ProxyHeaderError, readClient, restLength } from './proxy-header.ts'

/** A proxy sends its header with the first packet. */
const HEADER_MS = 5_000
const NOTED_MS = 60_000

/** The client of each connection that came through a proxy, by the address and port of the proxy's end. */
const clients = new Map<string, { address: string; port: number }>()

const peerOf = (socket: Socket) => `${socket.remoteAddress} ${socket.remotePort} ${socket.localPort}`
/** What `remoteAddress` and `remotePort` of a socket were before `showClient`. */
const peers = new WeakMap<Socket, string>()

/** Names a connection while it is open; a TLS socket and the socket below it have the same name. */
export const connectionName = (socket: Socket): string => peers.get(socket) ?? peerOf(socket)

/** From now on `remoteAddress` and `remotePort` of a socket are its client's, where a proxy named it; for the TLS socket above an admitted one. */
export function showClient(socket: Socket): void {
  const name = peerOf(socket)
  const client = clients.get(name)
  if (!client || peers.has(socket)) return
  peers.set(socket, name)
  Object.defineProperty(socket, 'remoteAddress', { value: client.address })
  Object.defineProperty(socket, 'remotePort', { value: client.port })
}

/**
 * Makes a server, of TCP, TLS, HTTP or HTTPS, expect the header of the PROXY protocol, version 2, at the begin of every connection from a trusted
 * proxy, before TLS. Others connect as ever: nobody else can choose an address. To be called when all listeners of `connection` are there.
 * @param onRefused a trusted proxy sent no header, or a wrong one; the connection has ended
 */
export function expectProxyHeaders(
  server: Server,
  trustedProxies: readonly string[],
  onRefused: (proxy: string, reason: string) => void,
  headerMs = HEADER_MS,
): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const serve = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket)
  }
  server.on('connection', (socket: Socket) => {
    if (!inRanges(socket.remoteAddress ?? '', trustedProxies)) return serve(socket)
    const proxy = socket.remoteAddress ?? ''
    readHeader(socket, headerMs, (error, client) => {
      if (error) {
        socket.destroy()
        return onRefused(proxy, error.message)
      }
      if (client) {
        const name = peerOf(socket)
        clients.set(name, client)
        socket.once('close', () => clients.delete(name))
        showClient(socket)
      }
      serve(socket)
    })
  })
}

/** Logs refused headers, at most once in a minute: a proxy that sends none does so at each of its health checks. */
export function noteRefusedHeaders(logger: Logger): (proxy: string, reason: string) => void {
  let notedAt = Number.NEGATIVE_INFINITY
  return (proxy, reason) => {
    if (performance.now() - notedAt < NOTED_MS) return
    notedAt = performance.now()
    logger.warn({ proxy, reason }, 'a connection from a trusted proxy has no acceptable header of the PROXY protocol, version 2')
  }
}

/** Takes the header off the begin of a stream, and leaves what follows it. */
function readHeader(socket: Socket, ms: number, done: (error: Error | null, client: ProxiedClient) => void): void {
  let header = Buffer.alloc(0)
  let wanted = FIXED_BYTES
  let isOver = false
  const end = (error: Error | null, client: ProxiedClient = null) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    socket.off('readable', read)
    // Node notices in the next tick that nobody listens; only a listener after that starts to read anew.
    process.nextTick(() => {
      socket.off('error', fail).off('end', ended).off('close', ended)
      done(error ?? (socket.destroyed ? new ProxyHeaderError('the connection ended behind it') : null), client)
    })
  }
  const fail = (error: Error) => end(error)
  const ended = () => end(new ProxyHeaderError('the connection ended within it'))
  const timer = setTimeout(() => end(new ProxyHeaderError(`it did not come within ${ms} ms`)), ms)
  const read = () => {
    try {
      for (;;) {
        const chunk = socket.read(Math.min(wanted - header.length, socket.readableLength)) as Buffer | null
        if (!chunk) return
        header = Buffer.concat([header, chunk])
        const rest = restLength(header)
        if (rest !== null) wanted = FIXED_BYTES + rest
        if (header.length === wanted && rest !== null) return end(null, readClient(header))
      }
    } catch (error) {
      end(error as Error)
    }
  }
  socket.on('readable', read).on('error', fail).on('end', ended).on('close', ended)
}
