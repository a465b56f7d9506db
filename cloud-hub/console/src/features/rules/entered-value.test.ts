import { expect, it } from 'vitest'
import { createFormat } from '../../i18n/create-format.ts'
import { shownText, storedValue } from './entered-value.ts'

const american = createFormat({
  locale: 'en-US',
  timeZone: 'UTC',
  units: { temperature: 'fahrenheit', vibration: 'in/s', pressure: 'psi' },
})

it.each([
  [80, 'celsius', '176'],
  [4.5, 'mm/s', '0.177165'],
  [3, 'bar', '43.5113'],
  [0.1 + 0.2, 'decibel', '0.30000000000000004'],
])('the stored value %d %s is shown as %s', (stored, unit, text) => {
  expect(shownText({ stored, typed: null }, unit, american)).toBe(text)
})

it('an unedited value is stored with all digits', () => {
  expect(storedValue({ stored: 4.5, typed: null }, 'mm/s', american)).toBe(4.5)
})

it.each([
  ['176', 'celsius', 80],
  ['0.18', 'mm/s', 4.572],
  ['-40', 'celsius', -40],
  ['90', 'decibel', 90],
  ['90', undefined, 90],
  ['', 'celsius', undefined],
])('the entered text "%s" of %s is stored as %s', (typed, unit, value) => {
  expect(storedValue({ stored: 1, typed }, unit, american)).toBe(value)
})
