import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isFresh, preferredEncoding } from './static-file.ts'
import { streamPieces } from './stream-pieces.ts'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
const SUFFIXES = { br: '.br', gzip: '.gz', identity: '' } as const
type Encoding = keyof typeof SUFFIXES

interface Content {
  bytes: Uint8Array
  etag: string
}

/**
 * Serves the files of a folder that a build wrote, with `FILE.br` and `FILE.gz` beside those that compress well. Each variant is
 * read once, and its bytes are shared by all responses. Only names that were there at the start are served.
 */
export class BuiltFiles {
  readonly #dir: string
  /** which encodings each file has, by its path below the folder, with a slash in front */
  readonly #files = new Map<string, Set<Encoding>>()
  readonly #contents = new Map<string, Promise<Content>>()

  constructor(dir: string) {
    this.#dir = dir
    const names = readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `/${path.relative(dir, path.join(entry.parentPath, entry.name)).split(path.sep).join('/')}`)
    const all = new Set(names)
    for (const name of names) {
      if (!TYPES[path.extname(name)]) continue
      const encodings = (Object.keys(SUFFIXES) as Encoding[]).filter((encoding) => all.has(name + SUFFIXES[encoding]))
      this.#files.set(name, new Set(encodings))
    }
  }

  has(name: string): boolean {
    return this.#files.has(name)
  }

  /** @returns null for an unknown name */
  async answer(name: string, request: Headers, headers: Record<string, string>): Promise<Response | null> {
    const encodings = this.#files.get(name)
    if (!encodings) return null
    const wanted = preferredEncoding(request.get('accept-encoding'))
    const encoding = encodings.has(wanted) ? wanted : 'identity'
    const { bytes, etag } = await this.#load(name + SUFFIXES[encoding])
    const all: Record<string, string> = {
      ...headers,
      etag,
      vary: 'accept-encoding',
      'content-type': TYPES[path.extname(name)] as string,
    }
    if (isFresh(request.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: all })
    if (encoding !== 'identity') all['content-encoding'] = encoding
    all['content-length'] = String(bytes.byteLength)
    return new Response(streamPieces(bytes), { headers: all })
  }

  #load(file: string): Promise<Content> {
    const known = this.#contents.get(file)
    if (known) return known
    const loading = readFile(path.join(this.#dir, file)).then((bytes) => ({
      bytes,
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    }))
    this.#contents.set(file, loading)
    // a failure fails this request; the next tries again
    loading.catch(() => this.#contents.delete(file))
    return loading
  }
}
