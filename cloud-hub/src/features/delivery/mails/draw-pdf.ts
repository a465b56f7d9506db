import type { Block } from '../../../support/document/blocks.ts'
import type { MailContent, MailLocale } from '../../../support/mail-layout.ts'

/** A mail's content as a PDF: title, paragraphs, figures and tables, over as many pages as necessary. */
export async function drawPdf(content: MailContent, language: MailLocale): Promise<Buffer> {
  // The first document loads the 400 files of the PDF library, so that a start does not.
  const { renderDocument } = await import('../../../support/document/render-document.ts')
  const { subject, paragraphs, figures = [], tables = [], footnote, pdf } = content
  const blocks: Block[] = [
    { kind: 'title', text: subject },
    ...paragraphs.map((text): Block => ({ kind: 'paragraph', text })),
    ...(figures.length > 0 ? [{ kind: 'figures', figures } satisfies Block] : []),
    ...tables.map(({ title, columns, rows, none }): Block => ({ kind: 'table', caption: title, columns, rows, none })),
    ...(footnote ? [{ kind: 'paragraph', text: footnote, isSmall: true } satisfies Block] : []),
  ]
  return renderDocument({
    title: subject,
    language,
    createdAt: null,
    runningTitle: subject,
    pageNumber: '{page} / {pages}',
    blocks,
    ...(pdf ? { unknownLetters: pdf.unknownLetters } : {}),
  })
}
