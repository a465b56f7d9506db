import { appendFile, chown, copyFile, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/db/embedded/index.ts'
import { keptPort, until } from '../test/processes.ts'
import { asOwner, clusterProcesses } from './hub-process.ts'
import type { RowContext } from './row.ts'

/** One of two PostgreSQL servers; its address stays the same. */
interface Member {
  /** its data directory is the folder `postgres` below */
  dir: string
  port: number
  server: EmbeddedPostgres
}

/** A primary and its synchronous standby, which change places. */
export interface PostgresPair {
  /** names both hosts, always in the same order */
  url: string
  primaryUrl(): string
  /** kills the primary with all of its processes */
  killPrimary(): Promise<void>
  /** makes the standby the primary, which waits for no standby until there is one again */
  promote(): Promise<void>
  /** starts a fresh copy of the primary in the place of the killed one, and waits until it is its synchronous standby */
  addStandby(): Promise<void>
}

const STANDBY_NAME = 'standby'
/** A standby that connects late still finds the WAL that it needs. */
const FLAGS = ['-c', 'wal_keep_size=1GB']

export async function startPair(context: RowContext): Promise<PostgresPair> {
  const start = async ({ dir, port }: Omit<Member, 'server'>): Promise<Member> => {
    const server = await startEmbeddedPostgres({ dataDir: path.join(dir, 'postgres'), port, restart: false, flags: FLAGS })
    context.defer(() => server.stop())
    return { dir, port, server }
  }
  const placeOf = async (name: string) => ({ dir: path.join(context.dir, name), port: await keptPort() })
  let primary = await start(await placeOf('db1'))
  let standby: Omit<Member, 'server'> & { server?: EmbeddedPostgres } = await placeOf('db2')
  const url = primary.server.url().replace(/:\d+\/postgres$/, `:${primary.port},127.0.0.1:${standby.port}/postgres`)

  const pair: PostgresPair = {
    url,
    primaryUrl: () => primary.server.url(),
    async killPrimary() {
      const { dir, server } = primary
      process.kill(server.pid, 'SIGKILL')
      // its processes would otherwise finish what they are at
      for (const pid of clusterProcesses(dir)) killIfThere(pid)
      await until('no process of the killed primary is left', () => clusterProcesses(dir).length === 0)
    },
    async promote() {
      const { server } = standby
      if (!server) throw new Error('there is no standby')
      await asOwner(server.url(), (sql) => sql`select pg_promote()`)
      ;[primary, standby] = [
        { ...standby, server },
        { dir: primary.dir, port: primary.port },
      ]
    },
    async addStandby() {
      await rm(standby.dir, { recursive: true, force: true })
      await copyCluster(primary, standby.dir)
      standby = await start(standby)
      await asOwner(primary.server.url(), async (sql) => {
        await sql.unsafe(`alter system set synchronous_standby_names = '${STANDBY_NAME}'`)
        await sql`select pg_reload_conf()`
        const isSynchronous = async () =>
          (await sql`select from pg_stat_replication where application_name = ${STANDBY_NAME} and sync_state = 'sync'`).length ===
          1
        await until('the standby is synchronous', isSynchronous)
      })
    },
  }
  await pair.addStandby()
  return pair
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Makes the data directory of a standby while the primary works. Source: PostgreSQL, 25.3.3 (low-level base backup) */
async function copyCluster(primary: Member, dir: string): Promise<void> {
  const from = path.join(primary.dir, 'postgres')
  const to = path.join(dir, 'postgres')
  await mkdir(dir, { recursive: true, mode: 0o755 })
  const owner = await lstat(from)
  const write = async (name: string, text: string) => {
    await writeFile(path.join(to, name), text, { mode: 0o600 })
    await chown(path.join(to, name), owner.uid, owner.gid)
  }
  await asOwner(primary.server.url(), async (pool) => {
    // the backup belongs to its session
    const sql = await pool.reserve()
    await sql`select pg_backup_start('standby', fast => true)`
    await copyFolder(from, to)
    const [row] = await sql<[{ labelfile: string }]>`select labelfile from pg_backup_stop(wait_for_archive => false)`
    await write('backup_label', row.labelfile)
    sql.release()
  })
  await write('standby.signal', '')
  const { hostname, port, username, password } = new URL(primary.server.url())
  const source = `host=${hostname} port=${port} user=${username} password=${password} application_name=${STANDBY_NAME}`
  await appendFile(path.join(to, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\nsynchronous_standby_names = ''\n`)
}

/** What belongs to the running server, or comes from the primary later. Source: PostgreSQL, 25.3.3.1 (backing up the data directory) */
const OMITTED_FILES = /^(postmaster\.(pid|opts)|backup_label|standby\.signal|pg_internal\.init.*|pgsql_tmp.*|\.s\.PGSQL\..*)$/
const OMITTED_CONTENT = new Set(
  ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'].map((name) =>
    path.join('postgres', name),
  ),
)

/** Copies with owners and modes. The server may delete files meanwhile. */
async function copyFolder(from: string, to: string): Promise<void> {
  const { uid, gid, mode } = await lstat(from)
  await mkdir(to, { mode })
  await chown(to, uid, gid)
  if ([...OMITTED_CONTENT].some((name) => from.endsWith(path.sep + name))) return
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (OMITTED_FILES.test(entry.name)) continue
    try {
      if (entry.isDirectory()) await copyFolder(source, target)
      else {
        await copyFile(source, target)
        await chown(target, uid, gid)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}
