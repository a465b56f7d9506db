import { createHash } from 'node:crypto'
import type { Language } from '@haltless/protocol/languages'
import type { Block } from '../../support/document/blocks.ts'
import { DocumentProcess } from '../../support/document/document-process.ts'
import type { MailContent } from '../../support/mail-layout.ts'

/** Names in Arabic or Devanagari take seconds to shape where a tenant makes them long: no request may wait for that. */
export const DRAW_MS = 30_000
/** The process ends when no document follows for so long. */
const IDLE_MS = 30_000
const drawing = new DocumentProcess(DRAW_MS)
let last: Promise<unknown> = Promise.resolve()
/** The newest document: the recipients of a report get the same one. */
let newest: { key: string; drawn: Promise<Buffer> } | undefined
let idle: NodeJS.Timeout | undefined

/**
 * A mail's content as a PDF: title, paragraphs, figures and tables, over as many pages as necessary.
 * @throws DrawingEnded when the process ended: another attempt may succeed
 */
export async function drawPdf(content: MailContent, language: Language): Promise<Buffer> {
  const { subject, paragraphs, figures = [], tables = [], footnote, pdf } = content
  const blocks: Block[] = [
    { kind: 'title', text: subject },
    ...paragraphs.map((text): Block => ({ kind: 'paragraph', text })),
    ...(figures.length > 0 ? [{ kind: 'figures', figures } satisfies Block] : []),
    ...tables.map(({ title, columns, rows, none }): Block => ({ kind: 'table', caption: title, columns, rows, none })),
    ...(footnote ? [{ kind: 'paragraph', text: footnote, isSmall: true } satisfies Block] : []),
  ]
  const document = {
    title: subject,
    language,
    createdAt: null,
    runningTitle: subject,
    pageNumber: '{page} / {pages}',
    blocks,
    ...(pdf ? { unknownLetters: pdf.unknownLetters } : {}),
  }
  const key = createHash('sha256').update(JSON.stringify(document)).digest('hex')
  if (newest?.key === key) return newest.drawn
  const drawn = last.then(async () => {
    clearTimeout(idle)
    return Buffer.from(await drawing.ask({ document }))
  })
  newest = { key, drawn }
  // A failure is no answer for the next recipient.
  drawn.catch(() => {
    if (newest?.drawn === drawn) newest = undefined
  })
  last = drawn
    .catch(() => {})
    .then(() => {
      idle = setTimeout(() => {
        newest = undefined
        last = last.then(() => drawing.stop())
      }, IDLE_MS).unref()
    })
  return drawn
}
