import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** The user that a child process runs as. Empty: the same as this process. */
export interface SystemUser {
  uid?: number
  gid?: number
}

const isRoot = () => process.getuid?.() === 0

/**
 * The user for PostgreSQL, which refuses to run as root: the owner of an existing data directory, else `postgres`, else `nobody`.
 * No user is created.
 * @throws when none of them exists
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
  throw new Error(
    'PostgreSQL does not run as root, and this system has neither a user "postgres" nor "nobody": create one, or start the hub as another user.',
  )
}

/** Whether that user may enter `dir` or, where it does not exist yet, its nearest existing ancestor. */
export function canEnter(user: SystemUser, dir: string): boolean {
  let existing = dir
  while (!existsSync(existing)) existing = path.dirname(existing)
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', existing], { ...user, cwd: '/', stdio: 'ignore' }).status === 0
}

/**
 * Creates a folder that only root can write, or accepts an existing one.
 * @throws when another user owns it or can write it, because its content could be forged
 */
export function rootOnlyFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o755 })
  assertRootOwned(dir)
}

/** @throws unless root owns this entry itself (not the target of a link) and only root can write it */
export function assertRootOwned(entry: string): void {
  const { uid, mode } = lstatSync(entry)
  const link = (mode & 0o170000) === 0o120000
  if (uid !== 0 || link || (mode & 0o022) !== 0) {
    throw new Error(
      `${entry} is not used: it must belong to root, and only root may write it. Remove it, or correct its owner and mode.`,
    )
  }
}
