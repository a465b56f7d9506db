import type { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import type { Env } from '../src/support/http/http-app.ts'

export interface StreamEvent {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: any
}

/** A client of a live stream, reading unless it is told to stop. */
export interface StreamClient {
  status: number
  headers: Headers
  /** of a refusal */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
  events: StreamEvent[]
  comments: string[]
  lastId: string
  isOver: boolean
  /** the next event for which `is` holds, of those that came since the last one that this answered */
  next(name: string, is?: (data: StreamEvent['data']) => boolean): Promise<StreamEvent['data']>
  leave(): Promise<void>
}

const WAIT_MS = 60_000

/** Reads events as the specification of EventSource says; ids without events count. */
export function readStream(answer: Response, body: unknown = null): StreamClient {
  let wake = () => {}
  let looked = 0
  const reader = answer.status === 200 ? answer.body?.getReader() : undefined
  const client: StreamClient = {
    status: answer.status,
    headers: answer.headers,
    body,
    events: [],
    comments: [],
    lastId: '',
    isOver: reader === undefined,
    async next(name, is = () => true) {
      const until = Date.now() + WAIT_MS
      for (;;) {
        for (; looked < client.events.length; looked++) {
          const event = client.events[looked] as StreamEvent
          if (event.name !== name || !is(event.data)) continue
          looked++
          return event.data
        }
        if (client.isOver || Date.now() > until)
          throw new Error(`no ${name} came, but ${JSON.stringify(client.events)}${client.isOver ? ', and then the end' : ''}`)
        await new Promise<void>((go) => {
          const timer = setTimeout(go, until - Date.now() + 1)
          wake = () => {
            clearTimeout(timer)
            go()
          }
        })
      }
    },
    leave: async () => reader?.cancel(),
  }
  void (async () => {
    let rest = ''
    const decoder = new TextDecoder()
    for (;;) {
      const { done, value } = (await reader?.read().catch(() => undefined)) ?? { done: true, value: undefined }
      if (done) break
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() as string
      for (const block of blocks) {
        let [name, data] = ['message', '']
        for (const line of block.split('\n')) {
          if (line.startsWith(':')) client.comments.push(line)
          if (line.startsWith('id: ')) client.lastId = line.slice(4)
          if (line.startsWith('event: ')) name = line.slice(7)
          if (line.startsWith('data: ')) data += line.slice(6)
        }
        if (data !== '') client.events.push({ name, data: JSON.parse(data) })
      }
      wake()
    }
    client.isOver = true
    wake()
  })()
  return client
}

/** Opens a live stream of an app in this process, and leaves it when the test has finished. */
export async function openStream(
  app: Hono<Env>,
  user: { token: string },
  options: { query?: string; lastId?: string; method?: string } = {},
): Promise<StreamClient> {
  const headers = {
    authorization: `Bearer ${user.token}`,
    ...(options.lastId === undefined ? {} : { 'last-event-id': options.lastId }),
  }
  const answer = await app.request(
    `/api/v1/stream${options.query ?? ''}`,
    { method: options.method ?? 'GET', headers },
    { incoming: { socket: { remoteAddress: '10.8.8.8' } } },
  )
  const client = readStream(answer, answer.status === 200 ? null : await answer.json())
  onTestFinished(() => client.leave())
  return client
}
