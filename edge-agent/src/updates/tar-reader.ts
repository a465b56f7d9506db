import { fstatSync, readSync } from 'node:fs'

/**
 * Reads an archive as `npm run package:agent` writes it: GNU tar with folders and plain files. Links, devices, sparse files and whatever else
 * tar can hold are refused. Source: GNU tar manual, "Basic Tar Format"
 */

export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused'
}

export interface TarEntry {
  kind: 'file' | 'folder'
  /** below the archive's own folder: `bin/node`; '' for that folder itself */
  path: string
  /** the owner may execute it */
  isExecutable: boolean
  /** where its content is in the archive, bytes */
  offset: number
  size: number
}

const BLOCK = 512
const PATH_MAX = 1_000
/** Far beyond what an agent is. */
const ENTRIES_MAX = 20_000

/**
 * The entries of an archive, in its order.
 * @param archive a descriptor of the file
 * @throws ArchiveRefused with the reason, in words
 */
export function* readTar(archive: number): Generator<TarEntry> {
  const end = fstatSync(archive).size
  const paths = new Set<string>()
  let longName: string | null = null
  for (let at = 0; ; ) {
    const header = read(archive, at, BLOCK)
    if (header.every((byte) => byte === 0)) break
    const { type, name, size, mode } = headerOf(header)
    const offset = at + BLOCK
    at = offset + Math.ceil(size / BLOCK) * BLOCK
    if (at > end) throw new ArchiveRefused('it ends in the middle')
    if (type === 'L') {
      if (longName !== null || size > PATH_MAX) throw new ArchiveRefused('it holds a name that is too long')
      longName = read(archive, offset, size).toString('utf8').replace(/\0+$/, '')
      continue
    }
    const fullName: string = longName ?? name
    longName = null
    const isFolder = type === '5'
    if (!isFolder && type !== '0' && type !== '\0')
      throw new ArchiveRefused(`it holds something that is neither a file nor a folder: ${fullName}`)
    const path = innerPath(fullName)
    if (paths.has(path)) throw new ArchiveRefused(`it holds a path twice: ${fullName}`)
    if (paths.size === ENTRIES_MAX) throw new ArchiveRefused('it holds more files than an agent can have')
    if (isFolder ? size > 0 : path === '') throw new ArchiveRefused(`it holds a damaged entry: ${fullName}`)
    paths.add(path)
    yield { kind: isFolder ? 'folder' : 'file', path, isExecutable: (mode & 0o100) !== 0, offset, size }
  }
}

function read(archive: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  if (readSync(archive, bytes, 0, length, at) !== length) throw new ArchiveRefused('it ends in the middle')
  return bytes
}

function headerOf(block: Buffer): { type: string; name: string; size: number; mode: number } {
  const text = (from: number, length: number) => block.toString('utf8', from, from + length).replace(/\0.*$/s, '')
  const octal = (from: number, length: number) => {
    const digits = text(from, length).trim()
    if (!/^[0-7]+$/.test(digits)) throw new ArchiveRefused('a header is damaged')
    return Number.parseInt(digits, 8)
  }
  // the checksum counts its own field as eight spaces
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  if (sum !== octal(148, 8)) throw new ArchiveRefused('a header is damaged')
  return { type: String.fromCharCode(block[156] as number), name: text(0, 100), size: octal(124, 12), mode: octal(100, 8) }
}

/** The path below the archive's own folder. @throws ArchiveRefused for one that leads elsewhere */
function innerPath(name: string): string {
  const parts = name.replace(/\/$/, '').split('/')
  const isOutside = parts.some((part) => part === '' || part === '.' || part === '..')
  if (isOutside || name.length > PATH_MAX) throw new ArchiveRefused(`it holds a path that leads outside: ${name}`)
  return parts.slice(1).join('/')
}
