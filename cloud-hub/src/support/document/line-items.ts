import bidiFactory from 'bidi-js'
import { type Face, faceFor, faceOfLetter, firstFace, type PlacedGlyph, type Weight } from './faces.ts'

const bidi = bidiFactory()

/** U+200F at the start of a line says that its paragraph is right-to-left. It is not drawn. */
export const RIGHT_TO_LEFT_MARK = '\u200f'
/** Letters that are drawn from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const HEBREW = /\p{Script=Hebrew}/u
/** A text without these letters is one glyph for each letter, from left to right. */
const COMPLEX =
  /[\p{M}\p{Script=Hebrew}\p{scx=Arabic}\p{scx=Thai}\p{scx=Devanagari}\p{Extended_Pictographic}\p{Emoji_Modifier}]|\p{Regional_Indicator}|\u200f/u
/** Letters of a cluster, and of a text that is shaped at once: the costs of a text grow with its length only. */
const [MAX_CLUSTER, MAX_SHAPED] = [32, 64]

export const isComplex = (text: string): boolean => COMPLEX.test(text)

/** Whether the first letter with a direction is right-to-left. */
export const startsRightToLeft = (text: string): boolean =>
  RIGHT_TO_LEFT.test(text) && bidi.getEmbeddingLevels(text, 'auto').paragraphs[0]?.level === 1

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What a reader sees as one character, such as a letter with its signs: no line breaks inside. */
export function clustersOf(text: string): string[] {
  if (!isComplex(text)) return [...text]
  return Array.from(segmenter.segment(text), ({ segment }) => segment).flatMap((cluster) => {
    if (cluster.length <= MAX_CLUSTER) return [cluster]
    const letters = [...cluster]
    const parts = Math.ceil(letters.length / MAX_CLUSTER)
    return Array.from({ length: parts }, (_, n) => letters.slice(n * MAX_CLUSTER, (n + 1) * MAX_CLUSTER).join(''))
  })
}

/** Consecutive letters, in the order of reading, that one font draws in one direction. */
export interface Item {
  text: string
  face: Face
  level: number
  isShaped: boolean
  /** UTF-16 index in the line */
  start: number
}

/** Splits a line by font, direction and kind of drawing. */
export function itemsOf(line: string, weight: Weight, levels?: Uint8Array): Item[] {
  const items: Item[] = []
  let length = 0
  const add = (text: string, face: Face, start: number) => {
    const level = levels?.[start] ?? 0
    const isShaped = face.isShaped || HEBREW.test(text)
    const last = items.at(-1)
    const letters = [...text].length
    const isFull = isShaped && length + letters > MAX_SHAPED
    if (last?.face === face && last.level === level && last.isShaped === isShaped && !isFull) {
      last.text += text
      length += letters
    } else {
      items.push({ text, face, level, isShaped, start })
      length = letters
    }
  }
  let at = 0
  for (const cluster of clustersOf(line)) {
    const letters = [...cluster]
    const whole = faceFor(letters, weight)
    let index = at
    if (cluster === RIGHT_TO_LEFT_MARK) index++
    else if (whole) add(cluster, whole, index)
    else
      for (const letter of letters) {
        add(letter, faceOfLetter(letter, weight) ?? firstFace(weight), index)
        index += letter.length
      }
    at += cluster.length
  }
  return items
}

/** An item with its left edge and its width, in units of the font size. */
export interface PlacedItem {
  /** in the order of reading */
  text: string
  /** in the order of display */
  drawn: string
  face: Face
  isRightToLeft: boolean
  x: number
  width: number
  /** undefined: one glyph for each drawn letter */
  glyphs: PlacedGlyph[] | undefined
}

/** The items of a line with their places, in the order of reading. Source: Unicode Standard Annex 9 */
export function placeItems(line: string, weight: Weight): PlacedItem[] {
  const isMixed = RIGHT_TO_LEFT.test(line)
  const embedding = isMixed ? bidi.getEmbeddingLevels(line, 'auto') : undefined
  const placed = itemsOf(line, weight, embedding?.levels).map((item) => ({ item, placed: placeItem(item) }))
  let x = 0
  for (const { placed: each } of embedding ? inDisplayOrder(placed, bidi.getReorderedIndices(line, embedding)) : placed) {
    each.x = x
    x += each.width
  }
  return placed.map(({ placed: each }) => each)
}

/** @param indices the UTF-16 indices of the line in the order of display */
function inDisplayOrder<T extends { item: Item }>(placed: T[], indices: number[]): T[] {
  const owners: T[] = []
  for (const each of placed) for (let at = 0; at < each.item.text.length; at++) owners[each.item.start + at] = each
  return [...new Set(indices.flatMap((index) => owners[index] ?? []))]
}

function placeItem({ text, face, level, isShaped }: Item): PlacedItem {
  const isRightToLeft = level % 2 === 1
  if (isShaped) {
    const { glyphs, width } = face.shape(text, isRightToLeft ? 'rtl' : 'ltr')
    return { text, drawn: text, face, isRightToLeft, x: 0, width, glyphs }
  }
  const drawn = isRightToLeft ? mirrored(text, face) : text
  let width = 0
  for (const letter of drawn) width += face.advance(letter)
  return { text, drawn, face, isRightToLeft, x: 0, width, glyphs: undefined }
}

/** Reverses the letters of a text, with brackets that open to the other side. */
const mirrored = (text: string, face: Face): string =>
  clustersOf(text)
    .reverse()
    .map((cluster) => {
      const other = bidi.getMirroredCharacter(cluster)
      return other !== null && face.has(other) ? other : cluster
    })
    .join('')
