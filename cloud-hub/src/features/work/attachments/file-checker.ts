import { createHash } from 'node:crypto'
import { Unavailable } from '../../../support/errors.ts'
import { Turns } from '../../../support/turns.ts'
import type { AttachmentRow } from './repository.ts'
import { type AttachmentStore, FileDamaged, type FileIdentity, StorageAway } from './storage/store.ts'

/** What a stored file is now, compared with its row. An intact file has an identity, by which it can be read. */
type FileState = { state: 'intact'; identity: FileIdentity } | { state: 'changed' } | { state: 'missing' }

/** The fields of an attachment that say where its file is and which bytes it had when it was uploaded. */
type StoredFile = Pick<AttachmentRow, 'tenantId' | 'storageKey' | 'sizeBytes' | 'sha256'>

/** Files that are hashed at once, and calls of a tenant that may wait. */
const TURNS = { slots: 4, perTenant: 2, waitingPerTenant: 100 }
/** For requests without a sign-in: one file of a tenant at a time, and few waiting requests. */
const TURNS_OF_STRANGERS = { slots: 2, perTenant: 1, waitingPerTenant: 4, waitMs: 10_000 }
/** Files whose hash is cached; the longest unused one is forgotten. */
const MAX_KNOWN = 20_000
/** A file that changes while it is hashed is hashed again this often. */
const ATTEMPTS = 3

const refusal = () => new Unavailable('hub_busy', 'The hub compares many files with their hashes; try again in a few seconds.')

/** Compares stored files with the SHA-256 that they had when they were uploaded. It reads a file once per identity. */
export class FileChecker {
  readonly #turns = new Turns({ ...TURNS, refusal })
  readonly #turnsOfStrangers = new Turns({ ...TURNS_OF_STRANGERS, refusal })
  /** by store and key, the longest unused first */
  readonly #known = new Map<string, { tag: string; sha256: string }>()

  /** @param options `signal` is aborted when the caller leaves @throws StorageAway; Unavailable when too many files are being compared */
  async check(
    store: AttachmentStore,
    file: StoredFile,
    { isStranger = false, signal }: { isStranger?: boolean; signal?: AbortSignal } = {},
  ): Promise<FileState> {
    const known = await this.#lookUp(store, file)
    if (known.state !== 'unread') return known
    const turns = isStranger ? this.#turnsOfStrangers : this.#turns
    return turns.run(file.tenantId, () => this.#read(store, file, signal), signal)
  }

  /** The state as far as identity and cache show it; `unread`: the file of this identity must be read. */
  async #lookUp(store: AttachmentStore, file: StoredFile): Promise<FileState | { state: 'unread'; identity: FileIdentity }> {
    const identity = await store.identify(file.storageKey)
    if (!identity) return { state: 'missing' }
    if (identity.size !== file.sizeBytes) return { state: 'changed' }
    const name = nameOf(store, file)
    const known = this.#known.get(name)
    if (known?.tag !== fullTag(identity)) return { state: 'unread', identity }
    this.#known.delete(name)
    this.#known.set(name, known)
    return known.sha256 === file.sha256 ? { state: 'intact', identity } : { state: 'changed' }
  }

  async #read(store: AttachmentStore, file: StoredFile, signal: AbortSignal | undefined): Promise<FileState> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      // another call may have read it while this one waited for its turn
      const known = await this.#lookUp(store, file)
      if (known.state !== 'unread') return known
      const { identity } = known
      const sha256 = await hashOf(store, file.storageKey, identity, signal)
      if (sha256 === null) continue
      if (identity.isSettled) this.#remember(nameOf(store, file), { tag: fullTag(identity), sha256 })
      return sha256 === file.sha256 ? { state: 'intact', identity } : { state: 'changed' }
    }
    return { state: 'changed' }
  }

  #remember(name: string, known: { tag: string; sha256: string }): void {
    this.#known.set(name, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest as string)
  }
}

const nameOf = (store: AttachmentStore, { storageKey }: StoredFile) => `${store.name} ${storageKey}`
const fullTag = ({ tag, version = '' }: FileIdentity) => `${tag} ${version}`

/** null: the file got another identity. A read that breaks off says nothing about the bytes. @throws StorageAway */
async function hashOf(
  store: AttachmentStore,
  key: string,
  identity: FileIdentity,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of await store.read(key, undefined, identity)) {
      if (signal?.aborted) throw refusal()
      hash.update(chunk)
    }
  } catch (error) {
    if (error instanceof FileDamaged) return null
    if (error instanceof Unavailable) throw error
    throw new StorageAway(error)
  }
  return hash.digest('hex')
}
