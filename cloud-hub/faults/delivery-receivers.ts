import { createECDH, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import type { RowContext } from './row.ts'
import type { Tenant } from './tenant.ts'

export const KINDS = ['webhook', 'incident_a', 'ticketing_b', 'chat_a', 'email', 'push'] as const
export type Kind = (typeof KINDS)[number]

/** Something that reached a receiver. */
export interface Arrival {
  kind: Kind
  /** the key by which this kind of receiver recognises a repeat; empty for a chat, which has none */
  key: string
  /** the raw content of the message */
  text: string
  /** an unanswered message is unconfirmed, so the hub has to repeat it */
  isAnswered: boolean
}

/** A receiver of each kind for one tenant, on loopback. */
export interface Receivers {
  arrivals: Arrival[]
  /** how many tickets were created, by correlation id */
  tickets: Map<string, number>
  smtpUrl: string
  /** creates the tenant's channels and subscribes a browser */
  subscribe(tenant: Tenant): Promise<void>
  /** stops answering, so that each delivery that arrives stays under way at the hub */
  hold(): void
  /** answers again; earlier messages stay unanswered, because their connections ended with the hub */
  release(): void
}

/** @param answerMs how long each receiver takes to answer */
export async function startReceivers(context: RowContext, answerMs: number): Promise<Receivers> {
  const arrivals: Arrival[] = []
  const tickets = new Map<string, number>()
  let isHeld = false
  const held: (() => void)[] = []
  function note(kind: Kind, key: unknown, text: string, answer: () => void): void {
    const arrival = { kind, key: String(key), text, isAnswered: false }
    arrivals.push(arrival)
    if (isHeld) held.push(answer)
    else
      setTimeout(() => {
        arrival.isAnswered = true
        answer()
      }, answerMs)
  }

  const server = createServer(async (request, response) => {
    const text = await textOf(request).catch(() => null)
    if (text === null) return
    const path = request.url ?? ''
    const answer =
      (status: number, body: unknown = {}) =>
      () =>
        response.writeHead(status).end(JSON.stringify(body))
    const { headers, method } = request
    if (path.startsWith('/hook')) note('webhook', headers['webhook-id'], text, answer(200))
    else if (path.startsWith('/chat')) note('chat_a', '', text, answer(200))
    else if (path.startsWith('/push')) note('push', headers.topic, '', answer(201))
    else if (path.startsWith('/v2/enqueue')) {
      const { event_action, dedup_key } = JSON.parse(text)
      note('incident_a', `${event_action} ${dedup_key}`, text, answer(202))
    } else if (method === 'GET') {
      const key = /correlation_id=([\w-]+)/.exec(decodeURIComponent(path))?.[1] ?? ''
      answer(200, { result: tickets.has(key) ? [{ sys_id: key, correlation_id: key }] : [] })()
    } else if (method === 'POST') {
      const { correlation_id: key, description } = JSON.parse(text)
      tickets.set(key, (tickets.get(key) ?? 0) + 1)
      note('ticketing_b', key, description, answer(201, { result: { sys_id: key } }))
    } else note('ticketing_b', path.split('/').at(-1), JSON.parse(text).work_notes, answer(200))
  })
  server.on('clientError', () => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onData(stream, _session, done) {
      const mail = await textOf(stream).catch(() => null)
      if (mail === null) return
      note('email', /^message-id:\s*(\S+)/im.exec(mail)?.[1], mail, done)
    },
  })
  smtp.on('error', () => {})
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done))
  context.defer(() => {
    server.closeAllConnections()
    server.close()
    smtp.close(() => {})
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    arrivals,
    tickets,
    smtpUrl: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    async subscribe(tenant) {
      const configs: Record<Exclude<Kind, 'push'>, Record<string, unknown>> = {
        webhook: { url: `${url}/hook` },
        incident_a: { routing_key: 'key', base_url: url },
        ticketing_b: { instance_url: url, username: 'u', password: 'secret' },
        chat_a: { webhook_url: `${url}/chat` },
        email: { to_email: 'night@example.com' },
      }
      for (const [type, config] of Object.entries(configs))
        await tenant.call('POST', 'notification-channels', { name: type, channel_type: type, config })
      const browser = createECDH('prime256v1')
      const keys = { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
      await tenant.call('POST', 'push/subscribe', { endpoint: `${url}/push/1`, keys })
    },
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      for (const answer of held.splice(0)) answer()
    },
  }
}

async function textOf(stream: IncomingMessage | NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
