import { expect, it } from 'vitest'
import { reasonCodes } from './tables/downtime.ts'
import { columnValues } from './values.ts'

it('values are named by their columns, and those that are undefined are left out', () => {
  expect(columnValues(reasonCodes, { oeeLossCategory: 'quality_loss', parentId: null, sortOrder: undefined })).toEqual({
    oee_loss_category: 'quality_loss',
    parent_id: null,
  })
})

it('a property without a column is refused', () => {
  expect(() => columnValues(reasonCodes, { oee: 1 } as never)).toThrow('the table has no property oee')
})
