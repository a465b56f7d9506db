import type { Server } from 'node:http'

/** Answers under way have this long. */
const DRAIN_MS = 10_000
const LOOK_MS = 50

/**
 * No new connections; what is under way is answered, and each answer is its connection's last: a client that goes on asking would keep a
 * server open that only refuses new connections. What is not answered in `drainMs` is cut.
 */
export async function closeServer(server: Server, drainMs = DRAIN_MS): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((done) => server.close(() => done()))
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  server.closeIdleConnections()
  // answers that had begun before did not say that they are the last
  const idle = setInterval(() => server.closeIdleConnections(), LOOK_MS)
  const late = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}
