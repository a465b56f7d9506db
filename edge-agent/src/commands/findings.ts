/** The result of one check. `note`: a problem that does not stop the agent. */
export interface Finding {
  what: string
  result: 'ok' | 'note' | 'FAIL'
  words: string
  /** more, line by line */
  lines: string[]
}

/** The findings in words, aligned. */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length))
  const rest = ' '.repeat(4 + 2 + width + 2)
  return findings
    .flatMap(({ what, result, words, lines }) => [
      `${result.padEnd(4)}  ${what.padEnd(width)}  ${words}`,
      ...lines.map((line) => `${rest}${line}`),
    ])
    .join('\n')
}
