import { type Fault, fault } from '@haltless/protocol'
import type { HeldValues } from '../held-values.ts'
import type { PendingReadings } from '../pending-readings.ts'
import type { SourceClock } from '../source-clock.ts'
import type { StatusBoard } from '../status-board.ts'
import { readingValue, type Tag } from '../tag.ts'
import { NoNumber } from '../values-in-text.ts'
import { type Metric, numberOfMetric, type Payload, textOfMetric } from './payload.ts'

/** Rebirth requests to one node are at least this far apart: its births are large. Each further one within a minute doubles it. */
const REBIRTH_MS = 2_000
/** A node that published no birth then is asked again after this. */
const REBIRTH_AGAIN_MS = 60_000
const GOOD = 192
/** Names in a message for a person. */
const SHOWN = 8

/** A configured metric. */
export interface MetricTag {
  index: number
  /** '' for the node itself */
  device: string
  metric: string
}

interface NodeDeps {
  tags: readonly Tag[]
  values: HeldValues
  board: StatusBoard
  clock: { now(): number; monotonic(): number; readonly offsetMs?: number | null }
  sourceClock: SourceClock
  requestRebirth: () => void
}

/**
 * What is known about an edge node and its devices.
 *
 * ```
 * unknown -> (NBIRTH) born <-> (sequence gap) doubtful
 * any -> (NDEATH, or the connection to the broker is lost) unknown
 * ```
 * In every state but `born` a birth is requested. The values of its tags count from their birth until a death, or a gap: what was lost may have
 * changed them.
 */
export class SparkplugNode {
  readonly #name: string
  readonly #wanted: readonly MetricTag[]
  readonly #byName: ReadonlyMap<string, MetricTag[]>
  readonly #machines: readonly string[]
  readonly #deps: NodeDeps
  #state: 'unknown' | 'born' | 'doubtful' = 'unknown'
  #seq = 0
  #birthSeq: bigint | null = null
  /** of the configured metrics only, by {@link aliasKey}: some publishers number the metrics of each device from one */
  readonly #byAlias = new Map<string, MetricTag[]>()
  /** those that a birth gave to several metrics, against the specification */
  readonly #sharedAliases = new Set<string>()
  /** by tag index, as its birth said */
  readonly #datatypes = new Map<number, number>()
  /** when a message came last, Unix ms */
  #heardAt: number
  #requestedAt = Number.NEGATIVE_INFINITY
  /** the least time between the last request and the next */
  #apartMs = REBIRTH_MS
  /** since the last birth, or gap */
  #isAsked = false

  constructor(name: string, wanted: readonly MetricTag[], deps: NodeDeps) {
    this.#name = name
    this.#wanted = wanted
    this.#byName = Map.groupBy(wanted, ({ device, metric }) => keyOf(device, metric))
    this.#deps = deps
    this.#machines = [...new Set(wanted.map(({ index }) => deps.tags[index]?.machine as string))]
    this.#heardAt = deps.clock.now()
  }

  /** The connection to the broker was lost: what was known does not count any more. */
  reset(): void {
    this.#forget(fault('sparkplug_node_unborn', { node: this.#name }))
  }

  /** A connection to the broker begins. */
  connected(): void {
    if (this.#state !== 'born') this.#request(0)
  }

  /** Once in every poll interval: repeats a request that was not answered. */
  interval(): void {
    if (this.#state !== 'born') this.#request(this.#isAsked ? REBIRTH_AGAIN_MS : REBIRTH_MS)
  }

  /** The values are known to be current. */
  get isBorn(): boolean {
    return this.#state === 'born'
  }

  /** A message of type NBIRTH, NDATA, NDEATH, DBIRTH, DDATA or DDEATH. @param device '' for the node itself */
  message(type: string, device: string, payload: Payload, pending: PendingReadings): void {
    if (type === 'NDEATH') {
      this.#death(payload)
      return
    }
    if (type === 'NBIRTH') this.#birth(payload)
    else if (!this.#isInSequence(payload)) return
    this.#heardAt = this.#deps.clock.now()
    this.#measureClock(payload)
    if (type === 'DDEATH') this.#refuse(device, fault('sparkplug_device_offline', { device }))
    else if (type === 'NBIRTH' || type === 'DBIRTH') this.#learn(device, payload, pending)
    else this.#take(device, payload, pending)
  }

  /** The timestamp of a payload is when the node published it. Source: Eclipse Sparkplug 3.0.0. What it kept may be of any age. */
  #measureClock({ timestamp, metrics }: Payload): void {
    if (timestamp === null || metrics.some(({ isHistorical }) => isHistorical)) return
    this.#deps.sourceClock.measured(timestamp - this.#heardAt)
  }

  #birth(payload: Payload): void {
    this.#byAlias.clear()
    this.#datatypes.clear()
    this.#state = 'born'
    this.#seq = payload.seq ?? 0
    this.#birthSeq = birthSeqOf(payload)
    for (const device of new Set(this.#wanted.map((tag) => tag.device)))
      if (device !== '') this.#refuse(device, fault('sparkplug_device_unborn', { device }))
  }

  #death(payload: Payload): void {
    const birthSeq = birthSeqOf(payload)
    // the will of a session before the one that was born; it comes late when a node reconnects
    if (birthSeq !== null && this.#birthSeq !== null && birthSeq !== this.#birthSeq) return
    this.#forget(fault('sparkplug_node_offline', { node: this.#name }))
  }

  /** @returns false for a message that must not count: a repeated one, or one of a node that was not born */
  #isInSequence({ seq }: Payload): boolean {
    if (this.#state === 'unknown') {
      this.#request(REBIRTH_MS)
      return false
    }
    if (seq === null) return true
    if (seq === this.#seq) return false
    const missing = (seq - this.#seq - 1) & 0xff
    this.#seq = seq
    if (missing === 0) return true
    const { board, clock } = this.#deps
    board.lost(this.#machines, this.#heardAt, clock.now(), missing)
    this.#state = 'doubtful'
    this.#isAsked = false
    for (const { index } of this.#wanted) this.#deps.values.refuse(index, fault('sparkplug_message_lost', { node: this.#name }))
    this.#request(REBIRTH_MS)
    return true
  }

  /** A birth names all metrics, with alias, type and present value. */
  #learn(device: string, payload: Payload, pending: PendingReadings): void {
    for (const [key, tags] of this.#byAlias) {
      if (!tags.some((tag) => tag.device === device)) continue
      this.#byAlias.delete(key)
      this.#sharedAliases.delete(key)
    }
    const byName = Map.groupBy(payload.metrics, ({ name }) => name)
    const namesByAlias = Map.groupBy(payload.metrics, ({ alias }) => alias)
    for (const tag of this.#wanted) {
      if (tag.device !== device) continue
      const metrics = byName.get(tag.metric)
      if (!metrics) {
        this.#deps.values.refuse(tag.index, fault('sparkplug_no_metric', { metric: tag.metric, names: namesOf(payload) }))
        continue
      }
      for (const metric of metrics) {
        if (metric.datatype !== null) this.#datatypes.set(tag.index, metric.datatype)
        if (metric.alias !== null) {
          const key = aliasKey(device, metric.alias)
          this.#byAlias.set(key, [...(this.#byAlias.get(key) ?? []), tag])
          if (namesByAlias.get(metric.alias)?.some(({ name }) => name !== metric.name)) this.#sharedAliases.add(key)
        }
        this.#read(tag, metric, payload, pending)
      }
    }
  }

  #take(device: string, payload: Payload, pending: PendingReadings): void {
    let isUnnamed = false
    for (const metric of payload.metrics) {
      // after a gap an alias may have become that of another metric
      if (metric.name === '' && this.#state === 'doubtful') isUnnamed = true
      else for (const tag of this.#tagsOf(device, metric)) this.#read(tag, metric, payload, pending)
    }
    const now = this.#deps.clock.now()
    if (isUnnamed) this.#deps.board.lost(this.#machines, now, now, 1)
  }

  #tagsOf(device: string, { name, alias }: Metric): readonly MetricTag[] {
    if (name === '') {
      const key = alias === null ? '' : aliasKey(device, alias)
      const tags = this.#byAlias.get(key) ?? []
      if (!this.#sharedAliases.has(key)) return tags
      for (const { index } of tags) this.#deps.values.refuse(index, fault('sparkplug_alias_ambiguous', { alias: String(alias) }))
      return []
    }
    return this.#byName.get(keyOf(device, name)) ?? []
  }

  #read({ index }: MetricTag, metric: Metric, payload: Payload, pending: PendingReadings): void {
    const { values, clock, sourceClock, tags } = this.#deps
    const now = clock.now()
    const at = metric.timestamp ?? payload.timestamp
    const tag = tags[index] as Tag
    const datatype = metric.datatype ?? this.#datatypes.get(index) ?? 0
    const text = tag.values ? textOfMetric(metric, datatype) : undefined
    const value = readingValue(whyNoValue(metric) ?? text ?? numberOfMetric(metric, datatype), tag)
    if (typeof value !== 'number') {
      if (!metric.isHistorical) values.refuse(index, value.fault)
      return
    }
    if (!metric.isHistorical) {
      values.hold(index, value, at, sourceClock.isUsed, now, now, pending.out)
      return
    }
    const { correctionMs } = sourceClock
    if (at !== null && clock.offsetMs !== null && correctionMs !== null)
      pending.out.add(index, Math.round(at - (clock.offsetMs ?? 0) - correctionMs), value)
  }

  #forget(reason: Fault): void {
    this.#state = 'unknown'
    this.#isAsked = false
    this.#birthSeq = null
    this.#byAlias.clear()
    for (const { index } of this.#wanted) this.#deps.values.refuse(index, reason)
  }

  #refuse(device: string, reason: Fault): void {
    for (const tag of this.#wanted) if (tag.device === device) this.#deps.values.refuse(tag.index, reason)
  }

  /** @param apartMs from the request before */
  #request(apartMs: number): void {
    const now = this.#deps.clock.monotonic()
    const sinceMs = now - this.#requestedAt
    if (sinceMs < Math.max(apartMs, this.#apartMs)) return
    this.#apartMs = sinceMs < REBIRTH_AGAIN_MS ? Math.min(2 * this.#apartMs, REBIRTH_AGAIN_MS) : REBIRTH_MS
    this.#requestedAt = now
    this.#isAsked = true
    this.#deps.requestRebirth()
  }
}

const aliasKey = (device: string, alias: number): string => `${device}/${alias}`

/** A device has no slash in its name. */
const keyOf = (device: string, metric: string): string => `${device}/${metric}`

/** Null, or stale: nothing is known of its value. */
function whyNoValue({ isNull, quality }: Metric): NoNumber | null {
  if (isNull) return new NoNumber(fault('sparkplug_null'))
  if (quality !== null && quality !== GOOD) return new NoNumber(fault('sparkplug_quality', { quality }))
  return null
}

const birthSeqOf = ({ metrics }: Payload): bigint | null => {
  const value = metrics.find(({ name }) => name === 'bdSeq')?.value
  return value?.kind === 'integer' ? value.bits : null
}

function namesOf({ metrics }: Payload): string {
  const names = metrics.map(({ name }) => name).filter((name) => name !== 'bdSeq' && !name.startsWith('Node Control/'))
  const shown = names.slice(0, SHOWN).join(', ')
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown || 'none'
}
