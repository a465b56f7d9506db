import {
  PDFArray,
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  type PDFPageLeaf,
  type PDFRef,
} from 'pdf-lib'

/** Types of elements that we use. Source: ISO 32000-1, 14.8.4 */
export type ElementType = 'Document' | 'H1' | 'H2' | 'P' | 'Div' | 'Table' | 'Caption' | 'TR' | 'TH' | 'TD' | 'Figure'

export interface Element {
  ref: PDFRef
  kids: PDFArray
}

/**
 * The structure of a tagged PDF: which marked content belongs to which heading, paragraph or cell, in reading order. Screen readers and
 * text extraction use it. Source: ISO 32000-1, 14.7
 */
export class StructureTree {
  readonly root: Element
  readonly #context: PDFContext
  readonly #rootRef: PDFRef
  /** by page: the owner of each marked content */
  readonly #owners = new Map<PDFRef, PDFRef[]>()

  constructor(pdf: PDFDocument) {
    this.#context = pdf.context
    this.#rootRef = pdf.context.nextRef()
    this.root = this.#make('Document', this.#rootRef)
  }

  /** @param alternative text for readers who cannot see a figure */
  element(parent: Element, type: ElementType, alternative?: string): Element {
    const made = this.#make(type, parent.ref)
    parent.kids.push(made.ref)
    const dict = this.#context.lookup(made.ref) as PDFDict
    if (alternative !== undefined) dict.set(PDFName.of('Alt'), PDFHexString.fromText(alternative))
    return made
  }

  /** The header of a column or of a row. */
  headerCell(row: Element, scope: 'Column' | 'Row'): Element {
    const cell = this.element(row, 'TH')
    const dict = this.#context.lookup(cell.ref) as PDFDict
    dict.set(PDFName.of('A'), this.#context.obj({ O: 'Table', Scope: scope }))
    return cell
  }

  /** @returns the id of the next marked content of the page, which belongs to the element */
  mark(page: PDFRef, element: Element): number {
    const owners = this.#owners.get(page) ?? []
    this.#owners.set(page, owners)
    const id = owners.push(element.ref) - 1
    element.kids.push(this.#context.obj({ Type: 'MCR', Pg: page, MCID: id }))
    return id
  }

  finish(pdf: PDFDocument, pages: readonly { ref: PDFRef; leaf: PDFPageLeaf }[]): void {
    const numbers = PDFArray.withContext(this.#context)
    let index = 0
    for (const { ref, leaf } of pages) {
      const owners = this.#owners.get(ref)
      if (!owners) continue
      leaf.set(PDFName.of('StructParents'), this.#context.obj(index))
      leaf.set(PDFName.of('Tabs'), PDFName.of('S'))
      numbers.push(this.#context.obj(index++))
      numbers.push(this.#context.register(this.#context.obj(owners)))
    }
    const parentTree = this.#context.register(this.#context.obj({ Nums: numbers }))
    const root = { Type: 'StructTreeRoot', K: [this.root.ref], ParentTree: parentTree, ParentTreeNextKey: index }
    this.#context.assign(this.#rootRef, this.#context.obj(root))
    pdf.catalog.set(PDFName.of('StructTreeRoot'), this.#rootRef)
    pdf.catalog.set(PDFName.of('MarkInfo'), this.#context.obj({ Marked: true }))
  }

  #make(type: ElementType, parent: PDFRef): Element {
    const kids = PDFArray.withContext(this.#context)
    const dict = PDFDict.withContext(this.#context)
    dict.set(PDFName.of('Type'), PDFName.of('StructElem'))
    dict.set(PDFName.of('S'), PDFName.of(type))
    dict.set(PDFName.of('P'), parent)
    dict.set(PDFName.of('K'), kids)
    return { ref: this.#context.register(dict), kids }
  }
}
