import type { Clock } from './clock.ts'

/** Lets a loop sleep until a wake-up or a timeout. A wake-up without a sleeper ends the next sleep. */
export class WakeUp {
  #isDue = false
  #wakeSleeper: (() => void) | null = null

  wake(): void {
    this.#isDue = true
    this.#wakeSleeper?.()
  }

  /** Resolves after `ms`, at a wake-up or when `signal` aborts; for one sleeper at a time. */
  async sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isDue) {
      const awake = new AbortController()
      this.#wakeSleeper = () => awake.abort()
      await clock.sleep(ms, AbortSignal.any([awake.signal, signal]))
      this.#wakeSleeper = null
    }
    this.#isDue = false
  }
}
