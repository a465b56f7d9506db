import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { UpdateReport } from '@haltless/protocol'
import type { RowContext } from '../row.ts'

/** Answers the download of an archive. */
export type ArchiveAnswer = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** The HTTP port of a hub in the hands of somebody else: heartbeats order what he wants, and archives are what he sends. */
export interface HostileHub {
  readonly url: string
  /** what heartbeats order, and what a download gets; null: nothing but what the hub says */
  attack: { order: unknown; answer: ArchiveAnswer } | null
  /** the newest report of the agent about its update */
  report: UpdateReport | null
  downloads: number
}

const ANSWER_BYTES_MAX = 2 ** 20

export async function startHostileHub(context: RowContext, hubPort: number): Promise<HostileHub> {
  const server = createServer((incoming, outgoing) => {
    const { url = '', method } = incoming
    outgoing.on('error', () => {})
    if (hostile.attack && url.startsWith('/api/v1/agent/releases/')) {
      hostile.downloads++
      return hostile.attack.answer(incoming, outgoing)
    }
    if (method === 'POST' && url === '/api/v1/agent/heartbeat') return void heartbeat(incoming, outgoing)
    const { headers } = incoming
    const onward = request({ host: '127.0.0.1', port: hubPort, method, path: url, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  async function heartbeat(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const body = await textOf(incoming)
      hostile.report = JSON.parse(body).update ?? null
      const headers = { 'content-type': 'application/json', 'x-api-key': String(incoming.headers['x-api-key']) }
      const reply = await fetch(`http://127.0.0.1:${hubPort}${incoming.url}`, { method: 'POST', headers, body })
      const answer = (await reply.json()) as object
      outgoing.writeHead(reply.status, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify(hostile.attack ? { ...answer, update: hostile.attack.order } : answer))
    } catch {
      outgoing.destroy()
    }
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  context.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const hostile: HostileHub = { url: `http://127.0.0.1:${port}`, attack: null, report: null, downloads: 0 }
  return hostile
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of incoming) {
    length += part.length
    if (length > ANSWER_BYTES_MAX) throw new Error('a heartbeat is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
