import { existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { compareVersions, OptionalFault, ReleaseVersion } from '@haltless/protocol'
import { z } from 'zod'
import { syncFolder, writeDurably } from '../support/durable-file.ts'

/**
 * An installed agent. All of it belongs to root, so the agent can read it and never change it:
 * ```
 * versions/X      programs, whole
 * current         link: the program that runs
 * confirmed       link: the newest program that proved itself; it also judges the next one
 * update/         of the updater: state.json, starts.json, its copy of an archive, and `pending` while an update is under way
 * ```
 */
export const INSTALLATION = '/opt/haltless-agent'

export type VersionLink = 'current' | 'confirmed'

/**
 * ```
 * installing -> switched -> confirmed
 *      |            \-> rolling_back -> rolled_back
 *       \-> refused
 * ```
 */
export const UpdateProgress = z.object({
  phase: z.enum(['installing', 'switched', 'confirmed', 'rolling_back', 'rolled_back', 'refused']),
  /** the agent's own name of this attempt */
  id: z.string().max(100),
  version: ReleaseVersion,
  /** the confirmed version at that time, to which a rollback leads */
  from: ReleaseVersion,
  at: z.iso.datetime(),
  /** in words for people: why it was refused or rolled back */
  reason: z.string().nullable(),
  /** the same as a fault; absent from an older updater */
  fault: OptionalFault,
  /** the sequence number of the release that is being installed */
  sequence: z.int().min(0),
  /** what has to work again; null before the switch */
  baseline: z.object({ collectors: z.array(z.string()), hub: z.boolean() }).nullable(),
  /** how often the new program was started to be judged: more than a few times means that the computer goes down with it */
  trials: z.int().min(0),
})
export type UpdateProgress = z.infer<typeof UpdateProgress>

const StateFile = z.object({
  /** of the newest release that was confirmed; 0: none */
  confirmed_sequence: z.int().min(0),
  progress: UpdateProgress.nullable(),
})
export type UpdaterState = z.infer<typeof StateFile>

const NO_STATE: UpdaterState = { confirmed_sequence: 0, progress: null }

export class Installation {
  readonly root: string

  constructor(root: string = INSTALLATION) {
    this.root = root
  }

  /** The folder of a version. */
  folderOf(version: string): string {
    return path.join(this.root, 'versions', ReleaseVersion.parse(version))
  }

  /** A file of the updater. */
  updateFile(name: string): string {
    return path.join(this.root, 'update', name)
  }

  has(version: string): boolean {
    return existsSync(path.join(this.folderOf(version), 'bin/node'))
  }

  /** @returns null when there is no such link, or it leads elsewhere */
  linked(link: VersionLink): string | null {
    try {
      const [folder, version, ...rest] = readlinkSync(path.join(this.root, link)).split('/')
      return folder === 'versions' && rest.length === 0 && ReleaseVersion.safeParse(version).success ? (version as string) : null
    } catch {
      return null
    }
  }

  /** Points a link to a version: a reader sees the old target or the new one, after a power cut too. @throws Error of the file system */
  link(link: VersionLink, version: string): void {
    const next = path.join(this.root, `.${link}.next`)
    rmSync(next, { force: true })
    symlinkSync(path.join('versions', ReleaseVersion.parse(version)), next)
    renameSync(next, path.join(this.root, link))
    syncFolder(this.root)
  }

  /** The public key (PEM) that releases after a version are signed with; null: its package has none, so updates are off. */
  updateKey(version: string): string | null {
    return this.#textOf(path.join(this.folderOf(version), 'update-key.pem'))
  }

  /** Such as `linux-amd64`; null for a version before there were updates. */
  platform(version: string): string | null {
    return this.#textOf(path.join(this.folderOf(version), 'platform'))?.trim() ?? null
  }

  /** What the updater wrote last. A file that nobody can read counts as none: then the links say what is so. */
  state(): UpdaterState {
    const text = this.#textOf(this.updateFile('state.json'))
    try {
      return text === null ? NO_STATE : StateFile.parse(JSON.parse(text))
    } catch {
      return NO_STATE
    }
  }

  /** @throws Error of the file system */
  writeState(state: UpdaterState): void {
    mkdirSync(this.updateFile('.'), { recursive: true, mode: 0o755 })
    writeDurably(this.updateFile('state.json'), `${JSON.stringify(state, null, 2)}\n`, { mode: 0o644, owner: null })
  }

  #textOf(file: string): string | null {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return null
    }
  }
}

/** The newest of some versions; null for none. */
export const newestOf = (versions: readonly string[]): string | null => versions.toSorted(compareVersions).at(-1) ?? null
