import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The identity of a series. */
export interface SeriesName {
  tenantId: string
  machine: string
  metric: string
  unit: string
}

/** A value that was served or sent. It is unique in its series, so that the comparison finds it under any timestamp. */
export interface Entry {
  /** the number from {@link Ledger.series} */
  series: number
  value: number
  /** Unix ms: the earliest and the latest timestamp that it may have; equal where the sender gives the timestamp */
  from: number
  to: number
}

/**
 * What the sender knows about a value.
 * `open`: no answer yet · `stored`: the hub confirmed it · `refused`: the hub refused this reading, so it must not be stored ·
 * `in flight`: the agent was killed before the value was surely on its disk, so it may be stored or missing ·
 * `removed`: retention has turned it into statistics, so it must not be stored as a reading
 */
export type EntryStatus = 'open' | 'stored' | 'refused' | 'in flight' | 'removed'
const STATUSES: readonly EntryStatus[] = ['open', 'stored', 'refused', 'in flight', 'removed']

/**
 * Every value that was served or sent, and when: the reference for the comparison. A SQLite file holds it, so its size does not
 * matter. It need not survive this process, so writes do not wait for the disk.
 */
export interface Ledger {
  /** the number of a series, assigned on first use */
  series(name: SeriesName): number
  /** every series with its number */
  names(): Map<string, number>
  /** records values, before they are sent */
  write(entries: readonly Entry[]): void
  /** records the status of values */
  mark(status: EntryStatus, values: readonly Pick<Entry, 'series' | 'value'>[]): void
  /** sets the status of the open values of a series that are at least `value`; returns how many */
  markFrom(status: EntryStatus, series: number, value: number): number
  /** the entries of one series, ordered by value */
  entries(series: number): Iterable<Entry & { status: EntryStatus }>
}

/** A series as text, equal for ledger and database. */
export const seriesKey = ({ tenantId, machine, metric, unit }: SeriesName) => `${tenantId}/${machine}/${metric}/${unit}`

/** Creates a ledger in the row's folder. @param options `dir`: the folder; `defer`: registers clean-up for the end of the row */
export function openLedger({ dir, defer }: { dir: string; defer(work: () => unknown): void }): Ledger {
  const db = new DatabaseSync(path.join(dir, `ledger-${crypto.randomUUID()}.sqlite`))
  defer(() => db.close())
  db.exec(`pragma journal_mode = off; pragma synchronous = off;
    create table served (series int, value real, low real, high real, status int, primary key (series, value)) without rowid`)
  const insert = db.prepare('insert into served values (?, ?, ?, ?, 0)')
  const update = db.prepare('update served set status = ? where series = ? and value = ?')
  const updateFrom = db.prepare('update served set status = ? where series = ? and value >= ? and status = 0')
  const ofSeries = db.prepare('select value, low, high, status from served where series = ? order by value')
  const names = new Map<string, number>()
  const inTransaction = (work: () => void) => {
    db.exec('begin')
    work()
    db.exec('commit')
  }
  return {
    series(name) {
      const key = seriesKey(name)
      const known = names.get(key)
      if (known !== undefined) return known
      names.set(key, names.size)
      return names.size - 1
    },
    names: () => names,
    write: (entries) => inTransaction(() => entries.forEach((e) => void insert.run(e.series, e.value, e.from, e.to))),
    mark: (status, values) =>
      inTransaction(() => values.forEach((v) => void update.run(STATUSES.indexOf(status), v.series, v.value))),
    markFrom: (status, series, value) => Number(updateFrom.run(STATUSES.indexOf(status), series, value).changes),
    *entries(series) {
      for (const row of ofSeries.iterate(series)) {
        const { value, low, high, status } = row as { value: number; low: number; high: number; status: number }
        yield { series, value, from: low, to: high, status: STATUSES[status] as EntryStatus }
      }
    },
  }
}
