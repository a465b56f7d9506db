import { createHash } from 'node:crypto'
import { type PDFDocument, PDFHexString, PDFName } from 'pdf-lib'
import type { Block, DocumentContent } from './blocks.ts'

const PRODUCER = 'Haltless'
const escapeXml = (text: string) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c] as string)

/** Title, language, dates and file identifier, in the information dictionary and as XMP. Source: ISO 32000-1, 14.3 and 14.4 */
export function setMetadata(pdf: PDFDocument, { title, language, createdAt, blocks, attachment }: DocumentContent): void {
  const { context, catalog } = pdf
  pdf.setTitle(title, { showInWindowTitleBar: true })
  pdf.setLanguage(language)
  pdf.setProducer(PRODUCER)
  pdf.setCreator(PRODUCER)
  if (createdAt) {
    pdf.setCreationDate(createdAt)
    pdf.setModificationDate(createdAt)
  }
  const xmp = context.stream(Buffer.from(packet(title, language, createdAt)), { Type: 'Metadata', Subtype: 'XML' })
  catalog.set(PDFName.of('Metadata'), context.register(xmp))
  // The identifier follows from the content, so identical content gives identical bytes.
  const hash = createHash('sha256').update(JSON.stringify([title, language, createdAt, blocks.map(withoutPhotos)]))
  for (const block of blocks) if (block.kind === 'photos') for (const { jpeg } of block.photos) hash.update(jpeg)
  hash.update(attachment?.bytes ?? '')
  const id = PDFHexString.of(hash.digest('hex').slice(0, 32))
  context.trailerInfo.ID = context.obj([id, id])
}

const withoutPhotos = (block: Block) => (block.kind === 'photos' ? block.photos.map(({ caption }) => caption) : block)

const packet = (title: string, language: string, createdAt: Date | null) => {
  const date = createdAt?.toISOString().replace(/\.\d+Z$/, 'Z')
  const dates = date ? `<xmp:CreateDate>${date}</xmp:CreateDate><xmp:ModifyDate>${date}</xmp:ModifyDate>` : ''
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
<dc:format>application/pdf</dc:format><dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(title)}</rdf:li></rdf:Alt></dc:title>
<dc:language><rdf:Bag><rdf:li>${escapeXml(language)}</rdf:li></rdf:Bag></dc:language>
<pdf:Producer>${PRODUCER}</pdf:Producer><xmp:CreatorTool>${PRODUCER}</xmp:CreatorTool>${dates}
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`
}
