import { expect, it } from 'vitest'
import { parseRange } from './byte-range.ts'

it('a Range header selects a part of a file, all of it, or nothing, as RFC 9110 says', () => {
  const cases: [string | null, number, string][] = [
    [null, 10, 'null'],
    ['bytes=0-0', 10, '0-0'],
    ['bytes=2-4', 10, '2-4'],
    ['bytes=2-', 10, '2-9'],
    ['bytes=9-99', 10, '9-9'],
    ['bytes=-3', 10, '7-9'],
    ['bytes=-99', 10, '0-9'],
    ['bytes= 1 - 2 ', 10, '1-2'],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=10-12', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-1', 0, 'unsatisfiable'],
    ['bytes=4-2', 10, 'null'],
    ['bytes=-', 10, 'null'],
    ['bytes=a-b', 10, 'null'],
    ['bytes=0-1,3-4', 10, 'null'],
    ['lines=0-1', 10, 'null'],
  ]
  for (const [header, size, expected] of cases) {
    const found = parseRange(header, size)
    expect([header, typeof found === 'object' && found ? `${found.first}-${found.last}` : String(found)]).toEqual([
      header,
      expected,
    ])
  }
})
