import { randomBytes, randomUUID } from 'node:crypto'
import { Secret } from '@haltless/edge-agent/secret'
import postgres from 'postgres'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Logins } from '../src/db/login.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPools, type Pools, type Sql } from '../src/db/pools.ts'
import { decodeBlock } from '../src/features/telemetry/readings/codec/block.ts'
import { encodeTailBody, readTailBody } from '../src/features/telemetry/readings/codec/tail-body.ts'
import type { MachineKey } from '../src/features/telemetry/readings/seal/machine.ts'
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
  machine(seriesCount?: number, tenantId?: string): Promise<PackedMachine>
  /** Stores one row of the tail. */
  append(machine: PackedMachine, points: ReadonlyMap<number, Points>): Promise<void>
  /** All stored readings of a machine, by series and instant. It also checks the invariants of the store. */
  readings(machine: MachineKey): Promise<Map<string, number>>
  counts(machine: MachineKey): Promise<{ tail: number; open: number; day: number }>
}

export function usePackedStore(): PackedStore {
  const database = useDatabase()
  const store = {} as PackedStore
  beforeAll(async () => {
    const logins = await prepareDatabase(database.url, new Secret(randomBytes(32).toString('base64')))
    const pools = openPools(logins)
    const owner = postgres(database.url, { max: 2, onnotice: () => {} })
    Object.assign(store, { url: database.url, logins, pools, system: pools.system, owner })
    Object.assign(store, {
      machine: (seriesCount = 1, tenantId?: string) => newMachine(owner, seriesCount, tenantId),
      append: (machine: PackedMachine, points: ReadonlyMap<number, Points>) => append(owner, machine, points),
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

async function append(owner: Sql, { tenantId, machineId }: MachineKey, points: ReadonlyMap<number, Points>): Promise<void> {
  const [times, values]: [number[], number[]] = [[], []]
  const sections = [...points].map(([seriesId, its]) => {
    const from = times.length
    for (const [at, value] of its) {
      times.push(at)
      values.push(value)
    }
    return { seriesId, from, to: times.length }
  })
  const { t0, t1, s0, s1, n, body } = encodeTailBody(sections, Float64Array.from(times), Float64Array.from(values))
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
    const visit = (series: number, times: Float64Array, values: Float64Array) => {
      for (const [i, at] of times.entries()) add(series, at, values[i] as number)
    }
    for (const { body } of rows) readTailBody(body, () => true, visit)
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
