import { expect, it } from 'vitest'
import { uuidv7 } from './uuid.ts'

it('ids are UUIDs of version 7 with the time in front, ascending within a millisecond and when the clock goes back', () => {
  const at = Date.now() + 1_000
  const ids = [...Array.from({ length: 10_000 }, () => uuidv7(at)), uuidv7(at - 60_000), uuidv7(at + 5)]
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(ids[0]?.replace('-', '').slice(0, 12) as string, 16)).toBe(at)
  expect(ids).toEqual([...new Set(ids)].sort())
})
