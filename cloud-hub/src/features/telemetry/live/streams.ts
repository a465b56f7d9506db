import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { Clock } from '../../../support/clock.ts'
import { TooManyRequests, Unavailable } from '../../../support/errors.ts'
import { repeat } from '../../../support/jobs.ts'
import { limited } from '../../../support/limited.ts'
import type { Logger } from '../../../support/logger.ts'
import { type HeldToken, rolesOfSessions, type SigningKeys } from '../../people/accounts/index.ts'
import { changedSince, changesSince, presentCursor } from './changes.ts'
import { type Cursor, cursorFromId, idOf } from './cursor.ts'
import { changeEvents, type EndReason, endEvent, heartbeat, readyEvent } from './events.ts'

/** Of one process. */
const MOST_STREAMS = 1_000
const MOST_OF_TENANT = 100
const MOST_OF_USER = 10
/** A feed that looks is busy for a tenth of the time at most. */
const LOOK_SHARE = 10
/** Looks under way at once, so that they leave connections to requests. */
const MOST_LOOKS = 2
const CREDENTIALS_SECONDS = 2
/** Bytes that wait for a client; with more it misses looks, and is told later what has become of what it missed. */
const CLIENT_BYTES = 65_536
/** What is older is not looked through again. */
const RESUMED_MS = 24 * 3_600_000

export interface StreamRequest {
  scope: TenantScope
  held: HeldToken
  /** null: all machines */
  machineIds: readonly string[] | null
  /** what the client saw last; null for a new one */
  lastEventId: string | null
  /** ends the connection, for a client that takes nothing any more */
  hangUp(): void
}

interface Stream extends StreamRequest {
  seen: Cursor
  controller: ReadableStreamDefaultController<Uint8Array>
  feed: Feed
  sentAt: number
  /** performance.now() since which it takes nothing; null while it does */
  stuckSince: number | null
}

/** Streams of a tenant that ask for the same machines: they are looked for once. */
interface Feed {
  key: string
  streams: Set<Stream>
}

const TIMES = {
  /** a feed looks so often, or less often when looking takes long */
  lookMs: 1_000,
  heartbeatMs: 15_000,
  /** a client that takes nothing for so long is cut off */
  stuckMs: 30_000,
}

export interface LiveDeps {
  system: Sql
  keys: SigningKeys
  clock: Clock
  logger: Logger
  /** tells how many streams there are */
  observe?(streams: number): void
}

/**
 * Live streams of this process. Nothing runs while there is none. Every feed looks what was written since its streams looked last; streams keep
 * no queue of what they missed, only the moment up to which they know.
 */
export interface Live {
  /** @throws TooManyRequests, Unavailable */
  open(request: StreamRequest): Promise<ReadableStream<Uint8Array>>
  /** ends all, and takes no new ones */
  stop(): Promise<void>
}

export function createLive(deps: LiveDeps, times = TIMES): Live {
  const { clock, logger } = deps
  const streams = new Set<Stream>()
  const feeds = new Map<string, Feed>()
  const gate = limited(MOST_LOOKS)
  const stopping = new AbortController()
  let stopWatching: (() => Promise<void>) | null = null
  /** of those that are being opened, by user and by tenant */
  const opening: StreamRequest[] = []

  function admit({ scope }: StreamRequest): void {
    if (stopping.signal.aborted || streams.size + opening.length >= MOST_STREAMS)
      throw new Unavailable('streams_full', 'This hub has as many live streams as it can serve; try again in a few seconds.')
    const all = [...streams, ...opening].filter((other) => other.scope.tenantId === scope.tenantId)
    const refuse = (whose: string, most: number) => {
      throw new TooManyRequests('too_many_streams', `${whose} may have ${most} live streams at once: end another first.`, 5)
    }
    if (all.filter((other) => other.scope.actor.id === scope.actor.id).length >= MOST_OF_USER) refuse('A user', MOST_OF_USER)
    if (all.length >= MOST_OF_TENANT) refuse('A tenant', MOST_OF_TENANT)
  }

  function enter(stream: Stream): void {
    streams.add(stream)
    stream.feed.streams.add(stream)
    deps.observe?.(streams.size)
    if (!feeds.has(stream.feed.key)) {
      feeds.set(stream.feed.key, stream.feed)
      void follow(stream.feed)
    }
    stopWatching ??= repeat('credentials of live streams', CREDENTIALS_SECONDS, logger, watchCredentials)
  }

  function leave(stream: Stream): void {
    if (!streams.delete(stream)) return
    stream.feed.streams.delete(stream)
    if (stream.feed.streams.size === 0) feeds.delete(stream.feed.key)
    deps.observe?.(streams.size)
    if (streams.size === 0) {
      void stopWatching?.()
      stopWatching = null
    }
  }

  /** Says why, and ends it; one that takes nothing would not hear it. */
  function end(stream: Stream, reason: EndReason): void {
    if (!streams.has(stream)) return
    leave(stream)
    stream.controller.enqueue(endEvent(reason))
    stream.controller.close()
    if (stream.stuckSince !== null) stream.hangUp()
  }

  function send(stream: Stream, bytes: Uint8Array): void {
    stream.controller.enqueue(bytes)
    stream.sentAt = performance.now()
  }

  /** Whether a client takes what it is sent; cuts off one that has not for long. */
  function isReady(stream: Stream): boolean {
    if ((stream.controller.desiredSize ?? 0) > 0) {
      stream.stuckSince = null
      return true
    }
    stream.stuckSince ??= performance.now()
    if (performance.now() - stream.stuckSince > times.stuckMs) end(stream, 'too_slow')
    return false
  }

  async function follow(feed: Feed): Promise<void> {
    let isAway = false
    while (feeds.get(feed.key) === feed && !stopping.signal.aborted) {
      let took = 0
      try {
        await gate(async () => {
          const started = performance.now()
          await look([...feed.streams].filter(isReady))
          took = performance.now() - started
        })
        isAway = false
      } catch (error) {
        if (!isAway) logger.warn({ err: error }, 'a live stream could not look what is new; it tries again')
        isAway = true
      }
      for (const stream of feed.streams)
        if (performance.now() - stream.sentAt > times.heartbeatMs && isReady(stream)) send(stream, heartbeat(stream.seen))
      await pause(Math.max(times.lookMs, took * LOOK_SHARE), stopping.signal)
    }
  }

  /** Tells these streams of one feed what each does not know. */
  async function look(ready: readonly Stream[]): Promise<void> {
    const [one] = ready
    if (!one) return
    const since = { at: Math.min(...ready.map((s) => s.seen.at)), xmin: Math.min(...ready.map((s) => s.seen.xmin)) }
    const found = await changesSince(one.scope, since, one.machineIds)
    if (found.tooMany.length > 0) {
      // those who know most are not to suffer from those who have missed much
      const newest = Math.max(...ready.map((s) => s.seen.xmax))
      const behind = ready.filter((s) => s.seen.xmax < newest)
      if (behind.length > 0) {
        await look(ready.filter((s) => s.seen.xmax === newest))
        return look(behind)
      }
    }
    /** by what they had seen: those in step get the same bytes */
    const told = new Map<string, Uint8Array | null>()
    for (const stream of ready) {
      if (!streams.has(stream)) continue
      const seen = idOf(stream.seen)
      let news = told.get(seen)
      if (news === undefined) {
        news = changeEvents(changedSince(found, stream.seen), found.tooMany, found.until)
        told.set(seen, news)
      }
      stream.seen = found.until
      if (news) send(stream, news)
    }
  }

  /** Ends the streams whose credential would not be let in any more. */
  async function watchCredentials(): Promise<void> {
    const now = clock.now().getTime()
    const roles = await rolesOfSessions(
      deps.system,
      [...streams].map(({ held }) => held),
    )
    for (const stream of [...streams]) {
      const { held } = stream
      const role = roles.get(held.sessionId)
      if (held.expiresAt <= now) end(stream, 'token_expired')
      else if (role === undefined || !deps.keys.access.isCurrent(held.token)) end(stream, 'signed_out')
      else if (role !== held.role) end(stream, 'role_changed')
    }
  }

  /** Where a client goes on; null where what it missed cannot be told any more. */
  function resumed(lastEventId: string | null, present: Cursor): Cursor | null {
    const seen = lastEventId === null ? null : cursorFromId(lastEventId)
    const isOurs = seen && seen.xmin <= seen.xmax && seen.xmax <= present.xmax && seen.at <= present.at + 60_000
    return isOurs && seen.at >= present.at - RESUMED_MS ? seen : null
  }

  return {
    async open(request) {
      admit(request)
      opening.push(request)
      try {
        const present = await presentCursor(request.scope)
        if (stopping.signal.aborted) throw new Unavailable('hub_stopping', 'This hub is stopping; try again in a few seconds.')
        const known = resumed(request.lastEventId, present)
        const key = [request.scope.tenantId, ...(request.machineIds?.toSorted() ?? ['all'])].join()
        const feed = feeds.get(key) ?? { key, streams: new Set() }
        let stream: Stream
        return new ReadableStream<Uint8Array>(
          {
            start(controller) {
              stream = { ...request, seen: known ?? present, controller, feed, sentAt: 0, stuckSince: null }
              send(stream, readyEvent(known !== null, stream.seen))
              enter(stream)
            },
            cancel: () => leave(stream),
          },
          new ByteLengthQueuingStrategy({ highWaterMark: CLIENT_BYTES }),
        )
      } finally {
        opening.splice(opening.indexOf(request), 1)
      }
    },
    async stop() {
      stopping.abort()
      for (const stream of [...streams]) end(stream, 'hub_stopping')
    },
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
