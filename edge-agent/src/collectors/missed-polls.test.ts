import { expect, test } from 'vitest'
import type { Clock } from '../support/clock.ts'
import { type MissedPollSpan, MissedPolls } from './missed-polls.ts'
import { tagOf } from './tag.ts'

const MINUTE = 60_000
const tagsOf = (...machines: string[]) =>
  machines.map((machine) => tagOf({ metric_name: 'speed', unit: 'rpm', scale: 1, offset: 0 }, 'holding:1', machine))

function start(tags = tagsOf('press')) {
  const got: MissedPollSpan[] = []
  const at = { ms: 0 }
  const clock = { monotonic: () => at.ms } as Clock
  return { got, at, missed: new MissedPolls(tags, clock, (spans) => got.push(...spans)) }
}

const MISSED = { fromAt: 1_000, toAt: 1_000, count: 1 }
const overOf = (spans: MissedPollSpan[]) => spans.filter(({ isOver }) => isOver)

test('missed polls of a collector become one record in ten minutes, with the first and the last instant', () => {
  const { got, at, missed } = start()
  missed.note(null, 'no_answer', { fromAt: 1_000, toAt: 4_000, count: 4, stepMs: 1_000 })
  at.ms = 10 * MINUTE - 1
  missed.note(null, 'no_answer', { fromAt: 8_000, toAt: 9_000, count: 2, stepMs: 1_000 })
  missed.flush('due')
  expect(overOf(got)).toEqual([])
  at.ms = 10 * MINUTE
  missed.flush('due')
  missed.flush('all')
  const span = { key: '[null,"no_answer"]', machine: 'press', metric: null, unit: '', reason: 'no_answer' }
  const times = { fromAt: 1_000, toAt: 9_000, count: 6 }
  expect(overOf(got)).toEqual([{ ...span, ...times, isOver: true, stepMs: 0 }])
})

test('a tag without a value becomes one record in an hour, apart from those of its collector and of another reason', () => {
  const { got, at, missed } = start()
  missed.note(0, 'no_value', { fromAt: 1_000, toAt: 1_000, count: 1 })
  missed.note(0, 'no_value', { fromAt: 2_000, toAt: 2_000, count: 1 })
  missed.note(null, 'skipped', { fromAt: 3_000, toAt: 3_000, count: 1 })
  missed.note(null, 'no_answer', { fromAt: 4_000, toAt: 4_000, count: 1 })
  at.ms = 10 * MINUTE
  missed.flush('due')
  expect(overOf(got).map(({ reason }) => reason)).toEqual(['skipped', 'no_answer'])
  at.ms = 60 * MINUTE - 1
  missed.flush('due')
  expect(overOf(got)).toHaveLength(2)
  at.ms = 60 * MINUTE
  missed.flush('due')
  const span = { machine: 'press', metric: 'speed', unit: 'rpm', reason: 'no_value', fromAt: 1_000, toAt: 2_000, count: 2 }
  expect(overOf(got)[2]).toMatchObject({ ...span, isOver: true, stepMs: 0 })
})

test('when the collector stops nothing is kept back', () => {
  const { got, missed } = start()
  missed.note(0, 'no_value', MISSED)
  missed.note(null, 'skipped', { fromAt: 3_000, toAt: 3_000, count: 1 })
  missed.flush('all')
  expect(overOf(got)).toHaveLength(2)
})

test('a collector of several machines records what it missed for each of them', () => {
  const { got, missed } = start(tagsOf('press', 'saw', 'press'))
  missed.note(null, 'no_answer', { fromAt: 1_000, toAt: 4_000, count: 4 })
  missed.note(1, 'no_value', { fromAt: 5_000, toAt: 5_000, count: 1 })
  missed.flush('all')
  expect(got.map(({ machine, metric, count }) => [machine, metric, count])).toEqual([
    ['press', null, 4],
    ['saw', null, 4],
    ['saw', 'speed', 1],
  ])
})

test('missed polls are reported when they begin and when they end; their growth between is not', () => {
  const { got, at, missed } = start()
  const told = () => got.splice(0).map(({ count, stepMs, isOver }) => ({ count, stepMs, isOver }))
  missed.note(null, 'no_answer', { ...MISSED, stepMs: 1_000 })
  missed.flush('due')
  expect(told()).toEqual([{ count: 1, stepMs: 1_000, isOver: false }])
  for (let n = 0; n < 300; n++) {
    at.ms += 1_000
    missed.note(null, 'no_answer', { ...MISSED, stepMs: 1_000 })
    missed.flush('due')
  }
  expect(told()).toEqual([])
  missed.ended('collector')
  missed.flush('due')
  expect(told()).toEqual([{ count: 301, stepMs: 0, isOver: false }])
})

test('a device that misses every second poll is reported twice a minute at most, and nothing is claimed that did not miss', () => {
  const { got, at, missed } = start()
  let count = 0
  for (let n = 0; n < 300; n++) {
    at.ms += 1_000
    missed.note(null, 'no_answer', { ...MISSED, stepMs: 1_000 })
    missed.flush('due')
    count++
    at.ms += 1_000
    missed.ended('collector')
    missed.flush('due')
    // what follows from the last report at any moment is at most what has missed, and at most a minute behind it
    const last = got.at(-1) as MissedPollSpan
    expect(last.stepMs).toBe(0)
    expect(count - last.count).toBeLessThanOrEqual(30)
  }
  expect(got.length).toBeLessThanOrEqual(22)
})

test('growth that nobody can derive is reported once a minute, and at once for a transaction that stores progress', () => {
  const { got, at, missed } = start()
  const told = () => got.splice(0).map(({ count }) => count)
  const lose = () => {
    missed.note(['press'], 'no_answer', MISSED)
    missed.flush('due')
  }
  lose()
  lose()
  expect(told()).toEqual([1])
  at.ms = MINUTE
  lose()
  expect(told()).toEqual([3])
  lose()
  expect(missed.takeChanged().map(({ count }) => count)).toEqual([4])
  expect([missed.takeChanged(), told()]).toEqual([[], []])
})

test('single tags miss nothing while the collector gets no answer', () => {
  const { got, missed } = start()
  missed.note(0, 'no_value', { ...MISSED, stepMs: 1_000 })
  missed.flush('due')
  missed.ended('tags')
  missed.note(null, 'no_answer', { ...MISSED, stepMs: 1_000 })
  missed.flush('due')
  expect(got.map(({ reason, stepMs }) => [reason, stepMs])).toEqual([
    ['no_value', 1_000],
    ['no_value', 0],
    ['no_answer', 1_000],
  ])
})
