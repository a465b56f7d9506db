import { connect, createServer, type Socket } from 'node:net'
import { Secret } from '@haltless/edge-agent/secret'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import postgres from '../src/db/driver.ts'
import { transientDbError } from '../src/db/errors.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPool, openPools, type Pools, pipelinedRead } from '../src/db/pools.ts'
import { useDatabase } from './harness.ts'

const database = useDatabase()
/** Connections as they pass through the firewall before the database; one that is abandoned stays open and silent. */
const passing = new Set<[Socket, Socket]>()
const firewall = createServer((near) => {
  const far = connect(Number(new URL(database.url).port), '127.0.0.1')
  passing.add([near, far])
  near.pipe(far).pipe(near)
  for (const socket of [near, far]) socket.on('error', () => {})
  near.on('close', () => far.destroy())
})
let pools: Pools

beforeAll(async () => {
  await new Promise<void>((done) => firewall.listen(0, '127.0.0.1', done))
  const url = new URL(database.url)
  url.port = String((firewall.address() as { port: number }).port)
  pools = openPools(await prepareDatabase(url.href, [new Secret('k'.repeat(32))]), 1)
})
afterAll(async () => {
  await pools.close()
  for (const [near] of passing) near.destroy()
  await new Promise((done) => firewall.close(done))
})

it('a database that stops answering, as after a failover, fails what was asked and is connected to again', async () => {
  await pools.system`select 1`
  for (const [near, far] of passing) {
    near.unpipe(far)
    far.unpipe(near)
  }
  const started = performance.now()
  const asked = pools.system`select 1`.then(
    () => 'answered',
    (error) => transientDbError(error)?.code,
  )
  expect(await asked).toBe('database_away')
  expect(performance.now() - started).toBeLessThan(8_000)
  expect(await pools.system`select 2 as n`).toEqual([{ n: 2 }])
})

it('a statement that takes too long is ended by the server, and says that the database is busy', async () => {
  const code = (error: unknown) => transientDbError(error)?.code
  expect(await pools.system`select pg_sleep(20)`.catch(code)).toBe('database_busy')
})

it('a connection without a pending statement stays open while one with a pending statement is closed', async () => {
  const [before] = await pools.system`select pg_backend_pid() as pid`
  const idle = new Set(passing)
  await pools.ingest`select 1`
  for (const pair of passing) {
    if (idle.has(pair)) continue
    const [near, far] = pair
    near.unpipe(far)
    far.unpipe(near)
  }
  expect(await pools.ingest`select 1`.catch((error) => transientDbError(error)?.code)).toBe('database_away')
  expect(await pools.system`select pg_backend_pid() as pid`).toEqual([before])
})

it('a pipelined read is repeated when a migration has changed what its statement returns, on each connection', async () => {
  const owner = postgres(database.url, { max: 1, onnotice: () => {} })
  onTestFinished(() => owner.end())
  await owner`create table changing (n int)`
  await owner`grant select on changing to haltless_app`
  const ask = () => pipelinedRead(pools.app, (tx) => tx<{ n: unknown }[]>`select * from changing`)
  // two at a time, so that two connections prepare it, twice, so that it is prepared
  for (let round = 0; round < 2; round++) await Promise.all([ask(), ask()])
  await owner`alter table changing alter n type text`
  await owner`insert into changing values ('seven')`
  expect(await Promise.all([ask(), ask()])).toEqual(Array(2).fill([{ n: 'seven' }]))
})

it('a flush looks its machines up by key also in a plant of a thousand, of which a scan would cost little', async () => {
  const owner = postgres(database.url, { max: 1, onnotice: () => {} })
  onTestFinished(() => owner.end())
  const [tenant] = await owner<{ id: string }[]>`insert into tenants (id, name) values (gen_random_uuid(), 'Plant') returning id`
  await owner`
    insert into machines (id, tenant_id, name, machine_identifier, protocol)
    select gen_random_uuid(), ${tenant?.id as string}, 'Press ' || n, 'press-' || n, 'mqtt' from generate_series(1, 1000) n`
  await owner`analyze machines`
  const plan = await pools.ingest.begin(async (sql) => {
    await sql.unsafe(`prepare machines_of_a_flush(uuid[], uuid[]) as
      select m.id from unnest($1, $2) k(t, m) join machines m on m.tenant_id = k.t and m.id = k.m`)
    return sql.unsafe(`explain (format json) execute machines_of_a_flush('{}', '{}')`)
  })
  expect(JSON.stringify(plan)).toContain('"Index Name":"machines_tenant_id_id_pk"')
})

it('a network without a way to the server refuses statements, again and again, and ends nothing else', async () => {
  // TCP refuses this address before anybody listens for the refusal (tcp_v4_connect of Linux: a broadcast is ENETUNREACH)
  const away = openPool(
    { url: new Secret('postgres://a:b@255.255.255.255:5432/x') },
    { name: 'away', max: 2, statementSeconds: 1 },
  )
  onTestFinished(() => away.end({ timeout: 0 }))
  for (let i = 0; i < 5; i++) {
    const error = await away`select 1`.then(
      () => null,
      (error) => error,
    )
    expect(error).toMatchObject({ code: 'ENETUNREACH' })
    expect(transientDbError(error)).toMatchObject({ code: 'database_away' })
  }
})
