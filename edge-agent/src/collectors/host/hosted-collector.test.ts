import { fault } from '@haltless/protocol'
import { expect, it } from 'vitest'
import { createLogger } from '../../support/logger.ts'
import type { CollectorClock, CollectorSource } from '../collector.ts'
import type { MissedPollSpan } from '../missed-polls.ts'
import { HostedCollector } from './hosted-collector.ts'

function hosted() {
  const time = { ms: 1_000_000 }
  const reports: MissedPollSpan[] = []
  const collector = new HostedCollector(
    1,
    {
      protocol: 'mqtt',
      name: 'press',
      machine: 'press-01',
      pollIntervalSeconds: 1,
      config: { topics: [{}] },
    } as unknown as CollectorSource,
    {
      clock: { now: () => time.ms } as CollectorClock,
      logger: createLogger('silent'),
      pkiDir: '',
      trustAdvice: () => '',
      onReadings: () => {},
      onMissedPolls: (spans) => reports.push(...spans),
    },
    () => {},
    () => {},
  )
  collector.start()
  const told = () => reports.splice(0).map(({ fromAt, toAt, count, isOver }) => ({ fromAt, toAt, count, isOver }))
  return { collector, time, told }
}
const MISSED = {
  key: 'all',
  machine: 'press-01',
  metric: null,
  unit: '',
  reason: 'no_answer',
  fromAt: 1_000_000,
  stepMs: 1_000,
} as const

it('what a process had not reported when it ended follows from what it had', () => {
  const { collector, time, told } = hosted()
  collector.receive({ kind: 'missed', id: 1, spans: [{ ...MISSED, toAt: 1_002_000, count: 3, isOver: false }] }, () => {})
  told()
  time.ms += 10_000
  collector.lost(fault('process_memory'), false)
  expect(told()[0]).toEqual({ fromAt: 1_000_000, toAt: 1_010_000, count: 11, isOver: true })
})

it('what a process reported as over is not counted again', () => {
  const { collector, time, told } = hosted()
  for (const isOver of [false, true])
    collector.receive({ kind: 'missed', id: 1, spans: [{ ...MISSED, toAt: 1_002_000, count: 3, isOver }] }, () => {})
  told()
  time.ms += 10_000
  collector.lost(fault('process_memory'), false)
  expect(told().filter(({ isOver }) => isOver)).toEqual([])
})

it.each(['begins again', 'is stopped'])('the polls without a process are known when it ends, and counted when it %s', (then) => {
  const { collector, time, told } = hosted()
  collector.lost(fault('process_memory'), false)
  expect(told()).toEqual([{ fromAt: 1_001_000, toAt: 1_000_000, count: 0, isOver: false }])
  time.ms += 30_500
  if (then === 'begins again') collector.begins()
  else collector.ended()
  expect(told()).toEqual([{ fromAt: 1_001_000, toAt: 1_030_000, count: 30, isOver: true }])
  expect(collector.status().missedPolls.failed).toBe(30)
})

it('what stood still in a process that was ended for it counts as missed from its last answer on', () => {
  const { collector, time, told } = hosted()
  const status = { ...collector.status(), state: 'running' as const, lastAnswerAt: time.ms }
  collector.receive({ kind: 'status', id: 1, status }, () => {})
  time.ms += 30_000
  collector.lost(fault('process_stood_still'), false)
  collector.begins()
  expect(told().at(-1)).toEqual({ fromAt: 1_001_000, toAt: 1_030_000, count: 30, isOver: true })
})

it('what a process had reported as missed is not counted again as without a process', () => {
  const { collector, time, told } = hosted()
  const status = { ...collector.status(), state: 'reconnecting' as const, lastAnswerAt: time.ms }
  collector.receive({ kind: 'status', id: 1, status }, () => {})
  collector.receive({ kind: 'missed', id: 1, spans: [{ ...MISSED, toAt: 1_002_000, count: 3, isOver: false }] }, () => {})
  time.ms += 20_000
  collector.lost(fault('process_memory'), false)
  time.ms += 5_000
  collector.begins()
  const counts = told().filter(({ isOver }) => isOver)
  expect(counts.map(({ count }) => count)).toEqual([21, 5])
})
