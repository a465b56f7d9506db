/** Letters and signs as PLC programs spell them in ASCII. */
const ASCII: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', µ: 'u', μ: 'u', '²': '2', '³': '3', '°': 'deg' }

/**
 * The words of a tag in lower case: split at separators, at camel case, and between letters and digits. Indices and addresses
 * (`DB10`, `[3]`, `L1`) split into one or two letters and a number. These are dropped, except single letters, which may be
 * symbols.
 */
export function wordsOf(tag: string): string[] {
  return (
    tag
      // `%` at the end is a unit, elsewhere the beginning of an address; `pH` is one word
      .replace(/%(?=\W*$)/, ' pct ')
      .replace(/(?<![A-Za-z])pH(?![a-z])/g, 'ph ')
      .replace(/[äöüßµμ²³°]/gi, (c) => ASCII[c.toLowerCase()] ?? c)
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
      .replace(/([A-Za-z])(\d)/g, '$1 $2')
      .replace(/(\d)([A-Za-z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z\d]+/)
      .filter((word) => word !== '' && !/^\d+$/.test(word))
  )
}

/** Splits compounds such as `oeltemperatur` into known words, longest first. @returns null when a part is unknown */
export function compoundOf(word: string, isKnown: (part: string) => boolean): string[] | null {
  if (isKnown(word)) return [word]
  for (let length = word.length - 1; length >= 3; length--) {
    const head = word.slice(0, length)
    if (!isKnown(head)) continue
    const rest = compoundOf(word.slice(length).replace(/^s(?=...)/, ''), isKnown) ?? compoundOf(word.slice(length), isKnown)
    if (rest) return [head, ...rest]
  }
  return null
}
