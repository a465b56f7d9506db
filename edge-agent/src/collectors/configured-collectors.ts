import type { Collector, CollectorSource, CollectorStatus } from './collector.ts'

interface Running {
  source: CollectorSource
  /** its settings, for comparison */
  text: string
  collector: Collector
}

/** What a reload changed, by the names of collectors. */
export interface CollectorChanges {
  started: string[]
  changed: string[]
  stopped: string[]
}

/** The collectors of agent.yaml. */
export class ConfiguredCollectors {
  readonly #create: (source: CollectorSource) => Collector
  readonly #running = new Map<string, Running>()
  #isStopped = false

  constructor(sources: readonly CollectorSource[], create: (source: CollectorSource) => Collector) {
    this.#create = create
    for (const source of sources) this.#add(source)
  }

  start(): void {
    for (const { collector } of this.#running.values()) collector.start()
  }

  statuses(): [name: string, status: CollectorStatus][] {
    return Array.from(this.#running, ([name, { collector }]) => [name, collector.status()])
  }

  /** Runs other settings: unchanged collectors go on undisturbed, and a changed one ends before it begins again. */
  async apply(sources: readonly CollectorSource[]): Promise<CollectorChanges> {
    const wanted = new Map(sources.map((source) => [source.name, source]))
    const known = [...this.#running]
    const ended = known.filter(([name, { text }]) => text !== JSON.stringify(wanted.get(name)))
    for (const [name] of ended) this.#running.delete(name)
    await Promise.all(ended.map(([, { collector }]) => collector.stop()))
    // the end of the agent may have come meanwhile
    const missing = this.#isStopped ? [] : sources.filter(({ name }) => !this.#running.has(name))
    for (const source of missing) this.#add(source).start()
    const before = new Set(known.map(([name]) => name))
    return {
      started: missing.map(({ name }) => name).filter((name) => !before.has(name)),
      changed: missing.map(({ name }) => name).filter((name) => before.has(name)),
      stopped: ended.map(([name]) => name).filter((name) => !wanted.has(name)),
    }
  }

  /** Ends a collector and begins it again. @returns false when there is none of this name */
  async restart(name: string): Promise<boolean> {
    const running = this.#running.get(name)
    if (!running) return false
    await running.collector.stop()
    // other settings may have come meanwhile, or the end of the agent
    if (!this.#isStopped && this.#running.get(name) === running) this.#add(running.source).start()
    return true
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#running.values()].map(({ collector }) => collector.stop()))
  }

  #add(source: CollectorSource): Collector {
    const collector = this.#create(source)
    this.#running.set(source.name, { source, text: JSON.stringify(source), collector })
    return collector
  }
}
