import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RowContext } from './row.ts'

const PRELOADED = pathToFileURL(path.join(import.meta.dirname, 'shifted-clock.ts')).href
/** Steps of a clock that runs fast. */
const STEP_MS = 100

/** A wall clock for hubs that begins at another time and can run faster, so that hours and days end while a row runs. */
export interface HubClock {
  /** settings for the hub */
  env: Record<string, string>
  /** Unix ms */
  now(): number
  /** Moves forward to a time, Unix ms. */
  advanceTo(at: number): void
  /** From now on, `speed` seconds of this clock are one second. Access tokens expire sooner then. */
  run(speed: number): void
}

export function hubClock(context: RowContext, start: number): HubClock {
  const file = path.join(context.dir, 'clock')
  let offset = start - Date.now()
  const write = () => {
    // a program never reads a part of the number
    writeFileSync(`${file}.new`, String(offset))
    renameSync(`${file}.new`, file)
  }
  const advance = (ms: number) => {
    offset += ms
    write()
  }
  write()
  const now = () => Date.now() + offset
  return {
    env: { FAULTS_CLOCK: file, NODE_OPTIONS: `--import=${PRELOADED}` },
    now,
    advanceTo: (at) => advance(Math.max(0, at - now())),
    run: (speed) => {
      const timer = setInterval(() => advance((speed - 1) * STEP_MS), STEP_MS)
      context.defer(() => clearInterval(timer))
    },
  }
}
