import type * as Fs from 'node:fs'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** One change of a file system, in the order in which a program asked for it. */
type Change =
  | { do: 'make folder' | 'make file' | 'remove' | 'flush'; path: string }
  | { do: 'write'; path: string; data: Buffer }
  | { do: 'rename'; path: string; to: string }

/** A file or folder: what was written to it, and what of that a power cut leaves. */
interface Node {
  names: Map<string, Node> | null
  content: Buffer
  flushed: Buffer
  /** the names that a power cut leaves */
  flushedNames: Map<string, Node>
}

/**
 * Records what a program changes below one folder by way of `node:fs`, and makes of it what a power cut could leave.
 * The model is that of ext4 without its heuristics: content is on the disk after fsync of the file, a name after fsync of its folder; names
 * may arrive before the content of their files.
 */
export class PowerCut {
  readonly changes: Change[] = []
  /** only what changes below this folder is recorded */
  folder = ''
  isRecording = false
  readonly #open = new Map<number, string>()

  /** `node:fs` with its changes recorded. */
  record(fs: typeof Fs): typeof Fs {
    const note = (change: Change) => {
      const isInside = change.path.startsWith(`${this.folder}/`) || change.path === this.folder
      if (this.isRecording && isInside) this.changes.push(change)
    }
    return {
      ...fs,
      mkdirSync: ((path: string, options?: { recursive?: boolean }) => {
        const first = fs.mkdirSync(path, options)
        const made: string[] = []
        for (let at = path; options?.recursive ? first !== undefined && at.length >= first.length : at === path; at = dirname(at))
          made.unshift(at)
        for (const each of made) note({ do: 'make folder', path: each })
        return first
      }) as typeof fs.mkdirSync,
      openSync: (path, flags, mode) => {
        const handle = fs.openSync(path, flags, mode)
        this.#open.set(handle, String(path))
        if (flags !== 'r') note({ do: 'make file', path: String(path) })
        return handle
      },
      writeFileSync: (file, data, options) => {
        fs.writeFileSync(file, data, options)
        const path = typeof file === 'number' ? (this.#open.get(file) as string) : String(file)
        if (typeof file !== 'number') note({ do: 'make file', path })
        note({ do: 'write', path, data: Buffer.from(data as Uint8Array) })
      },
      fsyncSync: (handle) => {
        fs.fsyncSync(handle)
        note({ do: 'flush', path: this.#open.get(handle) as string })
      },
      renameSync: (from, to) => {
        fs.renameSync(from, to)
        note({ do: 'rename', path: String(from), to: String(to) })
      },
      rmSync: (path, options) => {
        const was = fs.existsSync(path)
        fs.rmSync(path, options)
        if (was) note({ do: 'remove', path: String(path) })
      },
    }
  }

  /**
   * Writes what may be on the disk when the power goes after so many changes.
   * @param names `all`: every name arrived, and of the contents only what was flushed; `flushed`: names only as far as they were flushed too
   */
  restore(count: number, names: 'all' | 'flushed', into: string): void {
    const root = newNode(true)
    for (const change of this.changes.slice(0, count)) this.#replay(root, change)
    writeOut(root, names, into)
  }

  #replay(root: Node, change: Change): void {
    const find = (path: string): [folder: Node, name: string] => {
      const names = relative(this.folder, path).split('/').filter(Boolean)
      const folder = names.slice(0, -1).reduce((at, name) => at.names?.get(name) as Node, root)
      return [folder, names.at(-1) ?? '']
    }
    const [folder, name] = find(change.path)
    const node = name === '' ? root : folder.names?.get(name)
    if (change.do === 'make folder') folder.names?.set(name, newNode(true))
    else if (change.do === 'make file') folder.names?.set(name, newNode(false))
    else if (change.do === 'remove') folder.names?.delete(name)
    else if (change.do === 'write') (node as Node).content = Buffer.concat([(node as Node).content, change.data])
    else if (change.do === 'rename') {
      folder.names?.delete(name)
      const [target, newName] = find(change.to)
      target.names?.set(newName, node as Node)
    } else if (node?.names) node.flushedNames = new Map(node.names)
    else if (node) node.flushed = node.content
  }
}

const newNode = (isFolder: boolean): Node => ({
  names: isFolder ? new Map() : null,
  content: Buffer.alloc(0),
  flushed: Buffer.alloc(0),
  flushedNames: new Map(),
})

function writeOut(node: Node, names: 'all' | 'flushed', path: string): void {
  if (!node.names) {
    writeFileSync(path, node.flushed)
    return
  }
  mkdirSync(path, { recursive: true })
  for (const [name, child] of names === 'all' ? node.names : node.flushedNames) writeOut(child, names, join(path, name))
}
