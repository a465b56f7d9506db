import type { Fault, Series } from '@haltless/protocol'
import { errorFault } from '../../support/error-message.ts'
import type { Collector, CollectorDeps, CollectorSource, CollectorStatus } from '../collector.ts'
import { type MissedPollSpan, missedSince } from '../missed-polls.ts'
import type { FromChild, ToChild } from './messages.ts'

type Own = Exclude<Extract<FromChild, { id: number }>, { kind: 'fault' }>

/** A process that stands still for longer was ended. */
const STILL_MS = 60_000

const STARTING: CollectorStatus = {
  state: 'starting',
  detail: '',
  fault: null,
  lastAnswerAt: null,
  lastReadAt: null,
  readingsTotal: 0,
  badValuesTotal: 0,
  badTags: [],
  missedPolls: { skipped: 0, failed: 0 },
}

/** The collector of a child process, as the agent sees it: it outlives the process. */
export class HostedCollector implements Collector {
  readonly id: number
  readonly source: CollectorSource
  readonly deps: CollectorDeps
  /** counted here, because a process may end before it tells its own count */
  #readingsTotal = 0
  #lastReadAt: number | null = null
  readonly #onStart: (collector: HostedCollector) => void
  readonly #onStop: (collector: HostedCollector) => void
  #series: readonly Series[] = []
  #status = STARTING
  /** what the processes before this one counted */
  #before = STARTING
  #isStarted = false
  #stopped: { promise: Promise<void>; resolve: () => void } | null = null
  /** what its process reported as missed and may go on to miss, by key and machine */
  readonly #missing = new Map<string, MissedPollSpan>()
  /** the polls since its process ended; null: it has one */
  #withoutProcess: Pick<MissedPollSpan, 'fromAt' | 'toAt' | 'stepMs'> | null = null

  constructor(
    id: number,
    source: CollectorSource,
    deps: CollectorDeps,
    onStart: (collector: HostedCollector) => void,
    onStop: (collector: HostedCollector) => void,
  ) {
    this.id = id
    this.source = source
    this.deps = deps
    this.#onStart = onStart
    this.#onStop = onStop
  }

  get name(): string {
    return this.source.name
  }

  start(): void {
    if (this.#isStarted || this.#stopped) return
    this.#isStarted = true
    this.#onStart(this)
  }

  stop(): Promise<void> {
    if (!this.#stopped) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#stopped = { promise, resolve }
      if (this.#isStarted) this.#onStop(this)
      else this.ended()
    }
    return this.#stopped.promise
  }

  status(): CollectorStatus {
    const { badValuesTotal, missedPolls } = this.#before
    const now = this.#status
    return {
      ...now,
      readingsTotal: this.#readingsTotal,
      lastReadAt: this.#lastReadAt,
      badValuesTotal: badValuesTotal + now.badValuesTotal,
      missedPolls: {
        skipped: missedPolls.skipped + now.missedPolls.skipped,
        failed: missedPolls.failed + now.missedPolls.failed,
      },
    }
  }

  get isStopped(): boolean {
    return this.#stopped !== null
  }

  /** It runs in a process, perhaps again. */
  begins(): void {
    this.#series = []
    this.#countMissed()
  }

  /** Its process is gone. @param isCulprit in its own code */
  lost(found: Fault | null, isCulprit: boolean): void {
    const detail = found?.detail ?? ''
    const isAnswered = !this.#isMissing() && this.#status.state !== 'paused'
    this.#endMissing()
    const { lastAnswerAt, ...total } = this.status()
    this.#missPolls(isAnswered ? lastAnswerAt : null)
    this.#before = { ...STARTING, ...total }
    this.#status = { ...STARTING, lastAnswerAt, state: isCulprit ? 'failing' : 'reconnecting', detail, fault: found }
    this.deps.logger.warn({ state: this.#status.state, detail }, 'collector status')
  }

  /** @param reply sends an answer to the process that the message came from */
  receive(message: Own, reply: (message: ToChild) => void): void {
    switch (message.kind) {
      case 'status':
        // Until the new process has reached the device, what is known of the one before stays.
        this.#status = { ...message.status, lastAnswerAt: message.status.lastAnswerAt ?? this.#status.lastAnswerAt }
        break
      case 'stopped':
        this.ended()
        break
      case 'series':
        this.#series = message.series
        break
      case 'readings':
        void this.#store(message, reply)
        break
      case 'namespaces':
        void this.#note(message, reply)
        break
      case 'missed':
        this.#report(message.spans)
        break
      case 'log':
        this.deps.logger[message.level](message.fields, message.message)
    }
  }

  async #store(message: Extract<Own, { kind: 'readings' }>, reply: (message: ToChild) => void): Promise<void> {
    const { seq, seriesIndex, timestamps, values, progress } = message
    const readings = { series: this.#series, seriesIndex, timestamps, values }
    try {
      const isStored = (await this.deps.onReadings(readings, progress ?? undefined)) !== false
      if (values.length > 0 && (isStored || !progress)) {
        this.#readingsTotal += values.length
        this.#lastReadAt = this.deps.clock.now()
      }
      reply({ kind: 'stored', seq, isStored, error: null })
    } catch (error) {
      reply({ kind: 'stored', seq, isStored: false, error: errorFault(error) })
    }
  }

  async #note({ seq, uris }: Extract<Own, { kind: 'namespaces' }>, reply: (message: ToChild) => void): Promise<void> {
    await this.deps.namespaces?.found(uris)
    reply({ kind: 'noted', seq })
  }

  #report(spans: MissedPollSpan[]): void {
    for (const span of spans) {
      const key = JSON.stringify([span.key, span.machine])
      if (span.isOver) this.#missing.delete(key)
      else this.#missing.set(key, span)
    }
    this.deps.onMissedPolls?.(spans)
  }

  /** What the process that is gone did not report follows from what it reported. */
  #endMissing(): void {
    const now = this.deps.clock.now()
    const spans = Array.from(this.#missing.values(), (span) => {
      const more = missedSince(span, now)
      return { ...span, toAt: span.toAt + more * span.stepMs, count: span.count + more, stepMs: 0, isOver: true }
    })
    if (spans.length > 0) this.#report(spans)
  }

  /** Whether its process had reported that the device as a whole gives no answer. */
  #isMissing(): boolean {
    return [...this.#missing.values()].some(({ metric, stepMs }) => metric === null && stepMs > 0)
  }

  /**
   * The poll instants without a process count as missed, and those before in which it stood still.
   * @param lastAnswerAt null: what came before the end is counted
   */
  #missPolls(lastAnswerAt: number | null): void {
    const stepMs = this.source.pollIntervalSeconds * 1_000
    if (this.#withoutProcess || stepMs <= 0) return
    const now = this.deps.clock.now()
    const toAt = Math.max(lastAnswerAt ?? now, now - Math.max(stepMs, STILL_MS))
    this.#withoutProcess = { fromAt: toAt + stepMs, toAt, stepMs }
    this.#reportWithoutProcess(0, false)
  }

  #countMissed(): void {
    if (!this.#withoutProcess) return
    const count = missedSince(this.#withoutProcess, this.deps.clock.now())
    const { skipped, failed } = this.#before.missedPolls
    this.#before = { ...this.#before, missedPolls: { skipped, failed: failed + count } }
    this.#withoutProcess.toAt += count * this.#withoutProcess.stepMs
    this.#reportWithoutProcess(count, true)
    this.#withoutProcess = null
  }

  #reportWithoutProcess(count: number, isOver: boolean): void {
    if (!this.#withoutProcess) return
    const span = { ...this.#withoutProcess, key: 'process', metric: null, unit: '', reason: 'no_answer' as const, count, isOver }
    this.deps.onMissedPolls?.([...machinesOf(this.source)].map((machine) => ({ ...span, machine })))
  }

  /** It has stopped, or its process is gone and it was to stop. */
  ended(): void {
    this.#endMissing()
    this.#countMissed()
    this.#status = { ...this.#status, state: 'stopped', detail: '', fault: null }
    this.#stopped?.resolve()
  }
}

/** The machines that a source has tags of. */
function machinesOf({ machine, config }: CollectorSource): Set<string> {
  const tags: readonly { machine_identifier?: string | undefined }[] = Object.values(config).find(Array.isArray) ?? []
  return new Set(tags.map((tag) => tag.machine_identifier ?? machine))
}
