import { describe, expect, it } from 'vitest'
import { compareChange, mergedBody } from './merge-fields.ts'

const merged = (opened: object, now: object, body: object, mine: readonly string[] = []) => {
  const compared = compareChange(opened, now, body)
  return {
    conflicts: compared.conflicts.map(({ path }) => path),
    body: mergedBody(body, compared, mine),
  }
}

describe('a change of a record that somebody else has changed', () => {
  it('keeps what they changed of other fields, and sends what the person changed', () => {
    const opened = { name: 'A', description: null, priority: 'low' }
    const now = { name: 'A', description: 'theirs', priority: 'low' }
    expect(merged(opened, now, { name: 'B', description: null, priority: 'low' })).toEqual({ conflicts: [], body: { name: 'B' } })
  })

  it('asks for a field that both have changed to different values, and not where both chose the same', () => {
    const [opened, now] = [{ name: 'A' }, { name: 'B' }]
    expect(merged(opened, now, { name: 'C' }, ['name'])).toEqual({ conflicts: ['name'], body: { name: 'C' } })
    expect(merged(opened, now, { name: 'C' })).toEqual({ conflicts: ['name'], body: {} })
    expect(merged(opened, now, { name: 'B' })).toEqual({ conflicts: [], body: { name: 'B' } })
  })

  it('takes an empty text for none, and two writings of an instant for one', () => {
    const opened = { note: null, due_date: '2026-03-02T08:00:00.000Z', start_time: '06:00:00', ids: ['a', 'b'] }
    const body = { note: '', due_date: '2026-03-02T08:00:00Z', start_time: '06:00', ids: ['a', 'b'] }
    expect(merged(opened, { ...opened, note: 'theirs' }, body)).toEqual({ conflicts: [], body: {} })
  })

  it('merges configurations by key, and replaces lists and mappings as a whole', () => {
    const opened = { config: { url: 'a', path: 'x' }, field_mapping: { a: '1' }, steps: [{ title: '1' }] }
    const now = { config: { url: 'a', path: 'y' }, field_mapping: { a: '2' }, steps: [{ title: '1' }] }
    const body = { config: { url: 'b', path: 'x' }, field_mapping: { a: '3' }, steps: [{ title: '2' }] }
    expect(merged(opened, now, body)).toEqual({
      conflicts: ['field_mapping'],
      body: { config: { url: 'b' }, steps: [{ title: '2' }] },
    })
  })

  it('asks for a secret that the person entered, because nobody sees whether it is another one', () => {
    const record = { config: { password: '***', url: 'a' } }
    expect(merged(record, record, { config: { password: 'new' } }).conflicts).toEqual(['config.password'])
    expect(merged(record, record, { config: { url: 'b' } }).conflicts).toEqual([])
    expect(merged({ config: {} }, { config: {} }, { config: { password: 'new' } }).conflicts).toEqual([])
  })
})
