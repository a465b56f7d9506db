import type { Logger } from '../support/logger.ts'

/** Stops the parts of a hub: each part defers its stop step, and `run` runs the steps in reverse order. */
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

  /** Runs all steps. A step that fails is logged, and the next one runs. Later calls wait for the first. */
  run(): Promise<void> {
    this.#running ??= this.#runSteps()
    return this.#running
  }

  async #runSteps(): Promise<void> {
    for (const step of this.#steps.reverse()) {
      try {
        await step()
      } catch (error) {
        this.#logger.warn({ err: error }, 'a step of the shutdown failed; the next steps run')
      }
    }
  }
}
