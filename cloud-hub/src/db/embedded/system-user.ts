import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** Who a child process runs as. Empty: the same user as ours. */
export interface SystemUser {
  uid?: number
  gid?: number
}

const isRoot = () => process.getuid?.() === 0

/**
 * PostgreSQL refuses to run as root. Then the owner of an existing data directory decides, else `postgres`, else `nobody`; no user is ever
 * created.
 * @throws when there is none of them
 */
export function postgresUser(dataDir: string): SystemUser {
  if (!isRoot()) return {}
  if (existsSync(dataDir)) {
    const { uid, gid } = statSync(dataDir)
    if (uid !== 0) return { uid, gid }
  }
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new Error('PostgreSQL does not run as root, and this system has neither a user "postgres" nor "nobody".')
}

/** Asks the kernel whether that user may enter `dir` or, where it does not exist yet, its nearest ancestor that does. */
export function canEnter(user: SystemUser, dir: string): boolean {
  let place = dir
  while (!existsSync(place)) place = path.dirname(place)
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', place], { ...user, cwd: '/', stdio: 'ignore' }).status === 0
}

/**
 * Makes a folder that only root can write, or accepts one that is already like that.
 * @throws when others own it or can write it: what lies there could be anybody's
 */
export function rootOnlyFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o755 })
  assertRootOwned(dir)
}

/** @throws unless root owns this very entry (a link does not count as its target) and nobody else can write it */
export function assertRootOwned(entry: string): void {
  const { uid, mode } = lstatSync(entry)
  const link = (mode & 0o170000) === 0o120000
  if (uid !== 0 || link || (mode & 0o022) !== 0) {
    throw new Error(
      `${entry} is not used: it must belong to root and be writable by nobody else. Remove it, or mend its owner and mode.`,
    )
  }
}
