import { Readable } from 'node:stream'
import { AppError } from '../../../support/errors.ts'
import { parseRange } from '../../../support/http/byte-range.ts'
import type { Logger } from '../../../support/logger.ts'
import { disposition } from './disposition.ts'
import type { FileChecker } from './file-checker.ts'
import type { AttachmentRow } from './repository.ts'
import { type AttachmentStore, FileDamaged, verified } from './storage/store.ts'

/**
 * The answer to a download: the whole file, compared with its SHA-256 as it is sent, a range of it (206), or 304 where the client
 * has it. A range comes only from a file whose SHA-256 was compared. @throws AppError 416, StorageAway, FileDamaged
 */
export async function download(
  { store, checker, logger }: { store: AttachmentStore; checker: FileChecker; logger: Logger },
  row: AttachmentRow,
  { headers: request, signal }: { headers: Headers; signal: AbortSignal },
): Promise<Response> {
  const { sizeBytes: size, sha256, storageKey: key } = row
  const etag = `"${sha256}"`
  const common = { etag, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' }
  if (matches(request.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: common })
  const ifRange = request.get('if-range')
  const range = ifRange === null || ifRange.trim() === etag ? parseRange(request.get('range'), size) : null
  if (range === 'unsatisfiable')
    throw new AppError(416, 'range_not_satisfiable', `The file has ${size} bytes.`, {}, { 'content-range': `bytes */${size}` })
  const body = range
    ? await store.read(key, range, await intactIdentity(store, checker, row, signal))
    : verified(key, await store.read(key), { size, sha256 })
  body.once('error', (error) =>
    logger.error({ err: error, key }, 'a download ended early, because the stored file cannot be read'),
  )
  const headers = {
    ...common,
    'content-type': row.contentType,
    'content-disposition': disposition(row.filename),
    'content-length': String(range ? range.last - range.first + 1 : size),
    ...(range && { 'content-range': `bytes ${range.first}-${range.last}/${size}` }),
  }
  return new Response(Readable.toWeb(body) as ReadableStream, { status: range ? 206 : 200, headers })
}

async function intactIdentity(store: AttachmentStore, checker: FileChecker, row: AttachmentRow, signal: AbortSignal) {
  const found = await checker.check(store, row, { signal })
  if (found.state === 'intact') return found.identity
  throw new FileDamaged(row.storageKey, found.state === 'missing' ? 'is missing' : 'does not have the bytes that were uploaded')
}

/** Whether an If-None-Match header names the tag; weak comparison (RFC 9110, 13.1.2). */
const matches = (header: string | null, etag: string): boolean =>
  header?.trim() === '*' || (header ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
