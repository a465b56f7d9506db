import type { ParameterOrFragment } from 'postgres'
import type { Sql, TransactionSql } from './sql.ts'

/**
 * Parameters that are arrays in PostgreSQL's binary form: `unnest(${uuidArray(tx, keys)}, ${byteaArray(tx, bodies)})`. The text of an
 * array costs PostgreSQL several times as much to parse, and bytea as hexadecimal text takes twice the bytes.
 * Source: PostgreSQL, src/backend/utils/adt/arrayfuncs.c, array_recv
 */
type BinaryArray = ParameterOrFragment<never>

interface ArrayType {
  /** object ids of the element's type and of the array's. Source: PostgreSQL, pg_type.dat */
  element: number
  array: number
  /** bytes of an element */
  size: number
}

const UUID: ArrayType = { element: 2950, array: 2951, size: 16 }
const INT2: ArrayType = { element: 21, array: 1005, size: 2 }
const INT4: ArrayType = { element: 23, array: 1007, size: 4 }
const FLOAT8: ArrayType = { element: 701, array: 1022, size: 8 }
const XID8: ArrayType = { element: 5069, array: 271, size: 8 }
const BYTEA = { element: 17, array: 1001 }

const EMPTY_BYTES = 12
const HEADER_BYTES = 20
const LENGTH_BYTES = 4

/** Writes the header of an array of one dimension. @returns where its first item starts */
function writeHeader(bytes: Buffer, element: number, count: number, hasNulls = false): number {
  bytes.writeInt32BE(count === 0 ? 0 : 1, 0) // dimensions
  bytes.writeInt32BE(hasNulls ? 1 : 0, 4)
  bytes.writeInt32BE(element, 8)
  if (count === 0) return EMPTY_BYTES
  bytes.writeInt32BE(count, 12)
  bytes.writeInt32BE(1, 16) // index of the first item
  return HEADER_BYTES
}

function arrayOf<T>(
  sql: Sql | TransactionSql,
  { element, array, size }: ArrayType,
  items: readonly T[],
  write: (bytes: Buffer, item: T & {}, at: number) => void,
): BinaryArray {
  let nulls = 0
  for (let i = 0; i < items.length; i++) if (items[i] === null) nulls++
  const length = items.length === 0 ? EMPTY_BYTES : HEADER_BYTES + items.length * LENGTH_BYTES + (items.length - nulls) * size
  const bytes = Buffer.allocUnsafe(length)
  let at = writeHeader(bytes, element, items.length, nulls > 0)
  // an iterator would cost an object for each item
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (item === undefined) throw new TypeError(`item ${i} of a parameter is missing`)
    bytes.writeInt32BE(item === null ? -1 : size, at)
    at += LENGTH_BYTES
    if (item === null) continue
    write(bytes, item, at)
    at += size
  }
  return sql.typed(bytes, array) as BinaryArray
}

/** A uuid as its 16 bytes. @param text in the canonical form, with hyphens */
export const uuidBytes = (text: string): Buffer => Buffer.from(text.replaceAll('-', ''), 'hex')

export const uuidArray = (sql: Sql | TransactionSql, items: readonly Uint8Array[]): BinaryArray =>
  arrayOf(sql, UUID, items, (bytes, item, at) => {
    if (item.length !== UUID.size) throw new TypeError(`a uuid of ${item.length} bytes`)
    // `set` costs more than the bytes
    for (let i = 0; i < UUID.size; i++) bytes[at + i] = item[i] as number
  })

export const int2Array = (sql: Sql | TransactionSql, items: readonly number[]): BinaryArray =>
  arrayOf(sql, INT2, items, (bytes, item, at) => bytes.writeInt16BE(item, at))

export const int4Array = (sql: Sql | TransactionSql, items: readonly number[]): BinaryArray =>
  arrayOf(sql, INT4, items, (bytes, item, at) => bytes.writeInt32BE(item, at))

export const float8Array = (sql: Sql | TransactionSql, items: readonly number[]): BinaryArray =>
  arrayOf(sql, FLOAT8, items, (bytes, item, at) => bytes.writeDoubleBE(item, at))

/** @param items ids of transactions, below 2^53 */
export const xid8Array = (sql: Sql | TransactionSql, items: readonly (number | null)[]): BinaryArray =>
  arrayOf(sql, XID8, items, (bytes, item, at) => {
    if (!Number.isSafeInteger(item)) throw new TypeError(`${item} is no id of a transaction`)
    bytes.writeUInt32BE(Math.floor(item / 2 ** 32), at)
    bytes.writeUInt32BE(item % 2 ** 32, at + 4)
  })

export function byteaArray(sql: Sql | TransactionSql, items: readonly Uint8Array[]): BinaryArray {
  const length = items.reduce((sum, item) => sum + LENGTH_BYTES + item.length, items.length === 0 ? EMPTY_BYTES : HEADER_BYTES)
  const bytes = Buffer.allocUnsafe(length)
  let at = writeHeader(bytes, BYTEA.element, items.length)
  for (const item of items) {
    bytes.writeInt32BE(item.length, at)
    bytes.set(item, at + LENGTH_BYTES)
    at += LENGTH_BYTES + item.length
  }
  return sql.typed(bytes, BYTEA.array) as BinaryArray
}
