/** Rows of words in columns of equal width; the last column is not padded. */
export function alignColumns(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [i, cell] of row.slice(0, -1).entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  }
  return rows
    .map((row) => indent + row.map((cell, i) => (i < row.length - 1 ? cell.padEnd((widths[i] ?? 0) + 2) : cell)).join(''))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** 12,345 */
export const formatCount = (n: number, what: string): string => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`

/** A duration in its largest meaningful unit: `3 s`, `5 min`, `2.5 h`, `4.0 days`. */
export function formatDuration(ms: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.round(ms / 1_000))} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_800_000) return `${(ms / 3_600_000).toFixed(1)} h`
  return `${(ms / 86_400_000).toFixed(1)} days`
}
