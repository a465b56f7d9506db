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

it.each([
  ['de-AT', 'bearing_temperature', 'Lagertemperatur'],
  ['de-AT', 'own_metric', 'Own metric'],
  ['en-GB', 'bearing_temperature', 'Bearing temperature'],
])('in %s the metric %s is called %s', (locale, name, label) => {
  expect(createFormat({ locale, timeZone: 'UTC', units: {} }).metric(name)).toBe(label)
})

it('a line never ends between a number and its unit', () => {
  const format = createFormat({ locale: 'en-GB', timeZone: 'UTC', units: {} })
  expect([format.value(62.4, 'celsius'), format.spread(2, 'bar'), format.percent(98), format.value(3, '')]).toEqual([
    '62.4\u00a0°C',
    '2\u00a0bar',
    '98\u00a0%',
    '3',
  ])
})
