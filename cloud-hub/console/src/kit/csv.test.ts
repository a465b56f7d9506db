import { expect, it } from 'vitest'
import { csvLines } from './csv.ts'

it('cells with separators, quotes and line breaks are quoted, and formulas get an apostrophe', () => {
  expect(csvLines([['a;b', 'a\tb', 'a,b', 'a "b"', 'a\nb', '=1;2', -1.5, null]])).toBe(
    `\uFEFF"a;b","a\tb","a,b","a ""b""","a\nb","'=1;2",-1.5,\r\n`,
  )
})
