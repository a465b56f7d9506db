import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fontkit from '@cantoo/fontkit'
import type { PDFDocument, PDFFont } from 'pdf-lib'

export type Weight = 'regular' | 'bold'

/**
 * The fonts of documents, all under the SIL Open Font License. A character is drawn with the first font that has it: Arimo (Latin,
 * Greek, Cyrillic), Nanum Gothic (Hangul), Noto Sans SC (Chinese characters and kana).
 */
const require = createRequire(import.meta.url)
const FILES: Record<Weight, readonly [string, ...string[]]> = {
  regular: [
    require.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
    require.resolve('@expo-google-fonts/nanum-gothic/400Regular/NanumGothic_400Regular.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf'),
  ],
  bold: [
    require.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf'),
    require.resolve('@expo-google-fonts/nanum-gothic/700Bold/NanumGothic_700Bold.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf'),
  ],
}

/** One glyph per letter, without ligatures and kerning: text search works, and widths add up. */
const FEATURES = Object.fromEntries(
  ['liga', 'clig', 'calt', 'rlig', 'rclt', 'ccmp', 'locl', 'rvrn', 'frac', 'numr', 'dnom', 'kern', 'mark', 'mkmk', 'curs'].map(
    (name) => [name, false],
  ),
)

/** Replaces a letter that no font has. */
export const UNKNOWN = '\u25a1'

interface Face {
  name: string
  bytes: Buffer
  has(codePoint: number): boolean
  /** advance width, in units of the font size */
  advance(codePoint: number): number
}

const faces = new Map<string, Face>()

/** Reads a font on its first use: most documents need Arimo only, and Noto Sans SC has 10 MB a weight. */
function faceOf(file: string): Face {
  const loaded = faces.get(file)
  if (loaded) return loaded
  const bytes = readFileSync(file)
  const font = fontkit.create(bytes)
  if (!('glyphForCodePoint' in font)) throw new Error(`${file} is a collection of fonts`)
  const known = new Map<number, number>()
  const face: Face = {
    name: font.postscriptName ?? file,
    bytes,
    has: (codePoint) => font.hasGlyphForCodePoint(codePoint),
    advance(codePoint) {
      const width = known.get(codePoint) ?? (font.glyphForCodePoint(codePoint)?.advanceWidth ?? 0) / font.unitsPerEm
      known.set(codePoint, width)
      return width
    },
  }
  faces.set(file, face)
  return face
}

const faceFor = (letter: string, weight: Weight): Face | undefined => {
  const codePoint = letter.codePointAt(0) as number
  for (const file of FILES[weight]) {
    const face = faceOf(file)
    if (face.has(codePoint)) return face
  }
  return undefined
}

/** The width of a letter that `readable` returned, in units of the font size. */
export const letterWidth = (letter: string, weight: Weight): number =>
  (faceFor(letter, weight) ?? faceOf(FILES[weight][0])).advance(letter.codePointAt(0) as number)

export const textWidth = (text: string, weight: Weight, size: number): number => {
  let width = 0
  for (const letter of text) width += letterWidth(letter, weight)
  return width * size
}

/**
 * A text that the fonts can draw: composed (NFC), one space for each run of blanks, line breaks kept, without control characters. A letter
 * that no font has becomes its base letter, or □.
 */
export function readable(text: string): { text: string; hasUnknown: boolean } {
  let hasUnknown = false
  const letters = [
    ...text
      .normalize('NFC')
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replace(/[^\S\n]+/g, ' ')
      .replace(/(?!\n)\p{Cc}|\p{Cf}|[\ufe00-\ufe0f]/gu, ''),
  ].map((letter) => {
    if (letter === '\n' || faceFor(letter, 'regular')) return letter
    const base = letter.normalize('NFKD').charAt(0)
    if (base !== letter && faceFor(base, 'regular')) return base
    hasUnknown = true
    return UNKNOWN
  })
  return { text: letters.join(''), hasUnknown }
}

/** A stretch of text in one font. */
export interface Run {
  text: string
  font: PDFFont
  width: number
}

/** The fonts of one document: each is embedded once, with the glyphs that the document uses. */
export class DocumentFonts {
  readonly #embedded = new Map<Face, PDFFont>()
  /** the codes of letters: each letter is one glyph, whatever stands beside it */
  readonly #codes = new Map<PDFFont, Map<string, string>>()

  /** Embeds the fonts that the texts need. Drawing is synchronous, embedding is not. */
  static async embed(pdf: PDFDocument, texts: Iterable<string>): Promise<DocumentFonts> {
    pdf.registerFontkit(fontkit)
    const fonts = new DocumentFonts()
    const letters = new Set<string>()
    for (const text of texts) for (const letter of text) letters.add(letter)
    for (const weight of Object.keys(FILES) as Weight[]) {
      const needed = new Set([faceOf(FILES[weight][0])])
      for (const letter of letters) {
        const face = letter === '\n' ? undefined : faceFor(letter, weight)
        if (face) needed.add(face)
      }
      for (const face of needed) {
        const customName = `HALTLS+${face.name}`
        fonts.#embedded.set(face, await pdf.embedFont(face.bytes, { subset: true, features: FEATURES, customName }))
      }
    }
    return fonts
  }

  /** The stretches of a line, each in the font that has its letters. */
  runs(text: string, weight: Weight, size: number): Run[] {
    const runs: (Run & { face: Face })[] = []
    for (const letter of text) {
      const face = faceFor(letter, weight) ?? faceOf(FILES[weight][0])
      const width = face.advance(letter.codePointAt(0) as number) * size
      const last = runs.at(-1)
      if (last?.face === face) {
        last.text += letter
        last.width += width
      } else runs.push({ text: letter, face, width, font: this.#embedded.get(face) as PDFFont })
    }
    return runs
  }

  /** The glyphs of a text in hex, as a string of a content stream. */
  encode(text: string, font: PDFFont): string {
    const codes = this.#codes.get(font) ?? new Map<string, string>()
    this.#codes.set(font, codes)
    let encoded = ''
    for (const letter of text) {
      let code = codes.get(letter)
      if (code === undefined) {
        code = font.encodeText(letter).asString()
        codes.set(letter, code)
      }
      encoded += code
    }
    return `<${encoded}>`
  }
}
