import type { FaultRow, RowReport } from './row.ts'

/** Prints rows as they finish, and on the line below what is happening in the one that runs. */
export interface Report {
  begin(row: FaultRow): void
  say(what: string): void
  end(report: RowReport): void
}

const COLUMNS = ['row', 'held?', 'readings', 'lost', 'declared dropped', 'invented', 'altered', 'doubled', 'took'] as const
const NAME_WIDTH = 22
/** Where there is no terminal to rewrite a line on, it is said this often that something goes on. */
const SAY_AGAIN_MS = 15_000

/** One JSON line a row. */
export function jsonReport(): Report {
  return { begin: () => {}, say: () => {}, end: (report) => process.stdout.write(`${JSON.stringify(report)}\n`) }
}

/** An aligned table, for people. */
export function tableReport(rows: readonly FaultRow[], stream: NodeJS.WriteStream = process.stdout): Report {
  const width = Math.max(NAME_WIDTH, ...rows.map(({ name }) => name.length))
  const line = (cells: readonly string[], note = '') =>
    `${cells.map((cell, i) => (i < 2 ? cell.padEnd(i === 0 ? width : 7) : cell.padStart((COLUMNS[i] as string).length))).join('  ')}  ${note}`.trimEnd()
  let running: FaultRow | undefined
  let started = 0
  let doing = ''
  let said = 0
  let ticker: NodeJS.Timeout | undefined
  const show = () => {
    if (!running) return
    const seconds = Math.round((performance.now() - started) / 1000)
    const text = `${running.name.padEnd(width)}  ${seconds} s  ${doing}`
    if (stream.isTTY) stream.write(`\r\u001b[K${text.slice(0, (stream.columns ?? 80) - 1)}`)
    else if (performance.now() - said > SAY_AGAIN_MS) {
      said = performance.now()
      stream.write(`${text}\n`)
    }
  }
  stream.write(`${line(COLUMNS, 'note')}\n`)
  return {
    begin(row) {
      running = row
      started = performance.now()
      said = started
      doing = 'starting'
      ticker = setInterval(show, 500)
      if (stream.isTTY) show()
    },
    say(what) {
      doing = what
      if (stream.isTTY) show()
    },
    end(report) {
      clearInterval(ticker)
      running = undefined
      if (stream.isTTY) stream.write('\r\u001b[K')
      const { row, held, readings, lost, declared, invented, altered, doubled, seconds, note, complaints, notRun } = report
      const numbers = [readings, lost, declared, invented, altered, doubled].map((n) => n.toLocaleString('en'))
      if (notRun) stream.write(`${row.padEnd(width)}  not run: ${notRun}\n`)
      else stream.write(`${line([row, held ? 'yes' : 'NO', ...numbers, `${Math.round(seconds)} s`], note)}\n`)
      for (const complaint of complaints) stream.write(`${' '.repeat(width)}  - ${complaint}\n`)
    },
  }
}
