import { describe, expect, it } from 'vitest'
import { normalizeInstant, SentInstant } from './instant.ts'

describe('an instant of RFC 3339', () => {
  it.each([
    ['2026-11-24T10:00:00Z', '2026-11-24T10:00:00Z'],
    ['2026-11-24t10:00:00.5z', '2026-11-24T10:00:00.5Z'],
    ['2026-11-24t10:00:00+02:00', '2026-11-24T10:00:00+02:00'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31t23:59:60.500z', '2017-01-01T00:00:00.500Z'],
    ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00.000Z'],
    ['1990-12-31T15:59:60-08:00', '1991-01-01T00:00:00.000Z'],
  ])('%s is read as %s', (text, expected) => {
    expect(SentInstant.parse(text)).toBe(expected)
  })

  it.each([
    '2026-11-24T10:60:00Z',
    '2026-11-24T24:00:60Z',
    '2026-13-24T10:00:60Z',
    '2026-02-30T23:59:60Z',
    '2026-11-24 10:00:00Z',
    '2026-11-24T10:00:61Z',
    '2026-11-24',
    '',
  ])('%j stays as it is, and is refused', (text) => {
    expect(normalizeInstant(text)).toBe(text)
    expect(SentInstant.safeParse(text).success).toBe(false)
  })
})
