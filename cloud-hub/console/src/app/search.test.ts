import { describe, expect, it } from 'vitest'
import { day, fields, oneOf, path, positive } from './search.ts'

describe('the page that a sign-in leads to', () => {
  it.each(['/', '/alerts?severity=critical', '/machines/1?tab=work#top'])('%s is one of the console', (value) => {
    expect(path(value)).toBe(value)
  })

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\t//evil.example',
    '/.//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'alerts',
    '',
  ])('%j is another site, or none, and is ignored', (value) => {
    expect(path(value)).toBeUndefined()
  })
})

describe('the search values of a route', () => {
  it('are undefined where they are not valid, since the router would use those of the address without the key', () => {
    const read = fields({ tab: oneOf(['a', 'b']), page: positive, next: path })
    expect(read({ tab: 'a', page: 2, more: 'x' })).toStrictEqual({ tab: 'a', page: 2 })
    const wrong = { tab: 'c', page: '-1', next: 'https://evil.example' }
    expect(read(wrong)).toStrictEqual({ tab: undefined, page: undefined, next: undefined })
  })
})

it.each(['2026-13-01', '0000-01-01', '9999-12-31', 'today'])('%s is no day of a calendar', (value) => {
  expect([day(value), day('2026-03-01')]).toEqual([undefined, '2026-03-01'])
})
