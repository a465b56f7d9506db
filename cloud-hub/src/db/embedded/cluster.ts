import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { lchown, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Binaries } from './binaries.ts'
import { isAlive } from './is-alive.ts'
import { canEnter, postgresUser, rootOnlyFolder, type SystemUser } from './system-user.ts'

/** The files of one database cluster, and who owns them. */
export interface Cluster {
  dataDir: string
  user: SystemUser
}

const MAJOR = '18'
/** Inside the cluster, so that cluster and password always arrive together. */
const PASSWORD_FILE = 'haltless-password'
const exists = (dir: string) => existsSync(path.join(dir, 'PG_VERSION'))

/** Beside the wanted place: the name of the folder inside `home` that holds the cluster instead. It goes when the data directory goes. */
const noteOf = (asked: string) => `${asked}.place`

/** @returns null when there is no note, or one that names no folder of ours */
function notedPlace(asked: string): string | null {
  try {
    const name = readFileSync(noteOf(asked), 'utf8').trim()
    return /^[\w-]+-[0-9a-f]{16}$/.test(name) ? name : null
  } catch {
    return null
  }
}

/** Of processes that start together, all get the same place. */
function notePlace(asked: string): string {
  const draft = `${noteOf(asked)}.${process.pid}`
  rmSync(draft, { force: true })
  const name = `${path.basename(asked).replace(/[^\w-]/g, '_')}-${randomBytes(8).toString('hex')}`
  writeFileSync(draft, `${name}\n`, { flag: 'wx', mode: 0o644 })
  try {
    // unlike rename, link never replaces
    linkSync(draft, noteOf(asked))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return notedPlace(asked) ?? name
}

/**
 * Decides where the cluster lives. As root, a place that PostgreSQL's user cannot enter is exchanged for one inside `home`, which a note
 * beside the wanted place names: the same data directory leads to the same place, and one that was removed and made anew to a new one.
 * @throws when a cluster is at the wanted place and out of reach: starting an empty one elsewhere would look like lost data
 */
export function resolveClusterPath(wanted: string, home: string, log: (line: string) => void): Cluster {
  const asked = path.resolve(wanted)
  const us = process.getuid?.()
  if (us !== undefined && us !== 0 && existsSync(asked) && statSync(asked).uid !== us) {
    throw new Error(
      `The database directory ${asked} belongs to user ${statSync(asked).uid}, and this process runs as user ${us}.`,
    )
  }
  const user = postgresUser(asked)
  // before the question whether it can be entered: what is made under a strict umask cannot
  mkdirSync(path.dirname(asked), { recursive: true })
  const noted = us === 0 ? notedPlace(asked) : null
  const moved = noted !== null && exists(path.join(home, noted)) && !exists(asked)
  if (
    !moved &&
    (user.uid === undefined ||
      canEnter(user, existsSync(asked) && statSync(asked).uid === user.uid ? asked : path.dirname(asked)))
  ) {
    return { dataDir: asked, user }
  }
  if (exists(asked)) {
    throw new Error(
      `The database is at ${asked}, which user ${user.uid} (who runs PostgreSQL) can no longer enter. Give him access (chmod o+x) to the folders above it.`,
    )
  }
  rootOnlyFolder(home)
  const other = path.join(home, noted ?? notePlace(asked))
  log(`The database lives at ${other}: PostgreSQL does not run as root, and the user it runs as cannot enter ${asked}.`)
  return { dataDir: other, user: postgresUser(other) }
}

/**
 * Makes the cluster on first start: UTF-8, a locale that is the same on every system, password login only. It is made under another
 * name and renamed, so a kill in the middle leaves nothing that looks like a database.
 * @returns the password of the owner role `postgres`
 */
export async function ensureCluster({ dataDir, user }: Cluster, binaries: Binaries): Promise<string> {
  if (!exists(dataDir)) await makeCluster({ dataDir, user }, binaries)
  const major = readFileSync(path.join(dataDir, 'PG_VERSION'), 'utf8').trim()
  if (major !== MAJOR)
    throw new Error(`The database at ${dataDir} was made by PostgreSQL ${major}; this program brings ${MAJOR}.`)
  return readFileSync(path.join(dataDir, PASSWORD_FILE), 'utf8')
}

async function makeCluster({ dataDir, user }: Cluster, binaries: Binaries): Promise<void> {
  const parent = path.dirname(dataDir)
  const prefix = `${path.basename(dataDir)}.making-`
  // drafts and passwords that a kill left behind
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
    // builtin C.UTF-8 and not the system's locale: sorting must not change under an index when the system is upgraded
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
        `The database cannot be put at ${dataDir} (${error.code}); it must be an empty or missing folder and no mount point itself.`,
      )
    })
  } finally {
    await rm(handover, { force: true })
    await rm(draft, { recursive: true, force: true })
  }
}

/** The environment without PG* (they would redirect the programs) and without a locale. */
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
