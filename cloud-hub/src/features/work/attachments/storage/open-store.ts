import type { Secret } from '@haltless/edge-agent/secret'
import { DirectoryStore } from './directory.ts'
import type { AttachmentStore } from './store.ts'

/** Where attachments are stored; `HubConfig.attachments.store`. */
export type StoreSettings =
  | { kind: 'directory'; folder: string }
  | {
      kind: 's3'
      bucket: string
      prefix: string
      endpoint: string | undefined
      region: string
      accessKeyId: string
      secretAccessKey: Secret
    }

/** The S3 client is loaded only where it is used. */
export async function openStore(settings: StoreSettings): Promise<AttachmentStore> {
  if (settings.kind === 'directory') return new DirectoryStore(settings.folder)
  const { S3Store } = await import('./s3.ts')
  return new S3Store(settings)
}
