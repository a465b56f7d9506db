import fontkit, { type Font, type Glyph } from '@cantoo/fontkit'
import type { PDFDocument, PDFFont } from 'pdf-lib'
import type { Face } from './faces.ts'

/** One glyph per letter, without ligatures and kerning: widths add up. Texts that need shaping are shaped before. */
const FEATURES = Object.fromEntries(
  ['liga', 'clig', 'calt', 'rlig', 'rclt', 'ccmp', 'locl', 'rvrn', 'frac', 'numr', 'dnom', 'kern', 'mark', 'mkmk', 'curs'].map(
    (name) => [name, false],
  ),
)
/** Glyphs of a font have smaller numbers. */
const FIRST_SHAPED = 0x10000

/** A shaped glyph with a number of its own for each text that it stands for. */
interface ShapedGlyph extends Pick<Glyph, 'id' | 'codePoints' | 'advanceWidth'> {
  glyph: Glyph
}

/** A font in one document, with the glyphs that the document uses. */
export class EmbeddedFont {
  readonly pdfFont: PDFFont
  /** the codes of letters and of shaped glyphs, by the text under which pdf-lib encodes them */
  readonly #codes = new Map<string, string>()
  readonly #shaped: Map<string, ShapedGlyph>

  private constructor(pdfFont: PDFFont, shaped: Map<string, ShapedGlyph>) {
    this.pdfFont = pdfFont
    this.#shaped = shaped
  }

  static async embed(pdf: PDFDocument, face: Face): Promise<EmbeddedFont> {
    const shaped = new Map<string, ShapedGlyph>()
    pdf.registerFontkit({ create: (bytes) => withShapedGlyphs(fontkit.create(bytes) as Font, shaped) })
    const font = await pdf.embedFont(face.bytes, { subset: true, features: FEATURES, customName: `HALTLS+${face.name}` })
    return new EmbeddedFont(font, shaped)
  }

  /** The glyphs of letters in hex: each letter is one glyph, whatever stands beside it. */
  encodeLetters(text: string): string {
    let encoded = ''
    for (const letter of text) encoded += this.#encode(letter)
    return encoded
  }

  /** A glyph of a shaped text in hex. */
  encodeGlyph(glyph: Glyph): string {
    const name = `glyph ${glyph.id} of ${glyph.codePoints}`
    if (!this.#shaped.has(name)) {
      const { codePoints, advanceWidth } = glyph
      this.#shaped.set(name, { id: FIRST_SHAPED + this.#shaped.size, codePoints, advanceWidth, glyph })
    }
    return this.#encode(name)
  }

  #encode(text: string): string {
    let code = this.#codes.get(text)
    if (code === undefined) {
      code = this.pdfFont.encodeText(text).asString()
      this.#codes.set(text, code)
    }
    return code
  }
}

/**
 * pdf-lib encodes the glyphs that a font lays out for a text. Under its name, it gets a glyph that is shaped already. A glyph that stands
 * for several texts, such as an Arabic letter whose dots are other glyphs, is in the font once for each: readers find the right letter.
 */
function withShapedGlyphs(font: Font, shaped: ReadonlyMap<string, ShapedGlyph>): Font {
  const layout = font.layout.bind(font)
  font.layout = (text, ...options) => {
    const glyph = shaped.get(text)
    return glyph ? { ...layout('', ...options), glyphs: [glyph as unknown as Glyph] } : layout(text, ...options)
  }
  const createSubset = font.createSubset.bind(font)
  font.createSubset = () => {
    const subset = createSubset() as ReturnType<Font['createSubset']> & { mapping: Record<number, number> }
    const includeGlyph = subset.includeGlyph.bind(subset)
    subset.includeGlyph = (included) => {
      if (typeof included === 'number' || included.id < FIRST_SHAPED) return includeGlyph(included)
      const { id } = (included as unknown as ShapedGlyph).glyph
      // The subset adds a glyph that it does not know.
      delete subset.mapping[id]
      return includeGlyph(id)
    }
    return subset
  }
  return font
}
