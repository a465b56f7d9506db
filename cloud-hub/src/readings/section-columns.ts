import { byteaArray, float8Array, int4Array } from '../db/binary-array.ts'
import type { TransactionSql } from '../db/pools.ts'
import type { TailBody } from './codec/tail-body.ts'

/** Columns to unnest as (a, b, n, body): first and last instant (Unix ms), number of readings, and body of rows with sections. */
export function sectionColumns(tx: TransactionSql, rows: readonly TailBody[]) {
  const [t0, t1, n] = [rows.map((row) => row.t0), rows.map((row) => row.t1), rows.map((row) => row.n)]
  const bodies = rows.map(({ body }) => body)
  return tx`${float8Array(tx, t0)}, ${float8Array(tx, t1)}, ${int4Array(tx, n)}, ${byteaArray(tx, bodies)}`
}

/** Columns to unnest as (s0, s1): lowest and highest series. */
export function seriesColumns(tx: TransactionSql, rows: readonly TailBody[]) {
  const [low, high] = [rows.map(({ s0 }) => s0), rows.map(({ s1 }) => s1)]
  return tx`${int4Array(tx, low)}, ${int4Array(tx, high)}`
}
