import { expect, it } from 'vitest'
import { nextIndex, zoomed } from './chart-keys.ts'

it('a key goes to the next reading and skips what has none', () => {
  const has = (index: number) => index !== 1 && index < 3
  expect([nextIndex(-1, 1, 4, has), nextIndex(0, 1, 4, has), nextIndex(2, 1, 4, has)]).toEqual([0, 2, null])
  expect([nextIndex(4, -1, 4, has), nextIndex(2, -1, 4, has), nextIndex(0, -1, 4, has)]).toEqual([2, 0, null])
})

it('a zoom keeps the place of the instant at the cursor', () => {
  expect(zoomed({ from: 0, to: 100 }, 0.5, 20)).toEqual({ from: 10, to: 60 })
  expect(zoomed({ from: 0, to: 100 }, 2, 100)).toEqual({ from: -100, to: 100 })
})
