import type postgres from 'postgres'
import type { Generator } from '../../../protocol/test/generator.ts'
import { createSeries } from '../../src/features/telemetry/series/create-series.ts'

/** Time in the property of the store, in ms: it spans some days, in steps. */
export const [DAY, STEP] = [86_400_000, 1_000]
export const DAYS = 4
const [MACHINES, SERIES_EACH] = [2, 3]

/** A series with what was sent, acknowledged and read of it. */
export interface Series {
  id: number
  tenantId: string
  machineId: string
  place: number
  /** by instant, every value that was sent */
  sent: Map<number, Set<number>>
  /** instants that were acknowledged: stored for ever */
  acknowledged: Set<number>
  /** by instant, the value that was read first */
  seen: Map<number, number>
  /** about the newest instant that any writer sent */
  top: number
}

/** Two machines of a tenant; a third of the time has rows of the version before, which are not packed yet. */
export async function prepareSeries(owner: postgres.Sql, start: number, random: Generator): Promise<Series[]> {
  const [tenant] = await owner<{ id: string }[]>`insert into tenants (name) values ('Property') returning id`
  const tenantId = tenant?.id as string
  const machines = await owner<{ id: string }[]>`
    insert into machines (tenant_id, name, machine_identifier, protocol)
    select ${tenantId}, 'm' || i, 'm' || i, 'opc_ua' from generate_series(1, ${MACHINES}::int) i returning id`
  await createSeries(
    owner,
    machines.flatMap(({ id }) =>
      Array.from({ length: SERIES_EACH }, (_, s) => ({ tenantId, machineId: id, metric: `s${s}`, unit: 'bar' })),
    ),
  )
  const rows = await owner<Pick<Series, 'id' | 'tenantId' | 'machineId' | 'place'>[]>`
    select id, tenant_id as "tenantId", machine_id as "machineId", place from series where tenant_id = ${tenantId} order by id`
  const series = rows.map((row) => ({ ...row, sent: new Map(), acknowledged: new Set<number>(), seen: new Map(), top: start }))
  const until = start + Math.floor((DAYS * DAY) / 3)
  for (const [day, name] of [
    [start, 'legacy_one'],
    [start + DAY, 'legacy_two'],
  ] as const) {
    await owner.unsafe(
      `create table ${name} partition of legacy_readings for values from ('${iso(day)}') to ('${iso(day + DAY)}')`,
    )
    await owner`insert into legacy_partitions (name, lower, upper, created_at) values (${name}, ${new Date(day)}, ${new Date(day + DAY)}, now())`
  }
  for (const one of series) {
    const times = Array.from({ length: 300 }, () => start + STEP * random.below((until - start) / STEP))
    for (const at of new Set(times)) remember(one, at, 1_000 + random.below(10))
    one.acknowledged = new Set(one.sent.keys())
    one.top = largest(one.sent.keys())
    const rows = [...one.sent].map(([at, values]) => [at, [...values][0]] as const)
    await owner`
      insert into legacy_readings (series_id, ts, value) select ${one.id}, to_timestamp(t / 1000), v
      from unnest(${rows.map(([at]) => at)}::float8[], ${rows.map(([, value]) => value as number)}::float8[]) n(t, v)`
  }
  return series
}

export const iso = (at: number) => new Date(at).toISOString()

export function remember({ sent }: Pick<Series, 'sent'>, at: number, value: number): void {
  const values = sent.get(at)
  if (values) values.add(value)
  else sent.set(at, new Set([value]))
}

/** Also of more values than a call takes arguments. */
export function largest(values: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY
  for (const value of values) found = Math.max(found, value)
  return found
}
