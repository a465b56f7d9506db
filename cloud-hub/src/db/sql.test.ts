import { expect, it } from 'vitest'
import { columnValues, qualified } from './sql.ts'
import type { reasonCodes } from './tables/downtime.ts'

it('values are named by their columns, and those that are undefined are left out', () => {
  expect(columnValues<typeof reasonCodes>({ oeeLossCategory: 'quality_loss', parentId: null, sortOrder: undefined })).toEqual({
    oee_loss_category: 'quality_loss',
    parent_id: null,
  })
})

it('a select list gets the alias of its table', () => {
  expect(qualified('id, raw_tag as "rawTag", sequence::float8 as "sequence"', 'm')).toBe(
    'm.id, m.raw_tag as "rawTag", m.sequence::float8 as "sequence"',
  )
})
