import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from '../src/db/embedded/index.ts'
import { transientDbError } from '../src/db/errors.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPool, type Sql } from '../src/db/pools.ts'
import { overSocket } from '../src/db/socket-logins.ts'
import { soon } from './soon.ts'

let root: string
let count = 0
const running: EmbeddedPostgres[] = []
const pools: Sql[] = []

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'haltless-socket-'))
  // PostgreSQL runs as another user when we are root
  chmodSync(root, 0o755)
})
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end({ timeout: 1 })
  for (const server of running.splice(0)) await server.stop()
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const folder = (name = 'pg') => path.join(root, `${++count}`, name)
async function start(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  mkdirSync(path.dirname(options.dataDir), { recursive: true })
  const server = await startEmbeddedPostgres({ flags: ['-c', 'fsync=off', '-c', 'full_page_writes=off'], ...options })
  running.push(server)
  return server
}
function poolOf(server: EmbeddedPostgres): Sql {
  const socket = server.socket ? { socket: server.socket } : {}
  const pool = openPool({ url: new Secret(server.url()), ...socket }, { name: 'test', max: 1, statementSeconds: 5 })
  pools.push(pool)
  return pool
}
/** 'socket', or the address that the server sees */
const way = async (pool: Sql) =>
  (await pool<{ way: string }[]>`select coalesce(host(inet_client_addr()), 'socket') as way`)[0]?.way

describe('the Unix socket of the embedded PostgreSQL', () => {
  test('is in the data directory, which only its user reaches, and pools connect by it while it exists', async () => {
    const server = await start({ dataDir: folder('a "quoted", long name') })
    expect(server.socket).toBe(path.join(server.dataDir, `.s.PGSQL.${server.port}`))
    expect(statSync(server.dataDir).mode & 0o077).toBe(0)
    expect(await way(poolOf(server))).toBe('socket')
    rmSync(server.socket as string)
    expect(await way(poolOf(server))).toBe('127.0.0.1')
  })

  test('is that of the server that already runs, for a process that joins it', async () => {
    const dataDir = folder()
    const first = await start({ dataDir })
    const second = await start({ dataDir })
    expect(second).toMatchObject({ pid: first.pid, socket: first.socket })
    expect(await way(poolOf(second))).toBe('socket')
  })

  test('comes back after a kill -9: a pool reports the database as away until then', async () => {
    const server = await start({ dataDir: folder() })
    const pool = poolOf(server)
    await way(pool)
    process.kill(server.pid, 'SIGKILL')
    const failures: unknown[] = []
    const again = () =>
      way(pool).catch((error) => {
        failures.push(error)
        throw error
      })
    expect(await soon(again)).toBe('socket')
    for (const error of failures) expect(transientDbError(error)?.code).toBe('database_away')
  })

  test('leaves no file behind: a start removes sockets of killed servers, although their process ids belong to other programs', async () => {
    const dataDir = folder()
    const first = await start({ dataDir })
    await first.stop()
    const stranger = spawn('sleep', ['60'])
    const { uid, gid } = lstatSync(first.dataDir)
    const socket = first.socket as string
    const lock = `${socket}.lock`
    for (const [file, text] of [
      [socket, ''],
      [lock, `${stranger.pid}\n${first.dataDir}\n`],
    ] as const) {
      writeFileSync(file, text, { mode: 0o600 })
      chownSync(file, uid, gid)
    }
    const second = await start({ dataDir, port: first.port }).finally(() => stranger.kill('SIGKILL'))
    expect(await way(poolOf(second))).toBe('socket')
    await second.stop()
    expect([socket, lock].map((file) => existsSync(file))).toEqual([false, false])
  })

  test('is optional: with a path that is too long, or on a file system without sockets, pools connect over TCP', async () => {
    const long = await start({ dataDir: folder('x'.repeat(90)) })
    expect(long.socket).toBeNull()
    expect(await way(poolOf(long))).toBe('127.0.0.1')
    const dataDir = folder()
    const first = await start({ dataDir })
    await first.stop()
    const { uid, gid } = lstatSync(first.dataDir)
    const taken = path.join(first.dataDir, `.s.PGSQL.${first.port}`)
    // PostgreSQL can neither remove a directory nor bind to it
    mkdirSync(taken)
    chownSync(taken, uid, gid)
    const second = await start({ dataDir, port: first.port })
    expect(second.socket).toBeNull()
    expect(await way(poolOf(second))).toBe('127.0.0.1')
  })

  test('is not used where pg_hba.conf refuses it: the hub warns and connects over TCP', async () => {
    const server = await start({ dataDir: folder() })
    const logins = await prepareDatabase(server.url(), [new Secret('k'.repeat(32))])
    const warnings: unknown[] = []
    const chosen = () => overSocket(logins, server.socket as string, { warn: (_: unknown, text?: string) => warnings.push(text) })
    expect((await chosen()).haltless_app.socket).toBe(server.socket)
    expect(warnings).toEqual([])
    const pool = poolOf(server)
    await way(pool)
    writeFileSync(path.join(server.dataDir, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n')
    await pool`select pg_reload_conf()`
    const refused = await soon(async () => {
      const each = await chosen()
      if (each.haltless_app.socket) throw new Error('not reloaded yet')
      return each
    })
    expect(refused).toEqual(logins)
    expect(warnings.at(-1)).toMatch(/uses TCP: pg_hba.conf needs the line "local all all scram-sha-256"/)
  })
})
