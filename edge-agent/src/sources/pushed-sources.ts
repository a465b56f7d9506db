import { AgentSources, type AgentSourcesReport, type Fault, fault } from '@haltless/protocol'
import { ZodError } from 'zod'
import { type Collector, type CollectorSource, type CollectorStatus, problemOf } from '../collectors/collector.ts'
import type { Clock } from '../support/clock.ts'
import { faultBudget } from '../support/fault-budget.ts'
import { FaultError } from '../support/fault-error.ts'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import { SourceTrials, trialMs } from './source-trials.ts'
import { collectorSourceOf, readSourcesFile, writeSourcesFile } from './sources-file.ts'

const HOUR_MS = 3_600_000
/** Characters of the words on settings that are wrong: room for what stands around them. */
const TEXT_MAX = 900

export interface PushedSourcesOptions {
  dataDir: string
  logger: Logger
  createCollector: (source: CollectorSource) => Collector
  /** another set runs now, or was refused: the hub needs a report */
  onChange: () => void
  /** a source began to fail, or is well again; looked for every `checkIntervalMs` */
  onHealthChange: () => void
  checkIntervalMs: number
  clock: Clock
  /** whether the hub may push sources at all */
  isOn: boolean
  /** how long changed settings may take to deliver, by poll interval; ms */
  trialMs?: (pollIntervalSeconds: number) => number
}

/** One source of the set that runs. */
interface Running {
  /** its settings as they came, for comparison */
  given: string
  /** those that it runs with: the previous ones, where the newer ones were given up */
  text: string
  /** when it was started, monotonic ms */
  startedAt: number
  pollIntervalSeconds: number
  collector: Collector | null
  /** why it cannot run */
  fault: Fault | null
}

/**
 * The polling sources that people configured in the hub for this agent. The agent writes a set to disk and then applies it while
 * running: unchanged sources continue undisturbed. A refused set changes nothing, and the hub learns the reason. A source that delivered has to
 * deliver with its changed settings too, else the agent goes back to those before.
 */
export class PushedSources {
  readonly #options: PushedSourcesOptions
  readonly #running = new Map<string, Running>()
  /** collectors on their way to an end, by source: its next one begins after that */
  readonly #ending = new Map<string, Promise<void>>()
  readonly #trials: SourceTrials
  #revision = 0
  #fault: Fault | null = null
  #isStopped = false
  #health = ''
  #timer: NodeJS.Timeout | undefined

  constructor(options: PushedSourcesOptions) {
    this.#options = options
    this.#trials = new SourceTrials(options.dataDir)
  }

  /** Runs the last good set. */
  start(): void {
    const { dataDir, logger, checkIntervalMs, isOn } = this.#options
    if (!isOn) return
    this.#timer = setInterval(() => this.#check(), checkIntervalMs)
    try {
      const known = readSourcesFile(dataDir, logger)
      if (known) this.#apply(known)
    } catch (error) {
      // the hub sends them again with the next heartbeat
      logger.error({ error: faultOf(error).detail }, 'the sources that the hub gave cannot be read from disk')
    }
  }

  /** A set from the hub, in a heartbeat's answer or on the `sources` topic. Sets older than the running one are ignored. */
  receive(given: unknown): void {
    const { dataDir, logger, onChange, isOn } = this.#options
    if (this.#isStopped) return
    try {
      const set = AgentSources.parse(given)
      if (set.revision <= this.#revision) return
      if (!isOn && set.sources.length > 0) throw new FaultError(fault('remote_sources_off'))
      // first, so that after a power cut no changed settings are without a trial
      this.#beginTrials(set)
      writeSourcesFile(dataDir, set)
      this.#fault = null
      this.#apply(set)
      logger.info({ revision: set.revision, sources: set.sources.length }, 'sources from the hub are applied')
      onChange()
    } catch (error) {
      const found = faultOf(error)
      if (found.detail === this.#fault?.detail) return
      this.#fault = found
      logger.error({ fault: found.detail }, 'the sources from the hub are invalid; the previous ones continue')
      onChange()
    }
  }

  #check(): void {
    for (const [id, running] of this.#running) if (this.#trials.isTrying(id, running.given)) this.#checkTrial(id, running)
    const health = JSON.stringify(this.report().states.map(({ source_id, error }) => [source_id, error]))
    if (health === this.#health) return
    this.#health = health
    this.#options.onHealthChange()
  }

  /** Changed settings have to deliver as those before did; else these are used again. */
  #checkTrial(id: string, { given, collector, fault: unable, startedAt, pollIntervalSeconds }: Running): void {
    const { logger, clock, trialMs: limit = trialMs } = this.#options
    const status = collector?.status()
    try {
      if (status && status.lastReadAt !== null) this.#trials.end(id)
      if (!this.#trials.isTrying(id, given)) return
      if (collector && clock.monotonic() - startedAt < limit(pollIntervalSeconds)) return
      const reason = unable ?? (status ? problemOf(status) : null) ?? fault('no_value')
      const previous = this.#trials.revert(id, fault('settings_reverted', { reason }))
      logger.warn(
        { source_id: id, why: reason.detail },
        'the newest settings of a source brought no readings; those before are used again',
      )
      this.#end(id)
      this.#run(id, given, previous)
    } catch (error) {
      logger.error({ source_id: id, error: faultOf(error).detail }, 'a trial of settings could not be written')
    }
  }

  /** @throws Error when the disk refuses */
  #beginTrials(set: AgentSources): void {
    for (const [id, given] of settingsOf(set)) {
      const running = this.#running.get(id)
      if (running && running.given !== given && this.#delivers(running)) this.#trials.begin(id, given, running.text)
    }
  }

  /** @throws Error when the disk refuses; then the hub sends the set again */
  #apply(set: AgentSources): void {
    const wanted = settingsOf(set)
    this.#trials.keep(wanted)
    for (const [id, { given }] of this.#running) if (wanted.get(id) !== given) this.#end(id)
    for (const [id, given] of wanted) if (!this.#running.has(id)) this.#run(id, given, this.#trials.settingsFor(id, given))
    this.#revision = set.revision
  }

  /** Whether a value came in the last hour: then there is something to lose. */
  #delivers({ collector }: Running): boolean {
    const lastReadAt = collector?.status().lastReadAt ?? null
    return lastReadAt !== null && lastReadAt > this.#options.clock.now() - HOUR_MS
  }

  #run(id: string, given: string, text: string): void {
    const { createCollector, clock, logger } = this.#options
    const running: Running = { given, text, startedAt: clock.monotonic(), pollIntervalSeconds: 0, collector: null, fault: null }
    this.#running.set(id, running)
    try {
      const source = collectorSourceOf(JSON.parse(text))
      running.pollIntervalSeconds = source.pollIntervalSeconds
      const collector = createCollector(source)
      running.collector = collector
      const before = this.#ending.get(id) ?? Promise.resolve()
      void before.then(() => {
        if (this.#running.get(id) === running) collector.start()
      })
    } catch (error) {
      running.fault = fault('source_not_runnable', { reason: faultOf(error) })
      logger.error({ source_id: id, fault: running.fault.detail }, 'a source from the hub cannot be run')
    }
  }

  #end(id: string): void {
    const collector = this.#running.get(id)?.collector
    this.#running.delete(id)
    if (!collector) return
    const ended = Promise.all([this.#ending.get(id), collector.stop()]).then(() => {
      if (this.#ending.get(id) === ended) this.#ending.delete(id)
    })
    this.#ending.set(id, ended)
  }

  /** Ends the collector of this name and begins it again. @returns false when there is none, or all of them end */
  restart(name: string): boolean {
    if (this.#isStopped) return false
    const found = [...this.#running].find(([, { collector }]) => collector?.name === name)
    if (!found) return false
    const [id, { given, text }] = found
    this.#end(id)
    this.#run(id, given, text)
    return true
  }

  /** A source as it runs; null: it does not. */
  sourceOf(id: string): CollectorSource | null {
    const running = this.#running.get(id)
    return running?.collector ? collectorSourceOf(JSON.parse(running.text)) : null
  }

  /** For heartbeats. */
  report(): AgentSourcesReport {
    const fits = faultBudget()
    const states = Array.from(this.#running, ([source_id, { collector, fault: unable }]) => {
      const status = collector?.status()
      const found = unable ?? this.#trials.revertedBecause(source_id) ?? (status ? problemOf(status) : null)
      return {
        source_id,
        error: found?.detail ?? null,
        ...(found && fits(found) && { fault: found }),
        polled_at: status?.lastAnswerAt ? new Date(status.lastAnswerAt).toISOString() : null,
      }
    })
    return { revision: this.#revision, ...(this.#fault && { fault: this.#fault.detail, revision_fault: this.#fault }), states }
  }

  /** By the name of each collector. */
  statuses(): Record<string, CollectorStatus> {
    const collectors = [...this.#running.values()].flatMap(({ collector }) => collector ?? [])
    return Object.fromEntries(collectors.map((collector) => [collector.name, collector.status()]))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    for (const id of [...this.#running.keys()]) this.#end(id)
    await Promise.all(this.#ending.values())
  }
}

/** The settings of each source of a set, in JSON. */
const settingsOf = ({ sources }: AgentSources): Map<string, string> =>
  new Map(sources.map((given) => [given.source_id, JSON.stringify(given)]))

/** Where it is wrong and how, without the values, which may be secret. */
function faultOf(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault
  if (error instanceof SyntaxError) return fault('settings_no_json')
  if (!(error instanceof ZodError)) return fault('unexpected_error', { text: shortError(error).slice(0, TEXT_MAX) })
  const words = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  return fault('settings_invalid', { text: words.slice(0, TEXT_MAX) })
}
