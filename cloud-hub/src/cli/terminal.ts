/** A command got invalid arguments; the message is for a terminal. */
export class UsageError extends Error {}

type Cell = string | number | boolean | null

/** Formats rows as an aligned table with numbers to the right. */
export function table(rows: Record<string, Cell>[], none: string): string {
  const first = rows[0]
  if (!first) return none
  const names = Object.keys(first)
  const text = (cell: Cell | undefined) => (cell === null || cell === undefined ? '-' : String(cell))
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => text(row[name]).length)))
  const line = (cells: string[], isRight: boolean[]) =>
    cells
      .map((cell, i) => (isRight[i] ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number)))
      .join('  ')
      .trimEnd()
  const right = names.map((name) => typeof first[name] === 'number')
  return [
    line(
      names.map((name) => name.replaceAll('_', ' ')),
      right,
    ),
    ...rows.map((row) =>
      line(
        names.map((name) => text(row[name])),
        right,
      ),
    ),
  ].join('\n')
}

/** Formats one object as lines of name and value. */
export function formatDetails(thing: Record<string, Cell>): string {
  const width = Math.max(...Object.keys(thing).map((name) => name.length))
  return Object.entries(thing)
    .map(([name, value]) => `${name.replaceAll('_', ' ').padEnd(width)}  ${value ?? '-'}`)
    .join('\n')
}

const REDRAW_MS = 100
/** A log gets a line so often; a command that ends sooner writes none. */
const LOG_LINE_MS = 5_000

/** Progress on standard error: one line that overwrites itself on a terminal, otherwise a new line every five seconds. */
export function progressLine(
  stream: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
  now: () => number = Date.now,
): { show(text: string): void; end(): void } {
  const isTerminal = stream.isTTY === true
  let shownAt = isTerminal ? 0 : now()
  let isDrawn = false
  return {
    show(text) {
      if (now() - shownAt < (isTerminal ? REDRAW_MS : LOG_LINE_MS)) return
      shownAt = now()
      isDrawn = isTerminal
      stream.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`)
    },
    end() {
      if (isDrawn) stream.write('\r\x1b[K')
      isDrawn = false
    },
  }
}

/** A file size for people, in bytes, KiB or MiB. */
export const formatBytes = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} bytes`
    : bytes < 1024 ** 2
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${(bytes / 1024 ** 2).toFixed(1)} MiB`
