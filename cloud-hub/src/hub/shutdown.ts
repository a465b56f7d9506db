import type { Logger } from '../support/logger.ts'

/** Undoes the start of a hub: each part defers what stops it, and `run` goes through these steps in reverse order. */
export class Shutdown {
  readonly #logger: Logger
  readonly #steps: (() => unknown)[] = []
  #running: Promise<void> | null = null

  constructor(logger: Logger) {
    this.#logger = logger
  }

  defer(step: () => unknown): void {
    this.#steps.push(step)
  }

  /** A step that fails is logged, and the next one runs. Calls after the first wait for that one. */
  run(): Promise<void> {
    this.#running ??= this.#runSteps()
    return this.#running
  }

  async #runSteps(): Promise<void> {
    for (const step of this.#steps.reverse()) {
      try {
        await step()
      } catch (error) {
        this.#logger.warn({ err: error }, 'a part did not stop cleanly')
      }
    }
  }
}
