import type { Rejection } from '@haltless/protocol'
import type { TransactionSql } from '../../../db/pools.ts'
import {
  type ConcernedComposite,
  type ConcernedRule,
  type Condition,
  type ConditionKey,
  compositeColumns,
  concernedComposite,
  type Point,
} from '../../alerting/rules/index.ts'
import type { Baseline } from '../readings/index.ts'
import type { Request } from './request.ts'

/** A series as a flush asks for it. */
export interface AskedSeries {
  tenantId: string
  /** its identifier */
  machine: string
  metric: string
  unit: string
  /** what the source calls it; null where nothing is, or where the tenant has no confirmed tag mappings to look it up in */
  rawTag: string | null
}

/** The distinct series of some requests, as their senders name them. */
export interface Asked {
  /** by a name that is unique to each, in the order in which they first appear: their places */
  series: Map<string, AskedSeries>
  /** for each request, by its own series index: the place */
  places: number[][]
  /** tenants whose tags are told apart: a mapping may call their series otherwise, and several then be one */
  tagged: ReadonlySet<string>
}

/** A series of a flush, whose machine is there and active. */
export interface FlushSeries {
  tenantId: string
  /** of the tenant: while it stays, all of this but `newest` and the conditions does */
  factsVersion: number
  machine: FlushMachine
  seriesId: number
  metric: string
  unit: string
  /** the newest reading stored before this flush, as it was before the conditions were locked */
  newest: Point | null
  /** of at least 30 readings; null where there is none */
  baseline: Baseline | null
  /** an excursion beyond the baseline stood when `newest` was stored */
  isAnomalous: boolean
  /** Unix ms: baselines are not confirmed by `factsVersion`, so what is remembered of them grows old */
  lookedUpAt: number
  /** active rules that concern it; their conditions are locked until the end */
  rules: ConcernedRule[]
  /** ids of the active composite rules that concern it; one may concern several series */
  composites: string[]
}

export interface FlushMachine {
  id: string
  name: string
  identifier: string
  location: string | null
}

/** By place; null for an unknown or deactivated machine. */
export type Known = (FlushSeries | null)[]

/** Composite rules by id; locked like the conditions of the others. */
export type Composites = ReadonlyMap<string, ConcernedComposite>

/** Rules need conditions that nobody has made yet: the flush cannot go on. */
export class ConditionsMissing extends Error {
  readonly keys: readonly ConditionKey[]
  constructor(keys: readonly ConditionKey[]) {
    super('conditions of rules are missing')
    this.keys = keys
  }
}

/** Tenants with confirmed tag mappings were asked without their tags: the flush asks anew, with them. */
export class TagsMatter extends Error {
  readonly tenantIds: ReadonlySet<string>
  constructor(tenantIds: ReadonlySet<string>) {
    super('confirmed tag mappings have to be looked up')
    this.tenantIds = tenantIds
  }
}

/** @param mappedTenants those that are known to have confirmed tag mappings: only of them are the tags told apart */
export function distinctSeries(requests: readonly Request[], mappedTenants: ReadonlySet<string>): Asked {
  const places = new Map<string, number>()
  const series = new Map<string, AskedSeries>()
  const tagged = new Set<string>()
  const own = requests.map(({ tenantId, submission }) => {
    const isMapped = mappedTenants.has(tenantId)
    if (isMapped) tagged.add(tenantId)
    return submission.columns.series.map(({ machine, metric, unit, rawTag: given }) => {
      const rawTag = isMapped ? given : null
      let name = `${tenantId}\u0000${machine}\u0000${metric}\u0000${unit}`
      if (rawTag !== null) name += `\u0000${rawTag}`
      let place = places.get(name)
      if (place === undefined) {
        place = places.size
        places.set(name, place)
        series.set(name, { tenantId, machine, metric, unit, rawTag })
      }
      return place
    })
  })
  return { series, places: own, tagged }
}

/**
 * Once tags are mapped, several places may be one series, which then goes by the first of them.
 * @returns by place: the place that it goes by
 */
export function firstPlaces({ series, tagged }: Asked, known: Known): readonly number[] {
  const own = [...series.keys()].map((_, place) => place)
  if (tagged.size === 0) return own
  const firstOf = new Map<number, number>()
  return own.map((place) => {
    const id = known[place]?.seriesId
    if (id === undefined) return place
    const first = firstOf.get(id) ?? place
    firstOf.set(id, first)
    return first
  })
}

/** The three kinds of rows of one answer; `ord` is the place of what was asked. */
type Row =
  | {
      kind: 'series'
      ord: number
      id: string
      name: string
      location: string | null
      seriesId: number
      at: Date | null
      a: number
      mean: number | null
      stdDev: number | null
      isAnomalous: boolean
      version: string
      /** as a tag mapping calls it; null for none */
      metric: string | null
      unit: string | null
      isMapped: boolean
    }
  | { kind: 'rule'; ord: number; id: string; a: number; b: number }
  | {
      kind: 'condition'
      ord: number
      id: string
      name: Condition['standing']
      current: Condition['current']
      n: number
      at: Date | null
    }
  /** `name` is its rule and how it stands */
  | { kind: 'composite'; ord: number; id: string; name: string }

/**
 * Finds machines, series and rules of everything in a flush, asked once per distinct series and not per reading, and locks the conditions of
 * these rules in (tenant, rule, machine, unit) order, then those of composite rules. Makes series that are new. All of it is one statement, so that no machine can appear
 * between one answer and the next. A confirmed tag mapping gives a series its metric and unit before anything else is looked up.
 * @throws ConditionsMissing, TagsMatter
 */
export async function lookUp(
  tx: TransactionSql,
  { series, tagged }: Asked,
  now: Date,
): Promise<{ known: Known; composites: Composites }> {
  const asked = [...series.values()]
  const column = <K extends keyof AskedSeries>(key: K) => asked.map((a) => a[key])
  // a statement of its own, so that those who map nothing pay nothing
  const named =
    tagged.size > 0
      ? tx`
      select i.ord, i.tenant, coalesce(g.standardized_name, i.metric) as metric, coalesce(nullif(g.unit, ''), i.unit) as unit,
        m.id as machine, m.name, m.location
      from unnest(${column('tenantId')}::uuid[], ${column('machine')}::text[], ${column('metric')}::text[], ${column('unit')}::text[],
        ${column('rawTag')}::text[]) with ordinality i(tenant, machine, metric, unit, tag, ord)
      cross join lateral (
        select id, tenant_id, name, location from machines where tenant_id = i.tenant and machine_identifier = i.machine and is_active limit 1
      ) m
      left join tag_mappings g on g.tenant_id = m.tenant_id and g.machine_id = m.id and g.raw_tag = i.tag and g.is_confirmed
      offset 0`
      : tx`
      select i.ord, i.tenant, i.metric, i.unit, m.id as machine, m.name, m.location
      from unnest(${column('tenantId')}::uuid[], ${column('machine')}::text[], ${column('metric')}::text[], ${column('unit')}::text[])
        with ordinality i(tenant, machine, metric, unit, ord)
      cross join lateral (
        select id, name, location from machines where tenant_id = i.tenant and machine_identifier = i.machine and is_active limit 1
      ) m`
  const rows = await tx<Row[]>`
    with asked as materialized (
      select i.ord::int - 1 as ord, i.tenant, i.metric, i.unit, i.machine, i.name, i.location, s.id as series_id, l.ts, l.value, t.facts_version,
        l.is_anomalous, b.mean_value, b.std_dev, t.has_tag_mappings
      from (${named}) i
      join tenants t on t.id = i.tenant
      -- apart, so that it is looked up by its whole key, however small the planner believes the table to be
      left join lateral (
        select s.id from series s where s.tenant_id = i.tenant and s.machine_id = i.machine and s.metric = i.metric and s.unit = i.unit limit 1
      ) s on true
      left join latest_readings l on l.series_id = s.id
      left join baselines b on b.series_id = s.id
    ), concerned as materialized (
      select a.ord, a.tenant, r.id as rule, a.machine, a.unit, r.warning_threshold as warning, r.critical_threshold as critical
      from asked a join threshold_rules r on r.tenant_id = a.tenant and r.metric_name = a.metric and r.machine_id = a.machine and r.is_active
      union all
      select a.ord, a.tenant, r.id, a.machine, a.unit, r.warning_threshold, r.critical_threshold
      from asked a join threshold_rules r on r.tenant_id = a.tenant and r.metric_name = a.metric and r.machine_id is null and r.is_active
    ), locked as materialized (
      select w.ord, c.rule_id, c.standing, c.current, c.back_count, c.judged_at from concerned w
      join rule_conditions c on c.tenant_id = w.tenant and c.rule_id = w.rule and c.machine_id = w.machine and c.unit = w.unit
      order by c.tenant_id, c.rule_id, c.machine_id, c.unit for update of c
    ), combined as materialized (
      select a.ord, a.tenant, r.id as rule, a.machine from asked a
      join composite_rules r on r.tenant_id = a.tenant and r.machine_id = a.machine and a.metric = any(r.metrics) and r.is_active
    ), held as materialized (
      select c.tenant_id, c.rule_id, ${compositeColumns(tx)} as stands from (select distinct tenant, rule from combined) w
      join composite_conditions c on c.tenant_id = w.tenant and c.rule_id = w.rule
      join composite_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id
      order by c.tenant_id, c.rule_id for update of c
    )
    select 'series' as kind, ord, machine as id, name, location, coalesce(series_id, 0) as "seriesId", ts as at, value as a, null::float8 as b,
      null as current, null::int as n, facts_version as version, ${tagged.size > 0 ? tx`metric, unit` : tx`null::text as metric, null::text as unit`},
      has_tag_mappings as "isMapped", mean_value as mean, std_dev as "stdDev", coalesce(is_anomalous, false) as "isAnomalous" from asked
    union all select 'rule', ord, rule, null, null, null, null, warning, critical, null, null, null, null, null, null, null, null, null from concerned
    union all select 'condition', ord, rule_id, standing, null, null, judged_at, null, null, current, back_count, null, null, null, null, null, null, null
      from locked
    union all select 'composite', w.ord, w.rule, h.stands, null, null, null, null, null, null, null, null, null, null, null, null, null, null
      from combined w join held h on h.tenant_id = w.tenant and h.rule_id = w.rule`
  const untagged = new Set<string>()
  const known: Known = asked.map(() => null)
  const conditions = new Map<string, Condition>()
  for (const row of rows) {
    if (row.kind === 'series') {
      const { tenantId, machine: identifier, ...given } = asked[row.ord] as AskedSeries
      if (row.isMapped && !tagged.has(tenantId)) untagged.add(tenantId)
      const machine = { id: row.id, name: row.name, identifier, location: row.location }
      const newest = row.at && { timestamp: row.at.getTime(), value: row.a }
      known[row.ord] = {
        tenantId,
        factsVersion: Number(row.version),
        machine,
        seriesId: row.seriesId,
        metric: row.metric ?? given.metric,
        unit: row.unit ?? given.unit,
        newest,
        baseline: row.mean === null || row.stdDev === null ? null : { mean: row.mean, stdDev: row.stdDev },
        isAnomalous: row.isAnomalous,
        lookedUpAt: now.getTime(),
        rules: [],
        composites: [],
      }
    } else if (row.kind === 'condition') {
      const judgedAt = row.at?.getTime() ?? null
      conditions.set(`${row.ord} ${row.id}`, { standing: row.name, current: row.current, backCount: row.n, judgedAt })
    }
  }
  if (untagged.size > 0) throw new TagsMatter(untagged)
  const missing: ConditionKey[] = []
  const composites = new Map<string, ConcernedComposite>()
  for (const row of rows) {
    if (row.kind === 'composite') {
      const { tenantId, machine, composites: own } = known[row.ord] as FlushSeries
      own.push(row.id)
      if (!composites.has(row.id))
        composites.set(row.id, concernedComposite({ tenantId, ruleId: row.id, machineId: machine.id }, row.name))
    }
    if (row.kind !== 'rule') continue
    const { tenantId, machine, unit, rules } = known[row.ord] as FlushSeries
    const key: ConditionKey = { tenantId, ruleId: row.id, machineId: machine.id, unit }
    const condition = conditions.get(`${row.ord} ${row.id}`)
    if (condition) rules.push({ ...key, warning: row.a, critical: row.b, condition })
    else missing.push(key)
  }
  if (missing.length > 0) throw new ConditionsMissing(missing)
  const fresh = known.filter((one) => one?.seriesId === 0) as FlushSeries[]
  if (fresh.length > 0) await makeSeries(tx, fresh)
  return { known, composites }
}

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
export function unknownMachines({ submission }: Request, places: readonly number[], known: Known): Rejection[] {
  const rejections: Rejection[] = []
  if (places.every((place) => known[place])) return rejections
  const { series, seriesIndex } = submission.columns
  seriesIndex.forEach((s, i) => {
    if (known[places[s] as number]) return
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
