/**
 * The position of a stream: a snapshot of the database, that is which transactions had committed. Every row carries the id of its
 * writing transaction. Hence any replica can send a stream what was written since, also after a restart and without a log.
 * Source: PostgreSQL, `pg_current_snapshot()`
 */
export interface Cursor {
  /** Unix ms, by the hub's clock */
  at: number
  /** all transactions with lower ids had ended */
  xmin: number
  /** no transaction with this id or a higher one had ended */
  xmax: number
  /** ids between the two of transactions that had not ended */
  running: readonly number[]
}

const SNAPSHOT = /^(\d{1,15}):(\d{1,15}):((?:\d{1,15}(?:,\d{1,15})*)?)$/
const MAX_CHARS = 4_000

/** Parses a snapshot. @param snapshot as PostgreSQL writes it: `xmin:xmax:running,...` @returns null for any other text */
export function cursorFromSnapshot(at: number, snapshot: string): Cursor | null {
  const [, xmin, xmax, running = ''] = SNAPSHOT.exec(snapshot) ?? []
  if (xmin === undefined || xmax === undefined) return null
  return { at, xmin: Number(xmin), xmax: Number(xmax), running: running === '' ? [] : running.split(',').map(Number) }
}

/** Formats a cursor as the id of an event. */
export const cursorToId = ({ at, xmin, xmax, running }: Cursor): string => `${at}-${xmin}:${xmax}:${running.join()}`

/** Parses the id of an event. @returns null for an id of another form */
export function cursorFromId(id: string): Cursor | null {
  if (id.length > MAX_CHARS) return null
  const [, at, snapshot] = /^(\d{13})-(.*)$/.exec(id) ?? []
  return at === undefined || snapshot === undefined ? null : cursorFromSnapshot(Number(at), snapshot)
}

/**
 * Whether the writes of a transaction were visible in the snapshot. Snapshots do not list subtransactions, so writers must not
 * use savepoints.
 */
export const isVisible = ({ xmin, xmax, running }: Cursor, xid: number): boolean =>
  xid < xmin || (xid < xmax && !running.includes(xid))

/** Completes the lower 32 bits of a transaction id, which rows carry: of all such ids the one nearest to the current id. */
export const fullXid = (lower: number, present: Cursor): number => present.xmax + ((lower - (present.xmax % 2 ** 32)) | 0)
