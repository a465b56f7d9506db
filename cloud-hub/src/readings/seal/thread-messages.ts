import type { Retention } from './old-data.ts'
import type { LogLine } from './progress.ts'
import type { HintsOfProcess } from './seal-hints.ts'
import type { SealReport } from './seal-runner.ts'

/** The system login, as plain strings: a Secret does not reach another thread. */
export interface ThreadData {
  url: string
  username?: string
  password?: string
  socket?: string
}

/** To the sealer's thread. Each tick is answered with a report, each request by its number. */
export type Command =
  | { tick: { now: Date; hints: HintsOfProcess } }
  | { removeExpired: { request: number; now: Date; retention: Retention } }
  | 'stop'

/** From the sealer's thread. */
export type Answer =
  | { report: SealReport }
  | { line: LogLine }
  | { removed: { request: number; readings: number } }
  | { failed: { request: number; error: Error } }
