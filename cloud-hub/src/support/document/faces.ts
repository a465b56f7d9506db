import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fontkit, { type Font, type Glyph } from '@cantoo/fontkit'

export type Weight = 'regular' | 'bold'

const require = createRequire(import.meta.url)

/**
 * The fonts of documents, all under the SIL Open Font License. A character is drawn with the first font that has it: Arimo (Latin,
 * Greek, Cyrillic, Hebrew), Noto Sans (Arabic, Thai, Devanagari), Noto Emoji, Nanum Gothic (Hangul), Noto Sans SC (Chinese characters
 * and kana).
 */
const FILES: Record<Weight, readonly [string, ...string[]]> = {
  regular: [
    require.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf'),
    require.resolve('@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf'),
    require.resolve('@expo-google-fonts/nanum-gothic/400Regular/NanumGothic_400Regular.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf'),
  ],
  bold: [
    require.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-arabic/700Bold/NotoSansArabic_700Bold.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-devanagari/700Bold/NotoSansDevanagari_700Bold.ttf'),
    require.resolve('@expo-google-fonts/noto-emoji/700Bold/NotoEmoji_700Bold.ttf'),
    require.resolve('@expo-google-fonts/nanum-gothic/700Bold/NanumGothic_700Bold.ttf'),
    require.resolve('@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf'),
  ],
}
/** The letters of these fonts change their form and position by their neighbours. */
const SHAPED_FONTS = /NotoSansArabic|NotoSansThai|NotoSansDevanagari|NotoEmoji/

/** A glyph with its place, in units of the font size, from the start of its text on the baseline. */
export interface PlacedGlyph {
  glyph: Glyph
  x: number
  y: number
}
export interface ShapedText {
  glyphs: PlacedGlyph[]
  width: number
}

/** A font keeps the code points of the first use of a glyph. Arabic letters share glyphs, so each use gets its own. */
function withOwnCodePoints(font: Font): Font {
  const getGlyph = font.getGlyph.bind(font)
  font.getGlyph = (id, codePoints = []) => {
    const glyph = getGlyph(id, codePoints)
    if (!glyph || `${glyph.codePoints}` === `${codePoints}`) return glyph
    return Object.create(glyph, { codePoints: { value: codePoints } }) as Glyph
  }
  return font
}

/** Shaped texts of a font that stay in memory. */
const MAX_CACHED = 1_000

/** A font as far as layout needs it. Widths are in units of the font size. */
export class Face {
  readonly name: string
  readonly bytes: Buffer
  readonly isShaped: boolean
  readonly #font: Font
  readonly #advances = new Map<number, number>()
  readonly #shaped = new Map<string, ShapedText>()

  constructor(file: string) {
    this.bytes = readFileSync(file)
    const font = fontkit.create(this.bytes)
    if (!('glyphForCodePoint' in font)) throw new Error(`${file} is a collection of fonts`)
    this.#font = withOwnCodePoints(font)
    this.name = font.postscriptName ?? file
    this.isShaped = SHAPED_FONTS.test(file)
  }

  has(letter: string): boolean {
    return this.#font.hasGlyphForCodePoint(letter.codePointAt(0) as number)
  }

  /** The width of a letter without neighbours. */
  advance(letter: string): number {
    const codePoint = letter.codePointAt(0) as number
    const width =
      this.#advances.get(codePoint) ?? (this.#font.glyphForCodePoint(codePoint)?.advanceWidth ?? 0) / this.#font.unitsPerEm
    this.#advances.set(codePoint, width)
    return width
  }

  /** The glyphs of a text in the order of display. The caller limits the length of the text. */
  shape(text: string, direction: 'ltr' | 'rtl'): ShapedText {
    const key = direction + text
    const cached = this.#shaped.get(key)
    if (cached) return cached
    const { glyphs, positions } = this.#font.layout(text, null, null, null, direction)
    const { unitsPerEm } = this.#font
    let x = 0
    const placed = glyphs.map((glyph, i) => {
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions?.[i] ?? {}
      const place = { glyph, x: x + xOffset / unitsPerEm, y: yOffset / unitsPerEm }
      x += xAdvance / unitsPerEm
      return place
    })
    if (this.#shaped.size >= MAX_CACHED) this.#shaped.clear()
    const shaped = { glyphs: placed, width: x }
    this.#shaped.set(key, shaped)
    return shaped
  }
}

const faces = new Map<string, Face>()

/** Reads a font on its first use: most documents need Arimo only, and Noto Sans SC has 10 MB a weight. */
function faceOf(file: string): Face {
  const face = faces.get(file) ?? new Face(file)
  faces.set(file, face)
  return face
}

/** The font of a letter that no font has. */
export const firstFace = (weight: Weight): Face => faceOf(FILES[weight][0])

/** The first font that has all of the letters. */
export function faceFor(letters: readonly string[], weight: Weight): Face | undefined {
  if (letters.length === 1) return faceOfLetter(letters[0] as string, weight)
  const file = FILES[weight].find((each) => letters.every((letter) => faceOf(each).has(letter)))
  return file === undefined ? undefined : faceOf(file)
}

const known: Record<Weight, Map<string, Face | undefined>> = { regular: new Map(), bold: new Map() }

/** The first font that has a letter. */
export function faceOfLetter(letter: string, weight: Weight): Face | undefined {
  const cached = known[weight]
  if (cached.has(letter)) return cached.get(letter)
  const file = FILES[weight].find((each) => faceOf(each).has(letter))
  const face = file === undefined ? undefined : faceOf(file)
  cached.set(letter, face)
  return face
}
