import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followStream } from './stream.ts'

vi.mock('./session.ts', () => ({ freshToken: async () => ({ text: 'token' }), refresh: async () => {} }))

const KEEP_ALIVE_MS = 15_000
/** Longer than the limit of the silence, and than a keep-alive. */
const SILENCE_MS = 41_000

/** Connections to a hub that sends only what a test makes it send. */
interface Connection {
  /** what it asks for */
  url: string
  lastId: string | undefined
  send(text: string): void
  isCut(): boolean
}

const connections: Connection[] = []
const statuses: string[] = []
/** what this tab shows */
let shown: string[] = []
const listeners = new Set<() => void>()
const machines = {
  machineIds: () => shown,
  follow: (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
const show = (...machineIds: string[]) => {
  shown = machineIds
  for (const listener of listeners) listener()
}
let refusals = 0
/** the status of the next answers */
let answered = 200
let retryAfter: string | undefined
let stop: () => void
let sessionId = ''

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('fetch', async (url: string, { signal, headers }: RequestInit) => {
    let send = (_text: string) => {}
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text))
        signal?.addEventListener('abort', () => controller.error(signal.reason))
      },
    })
    const lastId = (headers as Record<string, string>)['last-event-id']
    connections.push({ url, lastId, send: (text) => send(text), isCut: () => signal?.aborted === true })
    return new Response(body, { status: answered, headers: retryAfter ? { 'retry-after': retryAfter } : {} })
  })
  sessionId = crypto.randomUUID()
  stop = followStream(
    { userId: 'u', sessionId },
    { events: () => {}, status: (status) => statuses.push(status), forbidden: () => refusals++, machines },
  )
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  connections.length = 0
  statuses.length = 0
  refusals = 0
  answered = 200
  retryAfter = undefined
  shown = []
  listeners.clear()
})

/** Waits for what follows without a timer, such as a lock or a part of a stream. */
const becomes = (condition: () => boolean) =>
  vi.waitFor(() => {
    if (!condition()) throw new Error(`${connections.length} connections, ${statuses.join(', ')}`)
  })

describe('the live stream', () => {
  it('is lost after 40 seconds without a keep-alive, and connects again', async () => {
    await becomes(() => connections.length === 1)
    connections[0]?.send('event: ready\ndata: {"resumed":false}\n\n')
    await becomes(() => statuses.at(-1) === 'live')
    await vi.advanceTimersByTimeAsync(SILENCE_MS)
    await becomes(() => statuses.at(-1) === 'lost')
    expect(connections[0]?.isCut()).toBe(true)
    await vi.advanceTimersByTimeAsync(1_000)
    await becomes(() => connections.length === 2)
    connections[1]?.send('event: ready\ndata: {"resumed":true}\n\n')
    await becomes(() => statuses.at(-1) === 'live')
  })

  it('stays live while keep-alives arrive', async () => {
    await becomes(() => connections.length === 1)
    connections[0]?.send('event: ready\ndata: {"resumed":false}\n\n')
    await becomes(() => statuses.at(-1) === 'live')
    for (let sent = 0; sent < 8; sent++) {
      await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS)
      connections[0]?.send(': keep-alive\n\n')
      // the parts of a stream arrive without timers
      await new Promise((done) => setImmediate(done))
    }
    expect([connections[0]?.isCut(), statuses]).toEqual([false, ['live']])
  })

  it('reports a session that may not read it any more, and goes on trying', async () => {
    await becomes(() => connections.length === 1)
    answered = 403
    await vi.advanceTimersByTimeAsync(SILENCE_MS)
    await vi.advanceTimersByTimeAsync(1_000)
    await becomes(() => refusals > 0 && statuses.at(-1) === 'lost')
    answered = 200
    retryAfter = undefined
    const refused = connections.length
    await vi.advanceTimersByTimeAsync(4_000)
    await becomes(() => connections.length > refused)
    connections.at(-1)?.send('event: ready\ndata: {"resumed":false}\n\n')
    await becomes(() => statuses.at(-1) === 'live')
  })

  it('is lost when a hub sends nothing at all for 40 seconds', async () => {
    await becomes(() => connections.length === 1)
    await vi.advanceTimersByTimeAsync(SILENCE_MS)
    await becomes(() => statuses.at(-1) === 'lost')
    expect(connections[0]?.isCut()).toBe(true)
  })

  it('opens anew for machines that come into view, from before they did, and never as lost', async () => {
    await becomes(() => connections.length === 1)
    expect(connections[0]?.url).toBe('/api/v1/stream?readings_of=none')
    connections[0]?.send('id: 1\nevent: ready\ndata: {"resumed":false}\n\n')
    await becomes(() => statuses.at(-1) === 'live')
    show('a')
    connections[0]?.send('id: 2\nevent: status\ndata: {}\n\n')
    await new Promise((done) => setImmediate(done))
    show('a', 'b')
    await vi.advanceTimersByTimeAsync(500)
    await becomes(() => connections.length === 2)
    expect(connections[0]?.isCut()).toBe(true)
    expect(connections[1]).toMatchObject({ url: '/api/v1/stream?readings_of=a,b', lastId: '1' })
    connections[1]?.send('event: ready\ndata: {"resumed":true}\n\n')
    await becomes(() => statuses.length === 2)
    expect(statuses).toEqual(['live', 'live'])
  })

  it('opens anew once, when machines have stopped to come and go', async () => {
    await becomes(() => connections.length === 1)
    for (const name of ['a', 'b', 'c', 'd']) {
      show(name)
      await vi.advanceTimersByTimeAsync(400)
    }
    expect(connections.length).toBe(1)
    await vi.advanceTimersByTimeAsync(100)
    await becomes(() => connections.length === 2)
    expect(connections[1]?.url).toBe('/api/v1/stream?readings_of=d')
  })

  it('begins at the position of what was loaded, once, for the machines that come into view', async () => {
    stop()
    const opened = connections.length
    sessionId = crypto.randomUUID()
    const on = { events: () => {}, status: () => {}, forbidden: () => {}, machines }
    stop = followStream({ userId: 'u', sessionId }, on, '7')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(connections.length).toBe(opened)
    show('a')
    await becomes(() => connections.length === opened + 1)
    expect(connections.at(-1)).toMatchObject({ url: '/api/v1/stream?readings_of=a', lastId: '7' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(connections.length).toBe(opened + 1)
  })

  it('begins after two seconds where a page shows no machine', async () => {
    stop()
    const opened = connections.length
    sessionId = crypto.randomUUID()
    const on = { events: () => {}, status: () => {}, forbidden: () => {}, machines }
    stop = followStream({ userId: 'u', sessionId }, on, '7')
    await becomes(() => vi.getTimerCount() > 0)
    await vi.advanceTimersByTimeAsync(2_000)
    await becomes(() => connections.length === opened + 1)
    expect(connections.at(-1)).toMatchObject({ url: '/api/v1/stream?readings_of=none', lastId: '7' })
  })

  it('waits as long as a hub without room for it asks', async () => {
    answered = 429
    retryAfter = '20'
    await becomes(() => connections.length === 1)
    connections[0]?.send('event: ready\ndata: {}\n\n')
    show('a')
    await vi.advanceTimersByTimeAsync(500)
    await becomes(() => connections.length === 2)
    await becomes(() => statuses.at(-1) === 'lost')
    answered = 200
    await vi.advanceTimersByTimeAsync(19_000)
    expect(connections.length).toBe(2)
    await vi.advanceTimersByTimeAsync(3_000)
    await becomes(() => connections.length === 3)
  })

  it('stays open while fewer machines are in view, for 5 seconds', async () => {
    show('a', 'b')
    await becomes(() => connections.length === 1)
    await vi.advanceTimersByTimeAsync(500)
    await becomes(() => connections.length === 2)
    const opened = connections.length
    show('a')
    await vi.advanceTimersByTimeAsync(4_000)
    show('a', 'b')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(connections.length).toBe(opened)
    show()
    await vi.advanceTimersByTimeAsync(5_000)
    await becomes(() => connections.length === opened + 1)
    expect(connections.at(-1)?.url).toBe('/api/v1/stream?readings_of=none')
  })

  it('sends the readings of the machines of all tabs, at most of 200, until a tab closes', async () => {
    await becomes(() => connections.length === 1)
    const other = new BroadcastChannel(`haltless.stream.u.${sessionId}`)
    other.postMessage({ kind: 'view', tab: 'other', machineIds: ['c'] })
    await new Promise((done) => setImmediate(done))
    show('a')
    await vi.advanceTimersByTimeAsync(500)
    await becomes(() => connections.length === 2)
    await becomes(() => connections.at(-1)?.url === '/api/v1/stream?readings_of=a,c')
    other.postMessage({ kind: 'view', tab: 'other', machineIds: Array.from({ length: 300 }, (_, n) => `m${n}`) })
    await becomes(() => vi.getTimerCount() > 0)
    await vi.advanceTimersByTimeAsync(500)
    await becomes(() => connections.length === 3)
    const asked = new URL(connections[2]?.url ?? '', 'http://hub').searchParams.get('readings_of')?.split(',') ?? []
    expect([asked.length, asked[0]]).toEqual([200, 'a'])
    expect(connections[2]?.url).toMatch(/&readings_interval=50$/)
    other.close()
  })
})
