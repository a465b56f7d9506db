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

it.each([
  ['en-GB', 1, 'bool', 'on', '1', 'on or off'],
  ['en-GB', 0, 'bool', 'off', '0', 'on or off'],
  ['en-GB', 0.63, 'bool', '0.63', '0.63', 'on or off'],
  ['de-DE', 1, 'bool', 'ein', '1', 'ein oder aus'],
  ['de-DE', 3, 'count', '3', '3', 'Anzahl'],
  ['en-GB', 3, 'none', '3', '3', 'no unit'],
  ['en-GB', 3, 'unknown', '3', '3', 'unit unknown'],
  ['de-DE', 3, 'celsius', '3\u00a0°C', '3\u00a0°C', '°C'],
  ['en-GB', 3, 'furlongs', '3\u00a0furlongs', '3\u00a0furlongs', 'furlongs'],
])('in %s %d %s is "%s", as a threshold "%s", of the unit "%s"', (locale, value, unit, text, limit, label) => {
  const format = createFormat({ locale, timeZone: 'UTC', units: {} })
  expect([format.value(value, unit), format.limit(value, unit), format.unitLabel(unit)]).toEqual([text, limit, label])
  expect([format.machineValue(value, unit), format.converted(value, unit)]).toEqual([text, text])
  expect(format.tick(value, unit)).toBe(unit === 'bool' ? (text === limit ? '' : text) : '3')
})
