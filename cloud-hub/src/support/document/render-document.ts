import { AFRelationship, PDFDocument, type PDFImage } from 'pdf-lib'
import type { Block, DocumentContent } from './blocks.ts'
import { drawBlock } from './draw-block.ts'
import { DocumentFonts, readable, UNKNOWN } from './fonts.ts'
import { setMetadata } from './metadata.ts'
import { HEIGHT, INNER, MARGIN, PageFlow, WIDTH } from './page-flow.ts'
import { StructureTree } from './structure.ts'
import { cut, ELLIPSIS } from './wrap.ts'

/** Lays out a document as a tagged PDF. Identical content gives identical bytes. */
export async function renderDocument(given: DocumentContent): Promise<Buffer> {
  const { content, texts, hasUnknown } = readableContent(given)
  const pdf = await PDFDocument.create({ updateMetadata: false })
  const { attachment, createdAt, unknownLetters } = content
  setMetadata(pdf, given)
  const fonts = await DocumentFonts.embed(pdf, texts)
  const images = new Map<Uint8Array, PDFImage>()
  for (const block of content.blocks) {
    if (block.kind === 'photos') for (const { jpeg } of block.photos) images.set(jpeg, await pdf.embedJpg(jpeg))
  }
  const flow = new PageFlow(pdf, fonts, new StructureTree(pdf))
  for (const block of content.blocks) drawBlock(flow, block, images)
  if (hasUnknown && unknownLetters) drawBlock(flow, { kind: 'paragraph', text: unknownLetters, isSmall: true }, images)
  flow.finish((index, pages) => drawMargins(flow, content, index, pages))
  if (attachment) {
    const { name, bytes, mimeType, description } = attachment
    const dates = createdAt ? { creationDate: createdAt, modificationDate: createdAt } : {}
    await pdf.attach(bytes, name, { mimeType, description, ...dates, afRelationship: AFRelationship.Data })
  }
  return Buffer.from(await pdf.save({ addDefaultPage: false, useObjectStreams: flow.pages.length <= MAX_PACKED_PAGES }))
}

/** pdf-lib takes time by the square of the objects to pack them into streams, which saves little where pages are many. */
const MAX_PACKED_PAGES = 100

/** Width of the margin's other text, `Haltless` above and the page number below. */
const MARGIN_NOTE = 80

/** Running title and page number. What is too long for its line is cut at the end. */
function drawMargins(flow: PageFlow, { runningTitle, footer, pageNumber }: DocumentContent, index: number, pages: number): void {
  const small = { size: 8, colour: 'muted' } as const
  const line = (text: string) => cut(text, 'regular', small.size, INNER - MARGIN_NOTE)
  const number = pageNumber.replace('{page}', String(index + 1)).replace('{pages}', String(pages))
  if (index > 0 && runningTitle) {
    flow.text(null, 'Haltless', MARGIN, HEIGHT - MARGIN - 4, { size: 9.5, weight: 'bold', colour: 'brand' })
    flow.textTo(null, line(runningTitle), WIDTH - MARGIN, HEIGHT - MARGIN - 4, small)
    flow.rule(HEIGHT - MARGIN - 14)
  }
  if (footer) flow.rule(MARGIN + 6)
  if (footer) flow.text(null, line(footer), MARGIN, MARGIN - 8, small)
  flow.textTo(null, number, WIDTH - MARGIN, MARGIN - 8, small)
}

/** The content with texts that the fonts can draw. */
function readableContent(given: DocumentContent): { content: DocumentContent; texts: string[]; hasUnknown: boolean } {
  let hasUnknown = false
  const texts: string[] = [UNKNOWN, ELLIPSIS]
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const result = readable(value)
      hasUnknown ||= result.hasUnknown
      texts.push(result.text)
      return result.text
    }
    if (Array.isArray(value)) return value.map(walk)
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]))
  }
  const { title, runningTitle, footer, pageNumber, unknownLetters, blocks, ...rest } = given
  const walked = walk({ title, runningTitle, footer, pageNumber, unknownLetters, blocks }) as typeof given
  return { content: { ...rest, ...walked, blocks: walked.blocks as Block[] }, texts, hasUnknown }
}
