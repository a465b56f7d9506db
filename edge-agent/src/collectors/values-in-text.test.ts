import { expect, it } from 'vitest'
import { fieldOf, NoNumber, numberIn, scalarOfJson } from './values-in-text.ts'

const said = (value: number | string | NoNumber | undefined) => (value instanceof NoNumber ? value.reason : value)

it.each([
  ['72.5', '.', 72.5],
  [' +1e3 ', '.', 1_000],
  ['.5', '.', 0.5],
  ['5.', '.', 5],
  ['-0,25', ',', -0.25],
  ['TRUE', '.', 1],
  ['', '.', undefined],
  ['1,234', '.', '"1,234" is no number'],
  ['1.234,5', ',', '"1.234,5" is no number'],
  ['0x10', '.', '"0x10" is no number'],
  ['NaN', '.', '"NaN" is no number'],
  ['1e999', '.', 'the value is not a finite number'],
  ['9007199254740993', '.', 'the integer is beyond 2^53 and has no exact value'],
] as const)('%j with the mark %s is %j', (text, decimal, expected) => {
  expect(said(numberIn(text, { decimal }))).toBe(expected)
})

it.each([
  ['1.234,5', ',', '.', 1_234.5],
  ['-1.234.567', ',', '.', -1_234_567],
  ['234,5', ',', '.', 234.5],
  ['1234,5', ',', '.', 1_234.5],
  ['1,234.5', '.', ',', 1_234.5],
  ['12 345,5', ',', ' ', 12_345.5],
  ['12\u202f345\u00a0678', '.', ' ', 12_345_678],
  ["1'234.5", '.', "'", 1_234.5],
  ['1\u2019234.5', '.', "'", 1_234.5],
  ['0.750', ',', '.', '"0.750" is no number'],
  ['1.23', ',', '.', '"1.23" is no number'],
  ['1.2345', ',', '.', '"1.2345" is no number'],
  ['1234.567', ',', '.', '"1234.567" is no number'],
  ['1.234.5', ',', '.', '"1.234.5" is no number'],
  ['1,234', '.', ' ', '"1,234" is no number'],
  ['9.007.199.254.740.993', ',', '.', 'the integer is beyond 2^53 and has no exact value'],
] as const)('%j with the marks %s and %s is %j', (text, decimal, thousands, expected) => {
  expect(said(numberIn(text, { decimal, thousands }))).toBe(expected)
})

it('a text of a megabyte is refused at once', () => {
  const startedAt = performance.now()
  expect(said(numberIn(`${'9'.repeat(1_000_000)}x`))).toMatch(/^"9{40}\.\.\." is no number$/)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

it.each([
  [{ a: { b: [1, { c: 2 }] } }, 'a.b.1.c', 2],
  [{ 'a.b': 1, a: { b: 2 } }, 'a.b', 1],
  [{ a: null }, 'a.b', undefined],
  [{}, '__proto__', undefined],
  [{}, 'constructor.name', undefined],
  [[5], '0', 5],
])('%j at %s holds %j', (value, field, expected) => {
  expect(fieldOf(value, field)).toBe(expected)
})

it('values of JSON are numbers, booleans and texts', () => {
  expect([1.5, true, '2', null, ' ', [1], {}].map((value) => said(scalarOfJson(value)))).toEqual([
    1.5,
    1,
    '2',
    undefined,
    undefined,
    'it holds a list, not a number',
    'it holds an object, not a number',
  ])
})
