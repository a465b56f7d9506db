import type { Logger } from './logger.ts'

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
      try {
        await work()
      } catch (error) {
        if (!stopped) logger.warn({ err: error, job: name }, 'a job failed; it runs again')
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
