import { expect, it } from 'vitest'
import { PullBounds } from './pull-bounds.ts'

const names = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `asset ${from + n}`)

it('a pull ends at a link that the ERP has named before, and not at the last page', () => {
  const bounds = new PullBounds(0)
  expect(bounds.note(['a'], 'page 2').end).toBeNull()
  expect(bounds.note(['b'], 'page 3').end).toBeNull()
  expect(bounds.note(['c'], 'page 2').end).toMatchObject({
    reason: 'maintenance',
    message: expect.stringMatching(/lead in a circle/),
  })
  expect(bounds.note(['d'], null).end).toBeNull()
})

it('a pull ends after 100 pages in a row without a new asset, and not after 99', () => {
  const bounds = new PullBounds(0)
  expect(bounds.note(['a'], 'first').end).toBeNull()
  const ends = Array.from({ length: 99 }, (_, n) => bounds.note(n % 2 ? [] : ['a'], `${n}`).end)
  expect(new Set(ends)).toEqual(new Set([null]))
  expect(bounds.note([], 'one more').end?.message).toMatch(/100 pages in a row without a new asset/)

  const again = new PullBounds(0)
  for (let n = 0; n < 99; n++) again.note([], `${n}`)
  expect(again.note(['b'], 'new').end).toBeNull()
  expect(again.note([], 'next').end).toBeNull()
})

it('a pull ends at 1,000,000 assets with a next page, counted over all processes of the run', () => {
  const bounds = new PullBounds(999_997)
  expect(bounds.note(names(2), 'page 2').end).toBeNull()
  expect(bounds.note(names(1, 2), 'page 3').end?.message).toMatch(/1,000,000 assets/)
  expect(bounds.note(names(1, 3), null).end).toBeNull()
})

it('names the assets of a page that no earlier page had', () => {
  const bounds = new PullBounds(0)
  expect(bounds.note(['a', 'b', 'a'], 'page 2').added).toEqual(new Set(['a', 'b']))
  expect(bounds.note(['b', 'c'], null).added).toEqual(new Set(['c']))
})
