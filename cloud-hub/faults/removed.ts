import type postgres from 'postgres'
import { type Statistics, statisticsOf } from '../src/readings/codec/statistics.ts'
import { removedDays } from '../test/support/moved-readings.ts'
import { type Ledger, seriesKey } from './ledger.ts'
import type { RowContext } from './row.ts'

const HOUR_MS = 3_600_000
/** Statistics of parts are combined in any order, which changes the last digits of means. */
const TOLERANCE = 1e-9

/**
 * Marks the readings of the ledger that retention has turned into statistics, by the instants that it left, and compares their
 * statistics. Afterwards the comparison counts one as doubled when it is stored as a reading too.
 * @returns how many there are
 */
export async function markRemoved(context: RowContext, ledger: Ledger, owner: postgres.Sql): Promise<number> {
  const names = ledger.names()
  let removed = 0
  for await (const day of removedDays(owner)) {
    const what = `${seriesKey(day)} on ${new Date(day.hours[0]?.at ?? 0).toISOString().slice(0, 10)}`
    const series = names.get(seriesKey(day))
    if (series === undefined) {
      context.reportFailure(`invented: statistics of ${what}`)
      continue
    }
    const values = valuesAt(ledger, series, day.instants)
    const missing = values.indexOf(undefined)
    if (missing >= 0) {
      context.reportFailure(`invented: ${what} had a reading at ${new Date(day.instants[missing] as number).toISOString()}`)
      continue
    }
    const expected = statisticsOf(day.instants, Float64Array.from(values as number[]), 0, values.length, HOUR_MS)
    if (day.n !== values.length || !areEqual(day.hours, expected))
      context.reportFailure(`altered: the statistics of ${what} are not those of the ${values.length} readings that were removed`)
    ledger.mark(
      'removed',
      (values as number[]).map((value) => ({ series, value })),
    )
    removed += values.length
  }
  return removed
}

/** The values that the ledger has of these instants. */
function valuesAt(ledger: Ledger, series: number, instants: Float64Array): (number | undefined)[] {
  const [first, last] = [instants[0] as number, instants.at(-1) as number]
  const byInstant = new Map<number, number>()
  for (const { from, value } of ledger.entries(series)) if (from >= first && from <= last) byInstant.set(from, value)
  return Array.from(instants, (at) => byInstant.get(at))
}

const isNear = (a: number, b: number) => Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b))

const areEqual = (some: readonly Statistics[], others: readonly Statistics[]) =>
  some.length === others.length &&
  some.every((a, i) => {
    const b = others[i] as Statistics
    const isExact =
      a.at === b.at && a.n === b.n && a.low === b.low && a.high === b.high && a.lastAt === b.lastAt && a.last === b.last
    return isExact && isNear(a.mean, b.mean) && isNear(a.m2 ?? 0, b.m2 ?? 0)
  })
