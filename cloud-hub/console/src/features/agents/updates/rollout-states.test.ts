import { expect, it } from 'vitest'
import { progressOf, sizesIn, wavesOf } from './rollout-states.ts'

it('the last wave has what remains, and no wave is empty', () => {
  expect(wavesOf(100, [1, 10])).toEqual([1, 10, 89])
  expect(wavesOf(11, [1, 10])).toEqual([1, 10])
  expect(wavesOf(5, [1, 10])).toEqual([1, 4])
  expect(wavesOf(1, [1, 10])).toEqual([1])
})

it('sizes of waves are whole numbers from 1 to 10,000', () => {
  expect(sizesIn(' 1, 10; 100 ')).toEqual([1, 10, 100])
  for (const text of ['', '0', '1.5', 'a', '10001', '-1', Array(21).fill(1).join(' ')]) expect(sizesIn(text)).toBeNull()
})

it('agents that were skipped take no part', () => {
  expect(progressOf({ counts: { confirmed: 3, announced: 2, skipped: 5 } })).toEqual({ confirmed: 3, all: 5 })
})
