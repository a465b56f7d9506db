/** Letters and signs as PLC programs spell them in ASCII. */
const ASCII: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', µ: 'u', μ: 'u', '²': '2', '³': '3', '°': 'deg' }

/**
 * The words of a tag in lower case: split at separators, at camel case, and between letters and digits. Indices and addresses
 * (`DB10`, `[3]`, `L1`) split into one or two letters and a number. These are dropped, except single letters, which may be
 * symbols.
 */
export function wordsOf(tag: string): string[] {
  return (
    spellPercent(tag)
      // `pH` is one word
      .replace(/(?<![A-Za-z])pH(?![a-z])/g, 'ph ')
      .replace(/[äöüßµμ²³°]/gi, (c) => ASCII[c.toLowerCase()] ?? c)
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
      .replace(/([A-Za-z])(\d)/g, '$1 $2')
      .replace(/(\d)([A-Za-z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z\d]+/)
      .filter((word) => word !== '' && !/^\d+$/.test(word))
  )
}

/** Words that compounds can consist of. */
export interface Dictionary {
  has(word: string): boolean
  /** of the longest word */
  maxLength: number
}

const MIN_PART = 3

/**
 * Splits compounds such as `oeltemperatur` into known words, the longest first; an `s` may join two. It works from the end, so each position
 * costs at most one look-up for each length of a word.
 * @returns null when a part is unknown
 */
export function compoundOf(word: string, dictionary: Dictionary): string[] | null {
  /** by position: where the first part of the rest ends, and where the next one begins; null where the rest has no split */
  const splits: ({ end: number; next: number } | null)[] = new Array(word.length).fill(null)
  const joins = (end: number) => word[end] === 's' && word.length - end > MIN_PART && splits[end + 1]
  for (let from = word.length - MIN_PART; from >= 0; from--)
    for (let end = Math.min(word.length, from + dictionary.maxLength); end >= from + MIN_PART; end--) {
      const isLast = end === word.length
      if (!(isLast || joins(end) || splits[end]) || !dictionary.has(word.slice(from, end))) continue
      splits[from] = { end, next: !isLast && joins(end) ? end + 1 : end }
      break
    }
  const parts: string[] = []
  for (let from = 0; from < word.length; ) {
    const split = splits[from]
    if (!split) return null
    parts.push(word.slice(from, split.end))
    from = split.next
  }
  return parts.length > 0 ? parts : null
}

/** `%` among the signs at the end is a unit, elsewhere the beginning of an address. */
export function spellPercent(text: string): string {
  let at = -1
  for (let i = text.length - 1; i >= 0 && /\W/.test(text[i] as string); i--) if (text[i] === '%') at = i
  return at < 0 ? text : `${text.slice(0, at)} pct ${text.slice(at + 1)}`
}
