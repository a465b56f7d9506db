import { randomBytes, randomUUID } from 'node:crypto'
import { Secret } from '@haltless/edge-agent/secret'
import { afterAll, beforeAll, expect } from 'vitest'
import postgres from '../src/db/driver.ts'
import type { Logins } from '../src/db/login.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPools, type Pools, type Sql } from '../src/db/pools.ts'
import { decodeBlock } from '../src/readings/codec/block.ts'
import { encodeTailBody, readTailBody } from '../src/readings/codec/tail-body.ts'
import type { MachineKey } from '../src/readings/seal/machine.ts'
import { GROUP_BITS, groupOf } from '../src/readings/series-group.ts'
import { createSecretBox, type SecretBox } from '../src/support/secrets/secret-box.ts'
import { useDatabase } from './harness.ts'

export interface PackedMachine extends MachineKey {
  /** ids of its series */
  series: number[]
}

/** Instants (Unix ms) and values of a series. */
export type Points = readonly (readonly [at: number, value: number])[]

/** A database with the tables of the packed store, without a hub. */
export interface PackedStore {
  url: string
  logins: Logins
  pools: Pools
  /** the login of the sealer */
  system: Sql
  /** the owner's connection: sees everything */
  owner: Sql
  box: SecretBox
  machine(seriesCount?: number, tenantId?: string): Promise<PackedMachine>
  /** Stores one row of the tail. */
  append(machine: PackedMachine, points: ReadonlyMap<number, Points>): Promise<void>
  /** Stores one row of arrivals: the same readings of all series of some machines of a tenant, whose series are of one group. */
  arrive(machines: readonly PackedMachine[], points: Points): Promise<void>
  /** Machines whose series are all of one group. */
  machinesOfGroup(count: number, seriesCount?: number): Promise<[PackedMachine, ...PackedMachine[]]>
  /** All stored readings of a machine, by series and instant. It also checks the invariants of the store. */
  readings(machine: MachineKey): Promise<Map<string, number>>
  counts(machine: MachineKey): Promise<{ tail: number; open: number; day: number }>
}

export function usePackedStore(): PackedStore {
  const database = useDatabase()
  const store = {} as PackedStore
  beforeAll(async () => {
    const secretKeys = [new Secret(randomBytes(32).toString('base64'))] as const
    const logins = await prepareDatabase(database.url, secretKeys)
    const pools = openPools(logins)
    const owner = postgres(database.url, { max: 2, onnotice: () => {} })
    Object.assign(store, { url: database.url, logins, pools, system: pools.system, owner, box: createSecretBox(secretKeys) })
    Object.assign(store, {
      machine: (seriesCount = 1, tenantId?: string) => newMachine(owner, seriesCount, tenantId),
      append: (machine: PackedMachine, points: ReadonlyMap<number, Points>) => append(owner, machine, points),
      arrive: (machines: readonly PackedMachine[], points: Points) => arrive(owner, machines, points),
      machinesOfGroup: (count: number, seriesCount = 1) => machinesOfGroup(owner, count, seriesCount),
      readings: (machine: MachineKey) => readingsOf(owner, machine),
      counts: (machine: MachineKey) => countsOf(owner, machine),
    })
  })
  afterAll(async () => {
    await store.owner?.end({ timeout: 1 })
    await store.pools?.close()
  })
  return store
}

async function newMachine(owner: Sql, seriesCount: number, tenant?: string): Promise<PackedMachine> {
  const tenantId = tenant ?? ((await owner`insert into tenants (name) values ('Acme') returning id`)[0]?.id as string)
  const [machine] = await owner<{ id: string }[]>`
    insert into machines (tenant_id, name, machine_identifier, protocol)
    values (${tenantId}, 'Press', ${randomUUID()}, 'opc_ua') returning id`
  const machineId = machine?.id as string
  const rows = await owner<{ id: number }[]>`
    insert into series (tenant_id, machine_id, metric, unit, place)
    select ${tenantId}, ${machineId}, 'metric ' || i, 'celsius', i from generate_series(0, ${seriesCount - 1}) i returning id`
  return { tenantId, machineId, series: rows.map(({ id }) => id) }
}

/** As many series as a group has are added first, where its rest would not do. */
async function machinesOfGroup(owner: Sql, count: number, seriesCount: number) {
  const [row] = await owner<
    [{ last: number }]
  >`select last_value::int as last from pg_sequences where sequencename = 'series_id_seq'`
  if (groupOf((row.last ?? 0) + 1) !== groupOf((row.last ?? 0) + count * seriesCount))
    await newMachine(owner, 2 ** GROUP_BITS - ((row.last + 1) % 2 ** GROUP_BITS))
  const first = await newMachine(owner, seriesCount)
  const machines: [PackedMachine, ...PackedMachine[]] = [first]
  while (machines.length < count) machines.push(await newMachine(owner, seriesCount, first.tenantId))
  const groups = new Set(machines.flatMap(({ series }) => series.map(groupOf)))
  if (groups.size !== 1) throw new Error(`the series are of ${groups.size} groups`)
  return machines
}

const encode = (points: ReadonlyMap<number, Points>) => {
  const [times, values]: [number[], number[]] = [[], []]
  const sections = [...points].map(([seriesId, its]) => {
    const from = times.length
    for (const [at, value] of its) {
      times.push(at)
      values.push(value)
    }
    return { seriesId, from, to: times.length }
  })
  return encodeTailBody(sections, Float64Array.from(times), Float64Array.from(values))
}

async function arrive(owner: Sql, machines: readonly PackedMachine[], points: Points): Promise<void> {
  const series = machines.flatMap((machine) => machine.series)
  const { t0, t1, s0, n, body } = encode(new Map(series.map((id) => [id, points])))
  await owner`
    insert into reading_arrivals (tenant_id, series_group, t0, t1, n, body)
    values (${machines[0]!.tenantId}, ${groupOf(s0)}, ${new Date(t0)}, ${new Date(t1)}, ${n}, ${body})`
}

async function append(owner: Sql, { tenantId, machineId }: MachineKey, points: ReadonlyMap<number, Points>): Promise<void> {
  const { t0, t1, s0, s1, n, body } = encode(points)
  await owner`
    insert into reading_tail (tenant_id, machine_id, t0, t1, s0, s1, n, body)
    values (${tenantId}, ${machineId}, ${new Date(t0)}, ${new Date(t1)}, ${s0}, ${s1}, ${n}, ${body})`
}

interface BlockRow {
  series: number
  t0: Date
  t1: Date
  n: number
  times: Buffer
  vals: Buffer
}

async function readingsOf(owner: Sql, { tenantId, machineId }: MachineKey): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const add = (series: number, at: number, value: number) => {
    const key = `${series} ${new Date(at).toISOString()}`
    if (found.has(key)) throw new Error(`${key} is stored twice`)
    found.set(key, value)
  }
  await owner.begin('isolation level repeatable read', async (tx) => {
    const own = tx`select id from series where tenant_id = ${tenantId} and machine_id = ${machineId}`
    const blocks = await tx<BlockRow[]>`
      select series_id as series, t0, t1, n, times, vals from reading_blocks where tenant_id = ${tenantId} and series_id in (${own})
      union all
      select series_id, t0, t1, n, times, vals from reading_blocks_open where tenant_id = ${tenantId} and series_id in (${own})
      order by 1, 2`
    let last: BlockRow | undefined
    for (const block of blocks) {
      if (last?.series === block.series) expect(block.t0.getTime()).toBeGreaterThan(last.t1.getTime())
      expect(block.t0.toISOString().slice(0, 10)).toBe(block.t1.toISOString().slice(0, 10))
      last = block
      const { times, values } = decodeBlock(block.n, block.times, block.vals)
      expect([times[0], times[block.n - 1]]).toEqual([block.t0.getTime(), block.t1.getTime()])
      for (let i = 0; i < block.n; i++) add(block.series, times[i] as number, values[i] as number)
    }
    const rows = await tx<{ body: Buffer }[]>`
      select body from reading_tail where tenant_id = ${tenantId} and machine_id = ${machineId}`
    const arrivals = await tx<{ body: Buffer }[]>`
      select body from reading_arrivals
      where tenant_id = ${tenantId} and series_group in (select id >> ${GROUP_BITS}::int from (${own}) s)`
    const ids = new Set((await tx<{ id: number }[]>`${own}`).map(({ id }) => id))
    const visit = (series: number, times: Float64Array, values: Float64Array) => {
      for (const [i, at] of times.entries()) add(series, at, values[i] as number)
    }
    for (const { body } of rows) readTailBody(body, () => true, visit)
    for (const { body } of arrivals) readTailBody(body, (id) => ids.has(id), visit)
  })
  return found
}

async function countsOf(owner: Sql, { tenantId, machineId }: MachineKey) {
  const own = owner`select id from series where tenant_id = ${tenantId} and machine_id = ${machineId}`
  const [row] = await owner<{ tail: number; open: number; day: number }[]>`
    select (select count(*)::int from reading_tail where tenant_id = ${tenantId} and machine_id = ${machineId}) as tail,
      (select count(*)::int from reading_blocks_open where series_id in (${own})) as open,
      (select count(*)::int from reading_blocks where series_id in (${own})) as day`
  return row as { tail: number; open: number; day: number }
}
