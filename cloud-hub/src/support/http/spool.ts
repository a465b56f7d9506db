import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { withoutDirections } from '../direction.ts'
import { AppError, BadRequest, fieldError, PayloadTooLarge, Unavailable, Unprocessable, UnsupportedMediaType } from '../errors.ts'
import { withTimeout } from '../timeout.ts'
import { Turns } from '../turns.ts'
import { FORM_OVERHEAD, severalFiles } from './upload.ts'

/** A file of a multipart form, received completely into a private file of the spool. */
export interface SpooledFile {
  path: string
  /** the client's file name, without folders and control characters */
  name: string
  size: number
  /** hex */
  sha256: string
}

export interface SpoolOptions {
  /** uploads of all owners at once */
  maxUploads?: number
  /** uploads that one owner may send at once */
  maxPerOwner?: number
  /** time without a byte after which an upload is refused */
  idleMs?: number
  /** longest wait for the turn of an upload, of which nothing is read meanwhile */
  waitMs?: number
}

const MAX_UPLOADS = 64
const MAX_PER_OWNER = 24
const IDLE_MS = 30_000
const WAIT_MS = 10_000
/** Longer than an upload can last: a spool file that has not changed for this long belongs to no process. */
const ABANDONED_MS = 3_600_000
const MAX_NAME = 255

/**
 * Private files for uploads that are not finished. A file is limited, hashed and written while it arrives, so an upload of any size
 * costs little memory. Every process has a folder of its own below `folder`, named by host and process id.
 */
export class Spool {
  readonly #folder: string
  readonly #idleMs: number
  readonly #turns: Turns

  private constructor(folder: string, options: SpoolOptions) {
    const { maxUploads = MAX_UPLOADS, maxPerOwner = MAX_PER_OWNER, idleMs = IDLE_MS, waitMs = WAIT_MS } = options
    this.#folder = folder
    this.#idleMs = idleMs
    const refusal = () => new Unavailable('uploads_busy', 'Too many uploads are under way; try again in a few seconds.')
    this.#turns = new Turns({ slots: maxUploads, perTenant: maxPerOwner, waitingPerTenant: maxPerOwner, waitMs, refusal })
  }

  /** Deletes what processes left behind that have ended, and prepares the folder of this process. */
  static async open(folder: string, options: SpoolOptions = {}): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await sweep(folder)
    const own = path.join(folder, `${hostname()}.${process.pid}.${randomUUID().slice(0, 8)}`)
    ownFolders.add(path.basename(own))
    await mkdir(own, { mode: 0o700 })
    return new Spool(own, options)
  }

  /**
   * Receives the file of a multipart/form-data body, and passes it to `use`. Afterwards the file is deleted, unless `use` moved it.
   * @param owner whose uploads are counted together; owners take turns
   * @throws UnsupportedMediaType, PayloadTooLarge, BadRequest for a malformed or aborted form, Unprocessable when the part is missing or not the only file,
   * Unavailable when too many uploads are under way or the disk is full
   */
  async receive<T>(
    request: Request,
    { owner, field, maxBytes }: { owner: string; field: string; maxBytes: number },
    use: (file: SpooledFile) => Promise<T>,
  ): Promise<T> {
    const type = checkForm(request, maxBytes)
    const release = await this.#turns.acquire(owner, request.signal)
    const target = path.join(this.#folder, randomUUID())
    try {
      // Another host that starts deletes a folder that has not changed for an hour.
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      return await use(await this.#write(request, type, field, maxBytes, target))
    } catch (error) {
      throw refusalOf(error)
    } finally {
      release()
      await rm(target, { force: true })
    }
  }

  /** Deletes the folder of this process. */
  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** @throws AppError, or an error of the file system */
  async #write(request: Request, type: string, field: string, maxBytes: number, target: string): Promise<SpooledFile> {
    const aborting = new AbortController()
    const { signal } = aborting
    const malformed = new BadRequest('malformed_multipart', 'The body is not a valid multipart form.')
    const form = parserOf(type, maxBytes, malformed)
    let file: Promise<SpooledFile> | undefined
    let files = 0
    form.on('file', (name: string, part: BusboyFileStream, filename: string | undefined) => {
      if (++files > 1) aborting.abort(severalFiles(field))
      if (name !== field || file) return part.resume()
      part.once('limit', () => aborting.abort(new PayloadTooLarge(maxBytes)))
      file = writePart(part, target, signal).then((written) => ({ ...written, path: target, name: fileName(filename) }))
      // Errors of the file system have a code, those of the parser have none.
      file.catch((error) => aborting.abort(error.code ? error : malformed))
    })
    // The pipeline destroys the parser with an error of the body.
    form.on('error', (error: unknown) => aborting.abort(error instanceof AppError ? error : malformed))
    try {
      await pipeline(limitBody(request, maxBytes + FORM_OVERHEAD, this.#idleMs), form as never, { signal })
      if (!file) throw new Unprocessable([fieldError(`body.${field}`, 'required', {}, 'is required, as a file')])
      return await file
    } catch (error) {
      aborting.abort(error)
      // The file is closed before it is deleted.
      await file?.catch(() => {})
      throw signal.reason
    }
  }
}

/** Checks what the headers of an upload say. @returns its media type @throws UnsupportedMediaType, PayloadTooLarge */
export function checkForm({ headers }: Request, maxBytes: number): string {
  const type = headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) throw new UnsupportedMediaType('Send the file as a part of multipart/form-data.')
  if (Number(headers.get('content-length') ?? 0) > maxBytes + FORM_OVERHEAD) throw new PayloadTooLarge(maxBytes)
  return type
}

/** The chunks of a body. @throws PayloadTooLarge; BadRequest when the client disconnects or sends nothing for `idleMs` */
async function* limitBody(request: Request, maxBytes: number, idleMs: number): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader()
  if (!reader) return
  let size = 0
  try {
    for (;;) {
      const { done, value } = await withTimeout(idleMs, reader.read())
      if (done) return
      size += value.byteLength
      if (size > maxBytes) throw new PayloadTooLarge(maxBytes)
      yield value
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new BadRequest(
      'body_aborted',
      'The connection was closed, or paused for too long, before the whole file arrived: send it again.',
    )
  } finally {
    reader.cancel().catch(() => {})
  }
}

function parserOf(type: string, maxBytes: number, malformed: Error): BusboyInstance {
  try {
    const limits = { fileSize: maxBytes, files: 8, fields: 8, fieldSize: 1_024, parts: 16, headerPairs: 32, headerSize: 16_384 }
    return new Busboy({ headers: { 'content-type': type }, limits })
  } catch {
    // The media type names no boundary.
    throw malformed
  }
}

async function writePart(part: Readable, target: string, signal: AbortSignal): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(part, measure, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }), { signal })
  return { size, sha256: hash.digest('hex') }
}

/** A full disk is no fault of the hub. */
const refusalOf = (error: unknown): unknown =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
    ? new Unavailable('storage_full', 'The hub has no space left for the file.', 60)
    : error

/** The client's name of a file as it can be stored and shown; browsers escape a quotation mark as %22. */
export function fileName(given = ''): string {
  const plain = given
    .replaceAll('%22', '"')
    .replace(/^.*[\\/]/s, '')
    .toWellFormed()
  const clean = withoutDirections(plain.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '')).trim()
  if (clean === '' || clean === '.' || clean === '..') return 'file'
  const characters = [...clean]
  if (characters.length <= MAX_NAME) return clean
  const ending = [...path.extname(clean)]
  return ending.length > 20
    ? characters.slice(0, MAX_NAME).join('')
    : [...characters.slice(0, MAX_NAME - ending.length), ...ending].join('')
}

/** Deletes the folders of processes that have ended: of this host, or unchanged for an hour. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, host, pid] = /^(.*)\.(\d+)\.[0-9a-f]{8}$/.exec(name) ?? []
    const isOver = host === hostname() ? hasEnded(Number(pid), name) : await isAbandoned(path.join(folder, name))
    if (isOver) await rm(path.join(folder, name), { recursive: true, force: true })
  }
}

/** The folders of this process; a process that ended before it may have had the same id. */
const ownFolders = new Set<string>()

function hasEnded(pid: number, name: string): boolean {
  if (pid === process.pid) return !ownFolders.has(name)
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

const isAbandoned = async (folder: string): Promise<boolean> =>
  Date.now() - (await stat(folder).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs > ABANDONED_MS
