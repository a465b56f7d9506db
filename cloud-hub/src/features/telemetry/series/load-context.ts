import type { PendingQuery, Row } from 'postgres'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import {
  type CompositeRule,
  compositeRuleJson,
  createThresholdStates,
  parseCompositeRule,
  type ThresholdState,
  type ThresholdStateKey,
} from '../../alerting/evaluation/index.ts'
import { joinLatest } from '../readings/index.ts'
import type { LoadedContext, SeriesContext } from './context.ts'
import type { SeriesKey, SeriesLookup } from './lookup.ts'

/** Rows are missing that a flush cannot insert itself, because of the lock order. */
export class ContextIncomplete extends Error {
  readonly #missing: readonly ThresholdStateKey[]
  constructor(missing: readonly ThresholdStateKey[]) {
    super('states of rules are missing')
    this.#missing = missing
  }

  /** Inserts the rows in a transaction of its own. Then the flush can start again. */
  complete(ingest: Sql): Promise<void> {
    return createThresholdStates(ingest, this.#missing)
  }
}

/** The lookup ignored tags although tenants have confirmed tag mappings. The flush starts again with a lookup by tag. */
export class TagsRequired extends Error {
  readonly tenantIds: ReadonlySet<string>
  constructor(tenantIds: ReadonlySet<string>) {
    super('confirmed tag mappings have to be looked up')
    this.tenantIds = tenantIds
  }
}

/** The kinds of rows of one result; `ord` is the slot. */
interface SeriesRow {
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
  /** as its tag mapping names it; null for none */
  metric: string | null
  unit: string | null
  isMapped: boolean
}
type ContextRow =
  | SeriesRow
  | { kind: 'rule'; ord: number; id: string; a: number; b: number }
  | {
      kind: 'condition'
      ord: number
      id: string
      name: ThresholdState['standing']
      current: ThresholdState['current']
      n: number
      at: Date | null
    }
  /** `name` is the rule with its state */
  | { kind: 'composite'; ord: number; id: string; name: string }

/**
 * Loads the context of a flush: machines, series and rules, once per distinct series and not per reading. Locks the threshold
 * states in (tenant, rule, machine, unit) order, then the states of composite rules. Inserts new series. One statement loads all
 * of it, so that no machine can appear between two results. Confirmed tag mappings rename series before all other steps.
 * @throws ContextIncomplete, TagsRequired
 */
export async function loadContext(tx: TransactionSql, lookup: SeriesLookup, now: Date): Promise<LoadedContext> {
  const keys = [...lookup.keys.values()]
  const rows = await selectContext(tx, keys, lookup.tagged.size > 0)
  const series: (SeriesContext | null)[] = keys.map(() => null)
  const states = new Map<string, ThresholdState>()
  const untagged = new Set<string>()
  for (const row of rows) {
    if (row.kind === 'series') {
      const key = keys[row.ord] as SeriesKey
      if (row.isMapped && !lookup.tagged.has(key.tenantId)) untagged.add(key.tenantId)
      series[row.ord] = contextOf(key, row, now)
    } else if (row.kind === 'condition') {
      const evaluatedAt = row.at?.getTime() ?? null
      states.set(`${row.ord} ${row.id}`, { standing: row.name, current: row.current, normalCount: row.n, evaluatedAt })
    }
  }
  if (untagged.size > 0) throw new TagsRequired(untagged)
  const composites = addRules(rows, series, states)
  const created = series.filter((one) => one?.seriesId === 0) as SeriesContext[]
  if (created.length > 0) await createSeries(tx, created)
  return { series, composites }
}

function contextOf({ tenantId, machine: identifier, metric, unit }: SeriesKey, row: SeriesRow, now: Date): SeriesContext {
  return {
    tenantId,
    factsVersion: Number(row.version),
    machine: { id: row.id, name: row.name, identifier, location: row.location },
    seriesId: row.seriesId,
    metric: row.metric ?? metric,
    unit: row.unit ?? unit,
    newest: row.at && { timestamp: row.at.getTime(), value: row.a },
    baseline: row.mean === null || row.stdDev === null ? null : { mean: row.mean, stdDev: row.stdDev },
    isAnomalous: row.isAnomalous,
    loadedAt: now.getTime(),
    rules: [],
    composites: [],
  }
}

/** Adds to each series the rules that concern it. @returns composite rules by id */
function addRules(
  rows: readonly ContextRow[],
  series: readonly (SeriesContext | null)[],
  states: ReadonlyMap<string, ThresholdState>,
): Map<string, CompositeRule> {
  const missing: ThresholdStateKey[] = []
  const composites = new Map<string, CompositeRule>()
  for (const row of rows) {
    if (row.kind === 'composite') {
      const { tenantId, machine, composites: own } = series[row.ord] as SeriesContext
      own.push(row.id)
      if (!composites.has(row.id))
        composites.set(row.id, parseCompositeRule({ tenantId, ruleId: row.id, machineId: machine.id }, row.name))
    }
    if (row.kind !== 'rule') continue
    const { tenantId, machine, unit, rules } = series[row.ord] as SeriesContext
    const key: ThresholdStateKey = { tenantId, ruleId: row.id, machineId: machine.id, unit }
    const state = states.get(`${row.ord} ${row.id}`)
    if (state) rules.push({ ...key, warning: row.a, critical: row.b, state })
    else missing.push(key)
  }
  if (missing.length > 0) throw new ContextIncomplete(missing)
  return composites
}

type Column = <K extends keyof SeriesKey>(key: K) => SeriesKey[K][]

/** The active machines of the series, by the names that the sender used. */
const namedBySender = (tx: TransactionSql, column: Column) => tx`
    select i.ord, i.tenant, i.metric, i.unit, m.id as machine, m.name, m.location
    from unnest(${column('tenantId')}::uuid[], ${column('machine')}::text[], ${column('metric')}::text[], ${column('unit')}::text[])
      with ordinality i(tenant, machine, metric, unit, ord)
    cross join lateral (
      select id, name, location from machines where tenant_id = i.tenant and machine_identifier = i.machine and is_active limit 1
    ) m`

/** As {@link namedBySender}, with the names of confirmed tag mappings. A separate statement, so that tenants without mappings pay nothing. */
const namedByMapping = (tx: TransactionSql, column: Column) => tx`
    select i.ord, i.tenant, coalesce(g.standardized_name, i.metric) as metric, coalesce(nullif(g.unit, ''), i.unit) as unit,
      m.id as machine, m.name, m.location
    from unnest(${column('tenantId')}::uuid[], ${column('machine')}::text[], ${column('metric')}::text[], ${column('unit')}::text[],
      ${column('rawTag')}::text[]) with ordinality i(tenant, machine, metric, unit, tag, ord)
    cross join lateral (
      select id, tenant_id, name, location from machines where tenant_id = i.tenant and machine_identifier = i.machine and is_active limit 1
    ) m
    left join tag_mappings g on g.tenant_id = m.tenant_id and g.machine_id = m.id and g.raw_tag = i.tag and g.is_confirmed
    offset 0`

function selectContext(tx: TransactionSql, keys: readonly SeriesKey[], areTagged: boolean): PendingQuery<(ContextRow & Row)[]> {
  const column: Column = (key) => keys.map((one) => one[key])
  const named = areTagged ? namedByMapping(tx, column) : namedBySender(tx, column)
  return tx<(ContextRow & Row)[]>`
    with asked as materialized (
      select i.ord::int - 1 as ord, i.tenant, i.metric, i.unit, i.machine, i.name, i.location, s.id as series_id, l.ts, l.value, t.facts_version,
        l.is_anomalous, b.mean_value, b.std_dev, t.has_tag_mappings
      from (${named}) i
      join tenants t on t.id = i.tenant
      -- lateral, so that the whole key is looked up, however small the planner believes the table to be
      left join lateral (
        select s.id from series s where s.tenant_id = i.tenant and s.machine_id = i.machine and s.metric = i.metric and s.unit = i.unit limit 1
      ) s on true
      ${joinLatest(tx)}
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
      select c.tenant_id, c.rule_id, ${compositeRuleJson(tx)} as stands from (select distinct tenant, rule from combined) w
      join composite_conditions c on c.tenant_id = w.tenant and c.rule_id = w.rule
      join composite_rules r on r.tenant_id = c.tenant_id and r.id = c.rule_id
      order by c.tenant_id, c.rule_id for update of c
    )
    select 'series' as kind, ord, machine as id, name, location, coalesce(series_id, 0) as "seriesId", ts as at, value as a, null::float8 as b,
      null as current, null::int as n, facts_version as version, ${areTagged ? tx`metric, unit` : tx`null::text as metric, null::text as unit`},
      has_tag_mappings as "isMapped", mean_value as mean, std_dev as "stdDev", coalesce(is_anomalous, false) as "isAnomalous" from asked
    union all select 'rule', ord, rule, null, null, null, null, warning, critical, null, null, null, null, null, null, null, null, null from concerned
    union all select 'condition', ord, rule_id, standing, null, null, judged_at, null, null, current, back_count, null, null, null, null, null, null, null
      from locked
    union all select 'composite', w.ord, w.rule, h.stands, null, null, null, null, null, null, null, null, null, null, null, null, null, null
      from combined w join held h on h.tenant_id = w.tenant and h.rule_id = w.rule`
}

/** Inserts series and sets their ids. Another flush may have inserted them before. */
async function createSeries(tx: TransactionSql, wanted: readonly SeriesContext[]): Promise<void> {
  const column = (value: (one: SeriesContext) => string) => wanted.map(value)
  const keys = tx`unnest(${column((s) => s.tenantId)}::uuid[], ${column((s) => s.machine.id)}::uuid[], ${column((s) => s.metric)}::text[], ${column((s) => s.unit)}::text[])
    with ordinality k(t, m, metric, unit, ord)`
  await tx`insert into series (tenant_id, machine_id, metric, unit) select t, m, metric, unit from ${keys} order by 1, 2, 3, 4 on conflict do nothing`
  const rows = await tx<{ ord: number; id: number }[]>`
    select k.ord::int - 1 as ord, s.id from ${keys} join series s on s.tenant_id = k.t and s.machine_id = k.m and s.metric = k.metric and s.unit = k.unit`
  for (const { ord, id } of rows) (wanted[ord] as SeriesContext).seriesId = id
}
