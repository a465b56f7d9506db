import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

const IDLE_LOOK_MS = 20

/**
 * Makes a server that can be closed in time: no new connections, answers under way are finished, each connection goes once it is idle, and
 * after `drainMs` whatever is left. Connections on which nothing was asked yet go at once: browsers open some in advance, and a TLS
 * handshake may never end; Node counts them busy.
 */
export function closable(server: Server, drainMs: number): () => Promise<void> {
  const unused = new Map<string, Socket>()
  // the address and not the socket: under TLS a request has another one than the connection
  const name = (socket: Socket) => `${socket.remoteAddress} ${socket.remotePort}`
  const use = (request: IncomingMessage) => unused.delete(name(request.socket))
  server.on('connection', (socket: Socket) => {
    const key = name(socket)
    unused.set(key, socket)
    socket.once('close', () => unused.delete(key))
  })
  server.on('request', use).on('upgrade', use)
  return async () => {
    if (!server.listening) return
    const closed = new Promise<void>((done) => server.close(() => done()))
    for (const socket of unused.values()) socket.destroy()
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS)
    const late = setTimeout(() => server.closeAllConnections(), drainMs)
    await closed
    clearInterval(idle)
    clearTimeout(late)
  }
}
