import type { Sql } from '../../db/pools.ts'
import type { Actor } from '../../db/scope.ts'
import type { Clock } from '../../support/clock.ts'
import { TooManyRequests, Unavailable } from '../../support/errors.ts'
import { limitHeaders } from '../../support/http/rate-limit.ts'
import { repeat } from '../../support/jobs.ts'
import type { Logger } from '../../support/logger.ts'
import { Turns } from '../../support/turns.ts'
import { type GroupGate, rolesOfCredentials, type SigningKeys } from '../people/accounts/index.ts'
import { currentCursor } from './changes.ts'
import { type Cursor, cursorFromId } from './cursor.ts'
import type { EndReason } from './events.ts'
import { FEED_TIMES, Feed, type FeedDeps } from './feed.ts'
import { Stream, type StreamRequest } from './stream.ts'

/** Maximum of streams of one process. */
const MAX_STREAMS = 1_000
const MAX_PER_TENANT = 100
/** of those of a tenant: programs leave the others to people */
const MAX_OF_TOKENS = 50
/** of a person, or of an access token: the tokens of a person do not count for the person */
const MAX_PER_CALLER = 10
/** when a refused client may try again: somebody may have closed a stream */
const RETRY_SECONDS = 5
/** Maximum of concurrent polls, so that requests find free connections. Tenants take turns. */
const MAX_POLLS = 2
const CREDENTIALS_SECONDS = 2
const full = () => new Unavailable('streams_full', 'This hub serves its maximum of live streams; try again in a few seconds.')
/** Bytes that may wait for a client. A client with more skips polls and later receives the final state of what changed. */
const MAX_BUFFERED_BYTES = 65_536
/** A stream resumes only from a cursor of this age or less. */
const MAX_RESUME_AGE_MS = 24 * 3_600_000

export interface LiveDeps {
  system: Sql
  keys: SigningKeys
  groups: GroupGate
  clock: Clock
  logger: Logger
  /** receives the number of streams whenever it changes */
  observe?(streams: number): void
}

/**
 * The live streams of this process. Without streams nothing runs. Each feed polls for rows that were written since the cursors of
 * its streams.
 */
export class Live {
  readonly #deps: LiveDeps
  readonly #feedDeps: FeedDeps
  readonly #streams = new Map<Stream, Feed>()
  readonly #feeds = new Map<string, Feed>()
  /** requests whose stream is being opened; they count for the limits */
  readonly #opening: StreamRequest[] = []
  readonly #stopping = new AbortController()
  readonly #maxStreams: number
  #stopWatching: (() => Promise<void>) | null = null

  /** @param maxStreams of this process */
  constructor(deps: LiveDeps, times = FEED_TIMES, maxStreams = MAX_STREAMS) {
    this.#deps = deps
    this.#maxStreams = maxStreams
    this.#feedDeps = {
      logger: deps.logger,
      times,
      turns: new Turns({ slots: MAX_POLLS, waitingPerTenant: MAX_PER_TENANT, refusal: full }),
      stopping: this.#stopping.signal,
      cutOff: (stream) => this.#end(stream, 'too_slow'),
    }
  }

  /** @throws TooManyRequests, Unavailable */
  async open(request: StreamRequest): Promise<ReadableStream<Uint8Array>> {
    this.#checkLimits(request)
    this.#opening.push(request)
    try {
      const present = await currentCursor(request.scope)
      if (this.#stopping.signal.aborted)
        throw new Unavailable('hub_stopping', 'This hub is stopping; try again in a few seconds.')
      this.#makeRoom(request)
      const known = resumeCursor(request.lastEventId, present)
      const { machineIds, groupId = 'all' } = request.wanted
      const key = [request.scope.tenantId, groupId, ...(machineIds?.toSorted() ?? ['all'])].join()
      let stream: Stream
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            stream = new Stream(request, controller, { seen: known ?? present, isResumed: known !== null })
            this.#add(stream, key)
          },
          cancel: () => this.#remove(stream),
        },
        new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
      )
    } finally {
      this.#opening.splice(this.#opening.indexOf(request), 1)
    }
  }

  /** Ends all streams and refuses new ones. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const stream of [...this.#streams.keys()]) this.#end(stream, 'hub_stopping')
  }

  #checkLimits({ scope }: StreamRequest): void {
    if (this.#stopping.signal.aborted) throw full()
    const isFull = this.#streams.size + this.#opening.length >= this.#maxStreams
    const all = [...[...this.#streams.keys()].map(({ request }) => request), ...this.#opening].filter(
      (other) => other.scope.tenantId === scope.tenantId,
    )
    const refuse = (whose: string, max: number) => {
      const resetAt = Math.ceil(this.#deps.clock.now().getTime() / 1_000) + RETRY_SECONDS
      const limit = limitHeaders({ limit: max, remaining: 0, resetAt })
      const detail = `${whose} may have ${max} live streams at once: end another first.`
      throw new TooManyRequests('too_many_streams', detail, RETRY_SECONDS, limit)
    }
    const caller = callerOf(scope.actor)
    if (all.filter((other) => callerOf(other.scope.actor) === caller).length >= MAX_PER_CALLER)
      refuse(scope.actor.tokenId === undefined ? 'A user' : 'An access token', MAX_PER_CALLER)
    if (scope.actor.tokenId !== undefined && all.filter((other) => other.held.by === 'token').length >= MAX_OF_TOKENS)
      refuse('The access tokens of a tenant', MAX_OF_TOKENS)
    if (all.length >= MAX_PER_TENANT) refuse('A tenant', MAX_PER_TENANT)
    if (isFull && !this.#victim(all.length)) throw full()
  }

  /**
   * The oldest stream of the tenant with most streams, so that no tenants lock others out.
   * @param own streams of the tenant that wants one more
   * @returns undefined where no tenant has two more than it: then streams would only push each other out
   */
  #victim(own: number): Stream | undefined {
    const byTenant = Map.groupBy(this.#streams.keys(), ({ request }) => request.scope.tenantId)
    const most = [...byTenant.values()].reduce<Stream[]>((largest, its) => (its.length > largest.length ? its : largest), [])
    return most.length < own + 2 ? undefined : most[0]
  }

  /** For a stream that is opened now. @throws Unavailable */
  #makeRoom({ scope }: StreamRequest): void {
    if (this.#streams.size < this.#maxStreams) return
    const own = [...this.#streams.keys()].filter(({ request }) => request.scope.tenantId === scope.tenantId).length
    const victim = this.#victim(own)
    if (!victim) throw full()
    this.#end(victim, 'hub_full')
  }

  #add(stream: Stream, key: string): void {
    const known = this.#feeds.get(key)
    const feed = known ?? new Feed(stream.request.scope.tenantId, key, this.#feedDeps)
    this.#streams.set(stream, feed)
    feed.streams.add(stream)
    this.#deps.observe?.(this.#streams.size)
    if (!known) {
      this.#feeds.set(key, feed)
      void feed.run()
    }
    this.#stopWatching ??= repeat('check_stream_credentials', CREDENTIALS_SECONDS, this.#deps.logger, () =>
      this.#checkCredentials(),
    )
  }

  #remove(stream: Stream): void {
    const feed = this.#streams.get(stream)
    if (!feed) return
    this.#streams.delete(stream)
    feed.streams.delete(stream)
    if (feed.streams.size === 0) this.#feeds.delete(feed.key)
    this.#deps.observe?.(this.#streams.size)
    if (this.#streams.size === 0) {
      void this.#stopWatching?.()
      this.#stopWatching = null
    }
  }

  #end(stream: Stream, reason: EndReason): void {
    if (!this.#streams.has(stream)) return
    this.#remove(stream)
    stream.end(reason)
  }

  /** Ends the streams whose credential is no longer valid, or is for groups in which what they send no longer lies. */
  async #checkCredentials(): Promise<void> {
    const now = this.#deps.clock.now().getTime()
    // not those that are opened meanwhile, of which the answer does not know
    const streams = [...this.#streams.keys()]
    const roles = await rolesOfCredentials(
      this.#deps.system,
      streams.map(({ request }) => request.held),
    )
    for (const stream of streams) {
      const { held } = stream.request
      const role = roles.get(held.id)
      if (held.expiresAt <= now) this.#end(stream, 'token_expired')
      else if (role === undefined || (held.by === 'session' && !this.#deps.keys.access.isCurrent(held.keyId)))
        this.#end(stream, 'signed_out')
      else if (role !== held.role) this.#end(stream, 'role_changed')
    }
    await this.#checkGroups()
  }

  /** One after the other, so that requests find free connections. Streams of the same are looked up once. */
  async #checkGroups(): Promise<void> {
    const confined = [...this.#streams.keys()].filter(({ request }) => request.held.groupIds !== null)
    for (const [, same] of Map.groupBy(confined, ({ request: { held, wanted } }) =>
      JSON.stringify([held.tenantId, held.groupIds, wanted]),
    ))
      if (!(await this.#isInside((same[0] as Stream).request))) for (const stream of same) this.#end(stream, 'outside_groups')
  }

  async #isInside({ held: { tenantId, groupIds }, wanted: { machineIds, groupId } }: StreamRequest): Promise<boolean> {
    const { groups } = this.#deps
    if (groupIds === null) return true
    if (machineIds === null && groupId === undefined) return false
    return (
      (machineIds === null || (await groups.hasMachines(tenantId, groupIds, machineIds))) &&
      (groupId === undefined || (await groups.hasGroups(tenantId, groupIds, [groupId])))
    )
  }
}

const callerOf = ({ id, tokenId }: Actor): string => tokenId ?? id

/** The cursor from which a client resumes; null where the hub can no longer determine what the client missed. */
function resumeCursor(lastEventId: string | null, present: Cursor): Cursor | null {
  const seen = lastEventId === null ? null : cursorFromId(lastEventId)
  const isOurs = seen && seen.xmin <= seen.xmax && seen.xmax <= present.xmax && seen.at <= present.at + 60_000
  return isOurs && seen.at >= present.at - MAX_RESUME_AGE_MS ? seen : null
}
