import type { Logger } from './logger.ts'

/** Receives each run of a job: its duration, and whether it succeeded. */
export type JobObserver = (job: string, seconds: number, isOk: boolean) => void

const observers = new WeakMap<Logger, JobObserver>()

/** From now on the observer learns of all jobs that run with this logger, which each hub has one of. */
export const observeJobs = (logger: Logger, observer: JobObserver): void => {
  observers.set(logger, observer)
}

/**
 * Runs `work` again and again, `seconds` after it last ended, starting at once. A failure is logged and the next turn comes as usual.
 * Work must be safe to run in several replicas at once. @returns stops, and waits for a turn under way
 */
export function repeat(name: string, seconds: number, logger: Logger, work: () => Promise<unknown>): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let turn = Promise.resolve()
  const run = () => {
    turn = (async () => {
      const started = performance.now()
      const observe = (isOk: boolean) => observers.get(logger)?.(name, (performance.now() - started) / 1_000, isOk)
      try {
        await work()
        observe(true)
      } catch (error) {
        if (!stopped) observe(false)
        if (!stopped) logger.warn({ err: error, job: name }, 'a background job failed; it will run again')
      }
      if (!stopped) timer = setTimeout(run, seconds * 1000)
    })()
  }
  run()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await turn
  }
}
