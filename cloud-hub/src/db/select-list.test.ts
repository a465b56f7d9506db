import { expect, it } from 'vitest'
import { selectList } from './select-list.ts'
import { tagMappings } from './tables/tag-mappings.ts'

it('a select list names the columns of a table by the properties of its rows', () => {
  expect(selectList(tagMappings, ['id', 'rawTag'])).toBe('id, raw_tag as "rawTag"')
  expect(selectList(tagMappings)).toMatch(/^id, tenant_id as "tenantId", .*, updated_at as "updatedAt"$/)
})
