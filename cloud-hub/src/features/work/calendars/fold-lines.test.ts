import { expect, it } from 'vitest'
import { foldLines } from './fold-lines.ts'

const folds = (text: string) => foldLines(`SUMMARY:${text}\r\n`).split('\r\n').slice(0, -1)
const graphemesOf = (text: string) =>
  [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map(({ segment }) => segment)

it.each([
  ['ASCII', 'x'.repeat(300)],
  ['letters of two octets', 'é'.repeat(200)],
  ['letters with combining marks', 'a\u0301'.repeat(100)],
  ['emoji joined to a family', '👨‍👩‍👧‍👦'.repeat(20)],
  ['emoji with a skin tone', '👩🏽‍🔧'.repeat(30)],
  ['flags', '🇩🇪'.repeat(60)],
  ['Devanagari', 'क्षत्रिय '.repeat(40)],
])('a line of %s is folded between graphemes at 75 octets', (_, text) => {
  const lines = folds(text)
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.every((line) => Buffer.byteLength(line) <= 75)).toBe(true)
  expect(lines.slice(1).every((line) => line.startsWith(' '))).toBe(true)
  expect(lines.map((line, i) => (i === 0 ? line : line.slice(1))).join('')).toBe(`SUMMARY:${text}`)
  expect(lines.flatMap((line, i) => graphemesOf(i === 0 ? line : line.slice(1)))).toEqual(graphemesOf(`SUMMARY:${text}`))
})

it('a grapheme that is longer than a line is split between code points', () => {
  const lines = folds(`a${'\u0301'.repeat(200)}`)
  expect(lines.every((line) => Buffer.byteLength(line) <= 75 && line.isWellFormed())).toBe(true)
})

it('a line that was folded inside a grapheme is folded again', () => {
  expect(foldLines('SUMMARY:e\r\n \u0301\r\nEND:VEVENT\r\n')).toBe('SUMMARY:e\u0301\r\nEND:VEVENT\r\n')
})
