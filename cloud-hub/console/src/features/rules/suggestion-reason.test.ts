import { expect, it } from 'vitest'
import { figuresOf } from './suggestion-reason.ts'

it('reads the figures of a suggestion', () => {
  const reason =
    'In the last 7 days 10,080 readings of 2 machines were usually 1,022.5 mm/s, give or take 8E-7. Warning is 3 standard deviations below that, critical 5; single outliers do not count.'
  expect(figuresOf(reason)).toEqual({ readings: 10_080, machines: 2, usual: 1_022.5, spread: 8e-7, side: 'below' })
  expect(figuresOf(reason.replace('2 machines', 'one machine'))?.machines).toBe(1)
  expect(figuresOf('Because.')).toBeNull()
})
