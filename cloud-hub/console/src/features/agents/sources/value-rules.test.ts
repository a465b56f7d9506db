import { expect, test } from 'vitest'
import { indexRangeIn, numbersIn, numbersText, textsIn, textsText } from './value-rules.ts'

test.each([
  ['3', 3],
  [' 1, 2 ', '1,2'],
  ['first', 'first'],
  [' ', undefined],
])('the element in %j is %j', (text, element) => {
  expect(indexRangeIn(text)).toEqual(element)
})

test.each([
  ['32767; -32768', [32_767, -32_768]],
  ['32767, -32768,', [32_767, -32_768]],
  [' 0x7FFF\n-9999 ', [32_767, -9_999]],
  ['0,5', ['0,5']],
  ['n/a', ['n/a']],
  [' ', undefined],
])('the numbers in %j are %j', (text, numbers) => {
  expect(numbersIn(text)).toEqual(numbers)
})

test.each([
  ['RUNNING = 1\nSTOPPED=0\n', { RUNNING: 1, STOPPED: 0 }],
  ['a = b = -1.5', { 'a = b': -1.5 }],
  ['RUNNING', { RUNNING: '' }],
  ['RUNNING = on', { RUNNING: 'on' }],
  ['\n', undefined],
])('the texts in %j are %j', (text, values) => {
  expect(textsIn(text)).toEqual(values)
})

test('rules are shown as they are entered', () => {
  expect(numbersIn(numbersText([32_767, -0.5]))).toEqual([32_767, -0.5])
  expect(textsIn(textsText({ RUNNING: 1, 'in setup': 2 }))).toEqual({ RUNNING: 1, 'in setup': 2 })
  expect([numbersText(undefined), textsText(undefined)]).toEqual(['', ''])
})
