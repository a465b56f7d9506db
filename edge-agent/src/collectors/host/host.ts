import { Backoff } from '../../support/backoff.ts'
import type { CollectorClock, CollectorDeps } from '../collector.ts'
import type { HostProcess } from './host-process.ts'
import type { HostedCollector } from './hosted-collector.ts'

/** Collectors that share a process, through all its restarts. */
export interface Host {
  library: string
  collectors: Set<HostedCollector>
  process: HostProcess | null
  startedAt: number
  /** ends in a row without a known culprit */
  unknownEnds: number
  backoff: Backoff
  timer: NodeJS.Timeout | undefined
  idleTimer: NodeJS.Timeout | undefined
  /** the clock and whether polling is allowed, as last sent to the process */
  sent: { anchorMs: number; offsetMs: number | null | undefined; mayPoll: boolean } | null
}

export const newHost = (library: string): Host => ({
  library,
  collectors: new Set(),
  process: null,
  startedAt: 0,
  unknownEnds: 0,
  backoff: new Backoff({ firstMs: 1_000, maxMs: 60_000 }),
  timer: undefined,
  idleTimer: undefined,
  sent: null,
})

/** Nothing runs in its process any more. */
export function retire(host: Host): void {
  host.process?.end()
  host.process = null
}

/** Sends a process what changed of its clock, which continues by the monotonic clock that all processes share, and whether polling is allowed. */
export function sendChanges(host: Host, { clock, mayPoll }: Pick<CollectorDeps, 'clock' | 'mayPoll'>): void {
  const { sent } = host
  const anchorMs = anchorOf(clock)
  const { offsetMs } = clock
  const isAllowed = mayPoll?.() ?? sent?.mayPoll ?? true
  // A clock of whole milliseconds gives an anchor that varies by one.
  const isSet = !sent || Math.abs(sent.anchorMs - anchorMs) > 2
  const next = { anchorMs: isSet ? anchorMs : sent.anchorMs, offsetMs, mayPoll: isAllowed }
  if (isSet || sent.offsetMs !== offsetMs) host.process?.send({ kind: 'clock', anchorMs: next.anchorMs, offsetMs })
  if (sent?.mayPoll !== isAllowed) host.process?.send({ kind: 'polling', mayPoll: isAllowed })
  host.sent = next
}

/** How often a clock of whole milliseconds is read to find where one begins. */
const READS = 20

/** What a clock was at the start of the computer, Unix ms: with it another process continues the clock. */
function anchorOf(clock: CollectorClock): number {
  if (clock.anchorMs !== undefined) return clock.anchorMs
  return Math.max(...Array.from({ length: READS }, () => clock.now() - Number(process.hrtime.bigint()) / 1e6))
}
