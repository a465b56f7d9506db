import { expect, it } from 'vitest'
import { metricOf, proposedUnit, unitLabelOf } from './source.ts'

it.each([
  ['Boolean', 'door_open', 'bool'],
  ['Boolean', 'part_count', 'bool'],
  ['bool', '', 'bool'],
  ['UInt32', 'good_count', 'count'],
  ['Int32', 'parts_total', 'count'],
  ['uint16', 'stueck', 'count'],
  ['Double', 'counterweight', 'none'],
  ['Double', 'pressure', 'none'],
  [null, 'account', 'none'],
])('a value of type %s named %s without a unit has the unit %s', (type, metric, unit) => {
  expect(proposedUnit(type, metric)).toBe(unit)
})

it('a node is named and labelled as the hub writes metrics and units', () => {
  expect(metricOf('OilTemperature')).toBe('oil_temperature')
  expect(unitLabelOf('°C')).toBe('celsius')
  expect(unitLabelOf('bar')).toBe('bar')
  expect(unitLabelOf('l/min')).toBe('l/min')
})
