/** An unknown variable, and the setting that was probably meant. */
export interface Misspelling {
  variable: string
  meant: string
}

/**
 * Finds variables that look like a misspelled setting. Short names resemble many others (HOME and HOST), so they allow fewer
 * differences. A setting that has a value is not a candidate.
 */
export function findMisspellings(env: Record<string, string | undefined>, settings: readonly string[]): Misspelling[] {
  const open = settings.filter((name) => !env[name])
  return Object.keys(env)
    .filter((variable) => env[variable] && !settings.includes(variable))
    .flatMap((variable) => {
      const meant = open.find((setting) => isNear(variable.toUpperCase(), setting))
      return meant ? [{ variable, meant }] : []
    })
}

function isNear(variable: string, setting: string): boolean {
  // For names this short, only two transposed letters count.
  if (setting.length < 6)
    return variable.length === setting.length && editDistance(variable, setting) <= 1 && isShuffled(variable, setting)
  return editDistance(variable, setting) <= (setting.length < 12 ? 1 : 2)
}

const isShuffled = (a: string, b: string) => [...a].sort().join() === [...b].sort().join()

/**
 * Minimum number of letters to insert, remove, replace, or transpose with their neighbour. Source: optimal string alignment
 * (restricted Damerau-Levenshtein) distance
 */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
