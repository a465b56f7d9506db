import { fault } from '@haltless/protocol'
import { expect, test } from 'vitest'
import { shownNumber, valueLines } from './messages.ts'
import { readingValue, tagOf } from './tag.ts'
import { NoNumber } from './values-in-text.ts'

const tagWith = (more: object = {}) => tagOf({ metric_name: 'm', unit: 'u', scale: 1, offset: 0, ...more }, 'raw', 'machine')
const said = (raw: number | string | NoNumber, more: object = {}) => {
  const value = readingValue(raw, tagWith(more))
  return value instanceof NoNumber ? value.reason : value
}

test.each([
  [906, { scale: 0.1 }, 90.6],
  [0.1 + 0.2, {}, 0.1 + 0.2],
  [32_767, { invalid: [32_767, -32_768], scale: 0.1 }, 'the device sent 32767, which is listed as invalid'],
  [-32_768, { invalid: [32_767, -32_768] }, 'the device sent -32768, which is listed as invalid'],
  [3_276.7, { invalid: [32_767], scale: 0.1 }, 327.67],
  [Math.fround(-9_999.9), { invalid: [-9_999.9] }, /^the device sent -9999.9\d*, which is listed as invalid$/],
  [1_000, { max: 100, scale: 0.1 }, 100],
  [1_001, { max: 100, scale: 0.1 }, 'the value is above max 100'],
  [-1, { min: 0 }, 'the value is below min 0'],
  [0, { min: 0, max: 0 }, 0],
  [Number.NaN, { min: 0 }, 'the value is not a finite number'],
  [Number.POSITIVE_INFINITY, {}, 'the value is not a finite number'],
  [1e308, { scale: 1e10 }, 'the value is not a finite number'],
  [new NoNumber(fault('sparkplug_null')), { min: 0 }, 'the node reports that it has no value'],
])('the value %s of a tag with %o is %s', (raw, rules, expected) => {
  if (expected instanceof RegExp) expect(said(raw, rules)).toMatch(expected)
  else expect(said(raw, rules)).toBe(expected)
})

const values = { RUNNING: 1, STOPPED: 0, ' in setup ': 2 }
test.each([
  ['RUNNING', { values }, 1],
  ['STOPPED  ', { values }, 0],
  ['in setup', { values }, 2],
  ['RUNNING', { values, scale: 10, max: 0 }, 1],
  ['running', { values }, '"running" is neither in values nor a number'],
  ['constructor', { values }, '"constructor" is neither in values nor a number'],
  ['7', { values, scale: 10 }, 70],
  ['', { values }, '"" is neither in values nor a number'],
  ['', {}, 'the text is empty'],
  ['RUNNING', {}, '"RUNNING" is no number'],
  ['-9999', { invalid: [-9_999] }, 'the device sent -9999, which is listed as invalid'],
  ['x'.repeat(300), { values }, `"${'x'.repeat(40)}..." is neither in values nor a number`],
])('the text %j of a tag with %o is %s', (text, rules, expected) => {
  expect(said(text, rules)).toBe(expected)
})

test('a probe warns of a value that devices often send in place of one, unless the tag has rules for it', () => {
  const lines = (raw: number, more: object = {}) => {
    const tag = tagWith(more)
    const value = readingValue(raw, tag) as number
    return valueLines([tag], [{ machine: 'machine', metric: 'm', unit: 'u', rawTag: 'raw', timestamp: 0, value }], [])
  }
  const warning = (raw: number) => `; devices often send ${raw} for no value: if so, set invalid: [${raw}]`
  expect(lines(32_767, { scale: 0.1, offset: -50 })).toEqual([`raw m: 3226.7 u${warning(32_767)}`])
  for (const raw of [65_535, 2_147_483_648, -2_147_483_648, -9_999])
    expect(lines(raw)).toEqual([`raw m: ${raw} u${warning(raw)}`])
  expect(lines(65_535, { invalid: [-1] })).toEqual(['raw m: 65535 u'])
  expect(lines(65_534)).toEqual(['raw m: 65534 u'])
  expect(lines(5, { scale: 0, offset: 7 })).toEqual(['raw m: 7 u'])
})

test.each([
  [4_000_000_046, '4000000046'],
  [-9_007_199_254_740_991, '-9007199254740991'],
  [72.512345678, '72.51235'],
  [4_000_000_046.5, '4000000046.5'],
  [1.5e-9, '1.5e-9'],
  [1e300, '1e+300'],
])('%d is shown to a person as %s', (value, text) => {
  expect(shownNumber(value)).toBe(text)
})
