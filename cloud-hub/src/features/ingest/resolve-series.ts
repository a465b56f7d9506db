import type { Rejection } from '@haltless/protocol'
import type { TransactionSql } from '../../db/pools.ts'
import type { Request } from './accept.ts'

/** A series of a flush, after its machine and its id were found. `ord` is its place among the flush's distinct series. */
export interface FlushSeries {
  tenantId: string
  machineId: string
  machineName: string
  seriesId: number
  metric: string
  unit: string
  /** the newest reading stored before this flush */
  newest: { timestamp: number; value: number } | null
  machine: FlushMachine
}

export interface FlushMachine {
  status: string
  isManual: boolean
  /** no silence is being watched for: the machine counts as silent */
  isSilent: boolean
}

export interface ResolvedFlush {
  series: FlushSeries[]
  /** for each request, by its own series index: the place in `series`, or -1 for an unknown or deactivated machine */
  places: Int32Array[]
}

/**
 * Finds the machine and the series of everything in a flush, asked once per distinct series and not per reading; makes series that are
 * new. Asking every time, instead of remembering, keeps all replicas in step with deactivations.
 */
export async function resolveSeries(tx: TransactionSql, requests: readonly Request[]): Promise<ResolvedFlush> {
  const distinct = new Map<string, number>()
  const asked: { tenantId: string; machine: string; metric: string; unit: string }[] = []
  const ords = requests.map(({ tenantId, submission }) =>
    submission.columns.series.map(({ machine, metric, unit }) => {
      const name = `${tenantId}\u0000${machine}\u0000${metric}\u0000${unit}`
      let ord = distinct.get(name)
      if (ord === undefined) {
        ord = asked.push({ tenantId, machine, metric, unit }) - 1
        distinct.set(name, ord)
      }
      return ord
    }),
  )
  const column = (key: 'tenantId' | 'machine' | 'metric' | 'unit') => asked.map((a) => a[key])
  const found = await tx<
    {
      ord: number
      machineId: string
      name: string
      status: string
      isManual: boolean
      isSilent: boolean
      seriesId: number | null
      ts: Date | null
      value: number | null
    }[]
  >`
    select i.ord::int - 1 as ord, m.id as "machineId", m.name, m.status, m.status_is_manual as "isManual", m.offline_due_at is null as "isSilent",
      s.id as "seriesId", l.ts, l.value
    from unnest(${column('tenantId')}::uuid[], ${column('machine')}::text[], ${column('metric')}::text[], ${column('unit')}::text[])
      with ordinality i(tenant, machine, metric, unit, ord)
    join machines m on m.tenant_id = i.tenant and m.machine_identifier = i.machine and m.is_active
    left join series s on s.tenant_id = m.tenant_id and s.machine_id = m.id and s.metric = i.metric and s.unit = i.unit
    left join latest_readings l on l.series_id = s.id`
  const missing = found.filter((row) => row.seriesId === null)
  const made =
    missing.length > 0
      ? await makeSeries(
          tx,
          missing.map((row) => ({ ...(asked[row.ord] as (typeof asked)[number]), machineId: row.machineId })),
        )
      : new Map<string, number>()

  const placeOf = new Int32Array(asked.length).fill(-1)
  const series = found.map((row, place): FlushSeries => {
    const { tenantId, metric, unit } = asked[row.ord] as (typeof asked)[number]
    placeOf[row.ord] = place
    return {
      tenantId,
      metric,
      unit,
      machineId: row.machineId,
      machineName: row.name,
      seriesId: row.seriesId ?? (made.get(`${row.machineId}\u0000${metric}\u0000${unit}`) as number),
      newest: row.ts && row.value !== null ? { timestamp: row.ts.getTime(), value: row.value } : null,
      machine: { status: row.status, isManual: row.isManual, isSilent: row.isSilent },
    }
  })
  return { series, places: ords.map((list) => Int32Array.from(list, (ord) => placeOf[ord] as number)) }
}

async function makeSeries(
  tx: TransactionSql,
  wanted: { tenantId: string; machineId: string; metric: string; unit: string }[],
): Promise<Map<string, number>> {
  const column = (key: 'tenantId' | 'machineId' | 'metric' | 'unit') => wanted.map((w) => w[key])
  const keys = tx`unnest(${column('tenantId')}::uuid[], ${column('machineId')}::uuid[], ${column('metric')}::text[], ${column('unit')}::text[]) k(t, m, metric, unit)`
  await tx`insert into series (tenant_id, machine_id, metric, unit) select t, m, metric, unit from ${keys} order by 1, 2, 3, 4 on conflict do nothing`
  const rows = await tx<{ id: number; machineId: string; metric: string; unit: string }[]>`
    select s.id, s.machine_id as "machineId", s.metric, s.unit from ${keys}
    join series s on s.tenant_id = k.t and s.machine_id = k.m and s.metric = k.metric and s.unit = k.unit`
  return new Map(rows.map((row) => [`${row.machineId}\u0000${row.metric}\u0000${row.unit}`, row.id]))
}

/** Readings of a request whose machine was not found, as rejections by the caller's own index. */
export function unknownMachines({ submission }: Request, places: Int32Array): Rejection[] {
  const rejections: Rejection[] = []
  if (!places.includes(-1)) return rejections
  const { series, seriesIndex } = submission.columns
  seriesIndex.forEach((s, i) => {
    if (places[s] !== -1) return
    const machine = series[s]?.machine ?? null
    rejections.push({
      index: submission.index[i] as number,
      machine_identifier: machine,
      code: 'unknown_machine',
      error: `there is no active machine with the identifier ${machine}: create it under /machines, or correct the identifier`,
    })
  })
  return rejections
}
