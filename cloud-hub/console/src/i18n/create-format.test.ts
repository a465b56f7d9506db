import { expect, it } from 'vitest'
import { createFormat } from './create-format.ts'

it.each([
  [0, '0'],
  [-0.000_001, '-0,000001'],
  [1e-12, '1E-12'],
  [2.34567, '2,346'],
  [8005.4, '8.005'],
  [999_999_999_999, '999.999.999.999'],
  [1e300, '1E300'],
  [-123_456_789_012_345, '-1,235E14'],
])('the value %d is written %s in German', (value, text) => {
  expect(createFormat({ locale: 'de-DE', timeZone: 'Europe/Berlin', units: {} }).number(value)).toBe(text)
})
