import { EventSourceParserStream } from 'eventsource-parser/stream'
import { retryAfterMs } from './patience.ts'
import { freshToken, refresh } from './session.ts'
import { followView, type MachinesInView, SharedView, type ViewMessage } from './shared-view.ts'

/** One event of `GET /stream`. */
export interface StreamEvent {
  event: string
  data: unknown
}

type Status = 'connecting' | 'live' | 'lost'
type Message =
  | { kind: 'events'; events: StreamEvent[]; lastId: string }
  | { kind: 'status'; status: Status }
  | { kind: 'hello' }
  | ViewMessage

const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 30_000
/** A page that shows machines has asked the hub for them by then. */
const FIRST_VIEW_MS = 2_000
/** Events are passed on together, so that a busy plant redraws a page a few times a second. */
const FLUSH_MS = 200
/** The interval of readings grows by a second for each so many machines in view: a page that shows many of them still loads little. */
const MACHINES_PER_SECOND = 4
const MAX_INTERVAL_S = 60
/** The hub sends a keep-alive every 15 seconds. A longer silence means that the network has dropped the connection without a reset. */
const SILENCE_MS = 40_000

/**
 * Reads `GET /stream` for all tabs of a session. The tab that holds the Web Lock reads it and passes events on; when that tab
 * closes, another continues after the last event. Readings come of the machines that the tabs show. HTTP/1.1 allows six connections an origin, so a stream per tab would block
 * the sixth. Without locks (plain HTTP) each visible tab reads its own stream.
 * @param position of the stream at which what the pages show was loaded; without it they load everything again
 * @returns a function that ends this tab's part
 */
export function followStream(
  session: { userId: string; sessionId: string },
  on: {
    events(events: StreamEvent[]): void
    status(status: Status): void
    /** the session may not do this any more, although it goes on */
    forbidden(): void
    machines: MachinesInView
  },
  position?: string,
): () => void {
  const name = `haltless.stream.${session.userId}.${session.sessionId}`
  const channel = new BroadcastChannel(name)
  const stop = new AbortController()
  let lastId = position ?? ''
  let status: Status = 'connecting'
  let isReader = false
  const view = new SharedView(on.machines, (message) => channel.postMessage(message), stop.signal)

  const setStatus = (next: Status) => {
    status = next
    on.status(next)
    if (isReader) channel.postMessage({ kind: 'status', status } satisfies Message)
  }
  const pass = (events: StreamEvent[]) => {
    on.events(events)
    channel.postMessage({ kind: 'events', events, lastId } satisfies Message)
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'view') return view.receive(data)
    if (data.kind === 'hello') {
      view.announce()
      if (isReader) channel.postMessage({ kind: 'status', status } satisfies Message)
      return
    }
    if (isReader) return
    if (data.kind === 'status') setStatus(data.status)
    else {
      lastId = data.lastId
      on.events(data.events)
    }
  }

  const read = async (signal: AbortSignal) => {
    isReader = true
    // nothing is missed meanwhile, and the connection is not opened again for the first machines
    if (lastId) await firstInView(view, signal)
    await readForever({
      signal,
      lastId: () => lastId,
      moveTo: (id) => (lastId = id),
      pass,
      setStatus,
      forbidden: on.forbidden,
      view,
    })
    isReader = false
  }
  if (navigator.locks) {
    channel.postMessage({ kind: 'hello' } satisfies Message)
    view.announce()
    navigator.locks.request(name, { signal: stop.signal }, () => read(stop.signal)).catch(() => {})
  } else readWhileVisible(read, stop.signal)

  return () => {
    view.leave()
    stop.abort()
    channel.close()
  }
}

/** Until a page shows machines, or is one that shows none. */
const firstInView = (view: SharedView, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (view.machineIds().length > 0) return resolve()
    const timer = setTimeout(done, FIRST_VIEW_MS)
    const unfollow = view.follow(done)
    signal.addEventListener('abort', done)
    function done() {
      clearTimeout(timer)
      unfollow()
      resolve()
    }
  })

/** A hidden tab without locks gives its connection back. */
function readWhileVisible(read: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): void {
  let current: AbortController | null = null
  const update = () => {
    if (document.hidden || signal.aborted) {
      current?.abort()
      current = null
    } else if (!current) {
      current = new AbortController()
      read(AbortSignal.any([signal, current.signal]))
    }
  }
  document.addEventListener('visibilitychange', update, { signal })
  signal.addEventListener('abort', update)
  update()
}

/** `outdated`: other machines are in view than the connection was opened for */
type Outcome = 'ended' | 'unauthorized' | 'forbidden' | 'outdated'

interface Reader {
  signal: AbortSignal
  lastId(): string
  moveTo(id: string): void
  pass(events: StreamEvent[]): void
  setStatus(status: Status): void
  forbidden(): void
  view: SharedView
}

/** The hub has no room for the stream. */
class Refused extends Error {
  readonly retryMs: number

  constructor({ status, headers }: Response) {
    super(`the stream answers ${status}`)
    this.retryMs = retryAfterMs(headers.get('retry-after')) ?? 0
  }
}

async function readForever(reader: Reader): Promise<void> {
  let failures = 0
  while (!reader.signal.aborted) {
    let asked = 0
    try {
      const outcome = await readOnce(reader, () => {
        failures = 0
      })
      if (outcome === 'outdated') continue
      if (outcome === 'unauthorized') await refresh()
      if (outcome === 'forbidden') reader.forbidden()
    } catch (error) {
      // the hub is away or full, or the page is closing
      if (error instanceof Refused) asked = error.retryMs
    }
    if (reader.signal.aborted) return
    reader.setStatus('lost')
    const wait = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures++)
    await pause(asked + wait * (0.5 + Math.random() / 2), reader.signal)
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
    addEventListener('online', () => resolve(), { once: true, signal })
  })

async function readOnce(reader: Reader, connected: () => void): Promise<Outcome> {
  const token = await freshToken()
  if (!token) return 'unauthorized'
  const cut = new AbortController()
  let silence: ReturnType<typeof setTimeout> | undefined
  const restartTimeout = () => {
    clearTimeout(silence)
    silence = setTimeout(() => cut.abort(), SILENCE_MS)
  }
  restartTimeout()
  addEventListener('offline', () => cut.abort(), { signal: cut.signal })
  const machineIds = reader.view.machineIds()
  let isOutdated = false
  /** what a new connection continues after: what came of a machine since it is in view */
  let seenId = ''
  const unfollow = followView(reader.view, machineIds, {
    grown: () => (seenId = reader.lastId()),
    outdated: () => {
      isOutdated = true
      cut.abort()
    },
  })
  try {
    return await readEvents({ ...reader, signal: AbortSignal.any([reader.signal, cut.signal]) }, token, {
      machineIds,
      connected,
      restartTimeout,
    })
  } catch (error) {
    if (!isOutdated || reader.signal.aborted) throw error
    if (seenId) reader.moveTo(seenId)
    return 'outdated'
  } finally {
    clearTimeout(silence)
    unfollow()
    cut.abort()
  }
}

async function readEvents(
  { signal, lastId, moveTo, pass, setStatus }: Reader,
  token: { text: string },
  { machineIds, connected, restartTimeout }: { machineIds: readonly string[]; connected(): void; restartTimeout(): void },
): Promise<Outcome> {
  const headers: Record<string, string> = { authorization: `Bearer ${token.text}`, accept: 'text/event-stream' }
  if (lastId()) headers['last-event-id'] = lastId()
  const interval = Math.min(Math.ceil(machineIds.length / MACHINES_PER_SECOND), MAX_INTERVAL_S)
  const query = `readings_of=${machineIds.join() || 'none'}${interval > 1 ? `&readings_interval=${interval}` : ''}`
  const response = await fetch(`/api/v1/stream?${query}`, {
    headers,
    signal,
    cache: 'no-store',
  })
  if (response.status === 401) return 'unauthorized'
  if (response.status === 403) return 'forbidden'
  if (!response.ok || !response.body) throw new Refused(response)

  let collected: StreamEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (collected.length > 0) pass(collected)
    collected = []
  }
  const text = response.body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
  const watched = new TransformStream<string, string>({
    transform: (part, controller) => {
      restartTimeout()
      controller.enqueue(part)
    },
  })
  const reader = text
    .pipeThrough(watched)
    .pipeThrough(new EventSourceParserStream({ onId: moveTo }))
    .getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return 'ended'
      const event = value.event ?? 'message'
      collected.push({ event, data: JSON.parse(value.data) })
      if (event === 'ready') {
        connected()
        setStatus('live')
        flush()
      } else timer ??= setTimeout(flush, FLUSH_MS)
    }
  } finally {
    flush()
  }
}
