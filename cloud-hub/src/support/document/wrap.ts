import { letterWidth, textWidth, type Weight } from './fonts.ts'

/** A line may break after these letters (Chinese characters, kana), unless punctuation that belongs to them follows. */
const BREAKS_AFTER = /[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]|[\u{20000}-\u{3ffff}]/u
const STAYS_WITH_PREVIOUS = /[、。，．・：；？！）」』】〉》〕ー々]/

export const ELLIPSIS = '…'

/** A text as one line that is at most this wide; what is left out at the end is shown by an ellipsis. */
export function cut(text: string, weight: Weight, size: number, width: number): string {
  const letters = [...text.replaceAll('\n', ' ')]
  if (textWidth(letters.join(''), weight, size) <= width) return letters.join('')
  let left = width - textWidth(ELLIPSIS, weight, size)
  const end = letters.findIndex((letter) => {
    left -= letterWidth(letter, weight) * size
    return left < 0
  })
  return `${letters.slice(0, end).join('').trimEnd()}${ELLIPSIS}`
}

/**
 * Breaks a text into lines: at its own line breaks, between words, between Chinese characters, and inside a word that is longer than a
 * line. No letter is lost.
 */
export function wrap(text: string, weight: Weight, size: number, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => wrapParagraph([...paragraph.trimEnd()], weight, size, width))
}

function wrapParagraph(letters: string[], weight: Weight, size: number, width: number): string[] {
  const lines: string[] = []
  let start = 0
  /** the index of the first letter of the next line when the line ends at the last opportunity; 0 when there is none */
  let opportunity = 0
  let used = 0
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string
    const previous = letters[at - 1] ?? ''
    if (at > start && (previous === ' ' || (BREAKS_AFTER.test(previous) && letter !== ' ' && !STAYS_WITH_PREVIOUS.test(letter))))
      opportunity = at
    const advance = letterWidth(letter, weight) * size
    if (letter !== ' ' && used + advance > width && at > start) {
      const end = opportunity > start ? opportunity : at
      lines.push(letters.slice(start, end).join('').trimEnd())
      start = end
      used = letters.slice(start, at).reduce((sum, each) => sum + letterWidth(each, weight) * size, 0)
    }
    used += advance
  }
  lines.push(letters.slice(start).join('').trimEnd())
  return lines
}
