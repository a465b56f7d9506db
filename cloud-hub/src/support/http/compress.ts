import { Readable, type Transform } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Route } from './route.ts'
import { preferredEncoding } from './static-file.ts'

/** A smaller answer fits one packet either way. */
const MIN_BYTES = 1_024
/** Answers compressed at once; further ones are sent as they are, so that compression takes at most this many of zlib's threads. */
const MAX_AT_ONCE = 2
/**
 * The lowest levels: measured on readings of a day (166 KB), brotli 1 leaves 18 % in 1.5 ms, brotli 4 17 % in 3.5 ms, gzip 1 21 % in
 * 1.8 ms. A window of 256 KB bounds the memory of a stream.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } }
const GZIP = { level: 1 }
const COMPRESS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, GZIP),
}
const COMPRESSOR: Record<'br' | 'gzip', () => Transform> = {
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(GZIP),
}

/**
 * Whether answers of an operation are compressed: reads of signed-in users. Answers with tokens, keys or secrets stay out, because the
 * length of a compressed answer tells of its content (BREACH).
 */
export const mayCompress = ({ method, access, holdsSecrets }: Route['spec']): boolean =>
  method === 'get' && (access === 'any' || access === 'operator' || access === 'admin') && !holdsSecrets

export interface Compressed {
  body: string | Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

/** Compresses JSON answers for clients that accept it. */
export class AnswerCompressor {
  #running = 0

  /** @param request the headers of a GET; of a HEAD nothing is compressed, because no body is sent */
  async ofText(text: string, request: Headers, isHead: boolean): Promise<Compressed> {
    const headers = { vary: 'accept-encoding' }
    const plain = { body: text, headers }
    if (isHead || text.length < MIN_BYTES || this.#running >= MAX_AT_ONCE) return plain
    const encoding = preferredEncoding(request.get('accept-encoding'))
    if (encoding === 'identity') return plain
    this.#running++
    try {
      const bytes = await COMPRESS[encoding](Buffer.from(text))
      return { body: bytes as Uint8Array<ArrayBuffer>, headers: { ...headers, 'content-encoding': encoding } }
    } finally {
      this.#running--
    }
  }
}

/**
 * Compresses a streamed answer in JSON as the client reads it. Files, ranges and event streams stay as they are.
 * @param isHead no body is sent, so only `Vary` is set
 */
export async function compressResponse(response: Response, request: Headers, isHead = false): Promise<Response> {
  const { headers, body, status } = response
  const isFile = ['etag', 'content-range', 'content-encoding', 'content-disposition'].some((name) => headers.has(name))
  if (!body || status !== 200 || isFile || headers.get('content-type')?.split(';')[0] !== 'application/json') return response
  headers.set('vary', [headers.get('vary'), 'accept-encoding'].filter(Boolean).join(', '))
  const encoding = preferredEncoding(request.get('accept-encoding'))
  // The HTTP adapter's Response copies its headers when its body is read, so a change would be lost without a new one.
  if (isHead || encoding === 'identity') return new Response(isHead ? null : body, { status, headers })
  const reader = body.getReader()
  const first = await reader.read()
  const whole = continued(first, reader)
  if (first.done || first.value.byteLength < MIN_BYTES) return new Response(whole, { status, headers })
  headers.set('content-encoding', encoding)
  headers.delete('content-length')
  return new Response(pipedThrough(whole, COMPRESSOR[encoding]()), { status, headers })
}

/**
 * For streams of events: each is sent at once, and what it has in common with the ones before costs almost nothing. A window of 16 KB and
 * little memory, because a hub has a thousand of them: 96 KB each. Source: zlib.h, "memory requirements"
 */
const EVENTS_GZIP = { level: 1, windowBits: 14, memLevel: 6, flush: constants.Z_SYNC_FLUSH }

/** Answers a stream of events, compressed for a client that accepts gzip. Its events hold no secret. */
export function compressEvents(body: ReadableStream<Uint8Array>, headers: Record<string, string>, request: Headers): Response {
  const accepted = (request.get('accept-encoding') ?? '').replaceAll(/\bbr\b/g, '')
  const isGzip = preferredEncoding(accepted) === 'gzip'
  return new Response(isGzip ? pipedThrough(body, createGzip(EVENTS_GZIP)) : body, {
    headers: { ...headers, vary: 'accept-encoding', ...(isGzip && { 'content-encoding': 'gzip' }) },
  })
}

function pipedThrough(body: ReadableStream<Uint8Array>, compressor: Transform): ReadableStream<Uint8Array> {
  const source = Readable.fromWeb(body as NodeStream, { highWaterMark: 1 })
  // an error of one side ends the other, so that no client takes a part for the whole
  source.once('error', (error) => compressor.destroy(error))
  compressor.once('close', () => source.destroy())
  return Readable.toWeb(source.pipe(compressor)) as ReadableStream<Uint8Array>
}

type Read = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>

/** The stream of which `first` has been read. */
function continued(first: Read, reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  let next: Read | null = first
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = next ?? (await reader.read())
        next = null
        if (piece.done) controller.close()
        else controller.enqueue(piece.value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
