import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { OperatorError } from '../../support/errors.ts'
import { HISTORY_NAME, historyName, SEGMENT_NAME } from './lsn.ts'

const decompress = promisify(zstdDecompress)

/** Larger than every segment that PostgreSQL permits. */
const MAX_BYTES = 1_073_741_824

/** Where archived WAL is read from. */
export interface WalSource {
  /** for the operator */
  readonly name: string
  /** @returns null when there is no such file @throws DamagedFile */
  read(name: string): Promise<Buffer | null>
  /** the timelines that have a history */
  timelines(): Promise<number[]>
  /** names of all segments; null: the source cannot list them */
  segments(): Promise<string[] | null>
  /** files that were read, and that the archive does not have yet */
  readonly unarchived?: ReadonlySet<string>
}

/** The restore command hangs. */
export class CommandTooSlow extends OperatorError {}

/** A file of the archive cannot be decompressed. */
export class DamagedFile extends Error {}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'
/** For `catch`: null where there is no such file. */
export const orNull = (error: unknown) => {
  if (isMissing(error)) return null
  throw error
}

/** The suffix of segments that the hub has compressed. */
export const COMPRESSED = '.zst'

export async function readArchived(folder: string, name: string): Promise<Buffer | null> {
  const plain = await readFile(path.join(folder, name)).catch(orNull)
  return plain ?? readPacked(folder, name)
}

/** @returns the content of a compressed segment; null: it is not there @throws DamagedFile */
export async function readPacked(folder: string, name: string): Promise<Buffer | null> {
  const packed = await readFile(path.join(folder, name + COMPRESSED)).catch(orNull)
  if (!packed) return null
  try {
    return await decompress(packed, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    throw new DamagedFile(`${name}${COMPRESSED} cannot be decompressed (${(error as Error).message})`)
  }
}

/** A folder with the files that PostgreSQL archived. */
export function folderSource(folder: string): WalSource {
  const names = async () =>
    (await readdir(folder).catch((error) => orNull(error) ?? [])).map((name) =>
      name.endsWith(COMPRESSED) ? name.slice(0, -COMPRESSED.length) : name,
    )
  return {
    name: folder,
    read: (name) => readArchived(folder, name),
    timelines: async () =>
      (await names()).filter((name) => HISTORY_NAME.test(name)).map((name) => Number.parseInt(name.slice(0, 8), 16)),
    segments: async () => [...new Set((await names()).filter((name) => SEGMENT_NAME.test(name)))].sort(),
  }
}

/** A restore command that takes longer is ended: the restore would wait for ever. */
const COMMAND_LIMIT_MS = 300_000

/** A command with PostgreSQL's placeholders: %f is the name of the file, %p the path that it is copied to. */
export function commandSource(command: string, limitMs = COMMAND_LIMIT_MS): WalSource {
  const read = async (name: string) => {
    const target = path.join(tmpdir(), `haltless-wal-${randomUUID()}`)
    try {
      const isFound = await runCommand(command, { '%f': name, '%p': target, '%%': '%' }, limitMs)
      return isFound ? await readFile(target).catch(orNull) : null
    } finally {
      await rm(target, { force: true })
    }
  }
  return {
    name: 'WAL_RESTORE_COMMAND',
    read,
    timelines: async () => {
      const found: number[] = []
      // as PostgreSQL does: one number after the other, until there is none
      for (let timeline = 2; await read(historyName(timeline)); timeline++) found.push(timeline)
      return found
    },
    segments: async () => null,
  }
}

/** @returns whether it ended with 0 @throws Error when it cannot run, or was ended by a signal, as PostgreSQL distinguishes them too */
function runCommand(command: string, values: Record<string, string>, limitMs: number): Promise<boolean> {
  const line = command.replace(/%[fp%]/g, (placeholder) => values[placeholder] as string)
  return new Promise((resolve, reject) => {
    // a group of its own, so that the programs that the shell has started end with it
    const child = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'ignore', 'inherit'], detached: true })
    let isTooSlow = false
    const limit = setTimeout(() => {
      isTooSlow = true
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // it has just ended
      }
    }, limitMs)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(limit)
      if (isTooSlow)
        reject(
          new CommandTooSlow(`WAL_RESTORE_COMMAND did not end within ${limitMs / 1_000} s for ${values['%f']}, and was ended.`),
        )
      else if (code === null || code > 125) reject(new Error(`WAL_RESTORE_COMMAND ended with ${code ?? signal}`))
      else resolve(code === 0)
    })
  })
}

/** Reads from the first source, the archive, that has the file. */
export function firstOf(first: WalSource, second: WalSource): WalSource {
  const unarchived = new Set<string>()
  return {
    name: first.name,
    async read(name) {
      const bytes = await first.read(name)
      if (bytes) return bytes
      const other = await second.read(name)
      if (other) unarchived.add(name)
      return other
    },
    timelines: async () => [...new Set([...(await first.timelines()), ...(await second.timelines())])],
    segments: () => first.segments(),
    unarchived,
  }
}
