import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { Secret } from '@haltless/edge-agent/secret'
import type { ByteRange } from '../../../../support/http/byte-range.ts'
import { type AttachmentStore, FileDamaged, type FileIdentity, StorageAway } from './store.ts'

export interface S3Settings {
  bucket: string
  /** without slashes at its ends; empty: keys stand at the top of the bucket */
  prefix: string
  /** undefined: the endpoint of AWS for the region */
  endpoint: string | undefined
  region: string
  accessKeyId: string
  secretAccessKey: Secret
}

const ATTEMPTS = 3
const BACKOFF_MS = 200
const CONNECT_MS = 5_000
/** A connection without a byte in either direction for this long is lost. How long a whole file takes is not limited here. */
const SILENCE_MS = 30_000
/** A download keeps its connection until its reader has all bytes, so slow readers must not use up a pool of connections. */
const AGENT = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }

/** The client would write to the console; its errors say the same. */
const SILENT = { trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Attachments as objects of an S3-compatible storage. The operator configured its address, so the guard for addresses does not apply. */
export class S3Store implements AttachmentStore {
  readonly name: string
  readonly isIncluded = false
  readonly #client: S3Client
  readonly #settings: S3Settings

  constructor(settings: S3Settings, silenceMs = SILENCE_MS) {
    const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey } = settings
    this.#settings = settings
    this.name = `s3://${bucket}${prefix && `/${prefix}`}`
    this.#client = new S3Client({
      endpoint,
      region,
      forcePathStyle: endpoint !== undefined,
      credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() },
      // Not every storage supports checksums; the hub verifies the size after PUT and the SHA-256 when it reads.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // A stream cannot be sent twice, so `#attempt` repeats the calls.
      maxAttempts: 1,
      logger: SILENT,
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: silenceMs, httpAgent: AGENT, httpsAgent: AGENT },
    })
  }

  async put(key: string, { path, size }: { path: string; size: number }): Promise<void> {
    const { size: found } = await stat(path)
    if (found !== size) throw new StorageAway(new Error(`the spool file has ${found} of ${size} bytes`))
    await this.#attempt(async () => {
      const body = createReadStream(path)
      try {
        const type = 'application/octet-stream'
        await this.#client.send(
          new PutObjectCommand({ ...this.#object(key), Body: body, ContentLength: size, ContentType: type }),
        )
      } finally {
        body.destroy()
      }
      const stored = await this.#client.send(new HeadObjectCommand(this.#object(key)))
      if (stored.ContentLength !== size) throw new Error(`${stored.ContentLength} of ${size} bytes were stored`)
    })
  }

  async read(key: string, range?: ByteRange, identity?: FileIdentity): Promise<Readable> {
    const Range = range && `bytes=${range.first}-${range.last}`
    const only = identity && { IfMatch: identity.tag || undefined, VersionId: identity.version }
    const found = await this.#attempt(() =>
      this.#client.send(new GetObjectCommand({ ...this.#object(key), ...only, Range })).catch((error) => {
        if (statusOf(error) === 412) return 'changed' as const
        return nullWhenMissing(error)
      }),
    )
    if (!found) throw new FileDamaged(key, 'is missing')
    // not every storage knows If-Match
    if (found === 'changed' || (identity?.tag && found.ETag !== identity.tag)) {
      if (found !== 'changed') (found.Body as Readable).destroy()
      throw new FileDamaged(key, 'was changed while it was read')
    }
    return found.Body as Readable
  }

  async identify(key: string): Promise<FileIdentity | null> {
    const found = await this.#head(key)
    if (!found) return null
    const { ContentLength: size = 0, ETag: tag = '', VersionId: version } = found
    return { size, tag, ...(version !== undefined && { version }), isSettled: tag !== '' }
  }

  async size(key: string): Promise<number | null> {
    const found = await this.#head(key)
    return found ? (found.ContentLength ?? 0) : null
  }

  #head(key: string) {
    return this.#attempt(() => this.#client.send(new HeadObjectCommand(this.#object(key))).catch(nullWhenMissing))
  }

  async remove(key: string): Promise<void> {
    await this.#attempt(() => this.#client.send(new DeleteObjectCommand(this.#object(key))).catch(nullWhenMissing))
  }

  close(): void {
    this.#client.destroy()
  }

  #object(key: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#settings
    return { Bucket: bucket, Key: prefix ? `${prefix}/${key}` : key }
  }

  /** Repeats what can succeed later. @throws StorageAway */
  async #attempt<T>(call: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call()
      } catch (error) {
        if (attempt === ATTEMPTS || isFinal(error)) throw new StorageAway(summaryOf(error))
        await delay(BACKOFF_MS * 4 ** (attempt - 1) * (0.5 + Math.random()))
      }
    }
  }
}

const statusOf = (error: unknown) => (error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : 0)

/** A missing bucket is a wrong setting, not a missing object. */
function nullWhenMissing(error: unknown): null {
  if (statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket') return null
  throw error
}

/** Wrong credentials and settings stay wrong. */
const isFinal = (error: unknown) => {
  const status = statusOf(error)
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

/** The error without the request, which contains the signature. */
const summaryOf = (error: unknown) => {
  const { name, message, code } = error as Error & { code?: string }
  return new Error([name, statusOf(error) || code, message].filter(Boolean).join(' '))
}
