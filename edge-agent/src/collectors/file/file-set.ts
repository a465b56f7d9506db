import path from 'node:path'
import { type Fault, fault } from '@haltless/protocol'
import type { Logger } from '../collector.ts'
import type { FileConfig } from './contract.ts'
import { type FoundFile, filesIn, findContinuation, findFiles, statFile } from './find-files.ts'
import { FollowedFile } from './followed-file.ts'
import { isFileOf, type Position, parsePosition } from './position.ts'

/** A file that does not change for so long is closed; one that the pattern does not name any more is forgotten. */
export const IDLE_MS = 600_000
/** Of files that are gone at once, copies are searched for so many: each search opens other files. */
const COPIES_SEARCHED_MAX = 20
/** Its presence says that the collector has run before. */
const BEGUN = ''

interface Seen {
  found: FoundFile | null
  changedAt: number
}

/** The files of a collector, each with how far it has been read, whatever they are called meanwhile. */
export class FileSet {
  readonly #config: FileConfig
  readonly #logger: Logger
  /** what is stored, by key */
  readonly #stored: Map<string, string>
  readonly #files = new Map<FollowedFile, Seen>()
  /** files that the pattern matched beyond the limit */
  leftOut = 0
  /** files that the pattern matches */
  matched = 0

  /** @param stored the checkpoints of the collector: positions by path */
  constructor(config: FileConfig, logger: Logger, stored: ReadonlyMap<string, string>) {
    this.#config = config
    this.#logger = logger
    this.#stored = new Map(stored)
    for (const [key, state] of stored) {
      const position = key === BEGUN ? null : parsePosition(state)
      if (position) this.#files.set(new FollowedFile({ path: key, inode: 0, size: 0, modifiedAt: 0 }, position), neverSeen())
    }
  }

  /** The collector runs for the first time: what the files hold already may have to be passed over. */
  get isFirstRun(): boolean {
    return !this.#stored.has(BEGUN)
  }

  /**
   * Finds the files of the pattern, and those that were renamed or copied before all of them was read.
   * @param now monotonic ms
   * @returns the files that changed, the least recently changed first; those that are new; and, for each file that was removed or truncated before
   * all of it was read, the timestamp of the last record that was, 0 for none
   */
  async refresh(
    now: number,
  ): Promise<{ changed: { file: FollowedFile; found: FoundFile | null }[]; added: FollowedFile[]; lostAfter: number[] }> {
    const lostAfter: number[] = []
    const { files: found, leftOut } = await findFiles(this.#config.path)
    this.leftOut = leftOut
    this.matched = found.length
    const byPath = new Map(found.map((one) => [one.path, one]))
    const claimed = new Map<string, FollowedFile>()
    const displaced: FollowedFile[] = []
    for (const [file, seen] of this.#files) {
      const there = file.path === null ? null : (byPath.get(file.path) ?? (await statFile(file.path)))
      if (there && (await this.#isIn(file, there))) {
        claimed.set(there.path, file)
        this.#note(seen, there, now)
      } else displaced.push(file)
    }
    const folders = new Map<string, FoundFile[]>()
    for (const [i, file] of displaced.entries()) {
      const folder = file.path === null ? null : path.dirname(file.path)
      if (folder !== null && !folders.has(folder)) folders.set(folder, await filesIn(folder))
      const candidates = [...(folders.get(folder ?? '') ?? []), ...found].filter((one) => !claimed.has(one.path))
      await this.#relocate(file, candidates, i < COPIES_SEARCHED_MAX, claimed, now, lostAfter)
    }
    const added = found.filter((one) => !claimed.has(one.path)).map((one) => this.#add(one, now))
    await this.#leaveIdle(byPath, now)
    const changed = [...this.#files].filter(([file, { found }]) => file.path === null || !isRead(file, found))
    const age = ([, { found }]: [FollowedFile, Seen]) => found?.modifiedAt ?? 0
    return {
      changed: changed.toSorted((a, b) => age(a) - age(b)).map(([file, seen]) => ({ file, found: seen.found })),
      added,
      lostAfter,
    }
  }

  /** What is to be stored so that the positions of all files are. */
  checkpoints(): { key: string; state: string | null }[] {
    const wanted = new Map([[BEGUN, 'begun']])
    for (const file of this.#files.keys())
      if (file.path !== null && file.position.anchor !== '') wanted.set(file.path, JSON.stringify(file.position))
    const gone = [...this.#stored.keys()].filter((key) => !wanted.has(key)).map((key) => ({ key, state: null }))
    const changed = [...wanted].filter(([key, state]) => this.#stored.get(key) !== state)
    return [...gone, ...changed.map(([key, state]) => ({ key, state }))]
  }

  /** The checkpoint of one file at another position. */
  checkpointOf({ path }: FollowedFile, position: Position): { key: string; state: string }[] {
    return path === null ? [] : [{ key: path, state: JSON.stringify(position) }]
  }

  stored(checkpoints: readonly { key: string; state: string | null }[]): void {
    for (const { key, state } of checkpoints) {
      if (state === null) this.#stored.delete(key)
      else this.#stored.set(key, state)
    }
  }

  /** Why files cannot be read, each with its name. */
  faults(): Fault[] {
    return [...this.#files.keys()].flatMap(({ path, fault: reason }) =>
      reason ? fault('of_item', { item: path ?? 'a removed file', reason }) : [],
    )
  }

  async close(): Promise<void> {
    for (const file of this.#files.keys()) await file.close()
  }

  /** Whether this is still the file that was read. A document is read as a whole, whichever file it is. */
  async #isIn(file: FollowedFile, found: FoundFile): Promise<boolean> {
    if (this.#config.format === 'json') return true
    // one that cannot be opened says why when it is read
    return file.isStill(found).catch(() => found.inode === file.position.inode)
  }

  async #relocate(
    file: FollowedFile,
    candidates: readonly FoundFile[],
    withCopies: boolean,
    claimed: Map<string, FollowedFile>,
    now: number,
    lostAfter: number[],
  ): Promise<void> {
    const seen = this.#files.get(file) as Seen
    const before = file.path
    const continuation =
      this.#config.format === 'json'
        ? candidates.find(({ inode, size }) => inode === file.position.inode && size === file.position.offset)
        : await findContinuation(file.position, candidates, withCopies)
    if (continuation) {
      if (continuation.inode !== file.position.inode) await file.close()
      file.path = continuation.path
      file.position.inode = continuation.inode
      claimed.set(continuation.path, file)
      this.#note(seen, continuation, now)
      this.#logger.info({ file: before, to: continuation.path }, 'a file was rotated; it is read to its end')
      return
    }
    // a file without a name can be read as long as it is open, unless it was truncated
    const isKept = file.isOpen && (await holdsMore(file))
    if (isKept && before !== null) file.path = null
    else if (!isKept) {
      this.#files.delete(file)
      await file.close()
      if (before === null || this.#wasRead(file, seen.found)) return
      lostAfter.push(file.position.last.at)
      this.#logger.warn(
        { file: file.path, offset: file.position.offset },
        'a file was removed or truncated; lines behind this offset, if it had any, were not read',
      )
    }
  }

  /** Of a file that is gone. A document is read as a whole, so none is missed. @param found as it was when it was seen last, null: not by this process */
  #wasRead(file: FollowedFile, found: FoundFile | null): boolean {
    return this.#config.format === 'json' || (found === null ? file.position.isIdle : isRead(file, found))
  }

  #add(found: FoundFile, now: number): FollowedFile {
    const file = new FollowedFile(found, null)
    this.#files.set(file, { found, changedAt: now })
    return file
  }

  #note(seen: Seen, found: FoundFile, now: number): void {
    if (seen.found?.size !== found.size || seen.found.modifiedAt !== found.modifiedAt) seen.changedAt = now
    seen.found = found
  }

  async #leaveIdle(byPath: ReadonlyMap<string, FoundFile>, now: number): Promise<void> {
    for (const [file, { changedAt, found }] of this.#files) {
      if (now - changedAt < IDLE_MS || !isRead(file, found)) continue
      file.position.isIdle = true
      await file.close()
      if (file.path === null || !byPath.has(file.path)) this.#files.delete(file)
    }
  }
}

const neverSeen = (): Seen => ({ found: null, changedAt: Number.NEGATIVE_INFINITY })

const isRead = ({ readAt }: FollowedFile, found: FoundFile | null): boolean =>
  found !== null && readAt !== null && readAt.size === found.size && readAt.modifiedAt === found.modifiedAt

async function holdsMore(file: FollowedFile): Promise<boolean> {
  const handle = await file.open()
  const { size } = await handle.stat()
  return size > file.position.offset && isFileOf(handle, size, file.position)
}
