/** One benchmark row, as `npm run bench` prints it. `ratio` is ours against the other side of the same run. */
export interface BenchResult {
  row: string
  ratio: number
  against: string
  /** our own median */
  figure: number
  unit: string
  rounds: number
}

/** One side of a comparison: does its work once and says how it went (a rate, a time, a size). */
export type Side = () => Promise<number> | number

export interface BenchRow {
  row: string
  against: string
  unit: string
  /** what is measured, with whatever it has to prepare; ends what it started in `close` */
  prepare(): Promise<{ ours: Side; theirs: Side; close?(): Promise<unknown> | unknown }>
}

const ROUNDS = 6

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/**
 * Runs both sides in turns, the first round of each dropped, and compares the medians. Absolute figures move with the machine; the ratio
 * of one run holds.
 */
async function runRow({ row, against, unit, prepare }: BenchRow): Promise<BenchResult> {
  const { ours, theirs, close } = await prepare()
  try {
    const [mine, others]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      mine.push(await ours())
      others.push(await theirs())
    }
    const figure = median(mine.slice(1))
    return { row, ratio: rounded(figure / median(others.slice(1))), against, figure: rounded(figure), unit, rounds: ROUNDS - 1 }
  } finally {
    await close?.()
  }
}

const rounded = (value: number) => Number(value.toPrecision(4))

/** Runs the rows of one file whose names were asked for (all without any), one JSON line each. */
export async function runRows(rows: readonly BenchRow[], wanted: readonly string[]): Promise<void> {
  for (const row of rows) {
    if (wanted.length > 0 && !wanted.includes(row.row)) continue
    process.stdout.write(`${JSON.stringify(await runRow(row))}\n`)
  }
}

/** Seconds that some work takes. */
export async function seconds(work: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}
