import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

export interface Received {
  path: string
  method: string
  headers: IncomingHttpHeaders
  text: string
  bytes: Buffer
}

/** What a receiver answers: a status, a status with headers, or nothing at all. */
type Reply = number | { status: number; headers: Record<string, string> } | 'hang'

export interface Receiver {
  url: string
  received: Received[]
  /** what arrived at this path */
  at(path: string): Received[]
  /** the replies at a path, one after another; the last one stays */
  script(path: string, ...replies: Reply[]): void
}

/** A webhook receiver on loopback; it answers 200 unless told otherwise, and every path is a receiver of its own. */
export function useReceiver(): Receiver {
  const scripts = new Map<string, Reply[]>()
  const received: Received[] = []
  const receiver: Receiver = {
    url: '',
    received,
    at: (path) => received.filter((one) => one.path === path),
    script: (path, ...replies) => scripts.set(path, replies),
  }
  let server: Server
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const path = request.url ?? ''
      const bytes = Buffer.concat(chunks)
      received.push({ path, method: request.method ?? '', headers: request.headers, text: bytes.toString(), bytes })
      const script = scripts.get(path) ?? [200]
      const reply = (script.length > 1 ? script.shift() : script[0]) as Reply
      if (reply === 'hang') return
      const { status, headers } = typeof reply === 'number' ? { status: reply, headers: {} } : reply
      response.writeHead(status, headers).end('ok')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return receiver
}
