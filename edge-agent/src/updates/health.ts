import { type Fault, fault } from '@haltless/protocol'
import type { ReportedStatus } from './reported-status.ts'

/** What worked before a switch, and so has to work after it. */
export interface StatusBaseline {
  /** collectors that brought values in the hour before */
  collectors: string[]
  /** the hub confirmed readings shortly before */
  hub: boolean
}

const HOUR_MS = 3_600_000
/** A hub that confirmed nothing for longer counts as unreachable. */
const CONFIRMED_WITHIN_MS = 600_000

/** @param status of the program before the switch; null: it told nothing, so nothing is asked of the new one but to run */
export function baselineOf(status: ReportedStatus | null): StatusBaseline {
  if (!status) return { collectors: [], hub: false }
  const since = status.readingClock.now - HOUR_MS
  // one that is without its device now delivered earlier, and cannot deliver again because of the update
  const delivered = Object.entries(status.collectors).filter(
    ([, { lastReadAt, state }]) => lastReadAt !== null && lastReadAt > since && state !== 'reconnecting',
  )
  const { state, lastReceiptAt } = status.uplink
  const confirmed = lastReceiptAt !== null && lastReceiptAt > status.writtenAt - CONFIRMED_WITHIN_MS
  return { collectors: delivered.map(([name]) => name), hub: state === 'sending' && confirmed }
}

/**
 * What the new program still owes.
 * @param before what the program before the switch told
 * @param isLastPoll a collector whose source has nothing to report has been waited for long enough
 * @returns null: everything that worked works again
 */
export function missingAfterSwitch(
  status: ReportedStatus | null,
  version: string,
  before: ReportedStatus | null,
  baseline: StatusBaseline,
  isLastPoll: boolean,
): Fault | null {
  // a computer that was started again may give the same process id
  const isSame = status?.pid === before?.pid && status?.startedAt === before?.startedAt
  if (!status || status.version !== version || isSame) return fault('update_does_not_start')
  const unread = baseline.collectors.filter((name) => (status.collectors[name]?.lastReadAt ?? null) === null)
  const silent = unread.filter((name) => !isWaiting(status.collectors[name]))
  if (silent.length > 0) {
    const [first] = silent
    const detail = status.collectors[first as string]?.detail
    const more = silent.length > 1 ? ` and ${silent.length - 1} more` : ''
    return fault('update_delivers_nothing', { collectors: `${first}${detail ? ` (${detail})` : ''}${more}` })
  }
  if (unread.length > 0 && !isLastPoll) return fault('update_waits_for_sources', { collectors: unread.join(', ') })
  if (!baseline.hub) return null
  if (unread.length === baseline.collectors.length)
    return status.hub.lastAnswerAt === null ? fault('update_without_hub', { text: status.hub.detail }) : null
  if (status.uplink.liveStoredTotal > 0) return null
  const text = status.uplink.detail
  return text ? fault('update_confirms_nothing_because', { text }) : fault('update_confirms_nothing')
}

/** Whether a collector works and its source has nothing to report, such as a file that nobody writes now. */
const isWaiting = (status: ReportedStatus['collectors'][string] | undefined): boolean =>
  status?.isEventDriven === true && status.state === 'running'
