import type { FaultRow, RowReport } from './row.ts'

/** Prints rows as they finish, and on the line below what is happening in the one that runs. */
export interface Report {
  begin(row: FaultRow): void
  say(what: string): void
  end(report: RowReport): void
}

/** Headings, and how wide their cells may become. */
const COLUMNS: readonly [heading: string, width: number][] = [
  ['held?', 7],
  ['readings', 10],
  ['lost', 9],
  ['declared dropped', 16],
  ['invented', 8],
  ['altered', 7],
  ['doubled', 7],
  ['took', 6],
]
/** Names of rows are padded to this. */
export const NAME_WIDTH = 22
/** Where there is no terminal to rewrite a line on, it is said after so long that something goes on, and then so often. */
const [SAY_FIRST_MS, SAY_AGAIN_MS] = [2_000, 15_000]

/** Rows are named on the left. */
const widthOf = (rows: readonly FaultRow[]) => Math.max(NAME_WIDTH, ...rows.map(({ name }) => name.length))

/** The line that tells what is happening. */
function progress(stream: NodeJS.WriteStream, width: number) {
  let running: FaultRow | undefined
  let [started, doing, sayAt] = [0, '', 0]
  let ticker: NodeJS.Timeout | undefined
  const show = () => {
    if (!running) return
    const seconds = Math.round((performance.now() - started) / 1000)
    const text = `${running.name.padEnd(width)}  ${seconds} s  ${doing}`
    if (stream.isTTY) stream.write(`\r\u001b[K${text.slice(0, (stream.columns ?? 80) - 1)}`)
    else if (performance.now() > sayAt) {
      sayAt = performance.now() + SAY_AGAIN_MS
      stream.write(`${text}\n`)
    }
  }
  return {
    begin(row: FaultRow) {
      ;[running, started, doing] = [row, performance.now(), 'starting']
      sayAt = started + SAY_FIRST_MS
      ticker = setInterval(show, 500)
      if (stream.isTTY) show()
    },
    say(what: string) {
      doing = what
      if (stream.isTTY) show()
    },
    end() {
      clearInterval(ticker)
      running = undefined
      if (stream.isTTY) stream.write('\r\u001b[K')
    },
  }
}

/** One JSON line a row; what is happening goes to stderr. */
export function jsonReport(rows: readonly FaultRow[]): Report {
  const line = progress(process.stderr, widthOf(rows))
  return {
    ...line,
    end(report) {
      line.end()
      process.stdout.write(`${JSON.stringify(report)}\n`)
    },
  }
}

/** An aligned table, for people. */
export function tableReport(rows: readonly FaultRow[]): Report {
  const stream = process.stdout
  const width = widthOf(rows)
  const line = (name: string, [held, ...numbers]: readonly string[], note: string) => {
    const cells = numbers.map((cell, i) => cell.padStart(COLUMNS[i + 1]?.[1] as number))
    return `${[name.padEnd(width), held?.padEnd(COLUMNS[0]?.[1] as number), ...cells, note].join('  ')}`.trimEnd()
  }
  const doing = progress(stream, width)
  const headings = COLUMNS.map(([heading]) => heading)
  stream.write(`${line('row', headings, 'note')}\n`)
  return {
    ...doing,
    end(report) {
      doing.end()
      const { row, held, readings, lost, declared, invented, altered, doubled, seconds, note, complaints, notRun } = report
      const numbers = [readings, lost, declared, invented, altered, doubled].map((n) => n.toLocaleString('en'))
      if (notRun) stream.write(`${row.padEnd(width)}  not run: ${notRun}\n`)
      else stream.write(`${line(row, [held ? 'yes' : 'NO', ...numbers, `${Math.round(seconds)} s`], note)}\n`)
      for (const complaint of complaints) stream.write(`${' '.repeat(width)}  - ${complaint}\n`)
    },
  }
}
