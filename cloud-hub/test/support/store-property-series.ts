import type postgres from 'postgres'
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

/** Two machines of a tenant with a few series each. */
export async function prepareSeries(owner: postgres.Sql, start: number): Promise<Series[]> {
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
  return rows.map((row) => ({ ...row, sent: new Map(), acknowledged: new Set(), seen: new Map(), top: start }))
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
