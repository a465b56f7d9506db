import {
  beginMarkedContent,
  beginText,
  endMarkedContent,
  endText,
  fill,
  type PDFDocument,
  type PDFFont,
  type PDFImage,
  PDFName,
  PDFOperator,
  PDFOperatorNames,
  type PDFPage,
  popGraphicsState,
  pushGraphicsState,
  rectangle,
  setFillingRgbColor,
  setFontAndSize,
  setTextMatrix,
  showText,
} from 'pdf-lib'
import { TONES } from '../mail-layout.ts'
import { type DocumentFonts, textWidth, type Weight } from './fonts.ts'
import type { Element, StructureTree } from './structure.ts'

/** A4, in points. */
export const [WIDTH, HEIGHT, MARGIN] = [595.28, 841.89, 48]
export const INNER = WIDTH - 2 * MARGIN
/** space above the content of later pages, and below the content of every page */
const [HEAD, FOOT] = [30, 20]

export const COLOURS = { ...TONES, muted: '#5b6770', brand: '#0f5c8c', line: '#d5dbe0', pale: '#f4f6f8' } as const
export type Colour = keyof typeof COLOURS

export interface TextStyle {
  size: number
  weight?: Weight
  colour?: Colour
}

/** The pages of a document while it is drawn: `y` is the height at which the content of the current page ends. */
export class PageFlow {
  y = HEIGHT - MARGIN
  readonly structure: StructureTree
  readonly fonts: DocumentFonts
  readonly #pdf: PDFDocument
  readonly #fontNames = new Map<PDFPage, Map<PDFFont, PDFName>>()
  #page: PDFPage

  constructor(pdf: PDFDocument, fonts: DocumentFonts, structure: StructureTree) {
    this.#pdf = pdf
    this.fonts = fonts
    this.structure = structure
    this.#page = pdf.addPage([WIDTH, HEIGHT])
  }

  /** Starts a page when less than this height is left. @returns whether it did */
  need(height: number): boolean {
    if (this.y - height >= MARGIN + FOOT) return false
    this.#page = this.#pdf.addPage([WIDTH, HEIGHT])
    this.y = HEIGHT - MARGIN - HEAD
    return true
  }

  /** The height of the content of a page. */
  static readonly pageHeight = HEIGHT - 2 * MARGIN - HEAD - FOOT

  /** One line of text on its baseline. `element` null: not content, such as a page number. */
  text(element: Element | null, text: string, x: number, y: number, style: TextStyle, page = this.#page): void {
    const { size, weight = 'regular', colour = 'plain' } = style
    if (text === '') return
    const operators = [beginText(), fillColour(colour)]
    let at = x
    for (const run of this.fonts.runs(text, weight, size)) {
      operators.push(
        setFontAndSize(this.#fontName(page, run.font), size),
        setTextMatrix(1, 0, 0, 1, round(at), round(y)),
        showText(run.font.encodeText(run.text)),
      )
      at += run.width
    }
    this.#draw(element, page, [...operators, endText()])
  }

  /** A line of text that ends at x. */
  textTo(element: Element | null, text: string, x: number, y: number, style: TextStyle, page = this.#page): void {
    this.text(element, text, x - textWidth(text, style.weight ?? 'regular', style.size), y, style, page)
  }

  /** Filled rectangles: [x, y, width, height] of the lower left corner. Decoration, unless it belongs to an element. */
  fill(
    areas: [x: number, y: number, width: number, height: number][],
    colour: Colour,
    element: Element | null = null,
    page = this.#page,
  ): void {
    const paths = areas.map(([x, y, width, height]) => rectangle(round(x), round(y), round(width), round(height)))
    this.#draw(element, page, [fillColour(colour), ...paths, fill()])
  }

  /** A thin line over the width of the page. */
  rule(y: number, colour: Colour = 'line', page = this.#page): void {
    this.fill([[MARGIN, y, INNER, 0.6]], colour, null, page)
  }

  image(element: Element, image: PDFImage, x: number, y: number, width: number, height: number): void {
    const id = this.structure.mark(this.#page, element)
    this.#page.pushOperators(beginMarked(id))
    this.#page.drawImage(image, { x: round(x), y: round(y), width: round(width), height: round(height) })
    this.#page.pushOperators(endMarkedContent())
  }

  #draw(element: Element | null, page: PDFPage, operators: PDFOperator[]): void {
    const begin = element ? beginMarked(this.structure.mark(page, element)) : beginMarkedContent('Artifact')
    page.pushOperators(begin, pushGraphicsState(), ...operators, popGraphicsState(), endMarkedContent())
  }

  #fontName(page: PDFPage, font: PDFFont): PDFName {
    const names = this.#fontNames.get(page) ?? new Map<PDFFont, PDFName>()
    this.#fontNames.set(page, names)
    let name = names.get(font)
    if (!name) {
      name = PDFName.of(`F${names.size + 1}`)
      page.node.setFontDictionary(name, font.ref)
      names.set(font, name)
    }
    return name
  }
}

const round = (points: number) => Math.round(points * 100) / 100

function fillColour(colour: Colour): PDFOperator {
  const hex = COLOURS[colour]
  const [r, g, b] = [1, 3, 5].map((at) => round(Number.parseInt(hex.slice(at, at + 2), 16) / 255)) as [number, number, number]
  return setFillingRgbColor(r, g, b)
}

/** The type is that of the element of the structure tree, which decides; readers only need the id. */
const beginMarked = (id: number): PDFOperator =>
  PDFOperator.of(PDFOperatorNames.BeginMarkedContentSequence, [PDFName.of('Span'), `<</MCID ${id}>>`])
