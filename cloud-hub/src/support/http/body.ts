import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { z } from 'zod'
import { BadRequest, type FieldError, fieldError, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from '../errors.ts'
import { fieldErrors, validationMessage } from './validation-message.ts'

const unzip = promisify(gunzip)

/**
 * Reads a JSON body of at most `maxBytes`, also with `content-encoding: gzip`.
 * @param incoming the request of Node's server, from which the body is read without a web stream; absent where no server is
 * @throws UnsupportedMediaType, BadRequest (malformed), PayloadTooLarge
 */
export async function readJson(request: Request, maxBytes: number, incoming?: Incoming): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json' && !type?.endsWith('+json')) {
    throw new UnsupportedMediaType(
      `Send the body as application/json${type ? `, not ${type}` : ': set the Content-Type header'}.`,
    )
  }
  let bytes = await (incoming?.on ? readIncoming(incoming, request, maxBytes) : readBytes(request, maxBytes))
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase()
  if (encoding === 'gzip') {
    try {
      bytes = await unzip(bytes, { maxOutputLength: maxBytes })
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw new PayloadTooLarge(maxBytes)
      throw new BadRequest('malformed_body', 'The body is not valid gzip.')
    }
  } else if (encoding && encoding !== 'identity') {
    throw new UnsupportedMediaType('Send the body plain or with Content-Encoding gzip.')
  }
  const text = new TextDecoder('utf-8', { fatal: true })
  try {
    return JSON.parse(text.decode(bytes))
  } catch {
    throw new BadRequest('malformed_json', 'The body is not valid JSON in UTF-8.')
  }
}

/** A request of Node's server; tests give one that is only a socket. */
export type Incoming = Partial<Pick<IncomingMessage, 'destroyed' | 'on' | 'off' | 'pause'>>

// A lost connection is the client's fault, not a fault of the hub or its database.
const aborted = () =>
  new BadRequest('body_aborted', 'The connection was closed before the whole body arrived: send the request again.')

/** Reads a body of at most `maxBytes`. @throws PayloadTooLarge; BadRequest when the client disconnects early */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  assertLength(request, maxBytes)
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body) {
      size += chunk.byteLength
      if (size > maxBytes) throw new PayloadTooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof PayloadTooLarge ? error : aborted()
  }
  return joined(chunks)
}

/** As {@link readBytes}. A body that is too large stays unread. */
async function readIncoming(incoming: Incoming, request: Request, maxBytes: number): Promise<Uint8Array> {
  assertLength(request, maxBytes)
  return new Promise((resolve, reject) => {
    if (incoming.destroyed) return reject(aborted())
    const chunks: Uint8Array[] = []
    let size = 0
    const onData = (chunk: Uint8Array) => {
      size += chunk.byteLength
      chunks.push(chunk)
      if (size > maxBytes) end(() => reject(new PayloadTooLarge(maxBytes)))
    }
    const onEnd = () => end(() => resolve(joined(chunks)))
    const onClose = () => end(() => reject(aborted()))
    const end = (settle: () => void) => {
      incoming.off?.('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).pause()
      settle()
    }
    incoming.on?.('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
}

function assertLength(request: Request, maxBytes: number): void {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw new PayloadTooLarge(maxBytes)
}

const joined = (chunks: readonly Uint8Array[]): Uint8Array =>
  chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)

/** Finds a NUL or lone surrogate in a body. PostgreSQL cannot store them, so the request is refused first. */
export function findUnstorableText(value: unknown, path: string, depth = 0): FieldError | null {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed() ? fieldError(path, 'unstorable_text') : null
  }
  if (value === null || typeof value !== 'object') return null
  if (depth > 32) return fieldError(path, 'nested_too_deeply')
  for (const [key, item] of Object.entries(value)) {
    const found = findUnstorableText(key, path, depth) ?? findUnstorableText(item, `${path}.${key}`, depth + 1)
    if (found) return found
  }
  return null
}

/** Validates a part of a request. @throws Unprocessable with every invalid field, such as `body.name` */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: 'body' | 'query', checkText = true): z.output<S> {
  const bad = checkText ? findUnstorableText(value, part) : null
  if (bad) throw new Unprocessable([bad])
  const result = schema.safeParse(value, { error: validationMessage })
  if (result.success) return result.data
  throw new Unprocessable(fieldErrors(result.error, part))
}
