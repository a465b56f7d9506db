import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Answers under way have this long. */
const DRAIN_MS = 10_000
const LOOK_MS = 20

/**
 * Makes a server that can be closed in time: no new connections; what is under way is answered, and each answer is its connection's last,
 * since a client that goes on asking would keep open a server that only refuses new connections. What is not answered in `drainMs` is cut.
 * Connections on which nothing was asked yet go at once: browsers open some in advance, and a TLS handshake may never end; Node counts
 * them busy.
 */
export function closable(server: Server, drainMs = DRAIN_MS): () => Promise<void> {
  const unused = new Map<string, Socket>()
  // the address and not the socket: under TLS a request has another one than the connection
  const name = (socket: Socket) => `${socket.remoteAddress} ${socket.remotePort}`
  const use = (request: IncomingMessage) => unused.delete(name(request.socket))
  server.on('connection', (socket: Socket) => {
    const key = name(socket)
    unused.set(key, socket)
    socket.once('close', () => unused.delete(key))
  })
  server.on('request', use).on('upgrade', (request, socket) => {
    use(request)
    // Node keeps its hands off a connection that somebody listens for, so where nobody else does it is answered here
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
    // answers that had begun before did not say that they are the last
    const idle = setInterval(() => server.closeIdleConnections(), LOOK_MS)
    const late = setTimeout(() => server.closeAllConnections(), drainMs)
    await closed
    clearInterval(idle)
    clearTimeout(late)
  }
}
