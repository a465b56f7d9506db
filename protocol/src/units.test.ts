import { expect, it } from 'vitest'
import { unitSymbol } from './units.ts'

it.each([
  ['celsius', '°C'],
  ['m3/h', 'm³/h'],
  ['Nm3/h', 'Nm³/h'],
  ['m/s2', 'm/s²'],
  ['m^3', 'm³'],
  ['mm2', 'mm²'],
  ['kg/m3', 'kg/m³'],
  ['ppm CO2', 'ppm CO2'],
  ['rms2', 'rms2'],
  ['l/min', 'l/min'],
  ['um', 'µm'],
  ['constructor', 'constructor'],
  ['count', ''],
])('people write the unit %s as "%s"', (unit, symbol) => {
  expect([unitSymbol(unit), unitSymbol(unit, 'de')]).toEqual([symbol, symbol])
})

it('a German reader reads revolutions as U/min', () => {
  expect([unitSymbol('rpm'), unitSymbol('rpm', 'de')]).toEqual(['rpm', 'U/min'])
})
