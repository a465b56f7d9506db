import type { PendingQuery, Row } from 'postgres'
import type { Sql, TransactionSql } from '../../../db/pools.ts'
import { indexOfPlace, type LatestKey, type LatestRow, latestKey, loadLatestRows, rowOfPlace } from '../../../readings/index.ts'
import {
  type CompositeRule,
  compositeRuleJson,
  createThresholdStates,
  parseCompositeRule,
  type ThresholdState,
  type ThresholdStateKey,
} from '../../alerting/evaluation/index.ts'
import type { LoadedContext, SeriesContext } from './context.ts'
import { createSeries, type NewSeries } from './create-series.ts'
import type { SeriesKey, SeriesLookup } from './lookup.ts'
import { type StopSignal, stopSignalOf } from './stop-signal.ts'

/** Rows are missing that a flush cannot insert itself, because of the lock order. */
export class ContextIncomplete extends Error {
  readonly #series: readonly NewSeries[]
  readonly #states: readonly ThresholdStateKey[]
  constructor(series: readonly NewSeries[], states: readonly ThresholdStateKey[]) {
    super('series or states of rules are missing')
    this.#series = series
    this.#states = states
  }

  /**
   * Inserts the rows in transactions of their own. Then the flush can start again.
   * @returns the limits of tenants that have as many series as they may have, by tenant
   */
  async complete(ingest: Sql): Promise<ReadonlyMap<string, number>> {
    const full = await createSeries(ingest, this.#series)
    if (this.#states.length > 0) await createThresholdStates(ingest, this.#states)
    return full
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
  /** index among the series of the machine */
  n: number
  mean: number | null
  stdDev: number | null
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
  /** `name` is the signal, `a` its limit, `b` its seconds of silence, `current` its stopped values in JSON */
  | { kind: 'detection'; ord: number; name: StopSignal['kind']; a: number | null; b: number | null; current: string | null }
  /** `name` is the rule with its state */
  | { kind: 'composite'; ord: number; id: string; name: string }

/** A series of an active machine, which may have to be created. */
interface FoundSeries {
  key: SeriesKey
  row: SeriesRow
}

const NONE_FULL: ReadonlyMap<string, number> = new Map()

/** A larger lookup is planned for itself: a generic plan suits the tables as they were when it was made. */
const MANY_KEYS = 200

/**
 * Loads the context of a flush: machines, series and rules, once per distinct series and not per reading. Locks the threshold
 * states in (tenant, rule, machine, unit) order, then the states of composite rules. One statement loads all of this, so that no
 * machine can appear between two results; another one loads the newest readings. Confirmed tag mappings rename series before all
 * other steps.
 * @param options.full the limits of tenants that get no new series
 * @param options.areLatestLocked locks the newest readings too, after the states: nothing makes the context stale then
 * @throws ContextIncomplete, TagsRequired
 */
export async function loadContext(
  tx: TransactionSql,
  lookup: SeriesLookup,
  now: Date,
  { areLatestLocked = false, full = NONE_FULL } = {},
): Promise<LoadedContext> {
  const keys = lookup.entries.map(({ key }) => key)
  if (keys.length > MANY_KEYS) tx`set local plan_cache_mode = force_custom_plan`.execute()
  const rows = await selectContext(tx, keys, lookup.tagged.size > 0)
  const untagged = new Set<string>()
  const found: FoundSeries[] = []
  const states = new Map<string, ThresholdState>()
  for (const row of rows) {
    if (row.kind === 'series') {
      const key = keys[row.ord] as SeriesKey
      if (row.isMapped && !lookup.tagged.has(key.tenantId)) untagged.add(key.tenantId)
      found.push({ key, row })
    } else if (row.kind === 'condition') {
      const evaluatedAt = row.at?.getTime() ?? null
      states.set(`${row.ord} ${row.id}`, { standing: row.name, current: row.current, normalCount: row.n, evaluatedAt })
    }
  }
  if (untagged.size > 0) throw new TagsRequired(untagged)
  const isRefused = ({ key, row }: FoundSeries) => row.seriesId === 0 && full.has(key.tenantId)
  const refused = new Map(found.filter(isRefused).map(({ key, row }) => [row.ord, full.get(key.tenantId) as number]))
  const usable = refused.size === 0 ? found : found.filter((one) => !isRefused(one))
  const created = usable.filter(({ row }) => row.seriesId === 0).map(newSeries)
  const latest = created.length > 0 ? null : await loadLatestRows(tx, latestKeysOf(usable), areLatestLocked)
  const series: (SeriesContext | null)[] = keys.map(() => null)
  for (const { key, row } of usable) series[row.ord] = contextOf(key, row, latest, now)
  const concerned = refused.size === 0 ? rows : rows.filter(({ ord }) => !refused.has(ord))
  const { composites, missing } = addRules(concerned, series, states)
  if (created.length > 0 || missing.length > 0) throw new ContextIncomplete(created, missing)
  return { series, composites, refused }
}

const newSeries = ({ key, row }: FoundSeries): NewSeries => ({
  tenantId: key.tenantId,
  machineId: row.id,
  metric: row.metric ?? key.metric,
  unit: row.unit ?? key.unit,
})

function latestKeysOf(found: readonly FoundSeries[]): LatestKey[] {
  const keys = new Map<string, LatestKey>()
  for (const { key, row } of found) {
    const one = { tenantId: key.tenantId, machineId: row.id, chunk: rowOfPlace(row.n) }
    keys.set(latestKey(one), one)
  }
  return [...keys.values()]
}

/** @param latest null: the context is incomplete, and no reading is stored with it */
function contextOf(
  { tenantId, machine: identifier, metric, unit }: SeriesKey,
  row: SeriesRow,
  latest: ReadonlyMap<string, LatestRow> | null,
  now: Date,
): SeriesContext {
  const newest = latest?.get(latestKey({ machineId: row.id, chunk: rowOfPlace(row.n) }))
  return {
    tenantId,
    factsVersion: Number(row.version),
    machine: { id: row.id, name: row.name, identifier, location: row.location },
    seriesId: row.seriesId,
    metric: row.metric ?? metric,
    unit: row.unit ?? unit,
    latest: { row: newest as LatestRow, index: indexOfPlace(row.n) },
    baseline: row.mean === null || row.stdDev === null ? null : { mean: row.mean, stdDev: row.stdDev },
    loadedAt: now.getTime(),
    rules: [],
    composites: [],
    stopSignal: null,
  }
}

/** Adds to each series the rules and the detection that concern it. @returns composite rules by id, and the threshold states that do not exist yet */
function addRules(
  rows: readonly ContextRow[],
  series: readonly (SeriesContext | null)[],
  states: ReadonlyMap<string, ThresholdState>,
): { composites: Map<string, CompositeRule>; missing: ThresholdStateKey[] } {
  const missing: ThresholdStateKey[] = []
  const composites = new Map<string, CompositeRule>()
  for (const row of rows) {
    if (row.kind === 'composite') {
      const { tenantId, machine, composites: own } = series[row.ord] as SeriesContext
      own.push(row.id)
      if (!composites.has(row.id))
        composites.set(row.id, parseCompositeRule({ tenantId, ruleId: row.id, machineId: machine.id }, row.name))
    }
    if (row.kind === 'detection') (series[row.ord] as SeriesContext).stopSignal = stopSignalOf(row)
    if (row.kind !== 'rule') continue
    const { tenantId, machine, unit, rules } = series[row.ord] as SeriesContext
    const key: ThresholdStateKey = { tenantId, ruleId: row.id, machineId: machine.id, unit }
    const state = states.get(`${row.ord} ${row.id}`)
    if (state) rules.push({ ...key, warning: row.a, critical: row.b, state })
    else missing.push(key)
  }
  return { composites, missing }
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
      select i.ord::int - 1 as ord, i.tenant, i.metric, i.unit, i.machine, i.name, i.location, s.id as series_id, s.place, t.facts_version,
        b.mean_value, b.std_dev, t.has_tag_mappings
      from (${named}) i
      join tenants t on t.id = i.tenant
      -- lateral, so that the whole key is looked up, however small the planner believes the table to be
      left join lateral (
        select s.id, s.place from series s where s.tenant_id = i.tenant and s.machine_id = i.machine and s.metric = i.metric and s.unit = i.unit limit 1
      ) s on true
      left join baselines b on b.series_id = s.id
    ), concerned as materialized (
      select a.ord, a.tenant, r.id as rule, a.machine, a.unit, r.warning_threshold as warning, r.critical_threshold as critical
      from asked a join threshold_rules r on r.tenant_id = a.tenant and r.metric_name = a.metric and r.machine_id = a.machine and r.is_active
      union all
      select a.ord, a.tenant, r.id, a.machine, a.unit, r.warning_threshold, r.critical_threshold
      from asked a join threshold_rules r on r.tenant_id = a.tenant and r.metric_name = a.metric and r.machine_id is null and r.is_active
    ), locked as materialized (
      select w.ord, c.rule_id, c.standing, c.current, c.normal_count, c.evaluated_at from concerned w
      join threshold_conditions c on c.tenant_id = w.tenant and c.rule_id = w.rule and c.machine_id = w.machine and c.unit = w.unit
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
    select 'series' as kind, ord, machine as id, name, location, coalesce(series_id, 0) as "seriesId", null::timestamptz as at, null::float8 as a, null::float8 as b,
      null as current, coalesce(place, 0) as n, facts_version as version, ${areTagged ? tx`metric, unit` : tx`null::text as metric, null::text as unit`},
      has_tag_mappings as "isMapped", mean_value as mean, std_dev as "stdDev" from asked
    union all select 'rule', ord, rule, null, null, null, null, warning, critical, null, null, null, null, null, null, null, null from concerned
    union all select 'condition', ord, rule_id, standing, null, null, evaluated_at, null, null, current, normal_count, null, null, null, null, null, null
      from locked
    union all select 'composite', w.ord, w.rule, h.stands, null, null, null, null, null, null, null, null, null, null, null, null, null
      from combined w join held h on h.tenant_id = w.tenant and h.rule_id = w.rule
    union all select 'detection', a.ord, a.machine, d.signal, null, null, null, d.limit_value, d.silent_after_seconds,
      array_to_json(d.stopped_values)::text, null, null, null, null, null, null, null
      from asked a join downtime_detections d on d.tenant_id = a.tenant and d.machine_id = a.machine and d.is_active
        and (d.metric_name is null or d.metric_name = a.metric) and (d.unit is null or d.unit = a.unit)`
}
