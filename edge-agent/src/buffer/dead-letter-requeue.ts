import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import type { ReadingBuffer } from './buffer.ts'

interface RequeueOptions {
  buffer: Pick<ReadingBuffer, 'requeueDeadLetters'>
  logger: Logger
  /** readings were put back, and the hub does not know yet */
  onDone: () => void
}

/** Executes requests of the hub to send the rejected readings once more, each once. */
export class DeadLetterRequeue {
  readonly #options: RequeueOptions
  #executed: string | null = null
  #underWay: { request: string; done: Promise<void> } | null = null

  constructor(options: RequeueOptions) {
    this.#options = options
  }

  /** the newest request that was executed; null after a start */
  get executed(): string | null {
    return this.#executed
  }

  /** Begins a request unless it was executed or another one is under way: the hub repeats it. */
  execute(request: string): void {
    if (request === this.#executed || this.#underWay) return
    this.#underWay = { request, done: this.#run(request) }
  }

  async idle(): Promise<void> {
    await this.#underWay?.done
  }

  async #run(request: string): Promise<void> {
    const { buffer, logger, onDone } = this.#options
    try {
      const readings = await buffer.requeueDeadLetters()
      this.#executed = request
      logger.info({ readings }, 'rejected readings are sent once more, as the hub requested')
      onDone()
    } catch (error) {
      logger.error({ error: shortError(error) }, 'rejected readings could not be requeued')
    } finally {
      this.#underWay = null
    }
  }
}
