import type { TONES } from '../mail-layout.ts'

export type Tone = keyof typeof TONES

/** A document as data: `renderDocument` lays it out over as many A4 pages as necessary. Identical data gives identical bytes. */
export interface DocumentContent {
  title: string
  /** BCP 47 */
  language: string
  /** creation date in the metadata; null writes none */
  createdAt: Date | null
  /** stands at the top of every page but the first */
  runningTitle?: string
  /** stands at the bottom of every page */
  footer?: string
  /** the number of a page, such as `Page {page} of {pages}` */
  pageNumber: string
  blocks: Block[]
  /** a note that ends the document when a text has characters that no font has, which appear as □ */
  unknownLetters?: string
  attachment?: { name: string; bytes: Uint8Array; mimeType: string; description: string }
}

export type Block =
  | { kind: 'title'; text: string; subtitle?: string; code?: { text: string; caption: string } }
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string; isSmall?: boolean }
  | { kind: 'notice'; tone: Tone; title: string; text: string }
  | { kind: 'facts'; rows: Fact[][] }
  | { kind: 'figures'; figures: { label: string; value: string; tone: Tone }[] }
  | { kind: 'table'; columns: Column[]; rows: Cell[][]; caption?: string; none: string }
  | { kind: 'photos'; photos: Photo[] }

/** A name and its value. Facts of a row, at most two, stand beside each other when they fit. */
export type Fact = [name: string, value: string]

export interface Column {
  name: string
  /** of the width of the page, relative to the other columns */
  share: number
  isNumber?: boolean
}

export type Cell = string | { text: string; tone?: Tone; isBold?: boolean; detail?: string }

/** A JPEG without orientation: `reducePhoto` makes one. */
export interface Photo {
  jpeg: Uint8Array
  /** text for readers who cannot see the photo */
  alternative: string
  caption: string
}
