import type { Logger } from '../../support/logger.ts'
import type { Turns } from '../../support/turns.ts'
import { loadChanges, maxReadings, unseenChanges } from './changes.ts'
import { cursorToId } from './cursor.ts'
import { changeEvents } from './events.ts'
import type { Stream } from './stream.ts'

/** The pause after a poll is at least this many times its duration, so a feed polls at most a tenth of the time. */
const PAUSE_PER_POLL = 10

export const FEED_TIMES = {
  /** pause between two polls; longer where a poll takes long */
  pollMs: 1_000,
  heartbeatMs: 15_000,
  /** a client that reads nothing for this long is disconnected */
  stuckMs: 30_000,
}

export interface FeedDeps {
  logger: Logger
  times: typeof FEED_TIMES
  /** limits how many polls of all feeds run concurrently */
  turns: Turns
  /** aborted when the hub stops */
  stopping: AbortSignal
  cutOff(stream: Stream): void
}

/** Streams of a tenant that request the same machines share one poll, also where they want readings of different ones of them. A feed ends with its last stream. */
export class Feed {
  readonly tenantId: string
  readonly key: string
  readonly streams = new Set<Stream>()
  readonly #deps: FeedDeps
  #isAway = false

  constructor(tenantId: string, key: string, deps: FeedDeps) {
    this.tenantId = tenantId
    this.key = key
    this.#deps = deps
  }

  /** Polls and sends changes until the last stream has ended. */
  async run(): Promise<void> {
    const { times, stopping } = this.#deps
    while (this.streams.size > 0 && !stopping.aborted) {
      const tookMs = await this.#poll()
      for (const stream of this.streams) if (stream.silentMs > times.heartbeatMs && this.#isServed(stream)) stream.keepAlive()
      await pause(Math.max(times.pollMs, tookMs * PAUSE_PER_POLL), stopping)
    }
  }

  /** @returns milliseconds that the poll took; 0 where it failed */
  async #poll(): Promise<number> {
    const { turns, logger } = this.#deps
    let tookMs = 0
    try {
      await turns.run(this.tenantId, async () => {
        const started = performance.now()
        await this.#sendChanges([...this.streams].filter((stream) => this.#isServed(stream)))
        tookMs = performance.now() - started
      })
      this.#isAway = false
    } catch (error) {
      if (!this.#isAway) logger.warn({ err: error }, 'a poll of live streams failed; the next poll tries again')
      this.#isAway = true
    }
    return tookMs
  }

  /** Whether the client reads what it is sent. Disconnects a client that has read nothing for too long. */
  #isServed(stream: Stream): boolean {
    if (stream.isReading()) return true
    if (stream.stuckMs > this.#deps.times.stuckMs) this.#deps.cutOff(stream)
    return false
  }

  /** Sends each of these streams the changes after its cursor. */
  async #sendChanges(ready: readonly Stream[]): Promise<void> {
    const [one] = ready
    if (!one) return
    const now = one.request.scope.clock.now().getTime()
    const inRound = new Set(ready.filter((s) => s.wantsReadings(now)))
    const since = { at: Math.min(...ready.map((s) => s.seen.at)), xmin: Math.min(...ready.map((s) => s.seen.xmin)) }
    const readingsWanted = new Map([...inRound].map((s) => [s.readingsKey, s.request.readingsOf]))
    const readingsSince = Math.min(...[...inRound].map((s) => s.seenReadings.xmin))
    const most = Math.max(...[...inRound].map((s) => maxReadings(s.request.readingsInterval)))
    const found = await loadChanges(one.request.scope, since, one.request.wanted, readingsWanted, readingsSince, most)
    if (found.tooMany.length > 0 || [...found.readings.values()].includes(null)) {
      // Streams that are up to date must not get a reset because others have missed much.
      const position = (s: Stream) => (inRound.has(s) ? s.seenReadings : s.seen).xmax
      const newest = Math.max(...ready.map(position))
      const behind = ready.filter((s) => position(s) < newest)
      if (behind.length > 0) {
        await this.#sendChanges(ready.filter((s) => position(s) === newest))
        return this.#sendChanges(behind)
      }
    }
    /** by cursors and key of readings: streams with the same get the same bytes */
    const encoded = new Map<string, Uint8Array | null>()
    for (const stream of ready) {
      if (!this.streams.has(stream)) continue
      const readings = inRound.has(stream)
        ? { key: stream.readingsKey, seen: stream.seenReadings, most: maxReadings(stream.request.readingsInterval) }
        : null
      const key = [stream.seen, stream.seenReadings]
        .map(cursorToId)
        .concat(readings?.key ?? '', String(readings?.most))
        .join(' ')
      let news = encoded.get(key)
      if (news === undefined) {
        const { changes, tooMany } = unseenChanges(found, stream.seen, readings)
        news = changeEvents(changes, tooMany, readings ? found.until : stream.seenReadings)
        encoded.set(key, news)
      }
      stream.moveTo(found.until, readings && now)
      if (news) stream.send(news)
    }
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      done()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish)
  })
