import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { UnansweredPings } from './unanswered-pings.ts'
import type { WatchdogData } from './watchdog.ts'

// The watchdog's thread, see `startWatchdog`.
const { pingMs } = workerData as WatchdogData
const pings = new UnansweredPings(pingMs, performance.now())

parentPort?.on('message', () => pings.answer())
setInterval(() => {
  if (pings.next(performance.now())) end()
  parentPort?.postMessage('ping')
}, pingMs)

/** Only system calls work while the main thread stands still: `console` and `process.exit` of a thread wait for it. */
function end(): void {
  const fields = { level: 'fatal', time: new Date().toISOString(), unanswered_pings: pings.count, ping_ms: pingMs }
  const line = JSON.stringify({ ...fields, msg: 'the event loop stands still; the watchdog ends the hub by SIGKILL' })
  try {
    writeSync(2, `${line}\n`)
  } catch {} // no one reads the log any more
  process.kill(process.pid, 'SIGKILL')
}
