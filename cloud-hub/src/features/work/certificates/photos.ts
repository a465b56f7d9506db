import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { AppError } from '../../../support/errors.ts'
import type { AttachmentStore } from '../attachments/index.ts'
import type { AttachmentRow } from '../signoffs/index.ts'
import type { CertificatePhoto } from './certificate-document.ts'
import type { CertificateProcess } from './certificate-process.ts'

const DRAWN_TYPES = ['image/jpeg', 'image/png', 'image/webp']
/** More photos are named with their hash only. Damaged ones count: they take as long to decode, and other certificates wait meanwhile. */
const MAX_PHOTOS = 24

/**
 * The photos of a certificate, reduced one after the other so that one file at a time is in memory. An image that is not drawn says why.
 * @throws when the storage is unavailable
 */
export async function reducePhotos(
  attachments: AttachmentRow[],
  store: AttachmentStore,
  drawing: CertificateProcess,
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
  { contentType, sha256, storageKey }: AttachmentRow,
  tried: number,
  store: AttachmentStore,
  drawing: CertificateProcess,
): Promise<{ jpeg: Uint8Array } | { omitted: string }> {
  if (!DRAWN_TYPES.includes(contentType)) return { omitted: `${contentType} is named with its hash only` }
  if (tried >= MAX_PHOTOS) return { omitted: `a certificate shows only the first ${MAX_PHOTOS} photos` }
  let bytes: Buffer
  try {
    bytes = await buffer(await store.read(storageKey))
  } catch (error) {
    if (error instanceof AppError) throw error
    return { omitted: 'the stored file cannot be read' }
  }
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) return { omitted: 'the stored file does not have this hash' }
  try {
    return { jpeg: await drawing.ask({ photo: bytes }) }
  } catch {
    return { omitted: 'the file is damaged or too large' }
  }
}
