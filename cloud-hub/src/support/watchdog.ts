import { url as debuggerUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { Logger } from './logger.ts'

/** What the thread is started with. */
export interface WatchdogData {
  /** time between pings */
  pingMs: number
}

/** The thread's heap; it allocates next to nothing. */
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }

/**
 * Starts a thread that pings the event loop of this thread, and ends the process by SIGKILL when twelve pings in a row have no answer: an
 * endless loop cannot end itself, and the supervisor of the hub starts it again. It does not keep the process alive.
 *
 * A debugger stops the event loop for as long as a person thinks, so there is no watchdog under one, and it ends when one attaches.
 * @returns its thread; null under a debugger
 */
export function startWatchdog(logger: Logger, pingMs = 5_000): Worker | null {
  if (debuggerUrl()) return null
  if (process.pid === 1)
    logger.warn('the watchdog cannot end the hub, because the kernel protects process 1 from it: start the hub under an init')
  const workerData: WatchdogData = { pingMs }
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    name: 'watchdog',
    workerData,
    execArgv: [],
    resourceLimits: LIMITS,
  })
  thread
    .on('message', () => {
      if (debuggerUrl()) thread.terminate()
      else thread.postMessage('answer')
    })
    .on('error', (error) => logger.error({ err: error }, 'the watchdog ended; a hub that stands still is no longer ended'))
    .unref()
  return thread
}
