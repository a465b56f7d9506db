import { HaltlessError } from './error.ts'
import { pause } from './send.ts'

/** An event of `GET /stream`; `id` is the position from which a stream can go on. */
export interface StreamEvent {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: each event has data of its own
  data: any
  id: string
}

export interface StreamOptions {
  query?: { machine_id?: string[]; group_id?: string; readings_of?: string[]; readings_interval?: number }
  /** the `id` of the last event that was processed, also by an earlier run of the program */
  lastEventId?: string
  signal?: AbortSignal
}

/** The hub sends a comment every 15 seconds: after a longer silence the connection is lost. */
const SILENCE_MS = 40_000
const MAX_BACKOFF_MS = 30_000

/**
 * Events as they happen. A stream that ends or breaks off is opened again after the last event, so what changed meanwhile comes too.
 * @param open opens a connection after an event; ends it when the signal aborts
 * @throws HaltlessError when the hub refuses for good; what the signal of the caller says
 */
export async function* followStream(
  open: (lastEventId: string, signal: AbortSignal) => Promise<Response>,
  { lastEventId = '', signal }: Pick<StreamOptions, 'lastEventId' | 'signal'>,
): AsyncGenerator<StreamEvent, void, undefined> {
  let id = lastEventId
  for (let failures = 0; ; failures++) {
    const connection = new AbortController()
    const abort = () => connection.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      signal?.throwIfAborted()
      const response = await open(id, connection.signal)
      for await (const event of eventsOf(response, connection)) {
        failures = 0
        id = event.id || id
        if (event.event) yield { ...event, id }
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof HaltlessError && error.status < 500 && error.status !== 429) throw error
    } finally {
      signal?.removeEventListener('abort', abort)
      connection.abort()
    }
    await pause(Math.min(1_000 * 2 ** failures, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2), signal)
  }
}

/** Parses events as the specification of EventSource says. An id without an event has an empty name. */
async function* eventsOf(response: Response, connection: AbortController): AsyncGenerator<StreamEvent> {
  let rest = ''
  let [event, id, data]: [string, string, string[]] = ['', '', []]
  for await (const text of textsOf(response, connection)) {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (event || id) yield { event, id, data: data.length > 0 ? JSON.parse(data.join('\n')) : undefined }
        ;[event, id, data] = ['', '', []]
        continue
      }
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (name === 'event') event = value
      else if (name === 'id') id = value
      else if (name === 'data') data.push(value)
    }
  }
}

async function* textsOf({ body }: Response, connection: AbortController): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const silence = setTimeout(() => connection.abort(new Error('the stream fell silent')), SILENCE_MS)
    const read = await reader?.read().finally(() => clearTimeout(silence))
    if (!read || read.done) return
    yield read.value
  }
}
