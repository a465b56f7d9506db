import { BrowseRequest, fault, type SourceBrowseAnswer } from '@haltless/protocol'
import { type browseSource, nothingFound } from '../collectors/browse-source.ts'
import type { CollectorSource, ProbeDeps } from '../collectors/collector.ts'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'

/** The hub waits for 10 s. */
const BROWSE_MS = 8_000
const VISIT_MAX = 20_000

interface RemoteBrowseOptions {
  /** a source that the hub gave, as it runs now; null: there is none, or this agent takes none */
  sourceOf: (sourceId: string) => CollectorSource | null
  deps: ProbeDeps
  browse: typeof browseSource
  answer: (requestId: string, answer: SourceBrowseAnswer) => Promise<void>
  logger: Logger
}

/** Looks at the devices of pushed sources when a person asks in the hub: one at a time, and within `remote.allow` as polling is. */
export class RemoteBrowse {
  readonly #options: RemoteBrowseOptions
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #isBusy = false
  #last = ''

  constructor(options: RemoteBrowseOptions) {
    this.#options = options
  }

  /** A message of the `sources` topic; most carry no request. */
  receive(given: unknown): void {
    const request = BrowseRequest.safeParse((given as { browse?: unknown } | null)?.browse)
    if (!request.success || this.#isBusy || request.data.request_id === this.#last || this.#stopping.signal.aborted) return
    this.#last = request.data.request_id
    this.#isBusy = true
    this.#running = this.#execute(request.data).finally(() => {
      this.#isBusy = false
    })
  }

  async #execute({ request_id, source_id, query }: BrowseRequest): Promise<void> {
    const { sourceOf, deps, browse, answer, logger } = this.#options
    try {
      const source = sourceOf(source_id)
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(BROWSE_MS)])
      logger.info({ source_id, ...query }, 'a person in the hub looks at the device of a source')
      const found: SourceBrowseAnswer = source
        ? await browse(source, query, VISIT_MAX, deps, signal)
        : nothingFound(fault('source_not_running'))
      await answer(request_id, found)
    } catch (error) {
      logger.warn({ source_id, error: shortError(error) }, 'what was found on a device could not be sent to the hub')
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }
}
