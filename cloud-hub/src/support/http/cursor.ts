import { createHash } from 'node:crypto'
import { fieldError, Unprocessable } from '../errors.ts'
import { Pagination, Paging, whole } from './shapes.ts'
import { z } from './z.ts'

/** `page`, `page_size` and `cursor` of a list that grows while it is read, ordered by an instant and then by id. */
export const CursorPaging = {
  page: whole(999_999_999).optional().openapi({
    default: 1,
    description: 'Which page, from 1. One beyond the end is empty. Not together with `cursor`.',
    example: 1,
  }),
  page_size: Paging.page_size,
  cursor: z.string().min(1, 'must not be empty').max(500, 'must have at most 500 characters').optional().openapi({
    description:
      'The `next_cursor` of an answer to the same filters and order: the entries after it. Entries that are added meanwhile move none, so that each is answered once.',
  }),
}

/** A page with the cursor of what follows it. */
export const cursorPageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item).describe('The entries of this page.'), pagination: Pagination, next_cursor: NextCursor })

export const NextCursor = z.string().nullable().openapi({
  description:
    'The `cursor` of the entries that follow; null at the end. With `cursor`, `total` stays that of the first answer, and `page` counts on.',
  example: null,
})

/** Cursors are not signed. A forged one can only change `total` and `page` in the answer to its sender, so both are bounded. */
const MAX_TOTAL = 999_999_999

/** The last entry of an answer. */
export interface Place {
  at: Date
  id: string
}

/** Which entries of a list a request wants. */
export interface ListPart {
  page: number
  size: number
  /** one more than `size`, to see whether more follow */
  limit: number
  /** 0 with a cursor */
  offset: number
  /** the entry that they follow; null: without a cursor */
  after: Place | null
  /** what the first answer counted; null: count now */
  total: number | null
  /** what the cursors of the list are bound to */
  binding: string
}

type PageQuery = Record<string, unknown> & { page?: number | undefined; page_size: number; cursor?: string | undefined }

/**
 * @param list the operation, the tenant and what else names the list
 * @throws Unprocessable for `page` with `cursor`, and for a cursor of another list, of other filters or of none
 */
export function listPartOf(list: readonly string[], { page, page_size: size, cursor, ...filters }: PageQuery): ListPart {
  const named = Object.entries(filters).filter(([, value]) => value !== undefined)
  const binding = createHash('sha256')
    .update(JSON.stringify([list, named.sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('base64url')
    .slice(0, 16)
  const limit = size + 1
  if (cursor === undefined) {
    const number = page ?? 1
    return { page: number, size, limit, offset: (number - 1) * size, after: null, total: null, binding }
  }
  if (page !== undefined) throw new Unprocessable([fieldError('query.page', 'exclusive', { other: 'cursor' })])
  const known = readCursor(cursor)
  if (known?.binding !== binding) throw new Unprocessable([fieldError('query.cursor', 'invalid_cursor')])
  return { page: known.page + 1, size, limit, offset: 0, after: known.after, total: known.total, binding }
}

/**
 * The answer of a list with cursors.
 * @param rows as many as `limit` allows
 * @param total ignored where the part knows it
 */
export function cursorPage<Row>(part: ListPart, rows: readonly Row[], total: number, placeOf: (row: Row) => Place) {
  const items = rows.slice(0, part.size)
  const last = items.at(-1)
  const counted = part.total ?? total
  return {
    items,
    pagination: { total: counted, page: part.page, page_size: part.size },
    next_cursor: last && rows.length > part.size ? writeCursor(part, placeOf(last), counted) : null,
  }
}

const Written = z.tuple([
  z.int().min(0).max(253_402_300_799_999),
  z.guid(),
  z.int().min(0).max(MAX_TOTAL),
  z.int().min(1).max(999_999_998),
  z.string(),
])

const encode = (values: z.output<typeof Written>) => Buffer.from(JSON.stringify(values)).toString('base64url')

const writeCursor = ({ page, binding }: ListPart, { at, id }: Place, total: number) =>
  encode([at.getTime(), id, Math.min(total, MAX_TOTAL), page, binding])

/** @returns null for what `writeCursor` cannot have written */
function readCursor(cursor: string) {
  try {
    const values = Written.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    if (encode(values) !== cursor) return null
    const [at, id, total, page, binding] = values
    return { after: { at: new Date(at), id }, total, page, binding }
  } catch {
    return null
  }
}
