import type { ParameterOrFragment } from 'postgres'
import type { Sql, TransactionSql } from './pools.ts'

/** Object ids of the types. Source: PostgreSQL, pg_type.dat */
const [BYTEA, BYTEA_ARRAY] = [17, 1001]
const HEADER_BYTES = 20

/**
 * A parameter of type bytea[] in PostgreSQL's binary form: `unnest(${byteaArray(tx, bodies)})`. In hexadecimal it would take twice
 * the bytes. Source: PostgreSQL, src/backend/utils/adt/arrayfuncs.c, array_recv
 */
export function byteaArray(sql: Sql | TransactionSql, items: readonly Uint8Array[]): ParameterOrFragment<never> {
  const length = items.reduce((sum, item) => sum + 4 + item.length, items.length === 0 ? 12 : HEADER_BYTES)
  const bytes = Buffer.allocUnsafe(length)
  bytes.writeInt32BE(items.length === 0 ? 0 : 1, 0) // dimensions
  bytes.writeInt32BE(0, 4) // no nulls
  bytes.writeInt32BE(BYTEA, 8)
  if (items.length > 0) {
    bytes.writeInt32BE(items.length, 12)
    bytes.writeInt32BE(1, 16) // index of the first item
  }
  let at = HEADER_BYTES
  for (const item of items) {
    bytes.writeInt32BE(item.length, at)
    bytes.set(item, at + 4)
    at += 4 + item.length
  }
  return sql.typed(bytes, BYTEA_ARRAY) as ParameterOrFragment<never>
}
