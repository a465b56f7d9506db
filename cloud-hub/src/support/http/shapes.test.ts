import { describe, expect, it } from 'vitest'
import { FiniteNumber, Id, Paging, rangeEnd } from './shapes.ts'
import { validationMessage } from './validation-message.ts'
import { z } from './z.ts'

describe('one end of a range', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z', '2026-01-31T23:59:59.999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31t23:59:60.500z', '2017-01-01T00:00:00.500Z'],
    ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00.000Z'],
    ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T12:00:00-0530', '2026-01-31T17:30:00.000Z'],
    ['2026-01-31 12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T12:00:00 02:00', '2026-01-31T10:00:00.000Z'],
    ['1000-01-01', '1000-01-01T00:00:00.000Z', '1000-01-01T23:59:59.999Z'],
    ['9999-12-31', '9999-12-31T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, start, end = start) => {
    expect(rangeEnd('start').parse(text).toISOString()).toBe(start)
    expect(rangeEnd('end').parse(text).toISOString()).toBe(end)
  })

  it('that is a date to measure time until is the midnight after it', () => {
    expect(rangeEnd('until').parse('2024-02-29').toISOString()).toBe('2024-03-01T00:00:00.000Z')
    expect(rangeEnd('until').parse('2024-02-29T12:00Z').toISOString()).toBe('2024-02-29T12:00:00.000Z')
  })

  it.each([
    '',
    'yesterday',
    '2026-02-29',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-01-00',
    '2026-01-31T25:00:00Z',
    '2026-01-31T12:00:61Z',
    '2026-01-31T12:60Z',
    '2026-01-31T24:00:60Z',
    '2026-01-31T12:00(noon)',
    '2026-01-31T12:00:00+99:00',
    '0000-01-01',
    '0999-12-31',
    '+010000-01-01',
    '-000001-01-01',
    '9999-12-31T23:59:59-14:00',
    '1000-01-01T00:00:00+01:00',
    '1767225600000',
  ])('%s is refused, because the database could not be asked for it or it means nothing', (text) => {
    expect(rangeEnd('end').safeParse(text).success).toBe(false)
  })
})

describe('ids', () => {
  it('are accepted in any case and normalized to lower case, as the database writes them', () => {
    expect(Id.parse('01A1F919-7D0B-72A4-BABF-E9C0AA91A94E')).toBe('01a1f919-7d0b-72a4-babf-e9c0aa91a94e')
    expect(Id.safeParse('{01a1f919-7d0b-72a4-babf-e9c0aa91a94e}').success).toBe(false)
  })
})

describe('numbers', () => {
  it.each([
    ['{}', 'is required'],
    ['{"value": "5"}', 'must be a number, not a text'],
    ['{"value": 1e999}', 'must be a finite number'],
  ])('%s is refused in words that fit: %s', (json, message) => {
    const { error } = z.object({ value: FiniteNumber }).safeParse(JSON.parse(json), { error: validationMessage })
    expect(error?.issues[0]?.message).toBe(message)
  })
})

describe('paging', () => {
  it('accepts integers from 1, also beyond the last page', () => {
    for (const good of ['1', '007', '1000001', '999999999']) expect(Paging.page.parse(good)).toBe(Number(good))
    for (const bad of ['', '0', '-1', '1.0', '1e3', ' 1', '0x1', '١']) expect(Paging.page.safeParse(bad).success).toBe(false)
    expect(Paging.page_size.parse(undefined)).toBe(20)
    expect(Paging.page_size.safeParse('101').success).toBe(false)
  })
})
