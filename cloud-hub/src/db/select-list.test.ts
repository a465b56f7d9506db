import { expect, it } from 'vitest'
import { selectList } from './select-list.ts'
import { shiftLogs } from './tables/shifts.ts'
import { signoffs } from './tables/signoffs.ts'
import { tagMappings } from './tables/tag-mappings.ts'

it('a select list names the columns of a table by the properties of its rows', () => {
  expect(selectList(tagMappings, ['id', 'rawTag'])).toBe('id, raw_tag as "rawTag"')
  expect(selectList(tagMappings, ['id', 'rawTag'], 'm')).toBe('m.id, m.raw_tag as "rawTag"')
  expect(selectList(tagMappings)).toMatch(/^id, tenant_id as "tenantId", .*, updated_at as "updatedAt"$/)
})

it('a column that the driver reads as another type than drizzle declares is cast', () => {
  expect(selectList(signoffs, ['number', 'sequence'])).toBe('number, sequence::float8 as "sequence"')
  expect(selectList(shiftLogs, ['shiftDate'])).toBe('shift_date::text as "shiftDate"')
})
