import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RowContext } from '../row.ts'

/** What a proxy answers in the hub's place. */
export interface Answer {
  status: number
  headers?: Record<string, string>
  body: string
}

/** A reverse proxy before the hub's HTTP port that now and then answers by itself, and counts what it is asked. */
export interface Front {
  readonly port: number
  /** from now on this is the answer to everything; null: what the hub says */
  answers(answer: Answer | null): void
  /** requests since the last change of answers, WebSocket ones included */
  asked(): number
}

export async function startFront(context: RowContext, hubPort: number): Promise<Front> {
  const open = new Set<Duplex>()
  let [answer, asked] = [null as Answer | null, 0]
  const server = createServer((incoming, outgoing) => {
    asked++
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
    asked++
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
    answers(next) {
      answer = next
      asked = 0
      for (const socket of open) socket.destroy()
      open.clear()
    },
    asked: () => asked,
  }
}
