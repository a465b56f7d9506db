import type { PDFDocument, PDFFont } from 'pdf-lib'
import { EmbeddedFont } from './embedded-font.ts'
import { type Face, faceOfLetter, firstFace, type Weight } from './faces.ts'
import { isComplex, itemsOf, type PlacedItem, placeItems } from './line-items.ts'

export type { Weight } from './faces.ts'

/** Replaces a letter that no font has. */
export const UNKNOWN = '\u25a1'

/** The width of a line that `readable` returned. */
export function textWidth(text: string, weight: Weight, size: number): number {
  let width = 0
  if (isComplex(text)) for (const item of placeItems(text, weight)) width += item.width
  else for (const letter of text) width += (faceOfLetter(letter, weight) ?? firstFace(weight)).advance(letter)
  return width * size
}

const JOINED = '[\\p{scx=Arabic}\\p{scx=Devanagari}]'
const PICTURE = '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]'
/** Format characters, but for those that choose the form of the letters beside them. */
const INVISIBLE = new RegExp(
  `(?!\\n)\\p{Cc}|(?!(?<=${JOINED})[\\u200c\\u200d](?=${JOINED})|(?<=${PICTURE})\\u200d(?=${PICTURE}))\\p{Cf}`,
  'gu',
)
/** A stack of signs must not cover the lines above. No language has that many on a letter. */
const TOO_MANY_SIGNS = /(\p{M}{8})\p{M}+/gu

/**
 * A text that the fonts can draw: composed (NFC), one space for each run of blanks, line breaks kept, without control characters. A letter
 * that no font has becomes its base letter, or □. Signs beyond eight on one letter are left out.
 */
export function readable(text: string): { text: string; hasUnknown: boolean } {
  let hasUnknown = false
  const letters = [
    ...text
      .normalize('NFC')
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replace(/[^\S\n]+/g, ' ')
      .replace(/[\ufe00-\ufe0f]/g, '')
      .replace(INVISIBLE, '')
      .replace(TOO_MANY_SIGNS, '$1'),
  ].map((letter) => {
    if (letter === '\n' || faceOfLetter(letter, 'regular')) return letter
    const base = letter.normalize('NFKD').charAt(0)
    if (base !== letter && faceOfLetter(base, 'regular')) return base
    hasUnknown = true
    return UNKNOWN
  })
  return { text: letters.join(''), hasUnknown }
}

/** Glyphs in hex with their places, in points from the start of the line. */
interface Piece {
  codes: string
  x: number
  y: number
}

/** A stretch of a line in one font. */
export interface Run {
  font: PDFFont
  pieces: Piece[]
  /** the letters of glyphs that do not stand in the order of reading; readers reverse right-to-left letters themselves */
  text: string | undefined
}

/** Adds a space at the right, which is the last in the order of reading too. */
function addSpace(items: PlacedItem[], weight: Weight): void {
  const face = firstFace(weight)
  const last = items.at(-1)
  const x = Math.max(0, ...items.map((item) => item.x + item.width))
  if (last?.face === face && !last.glyphs && last.x + last.width === x) last.drawn += ' '
  else items.push({ text: ' ', drawn: ' ', face, isRightToLeft: false, x, width: face.advance(' '), glyphs: undefined })
}

/** The fonts of one document: each is embedded once, with the glyphs that the document uses. */
export class DocumentFonts {
  readonly #embedded = new Map<Face, EmbeddedFont>()

  /** Embeds the fonts that the texts need. Drawing is synchronous, embedding is not. */
  static async embed(pdf: PDFDocument, texts: Iterable<string>): Promise<DocumentFonts> {
    const fonts = new DocumentFonts()
    const letters = new Set<string>()
    const complex = new Set<string>()
    for (const text of texts) {
      if (isComplex(text)) for (const line of text.split('\n')) complex.add(line)
      else for (const letter of text) letters.add(letter)
    }
    letters.delete('\n')
    for (const weight of ['regular', 'bold'] as const) {
      const needed = new Set([firstFace(weight)])
      for (const text of [...letters, ...complex]) for (const { face } of itemsOf(text, weight)) needed.add(face)
      for (const face of needed) fonts.#embedded.set(face, await EmbeddedFont.embed(pdf, face))
    }
    return fonts
  }

  /** The stretches of a line in the order of reading, with a space at the end if it is content. */
  runs(text: string, weight: Weight, size: number, isContent: boolean): Run[] {
    const items = placeItems(text, weight)
    if (isContent) addSpace(items, weight)
    return items.map((item) => {
      const font = this.#embedded.get(item.face) as EmbeddedFont
      const pieces = item.glyphs?.map(({ glyph, x, y }) => ({
        codes: font.encodeGlyph(glyph),
        x: (item.x + x) * size,
        y: y * size,
      })) ?? [{ codes: font.encodeLetters(item.drawn), x: item.x * size, y: 0 }]
      return { font: font.pdfFont, pieces, text: item.glyphs && !item.isRightToLeft ? item.text : undefined }
    })
  }
}
