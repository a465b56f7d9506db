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

/** A progress line that overwrites itself; silent when standard error is not a terminal. */
export function progressLine(): { show(text: string): void; end(): void } {
  const isSeen = process.stderr.isTTY
  let shownAt = 0
  return {
    show(text) {
      if (!isSeen || Date.now() - shownAt < 100) return
      shownAt = Date.now()
      process.stderr.write(`\r\x1b[K${text}`)
    },
    end() {
      if (isSeen && shownAt > 0) process.stderr.write('\r\x1b[K')
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
