import { constants } from 'node:os'

/** One benchmark row, as `npm run bench` prints it. `ratio` is ours against the other side of the same run. */
export interface BenchResult {
  row: string
  ratio: number
  against: string
  /** our own median */
  figure: number
  /** the median of the other side, in the same unit */
  reference: number
  unit: string
  rounds: number
}

/** One side of a comparison: does its work once and says how it went (a rate, a time, a size). */
export type Side = () => Promise<number> | number

export interface BenchRow {
  row: string
  against: string
  unit: string
  /** rounds of each side, the first of several dropped; default 6 */
  rounds?: number
  /** what is measured, with whatever it has to prepare; ends what it started in `close` */
  prepare(): Promise<{ ours: Side; theirs: Side; close?(): Promise<unknown> | unknown }>
}

const ROUNDS = 6
const isShort = process.env.BENCH_SHORT === '1'

/** `npm run bench -- --short` shows in little time that a row works; its figures mean nothing. */
export const fullOrShort = (full: number, short: number): number => (isShort ? short : full)

/** What a row that was interrupted may take to end what it started. */
const CLOSE_MS = 10_000

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/**
 * Runs both sides in turns, the first round of each dropped, and compares the medians. Absolute figures move with the machine; the ratio
 * of one run holds.
 */
async function runRow({ row, against, unit, rounds = fullOrShort(ROUNDS, 1), prepare }: BenchRow): Promise<BenchResult> {
  begin(row)
  const { ours, theirs, close } = await prepare()
  const stop = (signal: 'SIGINT' | 'SIGTERM') => {
    const code = 128 + constants.signals[signal]
    setTimeout(() => process.exit(code), CLOSE_MS)
    void Promise.resolve(close?.())
      .catch(() => {})
      .then(() => process.exit(code))
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const [mine, others]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      say(`${row}: round ${round + 1} of ${rounds}`)
      mine.push(await ours())
      others.push(await theirs())
    }
    const counted = (values: number[]) => median(rounds > 1 ? values.slice(1) : values)
    const [figure, reference] = [counted(mine), counted(others)]
    const figures = { ratio: rounded(figure / reference), against, figure: rounded(figure), reference: rounded(reference) }
    return { row, ...figures, unit, rounds: Math.max(1, rounds - 1) }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await close?.()
    say('')
  }
}

/** Names the row that begins: on a terminal in the line of progress, otherwise in a line of its own on standard error. */
function begin(row: string): void {
  if (process.stderr.isTTY) say(`${row}: preparing`)
  else process.stderr.write(`${row} ...\n`)
}

/** Tells a person what is happening, on a line that the next one replaces; the rows on stdout stay rows. */
function say(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what}`)
}

const rounded = (value: number) => Number(value.toPrecision(4))

/** Runs the rows of one file whose names were asked for (all without any), one JSON line each. A row that fails is told on stderr, and the exit code. */
export async function runRows(rows: readonly BenchRow[], wanted: readonly string[]): Promise<void> {
  const unknown = wanted.filter((name) => !rows.some(({ row }) => row === name))
  if (unknown.length > 0) fail(`There is no row ${unknown.join(', ')}. Rows: ${rows.map(({ row }) => row).join(', ')}.`)
  for (const row of unknown.length > 0 ? [] : rows) {
    if (wanted.length > 0 && !wanted.includes(row.row)) continue
    await runRow(row).then(
      (result) => process.stdout.write(`${JSON.stringify(result)}\n`),
      (error: Error) => fail(`${row.row} failed: ${error.message}`),
    )
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

/** Seconds that some work takes. */
export async function seconds(work: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}
