import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { lchown, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Binaries } from './binaries.ts'
import { isAlive } from './is-alive.ts'
import { canEnter, postgresUser, rootOnlyFolder, type SystemUser } from './system-user.ts'

/** The data directory of one database cluster, and its owner. */
export interface Cluster {
  dataDir: string
  user: SystemUser
}

const MAJOR = '18'
/** Stored inside the cluster, so that cluster and password always stay together. */
const PASSWORD_FILE = 'haltless-password'
const exists = (dir: string) => existsSync(path.join(dir, 'PG_VERSION'))

/**
 * A file beside the configured path. It names the folder inside `home` that contains the cluster instead, and disappears with the
 * data directory.
 */
const pointerFile = (configured: string) => `${configured}.place`

/** @returns null without such a file, or when it names no folder of ours */
function readPointer(configured: string): string | null {
  try {
    const name = readFileSync(pointerFile(configured), 'utf8').trim()
    return /^[\w-]+-[0-9a-f]{16}$/.test(name) ? name : null
  } catch {
    return null
  }
}

/** Processes that start together get the same path. */
function createPointer(configured: string): string {
  const draft = `${pointerFile(configured)}.${process.pid}`
  rmSync(draft, { force: true })
  const name = `${path.basename(configured).replace(/[^\w-]/g, '_')}-${randomBytes(8).toString('hex')}`
  writeFileSync(draft, `${name}\n`, { flag: 'wx', mode: 0o644 })
  try {
    // Unlike rename, link never replaces a file.
    linkSync(draft, pointerFile(configured))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readPointer(configured) ?? name
}

/**
 * Decides where the cluster is stored. As root, a path that PostgreSQL's user cannot enter is replaced by one inside `home`,
 * which a file beside the configured path names. So a data directory keeps its cluster, and a recreated one gets a new cluster.
 * @throws when the configured path contains an unreachable cluster: starting an empty one elsewhere would look like data loss
 */
export function resolveClusterPath(wanted: string, home: string, log: (line: string) => void): Cluster {
  const configured = path.resolve(wanted)
  const us = process.getuid?.()
  if (us !== undefined && us !== 0 && existsSync(configured) && statSync(configured).uid !== us) {
    throw new Error(
      `The database directory ${configured} belongs to user ${statSync(configured).uid}, and this process runs as user ${us}.`,
    )
  }
  const user = postgresUser(configured)
  // Before the check: a folder created under a strict umask cannot be entered.
  mkdirSync(path.dirname(configured), { recursive: true })
  const pointer = us === 0 ? readPointer(configured) : null
  const moved = pointer !== null && exists(path.join(home, pointer)) && !exists(configured)
  if (
    !moved &&
    (user.uid === undefined ||
      canEnter(user, existsSync(configured) && statSync(configured).uid === user.uid ? configured : path.dirname(configured)))
  ) {
    return { dataDir: configured, user }
  }
  if (exists(configured)) {
    throw new Error(
      `The database is at ${configured}, which user ${user.uid}, who runs PostgreSQL, can no longer enter. Grant access (chmod o+x) to the folders above it.`,
    )
  }
  rootOnlyFolder(home)
  const other = path.join(home, pointer ?? createPointer(configured))
  log(`The database is stored at ${other}: PostgreSQL does not run as root, and its user cannot enter ${configured}.`)
  return { dataDir: other, user: postgresUser(other) }
}

/**
 * Creates the cluster on first start: UTF-8, the same locale on every system, password login only. It is created under a
 * temporary name and renamed, so an interruption leaves no partial cluster.
 * @returns the password of the owner role `postgres`
 */
export async function ensureCluster({ dataDir, user }: Cluster, binaries: Binaries): Promise<string> {
  if (!exists(dataDir)) await makeCluster({ dataDir, user }, binaries)
  const major = readFileSync(path.join(dataDir, 'PG_VERSION'), 'utf8').trim()
  if (major !== MAJOR)
    throw new Error(`The database at ${dataDir} was created by PostgreSQL ${major}; this program contains ${MAJOR}.`)
  return readFileSync(path.join(dataDir, PASSWORD_FILE), 'utf8')
}

async function makeCluster({ dataDir, user }: Cluster, binaries: Binaries): Promise<void> {
  const parent = path.dirname(dataDir)
  const prefix = `${path.basename(dataDir)}.making-`
  // Temporary files of an interrupted start.
  for (const name of readdirSync(parent)) {
    const maker = name.replace(/^\./, '')
    if (maker.startsWith(prefix) && !isAlive(Number.parseInt(maker.slice(prefix.length), 10)))
      await rm(path.join(parent, name), { recursive: true, force: true })
  }
  const draft = path.join(parent, `${prefix}${process.pid}`)
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  const password = randomBytes(24).toString('base64url')
  const handover = path.join(parent, `.${prefix}${process.pid}-${randomBytes(6).toString('hex')}`)
  try {
    await writeFile(handover, password, { mode: 0o600, flag: 'wx' })
    if (user.uid !== undefined && user.gid !== undefined) {
      await lchown(draft, user.uid, user.gid)
      await lchown(handover, user.uid, user.gid)
    }
    // builtin C.UTF-8: with the system's locale, a system upgrade could change the sort order under an index.
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    await run(
      binaries.program('initdb'),
      [
        '-D',
        draft,
        '-U',
        'postgres',
        '-A',
        'scram-sha-256',
        `--pwfile=${handover}`,
        '-E',
        'UTF8',
        ...locale,
        '--no-instructions',
      ],
      user,
    )
    await rename(handover, path.join(draft, PASSWORD_FILE))
    await rename(draft, dataDir).catch((error: NodeJS.ErrnoException) => {
      if (exists(dataDir)) return // another process was first
      throw new Error(
        `The database cannot be created at ${dataDir} (${error.code}): use an empty or missing folder that is not a mount point.`,
      )
    })
  } finally {
    await rm(handover, { force: true })
    await rm(draft, { recursive: true, force: true })
  }
}

/** The environment without PG*, which would redirect the programs, and without a locale. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))), LC_ALL: 'C' }
}

function run(program: string, args: string[], user: SystemUser): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...user, cwd: '/', env: cleanEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] })
    let complaint = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-4_000)
    })
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${path.basename(program)} failed: ${complaint.trim()}`)),
    )
  })
}
