import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followStream } from './stream.ts'

vi.mock('./session.ts', () => ({ freshToken: async () => ({ text: 'token' }), refresh: async () => {} }))

const KEEP_ALIVE_MS = 15_000
/** Longer than the limit of the silence, and than a keep-alive. */
const SILENCE_MS = 41_000

/** Connections to a hub that sends only what a test makes it send. */
interface Connection {
  send(text: string): void
  isCut(): boolean
}

const connections: Connection[] = []
const statuses: string[] = []
let refusals = 0
/** the status of the next answers */
let answered = 200
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('fetch', async (_url: string, { signal }: RequestInit) => {
    let send = (_text: string) => {}
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text))
        signal?.addEventListener('abort', () => controller.error(signal.reason))
      },
    })
    connections.push({ send: (text) => send(text), isCut: () => signal?.aborted === true })
    return new Response(body, { status: answered })
  })
  stop = followStream(
    { userId: 'u', sessionId: crypto.randomUUID() },
    { events: () => {}, status: (status) => statuses.push(status), forbidden: () => refusals++ },
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
})
