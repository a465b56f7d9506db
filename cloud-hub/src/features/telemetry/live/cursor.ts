/**
 * A moment of the database: which transactions had committed by then. Every row says which transaction wrote it, so a stream that knows its
 * moment can be told what was written since, by any replica and after any restart, without anybody keeping a log.
 * Source: PostgreSQL, `pg_current_snapshot()`
 */
export interface Cursor {
  /** Unix ms, as the hub's clock said */
  at: number
  /** all transactions before this one had ended */
  xmin: number
  /** none from this one on had begun to end */
  xmax: number
  /** those in between that had not ended */
  running: readonly number[]
}

const SNAPSHOT = /^(\d{1,15}):(\d{1,15}):((?:\d{1,15}(?:,\d{1,15})*)?)$/
const MAX_CHARS = 4_000

/** @param snapshot as PostgreSQL writes it: `xmin:xmax:running,...` */
export function cursorOf(at: number, snapshot: string): Cursor | null {
  const [, xmin, xmax, running = ''] = SNAPSHOT.exec(snapshot) ?? []
  if (xmin === undefined || xmax === undefined) return null
  return { at, xmin: Number(xmin), xmax: Number(xmax), running: running === '' ? [] : running.split(',').map(Number) }
}

/** As an event's id. */
export const idOf = ({ at, xmin, xmax, running }: Cursor): string => `${at}-${xmin}:${xmax}:${running.join()}`

/** @returns null for what is no id of ours */
export function cursorFromId(id: string): Cursor | null {
  if (id.length > MAX_CHARS) return null
  const [, at, snapshot] = /^(\d{13})-(.*)$/.exec(id) ?? []
  return at === undefined || snapshot === undefined ? null : cursorOf(Number(at), snapshot)
}

/** Whether what a transaction wrote could be seen at that moment. Subtransactions have numbers that no snapshot names: writers must not use savepoints. */
export const isSeen = ({ xmin, xmax, running }: Cursor, xid: number): boolean =>
  xid < xmin || (xid < xmax && !running.includes(xid))

/** Rows keep the lower 32 bits of a transaction's number: the number meant is the one nearest to the present. */
export const wholeXid = (lower: number, present: Cursor): number => present.xmax + ((lower - (present.xmax % 2 ** 32)) | 0)
