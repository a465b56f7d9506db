/** `ä` as PLC programs write it. */
const ASCII: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', µ: 'u', μ: 'u', '²': '2', '³': '3', '°': 'deg' }

/**
 * The words of a tag in lower case: split at separators, at camel case, and between letters and digits; indices and addresses (`DB10`,
 * `[3]`, `L1`) fall apart into a letter or two and a number, which mean nothing and are dropped, save for single letters, which may be symbols.
 */
export function wordsOf(tag: string): string[] {
  return (
    tag
      // `%` is a unit at the end, and the beginning of an address elsewhere; `pH` is one word
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

/** Compounds such as `oeltemperatur` as the known words that they are made of, longest first; null when something is left over. */
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
