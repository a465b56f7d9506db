import { deflateSync } from 'node:zlib'
import {
  type PDFArray,
  type PDFContext,
  type PDFDict,
  type PDFDocument,
  type PDFFont,
  PDFHexString,
  type PDFImage,
  PDFName,
  type PDFObject,
  PDFPageLeaf,
  PDFRawStream,
  type PDFRef,
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

/** A page that later gets its margins. Its content so far is compressed, and lies outside of the heap. */
export interface Page {
  ref: PDFRef
  leaf: PDFPageLeaf
  contents: PDFArray
}

/**
 * The pages of a document while it is drawn: `y` is the height at which the content of the current page ends. Only the current page is in
 * memory as text. Consecutive lines of an element share one piece of marked content, so that a long text has few objects.
 */
export class PageFlow {
  y = HEIGHT - MARGIN
  readonly structure: StructureTree
  readonly fonts: DocumentFonts
  readonly pages: Page[] = []
  readonly #pdf: PDFDocument
  readonly #context: PDFContext
  /** fonts and images of all pages */
  readonly #resources: Record<'Font' | 'XObject', PDFDict>
  readonly #names = new Map<PDFFont | PDFImage, string>()
  #page: Page
  #operators: string[] = []
  /** whose marked content is open; null: an artifact, undefined: none */
  #marked: Element | null | undefined

  constructor(pdf: PDFDocument, fonts: DocumentFonts, structure: StructureTree) {
    this.#pdf = pdf
    this.#context = pdf.context
    this.fonts = fonts
    this.structure = structure
    this.#resources = { Font: this.#context.obj({}), XObject: this.#context.obj({}) }
    // All pages inherit size and resources. Source: ISO 32000-1, 7.7.3.4
    const root = pdf.catalog.Pages()
    root.set(PDFName.of('MediaBox'), this.#context.obj([0, 0, WIDTH, HEIGHT]))
    root.set(PDFName.of('Resources'), this.#context.obj(this.#resources))
    this.#page = this.#addPage()
  }

  /** Starts a page when less than this height is left. @returns whether it did */
  need(height: number): boolean {
    if (this.y - height >= MARGIN + FOOT) return false
    this.#finishContent()
    this.#page = this.#addPage()
    this.y = HEIGHT - MARGIN - HEAD
    return true
  }

  /** The height of the content of a page. */
  static readonly pageHeight = HEIGHT - 2 * MARGIN - HEAD - FOOT

  /** Adds to each page what depends on the number of pages. */
  finish(drawMargins: (index: number, pages: number) => void): void {
    this.#finishContent()
    this.pages.forEach((page, i) => {
      this.#page = page
      drawMargins(i, this.pages.length)
      this.#finishContent()
    })
    this.structure.finish(this.#pdf, this.pages)
  }

  /** One line of text on its baseline. `element` null: not content, such as a page number. */
  text(element: Element | null, text: string, x: number, y: number, style: TextStyle): void {
    const { size, weight = 'regular', colour = 'plain' } = style
    if (text === '') return
    let operators: string[] = []
    const draw = (letters?: string) => {
      if (operators.length > 0) this.#draw(element, ['BT', fillColour(colour), ...operators, 'ET'], letters)
      operators = []
    }
    // The space keeps the words of two lines apart for readers of the structure.
    for (const run of this.fonts.runs(text, weight, size, element !== null)) {
      if (run.text !== undefined) draw()
      operators.push(`/${this.#nameOf('Font', run.font)} ${size} Tf`)
      for (const { codes, x: right, y: up } of run.pieces)
        operators.push(`1 0 0 1 ${round(x + right)} ${round(y + up)} Tm <${codes}> Tj`)
      if (run.text !== undefined) draw(run.text)
    }
    draw()
  }

  /** A line of text that ends at x. */
  textTo(element: Element | null, text: string, x: number, y: number, style: TextStyle): void {
    this.text(element, text, x - textWidth(text, style.weight ?? 'regular', style.size), y, style)
  }

  /** Filled rectangles: [x, y, width, height] of the lower left corner. Decoration, unless it belongs to an element. */
  fill(areas: [x: number, y: number, width: number, height: number][], colour: Colour, element: Element | null = null): void {
    this.#draw(element, [fillColour(colour), ...areas.map((area) => `${area.map(round).join(' ')} re`), 'f'])
  }

  /** A thin line over the width of the page. */
  rule(y: number, colour: Colour = 'line'): void {
    this.fill([[MARGIN, y, INNER, 0.6]], colour)
  }

  image(element: Element, image: PDFImage, x: number, y: number, width: number, height: number): void {
    const matrix = [width, 0, 0, height, x, y].map(round).join(' ')
    this.#draw(element, ['q', `${matrix} cm /${this.#nameOf('XObject', image)} Do`, 'Q'])
  }

  /**
   * The type of marked content is that of the element of the structure tree, which decides; readers only need the id.
   * @param letters what readers find instead of the glyphs; it stands in a marked content of its own
   */
  #draw(element: Element | null, operators: string[], letters?: string): void {
    if (element !== this.#marked || letters !== undefined) {
      if (this.#marked !== undefined) this.#operators.push('EMC')
      const text = letters === undefined ? '' : `/ActualText ${PDFHexString.fromText(letters)}`
      this.#operators.push(
        element ? `/Span <</MCID ${this.structure.mark(this.#page.ref, element)}${text}>> BDC` : '/Artifact BMC',
      )
      this.#marked = element
    }
    this.#operators.push(...operators)
    if (letters === undefined) return
    this.#operators.push('EMC')
    this.#marked = undefined
  }

  #addPage(): Page {
    const contents: PDFArray = this.#context.obj([])
    const rootRef = this.#pdf.catalog.get(PDFName.of('Pages')) as PDFRef
    const leaf = PDFPageLeaf.fromMapWithContext(
      new Map<PDFName, PDFObject>([
        [PDFName.of('Type'), PDFName.of('Page')],
        [PDFName.of('Parent'), rootRef],
        [PDFName.of('Contents'), contents],
      ]),
      this.#context,
    )
    const page = { leaf, contents, ref: this.#context.register(leaf) }
    this.#pdf.catalog.Pages().pushLeafNode(page.ref)
    this.pages.push(page)
    return page
  }

  #finishContent(): void {
    if (this.#operators.length === 0) return
    // A copy: what zlib returns keeps a buffer of 16 kB alive.
    const bytes = Uint8Array.from(deflateSync([...this.#operators, 'EMC', ''].join('\n')))
    this.#operators = []
    this.#marked = undefined
    const dict = this.#context.obj({ Filter: 'FlateDecode', Length: bytes.length }) as PDFDict
    this.#page.contents.push(this.#context.register(PDFRawStream.of(dict, bytes)))
  }

  #nameOf(type: 'Font' | 'XObject', resource: PDFFont | PDFImage): string {
    const known = this.#names.get(resource)
    if (known) return known
    const name = `${type.charAt(0)}${this.#names.size + 1}`
    this.#names.set(resource, name)
    this.#resources[type].set(PDFName.of(name), resource.ref)
    return name
  }
}

const round = (points: number) => Math.round(points * 100) / 100

function fillColour(colour: Colour): string {
  const hex = COLOURS[colour]
  return `${[1, 3, 5].map((at) => round(Number.parseInt(hex.slice(at, at + 2), 16) / 255)).join(' ')} rg`
}
