import type { StoreSettings } from '../../../../config.ts'
import { DirectoryStore } from './directory.ts'
import type { AttachmentStore } from './store.ts'

/** The S3 client is loaded only where it is used. */
export async function openStore(settings: StoreSettings): Promise<AttachmentStore> {
  if (settings.kind === 'directory') return new DirectoryStore(settings.folder)
  const { S3Store } = await import('./s3.ts')
  return new S3Store(settings)
}
