import { expect, it } from 'vitest'
import type { CollectorStatus } from '../collectors/collector.ts'
import { baselineOf, missingAfterSwitch } from './health.ts'
import type { ReportedStatus } from './reported-status.ts'

const NOW = 1_790_000_000_000
const collector = (more: Partial<CollectorStatus>): CollectorStatus => ({
  state: 'running',
  detail: '',
  fault: null,
  lastAnswerAt: NOW,
  lastReadAt: NOW - 60_000,
  readingsTotal: 1,
  badValuesTotal: 0,
  badTags: [],
  missedPolls: { skipped: 0, failed: 0 },
  ...more,
})
const status = (version: string, collectors: Record<string, CollectorStatus>, liveStoredTotal = 0) =>
  ({
    pid: 1,
    version,
    startedAt: version === 'old' ? 1 : 2,
    writtenAt: NOW,
    readingClock: { now: NOW },
    uplink: { state: 'sending', detail: '', lastReceiptAt: NOW, liveStoredTotal },
    hub: { lastAnswerAt: NOW, detail: '' },
    collectors,
  }) as unknown as ReportedStatus
const missing = (
  before: Record<string, CollectorStatus>,
  after: Record<string, CollectorStatus>,
  liveStored = 0,
  isLastPoll = true,
) => {
  const old = status('old', before)
  return missingAfterSwitch(status('new', after, liveStored), 'new', old, baselineOf(old), isLastPoll)?.detail ?? null
}
const silent = (more: Partial<CollectorStatus> = {}) => collector({ lastReadAt: null, ...more })

it('a collector that is polled has to deliver again after an update', () => {
  expect(missing({ plc: collector({}) }, { plc: silent() }, 1)).toBe('these collectors deliver nothing any more: plc')
  expect(missing({ plc: collector({}) }, { plc: collector({}) })).toBe('the hub confirms no new readings')
  expect(missing({ plc: collector({}) }, { plc: collector({}) }, 1)).toBeNull()
})

it('a file that nobody writes during an update is no reason to take it back, one that cannot be read is', () => {
  const log = collector({ isEventDriven: true })
  expect(missing({ log }, { log: silent({ isEventDriven: true }) })).toBeNull()
  // until the end of the trial it may still bring something
  const waits = 'these collectors wait for their source: log'
  expect(missing({ log }, { log: silent({ isEventDriven: true }) }, 0, false)).toBe(waits)
  expect(missing({ log, plc: collector({}) }, { log: silent({ isEventDriven: true }), plc: collector({}) }, 1, false)).toBe(waits)
  expect(missing({ log }, { log: silent({ isEventDriven: true, state: 'failing', detail: 'permission denied' }) })).toBe(
    'these collectors deliver nothing any more: log (permission denied)',
  )
  expect(missing({ log, plc: collector({}) }, { log: silent({ isEventDriven: true }), plc: collector({}) })).toBe(
    'the hub confirms no new readings',
  )
})

it('a device that was switched off before an update is no reason to take it back, although it delivered within the hour', () => {
  const off = collector({ state: 'reconnecting' })
  expect(
    missing({ plc: off, press: collector({}) }, { plc: silent({ state: 'reconnecting' }), press: collector({}) }, 1),
  ).toBeNull()
})
