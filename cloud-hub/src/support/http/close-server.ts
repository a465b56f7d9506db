import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { connectionName } from '../net/proxied-server.ts'

/** Time limit for requests in progress. */
const DRAIN_MS = 10_000
const CHECK_INTERVAL_MS = 20

/**
 * Returns a function that closes a server gracefully. It stops accepting connections and lets requests in progress finish. Each
 * of their responses ends its connection, so that a busy client cannot keep the server open. After `drainMs` it destroys the
 * connections that remain. It destroys connections without a request at once: browsers open them in advance, a TLS handshake may
 * never end, and Node counts them as active.
 */
export function createGracefulClose(server: Server, drainMs = DRAIN_MS): () => Promise<void> {
  const unused = new Map<string, Socket>()
  // Keyed by name: under TLS, the socket of a request is not the socket of its connection.
  const use = (request: IncomingMessage) => unused.delete(connectionName(request.socket))
  server.on('connection', (socket: Socket) => {
    const key = connectionName(socket)
    unused.set(key, socket)
    socket.once('close', () => unused.delete(key))
  })
  server.on('request', use).on('upgrade', (request, socket) => {
    use(request)
    // Node leaves upgrade requests to listeners, so without another listener this one must answer.
    if (server.listenerCount('upgrade') > 1) return
    socket.on('error', () => socket.destroy())
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
  return async () => {
    if (!server.listening) return
    const closed = new Promise<void>((done) => server.close(() => done()))
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false
    })
    for (const socket of unused.values()) socket.destroy()
    // Responses that began earlier carry no `Connection: close`.
    const idle = setInterval(() => server.closeIdleConnections(), CHECK_INTERVAL_MS)
    const late = setTimeout(() => server.closeAllConnections(), drainMs)
    await closed
    clearInterval(idle)
    clearTimeout(late)
  }
}
