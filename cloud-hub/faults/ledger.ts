import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** What a reading hangs on. */
export interface SeriesName {
  tenantId: string
  machine: string
  metric: string
  unit: string
}

/** A value that was served or sent. It is unique in its series, so that it can be found again whatever became of its timestamp. */
export interface Entry {
  /** as {@link Ledger.series} numbered it */
  series: number
  value: number
  /** Unix ms: the timestamp that it may have, from and to; the same where the sender gives it */
  from: number
  to: number
}

/**
 * What became of a value, as its sender knows it.
 * `open`: no answer yet · `stored`: the hub said yes · `refused`: the hub said no to this very reading, so it must not be there ·
 * `in flight`: the agent was killed before its disk can have had it, so it may be there and need not
 */
export type Fate = 'open' | 'stored' | 'refused' | 'in flight'
const FATES: readonly Fate[] = ['open', 'stored', 'refused', 'in flight']

/**
 * Every value that was served or sent, and when: the truth that the database is compared with. A file, so that its size is no matter; it
 * need not survive this process, so it does not wait for the disk.
 */
export interface Ledger {
  /** the number of a series, made when it is new */
  series(name: SeriesName): number
  /** every series with its number */
  names(): Map<string, number>
  /** notes values, before they leave */
  write(entries: readonly Entry[]): void
  /** notes what became of values */
  mark(fate: Fate, values: readonly Pick<Entry, 'series' | 'value'>[]): void
  /** marks the open values of a series from this one on, up to the newest; how many */
  markFrom(fate: Fate, series: number, value: number): number
  /** of one series, by value */
  entries(series: number): Iterable<Entry & { fate: Fate }>
}

/** A series as one text, the same for the ledger and the database. */
export const seriesKey = ({ tenantId, machine, metric, unit }: SeriesName) => `${tenantId}/${machine}/${metric}/${unit}`

/**
 * A new ledger in the row's folder.
 * @param options `dir`: where its file lies; `defer`: runs what it is given when the row ends
 */
export function openLedger({ dir, defer }: { dir: string; defer(work: () => unknown): void }): Ledger {
  const db = new DatabaseSync(path.join(dir, `ledger-${crypto.randomUUID()}.sqlite`))
  defer(() => db.close())
  db.exec(`pragma journal_mode = off; pragma synchronous = off;
    create table served (series int, value real, low real, high real, fate int, primary key (series, value)) without rowid`)
  const insert = db.prepare('insert into served values (?, ?, ?, ?, 0)')
  const update = db.prepare('update served set fate = ? where series = ? and value = ?')
  const updateFrom = db.prepare('update served set fate = ? where series = ? and value >= ? and fate = 0')
  const ofSeries = db.prepare('select value, low, high, fate from served where series = ? order by value')
  const names = new Map<string, number>()
  const together = (work: () => void) => {
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
    write: (entries) => together(() => entries.forEach((e) => void insert.run(e.series, e.value, e.from, e.to))),
    mark: (fate, values) => together(() => values.forEach((v) => void update.run(FATES.indexOf(fate), v.series, v.value))),
    markFrom: (fate, series, value) => Number(updateFrom.run(FATES.indexOf(fate), series, value).changes),
    *entries(series) {
      for (const row of ofSeries.iterate(series)) {
        const { value, low, high, fate } = row as { value: number; low: number; high: number; fate: number }
        yield { series, value, from: low, to: high, fate: FATES[fate] as Fate }
      }
    },
  }
}
