import type { Series } from '@haltless/protocol'
import type { SeriesNumbers } from '@haltless/protocol/rows'
import type { Database } from 'better-sqlite3'

/** Numbers for series, so that a poll on disk names thousands of them in a few bytes. A number never changes its meaning while chunks exist. */
export class SeriesDictionary {
  readonly #insert
  readonly #find
  readonly #get
  readonly #known = new Map<number, Series>()
  /** of the objects that {@link seriesOf} gave out */
  #numberOf = new WeakMap<Series, number>()
  /** numbers of groups and machines, by their names */
  readonly #classNumbers = new Map<string, number>()
  readonly #classOf = { group: new Map<number, number>(), machine: new Map<number, number>() }
  /** by the series table of a collector, which is the same at every poll */
  #numbers = new WeakMap<readonly Series[], Uint32Array>()

  constructor(db: Database) {
    this.#insert = db.prepare<[string, string, string, string]>(
      'INSERT INTO series (machine, metric, unit, raw_tag) VALUES (?, ?, ?, ?)',
    )
    this.#find = db
      .prepare<[string, string, string, string], number>(
        'SELECT id FROM series WHERE machine = ? AND metric = ? AND unit = ? AND raw_tag = ?',
      )
      .pluck()
    this.#get = db.prepare<[number], { machine: string; metric: string; unit: string; raw_tag: string }>(
      'SELECT machine, metric, unit, raw_tag FROM series WHERE id = ?',
    )
  }

  /** The numbers of a series table, in its order; new series get one. Inside a transaction; call {@link forget} when that fails. */
  numbersOf(table: readonly Series[]): Uint32Array {
    const known = this.#numbers.get(table)
    if (known) return known
    const numbers = Uint32Array.from(table, (series) => {
      const own = this.#numberOf.get(series)
      if (own !== undefined) return own
      const { machine, metric, unit, rawTag } = series
      const names = [machine, metric, unit, rawTag ?? ''] as const
      return this.#find.get(...names) ?? Number(this.#insert.run(...names).lastInsertRowid)
    })
    this.#numbers.set(table, numbers)
    return numbers
  }

  /** How a codec groups series by their numbers. Asking for the class of a number that was never given out throws. */
  readonly classes: SeriesNumbers = {
    count: 2 ** 32,
    whole: null,
    groupOf: (number) => this.#class('group', number, ({ metric, unit }) => `${metric}\0${unit}`),
    machineOf: (number) => this.#class('machine', number, ({ machine }) => machine),
  }

  #class(kind: 'group' | 'machine', number: number, nameOf: (series: Series) => string): number {
    const known = this.#classOf[kind].get(number)
    if (known !== undefined) return known
    const name = `${kind} ${nameOf(this.seriesOf(number))}`
    const made = this.#classNumbers.get(name) ?? this.#classNumbers.size
    this.#classNumbers.set(name, made)
    this.#classOf[kind].set(number, made)
    return made
  }

  /** Numbers that a transaction gave out and did not keep must not be used. */
  forget(): void {
    this.#numbers = new WeakMap()
    this.#known.clear()
    this.#numberOf = new WeakMap()
    this.#classOf.group.clear()
    this.#classOf.machine.clear()
  }

  /** The same object for the same number. @throws Error for a number that was never given out: the file is damaged */
  seriesOf(number: number): Series {
    const known = this.#known.get(number)
    if (known) return known
    const row = this.#get.get(number)
    if (!row) throw new Error(`there is no series ${number}`)
    const series = { machine: row.machine, metric: row.metric, unit: row.unit, rawTag: row.raw_tag || null }
    this.#known.set(number, series)
    this.#numberOf.set(series, number)
    return series
  }
}

/** Forgets names that no chunk can need; inside a transaction, when the buffer is opened. */
export function deleteUnusedSeries(db: Database): void {
  db.exec('DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM chunks)')
}
