import { expect, it } from 'vitest'
import { gripped } from './chart-gestures.ts'

const hour = { from: 0, to: 3_600 }

it('one finger moves the range by what it moved', () => {
  expect(gripped(hour, 100, [50], [75])).toEqual({ from: -900, to: 2_700 })
})

it('two fingers zoom, and each keeps the instant that it touched', () => {
  expect(gripped(hour, 100, [25, 75], [0, 100])).toEqual({ from: 900, to: 2_700 })
  expect(gripped(hour, 100, [0, 100], [25, 75])).toEqual({ from: -1_800, to: 5_400 })
})

it('two fingers that meet in one point do not zoom without end', () => {
  expect(gripped(hour, 100, [20, 80], [50, 50])).toEqual({ from: -1_080, to: 2_520 })
})
