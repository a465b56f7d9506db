import type { Rejection } from '@haltless/protocol'
import type { TransactionSql } from '../../db/pools.ts'
import type { ConcernedRule, Condition, ConditionKey, Point } from '../rules/index.ts'
import type { Request } from './accept.ts'

/** A series of a flush, whose machine is there and active. */
export interface FlushSeries {
  tenantId: string
  machine: FlushMachine
  seriesId: number
  metric: string
  unit: string
  /** the newest reading stored before this flush, as it was before the conditions were locked */
  newest: Point | null
}

export interface FlushMachine {
  id: string
  name: string
  identifier: string
  location: string | null
}

/** What a flush has to know before it may write. */
export interface Known {
  series: FlushSeries[]
  /** for each request, by its own series index: the place in `series`, or -1 for an unknown or deactivated machine */
  places: Int32Array[]
  /** active rules that concern these series, by (tenant, rule, machine, unit); their conditions are locked until the end */
  rules: ConcernedRule[]
  /** conditions that rules here need and nobody has made yet: the flush cannot go on */
  missing: ConditionKey[]
}

interface Asked {
  tenantId: string
  machine: string
  metric: string
  unit: string
}

interface Row {
  ord: number
  machineId: string
  name: string
  location: string | null
  seriesId: number | null
  ts: Date | null
  value: number | null
  ruleId: string | null
  warning: number
  critical: number
  standing: Condition['standing'] | null
  current: Condition['current']
  backCount: number
  judgedAt: Date | null
}

/**
 * Finds machines, series and rules of everything in a flush, asked once per distinct series and not per reading, and locks the conditions of
 * these rules in (tenant, rule, machine, unit) order. Makes series that are new. Asking every time, instead of remembering, keeps all replicas
 * in step with deactivations and rules; asking for all of it in one statement means that no machine can appear between one answer and the next.
 */
export async function lookUp(tx: TransactionSql, requests: readonly Request[]): Promise<Known> {
  const { asked, ords } = distinctSeries(requests)
  const column = (key: keyof Asked) => asked.map((a) => a[key])
  const rows = await tx<Row[]>`
    with asked as materialized (
      select i.ord::int - 1 as ord, i.tenant, i.metric, i.unit, m.id as machine, m.name, m.location, s.id as series_id, l.ts, l.value
      from unnest(${column('tenantId')}::uuid[], ${column('machine')}::text[], ${column('metric')}::text[], ${column('unit')}::text[])
        with ordinality i(tenant, machine, metric, unit, ord)
      join machines m on m.tenant_id = i.tenant and m.machine_identifier = i.machine and m.is_active
      left join series s on s.tenant_id = m.tenant_id and s.machine_id = m.id and s.metric = i.metric and s.unit = i.unit
      left join latest_readings l on l.series_id = s.id
    ), concerned as materialized (
      select a.ord, a.tenant, r.id as rule, a.machine, a.unit, r.warning_threshold as warning, r.critical_threshold as critical
      from asked a join threshold_rules r on r.tenant_id = a.tenant and r.metric_name = a.metric and r.machine_id = a.machine and r.is_active
      union all
      select a.ord, a.tenant, r.id, a.machine, a.unit, r.warning_threshold, r.critical_threshold
      from asked a join threshold_rules r on r.tenant_id = a.tenant and r.metric_name = a.metric and r.machine_id is null and r.is_active
    ), locked as materialized (
      select c.* from concerned w
      join rule_conditions c on c.tenant_id = w.tenant and c.rule_id = w.rule and c.machine_id = w.machine and c.unit = w.unit
      order by c.tenant_id, c.rule_id, c.machine_id, c.unit for update of c
    )
    select a.ord, a.machine as "machineId", a.name, a.location, a.series_id as "seriesId", a.ts, a.value, w.rule as "ruleId", w.warning, w.critical,
      c.standing, c.current, c.back_count as "backCount", c.judged_at as "judgedAt"
    from asked a left join concerned w on w.ord = a.ord
    left join locked c on c.tenant_id = w.tenant and c.rule_id = w.rule and c.machine_id = w.machine and c.unit = w.unit`
  return known(tx, asked, ords, rows)
}

function distinctSeries(requests: readonly Request[]): { asked: Asked[]; ords: number[][] } {
  const distinct = new Map<string, number>()
  const asked: Asked[] = []
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
  return { asked, ords }
}

async function known(tx: TransactionSql, asked: Asked[], ords: number[][], rows: readonly Row[]): Promise<Known> {
  const placeOf = new Int32Array(asked.length).fill(-1)
  const series: FlushSeries[] = []
  const rules: ConcernedRule[] = []
  const missing: ConditionKey[] = []
  for (const row of rows) {
    const { tenantId, machine, metric, unit } = asked[row.ord] as Asked
    if (placeOf[row.ord] === -1)
      placeOf[row.ord] =
        series.push({
          tenantId,
          machine: { id: row.machineId, name: row.name, identifier: machine, location: row.location },
          seriesId: row.seriesId ?? -1,
          metric,
          unit,
          newest: row.ts && row.value !== null ? { timestamp: row.ts.getTime(), value: row.value } : null,
        }) - 1
    if (row.ruleId === null) continue
    const place = placeOf[row.ord] as number
    const key: ConditionKey = { tenantId, ruleId: row.ruleId, machineId: row.machineId, unit }
    if (row.standing === null) {
      missing.push(key)
      continue
    }
    const condition: Condition = {
      standing: row.standing,
      current: row.current,
      backCount: row.backCount,
      judgedAt: row.judgedAt?.getTime() ?? null,
    }
    rules.push({ ...key, place, warning: row.warning, critical: row.critical, condition })
  }
  const fresh = series.filter((one) => one.seriesId === -1)
  if (fresh.length > 0 && missing.length === 0) await makeSeries(tx, fresh)
  rules.sort((a, b) => compare(nameOf(a), nameOf(b)))
  return { series, places: ords.map((list) => Int32Array.from(list, (ord) => placeOf[ord] as number)), rules, missing }
}

const nameOf = (key: ConditionKey): string => `${key.tenantId} ${key.ruleId} ${key.machineId} ${key.unit}`
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Gives these their ids; another flush may have been faster. */
async function makeSeries(tx: TransactionSql, wanted: readonly FlushSeries[]): Promise<void> {
  const column = (value: (one: FlushSeries) => string) => wanted.map(value)
  const keys = tx`unnest(${column((s) => s.tenantId)}::uuid[], ${column((s) => s.machine.id)}::uuid[], ${column((s) => s.metric)}::text[], ${column((s) => s.unit)}::text[])
    with ordinality k(t, m, metric, unit, ord)`
  await tx`insert into series (tenant_id, machine_id, metric, unit) select t, m, metric, unit from ${keys} order by 1, 2, 3, 4 on conflict do nothing`
  const rows = await tx<{ ord: number; id: number }[]>`
    select k.ord::int - 1 as ord, s.id from ${keys} join series s on s.tenant_id = k.t and s.machine_id = k.m and s.metric = k.metric and s.unit = k.unit`
  for (const { ord, id } of rows) (wanted[ord] as FlushSeries).seriesId = id
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
