import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'

/** What a power cut leaves of a name that was not flushed: `arrived`, without the content that was not flushed, or `lost`. */
export type UnflushedNames = 'arrived' | 'lost'

/** A name that its folder does not hold for certain yet. */
interface Name {
  path: string
  /** where the file was before a rename */
  from?: string
  /** what had this name before */
  replaced?: { link: string } | { content: Buffer }
}

/**
 * Notes what this process writes below a folder by way of `node:fs` and does not flush, and makes the file system forget it. The model is that
 * of ext4 without its heuristics: content is on the disk after fsync of the file, a name after fsync of its folder. Streams are not noted.
 */
export class Unflushed {
  readonly #folder: string
  readonly #files = new Set<string>()
  #names: Name[] = []
  readonly #open = new Map<number, string>()
  readonly #fs = { ...fs }

  constructor(folder: string) {
    this.#folder = folder
    const own = this.#fs
    const changed: Partial<typeof fs> = {
      openSync: (file, flags, mode) => {
        const isNew = !own.existsSync(file)
        const handle = own.openSync(file, flags, mode)
        this.#open.set(handle, String(file))
        if (isNew) this.#note({ path: String(file) })
        return handle
      },
      writeFileSync: (file, data, options) => {
        const isNew = typeof file !== 'number' && !own.existsSync(file)
        own.writeFileSync(file, data, options)
        const written = typeof file === 'number' ? this.#open.get(file) : String(file)
        if (isNew) this.#note({ path: String(file) })
        if (written && this.#isInside(written)) this.#files.add(written)
      },
      writeSync: ((handle: number, ...rest: [Buffer]) => {
        const written = this.#open.get(handle)
        if (written && this.#isInside(written)) this.#files.add(written)
        return own.writeSync(handle, ...rest)
      }) as typeof fs.writeSync,
      fsyncSync: (handle) => {
        own.fsyncSync(handle)
        const flushed = this.#open.get(handle) as string
        this.#files.delete(flushed)
        this.#names = this.#names.filter((name) => path.dirname(name.path) !== flushed)
      },
      mkdirSync: ((folder: string, options?: fs.MakeDirectoryOptions) => {
        const wasThere = own.existsSync(folder)
        const first = own.mkdirSync(folder, options)
        const outermost = first ?? folder
        if (!wasThere)
          for (let made = folder; made.length >= outermost.length; made = path.dirname(made)) this.#note({ path: made })
        return first
      }) as typeof fs.mkdirSync,
      symlinkSync: (target, link, type) => {
        own.symlinkSync(target, link, type)
        this.#note({ path: String(link) })
      },
      renameSync: (from, to) => {
        const replaced = this.#contentOf(String(to))
        own.renameSync(from, to)
        this.#move(String(from), String(to))
        this.#note({ path: String(to), from: String(from), ...(replaced && { replaced }) })
      },
      rmSync: (removed, options) => {
        own.rmSync(removed, options)
        const isGone = (name: string) => name === String(removed) || name.startsWith(`${removed}/`)
        for (const file of this.#files) if (isGone(file)) this.#files.delete(file)
        this.#names = this.#names.filter((name) => !isGone(name.path))
      },
    }
    Object.assign(fs, changed)
    syncBuiltinESMExports()
  }

  /** The power goes: nothing is recorded from here on. */
  lose(names: UnflushedNames): void {
    for (const file of this.#files) if (this.#fs.existsSync(file)) this.#fs.truncateSync(file)
    if (names === 'arrived') return
    for (const { path: name, from, replaced } of this.#names.toReversed()) {
      if (from) this.#fs.renameSync(name, from)
      else this.#fs.rmSync(name, { recursive: true, force: true })
      if (replaced && 'link' in replaced) this.#fs.symlinkSync(replaced.link, name)
      else if (replaced) this.#fs.writeFileSync(name, replaced.content)
    }
  }

  #isInside(file: string): boolean {
    return file.startsWith(`${this.#folder}/`)
  }

  #note(name: Name): void {
    if (this.#isInside(name.path)) this.#names.push(name)
  }

  /** What was noted below a folder, or of a file, is noted under its new name. */
  #move(from: string, to: string): void {
    const moved = (file: string) => (file === from || file.startsWith(`${from}/`) ? to + file.slice(from.length) : file)
    for (const file of [...this.#files]) {
      this.#files.delete(file)
      this.#files.add(moved(file))
    }
    // the name that was left is gone; what lies below it keeps its state
    this.#names = this.#names
      .filter((name) => name.path !== from)
      .map((name) => ({ ...name, path: moved(name.path), ...(name.from && { from: moved(name.from) }) }))
  }

  #contentOf(file: string): Name['replaced'] {
    const stats = this.#fs.lstatSync(file, { throwIfNoEntry: false })
    if (stats?.isSymbolicLink()) return { link: this.#fs.readlinkSync(file) }
    return stats?.isFile() ? { content: this.#fs.readFileSync(file) } : undefined
  }
}
