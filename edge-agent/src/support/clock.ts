/** Time as the agent sees it. Passed in, so that a test can hold it still. */
export interface Clock {
  /** Wall clock: Unix time in whole milliseconds, UTC. May jump when somebody sets it: only for dating readings. */
  now(): number
  /** Milliseconds since some fixed instant, never going back: for intervals, timeouts and backoff. */
  monotonic(): number
  /** Resolves after `ms` (0 or less: after pending I/O), or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A timer of Node holds 31 bits of milliseconds and fires at once beyond. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The clock of this computer. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      if (ms <= 0) return void setImmediate(resolve)
      const dueAt = performance.now() + ms
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      // Node's timers count whole milliseconds and may fire almost two early: a poll would then miss its instant.
      const wait = (leftMs: number) => setTimeout(() => fire(), Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS))
      const fire = () => {
        const leftMs = dueAt - performance.now()
        if (leftMs > 0) timer = wait(leftMs)
        else wake()
      }
      let timer = wait(ms)
      signal?.addEventListener('abort', wake)
    }),
}
