import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { DocumentProcess } from '../../../support/document/document-process.ts'
import { AppError } from '../../../support/errors.ts'
import type { AttachmentStore } from '../attachments/index.ts'
import type { SignedAttachmentRow } from '../signoffs/index.ts'
import type { CertificatePhoto } from './certificate-document.ts'
import { MAX_PHOTOS, type Omission } from './certificate-texts.ts'

const DRAWN_TYPES = ['image/jpeg', 'image/png', 'image/webp']

/**
 * The photos of a certificate, reduced one after the other so that one file at a time is in memory. An image that is not drawn says why.
 * @throws when the storage is unavailable
 */
export async function reducePhotos(
  attachments: SignedAttachmentRow[],
  store: AttachmentStore,
  drawing: DocumentProcess,
): Promise<CertificatePhoto[]> {
  const photos: CertificatePhoto[] = []
  let tried = 0
  for (const attachment of attachments.filter(({ contentType }) => contentType.startsWith('image/'))) {
    photos.push({ attachmentId: attachment.id, ...(await reduceOne(attachment, tried, store, drawing)) })
    if (DRAWN_TYPES.includes(attachment.contentType)) tried++
  }
  return photos
}

async function reduceOne(
  { contentType, sha256, storageKey }: SignedAttachmentRow,
  tried: number,
  store: AttachmentStore,
  drawing: DocumentProcess,
): Promise<{ jpeg: Uint8Array } | { omitted: Omission }> {
  if (!DRAWN_TYPES.includes(contentType)) return { omitted: 'otherType' }
  if (tried >= MAX_PHOTOS) return { omitted: 'tooMany' }
  let bytes: Buffer
  try {
    bytes = await buffer(await store.read(storageKey))
  } catch (error) {
    if (error instanceof AppError) throw error
    return { omitted: 'unreadable' }
  }
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) return { omitted: 'changed' }
  try {
    return { jpeg: await drawing.ask({ photo: bytes }) }
  } catch {
    return { omitted: 'damaged' }
  }
}
