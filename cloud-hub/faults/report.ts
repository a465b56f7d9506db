import type { FaultRow, RowReport } from './row.ts'

/** Prints rows as they finish, and the progress of the running one on the line below. */
export interface Report {
  begin(row: FaultRow): void
  say(what: string): void
  end(report: RowReport): void
}

/** Headings, and the widths of their columns. */
const COLUMNS: readonly [heading: string, width: number][] = [
  ['passed?', 7],
  ['readings', 10],
  ['lost', 9],
  ['declared dropped', 16],
  ['invented', 8],
  ['altered', 7],
  ['doubled', 7],
  ['took', 6],
]
/** Row names are padded to this width. */
export const NAME_WIDTH = 22
/** Without a terminal, progress is printed as lines: the first after this time, further ones at this interval. */
const [SAY_FIRST_MS, SAY_AGAIN_MS] = [2_000, 15_000]

/** The width of the left column, which shows the names. */
const widthOf = (rows: readonly FaultRow[]) => Math.max(NAME_WIDTH, ...rows.map(({ name }) => name.length))

/** The progress line. */
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

/** Prints one JSON line per row; progress goes to stderr. */
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

/** Prints an aligned table for people. */
export function tableReport(rows: readonly FaultRow[]): Report {
  const stream = process.stdout
  const width = widthOf(rows)
  const line = (name: string, [passed, ...numbers]: readonly string[], note: string) => {
    const cells = numbers.map((cell, i) => cell.padStart(COLUMNS[i + 1]?.[1] as number))
    return `${[name.padEnd(width), passed?.padEnd(COLUMNS[0]?.[1] as number), ...cells, note].join('  ')}`.trimEnd()
  }
  const doing = progress(stream, width)
  const headings = COLUMNS.map(([heading]) => heading)
  stream.write(`${line('row', headings, 'note')}\n`)
  return {
    ...doing,
    end(report) {
      doing.end()
      const { row, passed, readings, lost, declared, invented, altered, doubled, seconds, note, failures, notRun } = report
      const numbers = [readings, lost, declared, invented, altered, doubled].map((n) => n.toLocaleString('en'))
      if (notRun) stream.write(`${row.padEnd(width)}  not run: ${notRun}\n`)
      else stream.write(`${line(row, [passed ? 'yes' : 'NO', ...numbers, `${Math.round(seconds)} s`], note)}\n`)
      for (const failure of failures) stream.write(`${' '.repeat(width)}  - ${failure}\n`)
    },
  }
}
