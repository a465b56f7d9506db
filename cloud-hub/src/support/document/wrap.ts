import { textWidth, type Weight } from './fonts.ts'
import { clustersOf, RIGHT_TO_LEFT_MARK, startsRightToLeft } from './line-items.ts'

/** A line may break after these letters (Chinese characters, kana), unless punctuation that belongs to them follows. */
const BREAKS_AFTER = /[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]|[\u{20000}-\u{3ffff}]/u
const STAYS_WITH_PREVIOUS = /[、。，．・：；？！）」』】〉》〕ー々]/
const THAI = /\p{Script=Thai}/u
const thaiWords = new Intl.Segmenter('th', { granularity: 'word' })

/** Clusters of a line inside one word. */
const MAX_CLUSTERS = 500

export const ELLIPSIS = '…'

/** A text as one line that is at most this wide; what is left out at the end is shown by an ellipsis. */
export function cut(text: string, weight: Weight, size: number, width: number): string {
  const line = text.replaceAll('\n', ' ')
  if (textWidth(line, weight, size) <= width) return line
  const clusters = clustersOf(line)
  const end = fitting(clusters, weight, size, width - textWidth(ELLIPSIS, weight, size))
  return `${clusters.slice(0, end).join('').trimEnd()}${ELLIPSIS}`
}

/** How many of the clusters fit the width, by halving: the width of joined letters is not the sum of their widths. */
function fitting(clusters: readonly string[], weight: Weight, size: number, width: number): number {
  let [fits, fitsNot] = [0, clusters.length + 1]
  while (fitsNot - fits > 1) {
    const middle = Math.min(fits * 2 + 8, Math.floor((fits + fitsNot) / 2))
    if (textWidth(clusters.slice(0, middle).join(''), weight, size) <= width) fits = middle
    else fitsNot = middle
  }
  return fits
}

/**
 * Breaks a text into lines: at its own line breaks, between words, between Chinese characters, and inside a word that is longer than a
 * line, but never inside a cluster. No letter is lost. Lines of a right-to-left paragraph begin with U+200F.
 */
export function wrap(text: string, weight: Weight, size: number, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines = wrapParagraph(paragraph.trimEnd(), weight, size, width)
    return startsRightToLeft(paragraph) ? lines.map((line) => RIGHT_TO_LEFT_MARK + line) : lines
  })
}

function wrapParagraph(text: string, weight: Weight, size: number, width: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of wordsOf(text)) {
    const letters = word.trimEnd()
    const needed = textWidth(letters, weight, size)
    if (used + needed > width && line !== '') {
      lines.push(line.trimEnd())
      line = ''
      used = 0
    }
    if (needed > width) {
      const parts = partsOf(letters, weight, size, width)
      lines.push(...parts.slice(0, -1))
      const rest = `${parts.at(-1)}${word.slice(letters.length)}`
      line = rest
      used = textWidth(rest, weight, size)
    } else {
      line += word
      used += needed + textWidth(word.slice(letters.length), weight, size)
    }
  }
  lines.push(line.trimEnd())
  return lines
}

/** What may not be divided between two lines, with the blanks that follow it. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  let word = ''
  let previous = ''
  const end = () => {
    if (THAI.test(word)) words.push(...thaiWordsOf(word))
    else if (word !== '') words.push(word)
    word = ''
  }
  for (const cluster of clustersOf(text)) {
    if (previous === ' ' || (BREAKS_AFTER.test(previous) && cluster !== ' ' && !STAYS_WITH_PREVIOUS.test(cluster))) end()
    word += cluster
    previous = cluster
  }
  end()
  return words
}

/** Thai writes no blanks between words: a dictionary finds them. */
function thaiWordsOf(text: string): string[] {
  const words: string[] = []
  for (const { segment } of thaiWords.segment(text)) {
    const last = words.at(-1)
    if (last !== undefined && !(THAI.test(last.slice(-1)) && THAI.test(segment.charAt(0)))) words[words.length - 1] += segment
    else words.push(segment)
  }
  return words
}

/** Divides a word that is longer than a line. */
function partsOf(word: string, weight: Weight, size: number, width: number): string[] {
  const clusters = clustersOf(word)
  const parts: string[] = []
  for (let start = 0; start < clusters.length; ) {
    const end = start + Math.max(1, fitting(clusters.slice(start, start + MAX_CLUSTERS), weight, size, width))
    parts.push(clusters.slice(start, end).join(''))
    start = end
  }
  return parts
}
