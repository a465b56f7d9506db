import type { DocumentContent } from './blocks.ts'
import { reducePhoto } from './reduce-photo.ts'
import { renderDocument } from './render-document.ts'

/** What the process does, answered in the same order. Photos come one by one, so that only one is in memory whole. */
export type DrawRequest = { photo: Uint8Array } | { document: DocumentContent }
export type DrawAnswer = { bytes: Uint8Array } | { error: string }

async function draw(request: DrawRequest): Promise<Uint8Array> {
  if ('photo' in request) return reducePhoto(request.photo)
  return renderDocument(request.document)
}

process.on('message', async (request: DrawRequest) => {
  const answer: DrawAnswer = await draw(request).then(
    (bytes) => ({ bytes }),
    (error: Error) => ({ error: error.message }),
  )
  process.send?.(answer)
})
// A terminal or systemd signals the hub and this process: the hub decides when it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
// The hub ended without stopping this process.
process.on('disconnect', () => process.exit())
