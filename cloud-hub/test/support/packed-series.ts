import { randomUUID } from 'node:crypto'
import type postgres from 'postgres'
import { encodeBlocks } from '../../src/readings/codec/block.ts'
import type { Columns } from '../../src/readings/codec/columns.ts'
import { encodeInstants } from '../../src/readings/codec/instants.ts'
import { encodeStatistics, statisticsOf } from '../../src/readings/codec/statistics.ts'
import { encodeTailBody } from '../../src/readings/codec/tail-body.ts'

/** Readings stored on every level of the packed store directly, with a model of what is stored. */

export const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
/** a Sunday, long past: partitions of months */
export const START = Date.UTC(2024, 4, 5)
export const NOW = START + 6 * DAY + 7 * HOUR + 12_345

let state = 11
/** 0 <= x < 1, the same in every run */
export const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}
export const below = (n: number) => Math.floor(random() * n)

export interface Reading {
  at: number
  value: number
}

/** A series and what is stored of it. */
export interface Stored {
  id: number
  tenantId: string
  machineId: string
  metric: string
  unit: string
  /** ascending */
  kept: Reading[]
  /** readings of which only statistics are left */
  removed: (Reading & { hasMinutes: boolean })[]
}

const columnsOf = (readings: readonly Reading[]): Columns => ({
  length: readings.length,
  times: Float64Array.from(readings, ({ at }) => at),
  values: Float64Array.from(readings, ({ value }) => value),
})

export async function newTenant(owner: postgres.Sql): Promise<string> {
  const [tenant] = await owner<{ id: string }[]>`insert into tenants (name) values ('Acme') returning id`
  return tenant!.id
}

export async function newMachine(owner: postgres.Sql, tenantId: string): Promise<string> {
  const [machine] = await owner<{ id: string }[]>`
    insert into machines (tenant_id, name, machine_identifier, protocol) values (${tenantId}, 'Press', ${randomUUID()}, 'json') returning id`
  return machine!.id
}

export async function newSeries(
  owner: postgres.Sql,
  name: Pick<Stored, 'tenantId' | 'machineId' | 'metric' | 'unit'>,
): Promise<Stored> {
  const { tenantId, machineId, metric, unit } = name
  const [series] = await owner<{ id: number }[]>`
    insert into series (tenant_id, machine_id, metric, unit, place) select ${tenantId}, ${machineId}, ${metric}, ${unit}, count(*)
    from series where machine_id = ${machineId} returning id`
  return { id: series!.id, ...name, kept: [], removed: [] }
}

export async function storeBlocks(
  owner: postgres.Sql,
  level: 'day' | 'open',
  series: Stored,
  readings: readonly Reading[],
): Promise<void> {
  for (const { seriesId, t0, t1, n, times, vals, hours } of encodeBlocks(series.id, columnsOf(readings))) {
    await owner`select ensure_block_partition(${new Date(t0)})`
    await owner`insert into ${owner(level === 'day' ? 'reading_blocks' : 'reading_blocks_open')} (tenant_id, series_id, t0, t1, n, times, vals, hours)
      values (${series.tenantId}, ${seriesId}, ${new Date(t0)}, ${new Date(t1)}, ${n}, ${times}, ${vals}, ${hours})`
  }
}

/** Stores sections of series of one machine as a row. */
export async function storeTail(
  owner: postgres.Sql,
  of: readonly { series: Stored; readings: readonly Reading[] }[],
): Promise<void> {
  const all = columnsOf(of.flatMap(({ readings }) => readings))
  let to = 0
  const sections = of.map(({ series, readings }) => {
    const from = to
    to += readings.length
    return { seriesId: series.id, from, to }
  })
  const { t0, t1, s0, s1, n, body } = encodeTailBody(sections, all.times, all.values)
  const { tenantId, machineId } = of[0]!.series
  await owner`insert into reading_tail (tenant_id, machine_id, t0, t1, s0, s1, n, body)
    values (${tenantId}, ${machineId}, ${new Date(t0)}, ${new Date(t1)}, ${s0}, ${s1}, ${n}, ${body})`
}

async function storeRemoved(owner: postgres.Sql, series: Stored, readings: readonly Reading[], hasMinutes: boolean) {
  for (const [day, own] of Map.groupBy(readings, ({ at }) => Math.floor(at / DAY) * DAY)) {
    const { length, times, values } = columnsOf(own)
    const date = new Date(day).toISOString().slice(0, 10)
    const encoded = (ms: number) => encodeStatistics(statisticsOf(times, values, 0, length, ms), ms)
    await owner`insert into reading_hours values (${series.tenantId}, ${series.id}, ${date}, ${length}, ${encoded(HOUR)})`
    if (!hasMinutes) continue
    await owner`select ensure_minutes_partition(${date})`
    await owner`insert into reading_minutes values (${series.tenantId}, ${series.id}, ${date}, ${encoded(MINUTE)}, ${encodeInstants(times)})`
  }
}

/**
 * Stores random readings of six days on every level. Some are late, so that they wait in the tail among blocks.
 * @param stepMs the mean distance of readings
 * @returns what waits in the tail, for {@link fillTail}
 */
export async function fillSeries(owner: postgres.Sql, one: Stored, stepMs: number): Promise<Reading[][]> {
  const readings: Reading[] = []
  for (let at = START + below(DAY); at < NOW; at += 1 + below(2 * stepMs))
    readings.push({ at, value: Math.round(random() * 1e4) / 100 })
  const gap = START + 4 * DAY + below(DAY)
  const sent = readings.filter(({ at }) => at < gap || at > gap + 5 * HOUR)
  const late = new Set(sent.filter(() => below(60) === 0))
  const isRemoved = ({ at }: Reading) => at < START + 2 * DAY
  const hasMinutes = ({ at }: Reading) => at >= START + DAY
  const removed = sent.filter(isRemoved)
  for (const isKept of [true, false]) {
    const some = removed.filter((r) => hasMinutes(r) === isKept)
    await storeRemoved(owner, one, some, isKept)
  }
  one.removed = removed.map((r) => ({ ...r, hasMinutes: hasMinutes(r) }))
  one.kept = sent.filter((r) => !isRemoved(r))
  const settled = one.kept.filter((r) => !late.has(r))
  const today = Math.floor(NOW / DAY) * DAY
  const days = settled.filter((r) => r.at < today)
  await storeBlocks(owner, 'day', one, days)
  const open = settled.filter(({ at }) => at >= today && at < NOW - HOUR)
  for (const hour of Map.groupBy(open, ({ at }) => Math.floor(at / HOUR)).values()) await storeBlocks(owner, 'open', one, hour)
  const waiting = one.kept.filter((r) => late.has(r) || r.at >= NOW - HOUR)
  const sections: Reading[][] = []
  while (waiting.length > 0) sections.push(waiting.splice(0, 1 + below(60)))
  return sections
}

/** Stores sections as rows with several series of a machine, in any order of time. */
export async function fillTail(owner: postgres.Sql, sections: readonly { series: Stored; readings: Reading[] }[]): Promise<void> {
  for (const own of Map.groupBy(sections, ({ series }) => series.machineId).values()) {
    own.sort(() => random() - 0.5)
    while (own.length > 0) await storeTail(owner, own.splice(0, 1 + below(5)))
  }
}

/** Overwrites the values of the blocks of a series. */
export const damageBlocks = (owner: postgres.Sql, { id }: Stored) => owner`
  update reading_blocks set vals = '\\x01ff' where series_id = ${id}`
