import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RowContext } from '../row.ts'

/** The answer that the proxy gives instead of the hub. */
export interface Answer {
  status: number
  headers?: Record<string, string>
  body: string
}

/** A reverse proxy before the hub's HTTP port that can answer requests itself, and counts them. */
export interface FaultyProxy {
  readonly port: number
  /** answers every request like this; null: passes requests to the hub */
  respondWith(answer: Answer | null): void
  /** requests since the last `respondWith`, WebSocket upgrades included */
  requests(): number
}

export async function startFaultyProxy(context: RowContext, hubPort: number): Promise<FaultyProxy> {
  const open = new Set<Duplex>()
  let [answer, requests] = [null as Answer | null, 0]
  const server = createServer((incoming, outgoing) => {
    requests++
    if (answer) {
      incoming.resume()
      outgoing.writeHead(answer.status, { 'content-type': 'text/html', ...answer.headers }).end(answer.body)
      return
    }
    const { method, url, headers } = incoming
    const onward = request({ host: '127.0.0.1', port: hubPort, method, path: url, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.on('upgrade', (incoming, near, head) => {
    requests++
    near.on('error', () => near.destroy())
    open.add(near)
    if (answer) return near.end(`HTTP/1.1 ${answer.status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
    const far = connect(hubPort, '127.0.0.1', () => {
      const headers = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${value}\r\n`)
      far.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${headers.join('')}\r\n`)
      far.write(head)
      near.pipe(far).pipe(near)
    })
    open.add(far)
    far.on('error', () => near.destroy()).on('close', () => near.destroy())
    near.on('close', () => far.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  context.defer(() => {
    server.closeAllConnections()
    server.close()
    for (const socket of open) socket.destroy()
  })
  return {
    port: (server.address() as { port: number }).port,
    respondWith(next) {
      answer = next
      requests = 0
      for (const socket of open) socket.destroy()
      open.clear()
    },
    requests: () => requests,
  }
}
