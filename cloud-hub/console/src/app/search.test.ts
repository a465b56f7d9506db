import { describe, expect, it } from 'vitest'
import { path } from './search.ts'

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
