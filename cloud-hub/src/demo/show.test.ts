import { expect, it } from 'vitest'
import { statusSize } from './show.ts'

it('the status of the demonstration leaves one row free, and a terminal of 0 rows and columns counts as 24 by 80', () => {
  expect(statusSize({ columns: 120, rows: 40 })).toEqual({ columns: 120, rows: 39 })
  expect(statusSize({ columns: 0, rows: 0 })).toEqual({ columns: 80, rows: 23 })
})
