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

test('missed polls of a collector become one record in ten minutes, with the first and the last instant', () => {
  const { got, at, missed } = start()
  missed.note(null, 'no_answer', 1_000, 4_000, 4)
  at.ms = 10 * MINUTE - 1
  missed.note(null, 'no_answer', 8_000, 9_000, 2)
  missed.flush('due')
  expect(got).toEqual([])
  at.ms = 10 * MINUTE
  missed.flush('due')
  missed.flush('all')
  expect(got).toEqual([{ machine: 'press', metric: null, unit: '', reason: 'no_answer', fromAt: 1_000, toAt: 9_000, count: 6 }])
})

test('a tag without a value becomes one record in an hour, apart from those of its collector and of another reason', () => {
  const { got, at, missed } = start()
  missed.note(0, 'no_value', 1_000, 1_000, 1)
  missed.note(0, 'no_value', 2_000, 2_000, 1)
  missed.note(null, 'skipped', 3_000, 3_000, 1)
  missed.note(null, 'no_answer', 4_000, 4_000, 1)
  at.ms = 10 * MINUTE
  missed.flush('due')
  expect(got.map(({ reason }) => reason)).toEqual(['skipped', 'no_answer'])
  at.ms = 60 * MINUTE - 1
  missed.flush('due')
  expect(got).toHaveLength(2)
  at.ms = 60 * MINUTE
  missed.flush('due')
  expect(got[2]).toEqual({
    machine: 'press',
    metric: 'speed',
    unit: 'rpm',
    reason: 'no_value',
    fromAt: 1_000,
    toAt: 2_000,
    count: 2,
  })
})

test('when the collector stops nothing is kept back', () => {
  const { got, missed } = start()
  missed.note(0, 'no_value', 1_000, 1_000, 1)
  missed.note(null, 'skipped', 3_000, 3_000, 1)
  missed.flush('all')
  expect(got).toHaveLength(2)
})

test('a collector of several machines records what it missed for each of them', () => {
  const { got, missed } = start(tagsOf('press', 'saw', 'press'))
  missed.note(null, 'no_answer', 1_000, 4_000, 4)
  missed.note(1, 'no_value', 5_000, 5_000, 1)
  missed.flush('all')
  expect(got.map(({ machine, metric, count }) => [machine, metric, count])).toEqual([
    ['press', null, 4],
    ['saw', null, 4],
    ['saw', 'speed', 1],
  ])
})
