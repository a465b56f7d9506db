import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { Secret } from '@haltless/edge-agent/secret'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import postgres from '../src/db/driver.ts'
import { isUnreachable, transientDbError } from '../src/db/errors.ts'
import { sessionAttrs } from '../src/db/hosts.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPools } from '../src/db/pools.ts'
import { useDatabase } from './harness.ts'
import { keptPort } from './processes.ts'

const database = useDatabase()
const open = new Set<Socket>()
const servers: Server[] = []

async function listen(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}))
    serve(socket)
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** ParameterStatus. Source: PostgreSQL, 54.7 (message formats) */
function parameter(name: string, value: string): Buffer {
  const text = Buffer.from(`${name}\0${value}\0`)
  const head = Buffer.from('S____')
  head.writeInt32BE(text.length + 4, 1)
  return Buffer.concat([head, text])
}

/** The test's database, which says of itself that it is a standby. */
let connectionsToStandby = 0
/** the client ports of its connections, as PostgreSQL sees them */
const standbyPorts = new Set<number>()
function pretendStandby(near: Socket): void {
  connectionsToStandby++
  const far = connect(Number(new URL(database.url).port), '127.0.0.1')
  open.add(far.on('error', () => {}))
  far.on('connect', () => standbyPorts.add(far.localPort as number))
  near.pipe(far)
  far.on('data', (bytes: Buffer) => {
    const [primary, standby] = [parameter('in_hot_standby', 'off'), parameter('in_hot_standby', 'on')]
    const at = bytes.indexOf(primary)
    near.write(at < 0 ? bytes : Buffer.concat([bytes.subarray(0, at), standby, bytes.subarray(at + primary.length)]))
  })
  far.on('end', () => near.end())
  near.on('close', () => far.destroy())
}

/** ErrorResponse 57P03, as of a server that starts. */
function refuseAsStarting(socket: Socket): void {
  socket.once('data', () => {
    const text = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0')
    const head = Buffer.from('E____')
    head.writeInt32BE(text.length + 4, 1)
    socket.end(Buffer.concat([head, text]))
  })
}

let [standby, starting, closing, silent, closed, primary] = ['', '', '', '', '', '']
beforeAll(async () => {
  standby = await listen(pretendStandby)
  starting = await listen(refuseAsStarting)
  closing = await listen((socket) => socket.once('data', () => socket.end()))
  silent = await listen(() => {})
  closed = `127.0.0.1:${await keptPort()}`
  primary = new URL(database.url).host
})
afterAll(() => {
  for (const socket of open) socket.destroy()
  for (const server of servers) server.close()
})

const urlOf = (...hosts: string[]) => database.url.replace(primary, hosts.join(','))

/** A client as the hub's own are. */
function client(...hosts: string[]) {
  const url = urlOf(...hosts)
  const sql = postgres(url, { max: 1, connect_timeout: 1, backoff: () => 0, ...sessionAttrs(url) })
  onTestFinished(() => sql.end({ timeout: 1 }))
  return sql
}

it('several hosts imply the primary, unless the URL or the environment says otherwise', () => {
  const implied = { target_session_attrs: 'primary' }
  expect(sessionAttrs('postgres://hub:secret@db1:5432,db2:5432/haltless')).toEqual(implied)
  expect(sessionAttrs('postgres://db1,db2/haltless?sslmode=require')).toEqual(implied)
  expect(sessionAttrs('postgres://db1,db2/haltless?sslmode=require&target_session_attrs=read-write')).toEqual({})
  expect(sessionAttrs('postgres://hub:secret@db1:5432/haltless')).toEqual({})
  process.env.PGTARGETSESSIONATTRS = 'read-write'
  onTestFinished(() => {
    delete process.env.PGTARGETSESSIONATTRS
  })
  expect(sessionAttrs('postgres://db1,db2/haltless')).toEqual({})
})

it.each([
  ['is a standby', () => standby],
  ['is starting', () => starting],
  ['closes connections', () => closing],
  ['is silent', () => silent],
  ['refuses connections', () => closed],
])('where the first host %s, the next one is used', async (_what, first) => {
  const [row] = await client(first(), primary)<{ port: number }[]>`select inet_client_port() as port`
  expect(row?.port).toBeGreaterThan(0)
  expect(standbyPorts).not.toContain(row?.port)
})

it('while no host is a primary, a statement fails as of a database that is away, and each host is tried once', async () => {
  connectionsToStandby = 0
  const sql = client(standby, closed, standby)
  const failure = await sql`select 1`.catch((error) => error)
  expect(transientDbError(failure)?.code).toBe('database_away')
  expect(isUnreachable(failure)).toBe(true)
  expect(failure.message).toMatch(/the server at 127\.0\.0\.1:\d+ is not primary/)
  expect(connectionsToStandby).toBe(2)
  for (const [first, last] of [
    [closed, closed],
    [standby, closing],
    [closing, starting],
  ] as const)
    expect(await client(first, last)`select 1`.catch((error) => transientDbError(error)?.code)).toBe('database_away')
})

it('a hub that starts while the first host is a standby migrates and works on the next one', async () => {
  connectionsToStandby = 0
  const pools = openPools(await prepareDatabase(urlOf(standby, primary), [new Secret('k'.repeat(32))]))
  onTestFinished(() => pools.close())
  for (const pool of [pools.app, pools.ingest, pools.system]) {
    const [row] = await pool<{ port: number }[]>`select inet_client_port() as port`
    expect(standbyPorts).not.toContain(row?.port)
  }
  expect(connectionsToStandby).toBeGreaterThan(0)
})

it('a change that the server refuses because it is read-only counts as a database that is away', async () => {
  const sql = client(primary)
  const change = sql.begin('read only', (tx) => tx`create table changes (n int)`)
  expect(await change.catch((error) => [error.code, transientDbError(error)?.code])).toEqual(['25006', 'database_away'])
})
