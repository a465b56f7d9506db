import { Worker } from 'node:worker_threads'
import type { Login } from '../../db/login.ts'
import type { Metrics } from '../../metrics.ts'
import type { Clock } from '../../support/clock.ts'
import type { Logger } from '../../support/logger.ts'
import type { Retention } from './old-data.ts'
import type { HintsOfProcess, SealHints } from './seal-hints.ts'
import type { LogLine } from './seal-log.ts'
import type { SealReport } from './seal-runner.ts'

/** The system login, as plain strings: a Secret does not reach another thread. */
export interface ThreadData {
  url: string
  username?: string
  password?: string
  socket?: string
}

/** To the sealer's thread. Each tick is answered with a report, each request by its number. */
export type Command =
  | { tick: { now: Date; hints: HintsOfProcess } }
  | { removeExpired: { request: number; now: Date; retention: Retention } }
  | 'stop'

/** From the sealer's thread. */
export type Answer =
  | { report: SealReport }
  | { line: LogLine }
  | { removed: { request: number; readings: number } }
  | { failed: { request: number; error: Error } }

interface SealerDeps {
  /** a member of haltless_system */
  login: Login
  hints: SealHints
  clock: Clock
  logger: Logger
  metrics: Pick<Metrics, 'beforeScrape' | 'observeSealing' | 'showTail'>
  /** time between ticks, before the first restart, and until a thread that does not stop is terminated */
  tickMs?: number
  restartMs?: number
  stopMs?: number
  /** the thread's program */
  program?: URL
}

const MAX_RESTART_MS = 60_000
/** A thread that has run for this long was healthy. */
const HEALTHY_MS = 60_000
/**
 * Young generation of the thread's heap. Sealing makes short-lived arrays in bursts; without a limit V8 grows it to 130 MB in the first
 * one and keeps it.
 */
const YOUNG_GENERATION_MB = 24
/** A thread that is silent for longer is counted as behind. */
const SILENT_MS = 30_000

/**
 * Runs the sealer in a thread with database connections of its own, because compression would block the event loop. A thread that
 * crashes is started again.
 */
export class Sealer {
  readonly #deps: SealerDeps
  readonly #timer: NodeJS.Timeout
  #thread: Worker | null = null
  #restart: NodeJS.Timeout | undefined
  #isStopping = false
  #crashes = 0
  #startedAt = 0
  /** the thread has not answered the last tick yet */
  #isTicking = false
  #report: { tail: SealReport['tail']; at: number } = { tail: null, at: performance.now() }
  #requests = new Map<number, PromiseWithResolvers<number>>()
  #lastRequest = 0

  constructor(deps: SealerDeps) {
    this.#deps = deps
    this.#start()
    this.#timer = setInterval(() => this.#tick(), deps.tickMs ?? 1_000)
    deps.metrics.beforeScrape(() => this.#showTail())
  }

  /**
   * Removes readings and statistics that no tenant keeps any more.
   * @param signal ends the waiting; the thread ends its work when the sealer stops
   * @returns the number of readings
   */
  removeExpired(now: Date, retention: Retention, signal: AbortSignal): Promise<number> {
    if (!this.#thread) return Promise.reject(new Error('the sealing thread is not running; it starts again soon'))
    const request = ++this.#lastRequest
    const result = Promise.withResolvers<number>()
    this.#requests.set(request, result)
    const abort = () => this.#settle(request)?.reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    result.promise.catch(() => undefined).finally(() => signal.removeEventListener('abort', abort))
    this.#post({ removeExpired: { request, now, retention } })
    return result.promise
  }

  /** Waits for the transaction under way, but not for long: PostgreSQL rolls back what a terminated thread began. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    clearTimeout(this.#restart)
    const thread = this.#thread
    if (!thread) return
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    this.#post('stop')
    const timer = setTimeout(() => thread.terminate(), this.#deps.stopMs ?? 10_000)
    await ended
    clearTimeout(timer)
  }

  #start(): void {
    const { login, program = new URL('./seal-thread.ts', import.meta.url) } = this.#deps
    const workerData: ThreadData = { url: login.url.reveal(), ...(login.socket && { socket: login.socket }) }
    if (login.username !== undefined) Object.assign(workerData, { username: login.username, password: login.password?.reveal() })
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB }
    const thread = new Worker(program, { workerData, name: 'sealer', resourceLimits })
    let cause: unknown = new Error('it ended by itself')
    thread
      .on('message', (answer: Answer) => this.#receive(answer))
      .on('error', (error) => {
        cause = error
      })
      .on('exit', () => this.#ended(cause))
    this.#startedAt = performance.now()
    this.#isTicking = false
    this.#thread = thread
  }

  #ended(cause: unknown): void {
    this.#thread = null
    for (const { reject } of this.#requests.values()) reject(new Error('the sealing thread ended'))
    this.#requests.clear()
    if (this.#isStopping) return
    if (performance.now() - this.#startedAt > HEALTHY_MS) this.#crashes = 0
    const waitMs = Math.min(MAX_RESTART_MS, (this.#deps.restartMs ?? 1_000) * 2 ** this.#crashes++)
    this.#deps.metrics.observeSealing({ sealed: 0, seconds: 0, failures: 1 })
    this.#deps.logger.error({ err: cause, restart_ms: waitMs }, 'the sealing thread ended unexpectedly; it will start again')
    this.#restart = setTimeout(() => this.#start(), waitMs)
  }

  #tick(): void {
    if (!this.#thread || this.#isTicking) return
    this.#isTicking = true
    this.#post({ tick: { now: this.#deps.clock.now(), hints: this.#deps.hints.drain() } })
  }

  #post(command: Command): void {
    this.#thread?.postMessage(command)
  }

  #receive(answer: Answer): void {
    if ('line' in answer) {
      const { level, fields, message } = answer.line
      this.#deps.logger[level](fields, message)
    } else if ('report' in answer) {
      this.#isTicking = false
      this.#report = { tail: answer.report.tail ?? this.#report.tail, at: performance.now() }
      this.#deps.metrics.observeSealing(answer.report)
    } else if ('removed' in answer) this.#settle(answer.removed.request)?.resolve(answer.removed.readings)
    else this.#settle(answer.failed.request)?.reject(answer.failed.error)
  }

  #settle(request: number): PromiseWithResolvers<number> | undefined {
    const result = this.#requests.get(request)
    this.#requests.delete(request)
    return result
  }

  #showTail(): void {
    const { tail, at } = this.#report
    const silentMs = performance.now() - at
    const behindSeconds = (tail?.behindSeconds ?? 0) + (silentMs > SILENT_MS ? silentMs / 1_000 : 0)
    const oldestAt = tail?.oldestAt ?? null
    const oldestSeconds = oldestAt === null ? 0 : Math.max(0, (this.#deps.clock.now().getTime() - oldestAt) / 1_000)
    this.#deps.metrics.showTail({ readings: tail?.readings ?? Number.NaN, oldestSeconds, behindSeconds })
  }
}
