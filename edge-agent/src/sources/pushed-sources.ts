import { AgentSources, type AgentSourcesReport } from '@haltless/protocol'
import { ZodError } from 'zod'
import { type Collector, type CollectorSource, type CollectorStatus, describeProblem } from '../collectors/collector.ts'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import { collectorSourceOf, readSourcesFile, writeSourcesFile } from './sources-file.ts'

export interface PushedSourcesOptions {
  dataDir: string
  logger: Logger
  createCollector: (source: CollectorSource) => Collector
  /** another set runs now, or was refused: the hub needs a report */
  onChange: () => void
  /** a source began to fail, or is well again; looked for every `lookMs` */
  onTrouble: () => void
  lookMs: number
}

/** One source of the set that runs. */
interface Running {
  /** its settings as they came, for comparison */
  text: string
  collector: Collector | null
  /** why it cannot run */
  fault: string | null
}

/**
 * The polling sources that people configured in the hub for this agent. The agent writes a set to disk and then applies it while
 * running: unchanged sources continue undisturbed. A refused set changes nothing, and the hub learns the reason.
 */
export class PushedSources {
  readonly #options: PushedSourcesOptions
  readonly #running = new Map<string, Running>()
  /** collectors on their way to an end, by source: its next one begins after that */
  readonly #ending = new Map<string, Promise<void>>()
  #revision = 0
  #fault: string | undefined
  #isStopped = false
  #troubles = ''
  #timer: NodeJS.Timeout | undefined

  constructor(options: PushedSourcesOptions) {
    this.#options = options
  }

  /** Runs the last good set. */
  start(): void {
    const { dataDir, logger, lookMs } = this.#options
    this.#timer = setInterval(() => this.#look(), lookMs)
    try {
      const known = readSourcesFile(dataDir, logger)
      if (known) this.#apply(known)
    } catch (error) {
      // the hub sends them again with the next heartbeat
      logger.error({ error: plainFault(error) }, 'the sources that the hub gave cannot be read from disk')
    }
  }

  /** A set from the hub, in a heartbeat's answer or on the `sources` topic. Sets older than the running one are ignored. */
  take(given: unknown): void {
    const { dataDir, logger, onChange } = this.#options
    if (this.#isStopped) return
    try {
      const set = AgentSources.parse(given)
      if (set.revision <= this.#revision) return
      writeSourcesFile(dataDir, set)
      this.#fault = undefined
      this.#apply(set)
      logger.info({ revision: set.revision, sources: set.sources.length }, 'sources from the hub are applied')
      onChange()
    } catch (error) {
      const fault = plainFault(error)
      if (fault === this.#fault) return
      this.#fault = fault
      logger.error({ fault }, 'the sources from the hub are invalid; the previous ones continue')
      onChange()
    }
  }

  #look(): void {
    const troubles = JSON.stringify(this.report().states.map(({ source_id, error }) => [source_id, error]))
    if (troubles === this.#troubles) return
    this.#troubles = troubles
    this.#options.onTrouble()
  }

  #apply({ revision, sources }: AgentSources): void {
    this.#revision = revision
    const wanted = new Map(sources.map((given) => [given.source_id, given]))
    for (const [id, { text }] of this.#running) if (text !== JSON.stringify(wanted.get(id))) this.#end(id)
    for (const [id, given] of wanted) if (!this.#running.has(id)) this.#run(id, given)
  }

  #run(id: string, given: unknown): void {
    const running: Running = { text: JSON.stringify(given), collector: null, fault: null }
    this.#running.set(id, running)
    try {
      const collector = this.#options.createCollector(collectorSourceOf(given))
      running.collector = collector
      const before = this.#ending.get(id) ?? Promise.resolve()
      void before.then(() => {
        if (this.#running.get(id) === running) collector.start()
      })
    } catch (error) {
      running.fault = `this agent cannot run it: ${plainFault(error)}`
      this.#options.logger.error({ source_id: id, fault: running.fault }, 'a source from the hub cannot be run')
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

  /** For heartbeats. */
  report(): AgentSourcesReport {
    const states = Array.from(this.#running, ([source_id, { collector, fault }]) => {
      const status = collector?.status()
      return {
        source_id,
        error: fault ?? (status ? describeProblem(status) : null),
        polled_at: status?.lastAnswerAt ? new Date(status.lastAnswerAt).toISOString() : null,
      }
    })
    return { revision: this.#revision, ...(this.#fault !== undefined && { fault: this.#fault }), states }
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

/** Where it is wrong and how, without the values, which may be secret. */
function plainFault(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is no JSON'
  const words =
    error instanceof ZodError
      ? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
      : shortError(error)
  return words.slice(0, 900)
}
