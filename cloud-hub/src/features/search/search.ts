import { commonMetrics, LANGUAGES, metricLabel } from '@haltless/protocol'
import { containing } from '../../db/like.ts'
import type { TransactionSql } from '../../db/pools.ts'
import type { TenantScope } from '../../db/scope.ts'
import type { z } from '../../support/http/z.ts'
import { type FactsRow, presentFacts } from '../alerting/alerts/index.ts'
import { mayCall } from '../people/accounts/index.ts'
import { groupsBelow, inGroup } from '../plant/machine-groups/index.ts'
import { TITLE_FACTS } from '../work/order-titles/index.ts'
import { KINDS, type Kind, MAX_RECENT, MAX_RECENT_OF_ALL, type SearchAnswer, type SearchQuery } from './schemas.ts'

type Query = z.output<typeof SearchQuery>
type Found = z.output<typeof SearchAnswer>

/** A text without case. PostgreSQL's own collation folds alike on every server, and much faster than ICU. */
const folded = (text: string) => `casefold((${text}) collate pg_unicode_fast)`

/** Of the table `machines m`. */
const NAMES_OF_MACHINE = `m.name || ' ' || m.machine_identifier`

/** The common metrics with their names in all languages, because people search for what they read. */
const METRICS = commonMetrics()
const METRIC_LABELS = METRICS.map((name) => [name, ...LANGUAGES.map((language) => metricLabel(name, language))].join(' '))

/** Conditions and order of statements about what a person typed. */
function termsOf(sql: TransactionSql, words: readonly string[]) {
  const whole = words.join(' ')
  const patterns = words.map((word) => containing(word))
  const [begins, wordBegins] = [containing(whole).slice(1), `% ${containing(whole).slice(1)}`]
  const fold = (text: string) => sql`casefold(${text}::text collate pg_unicode_fast)`
  return {
    /** a condition that a folded text contains every word */
    match: (text: string) => sql`(${sql.unsafe(text)}) like all (
      array(select casefold(word collate pg_unicode_fast) from unnest(${patterns}::text[]) word))`,
    /** 0 for the text itself, 1 for a begin, 2 for the begin of a word, 3 for the rest; the least of some folded texts */
    rank: (...texts: string[]) =>
      sql`least(${texts
        .map(
          (text) => sql`case when ${sql.unsafe(text)} = ${fold(whole)} then 0 when ${sql.unsafe(text)} like ${fold(begins)} then 1
          when ${sql.unsafe(text)} like ${fold(wordBegins)} then 2 else 3 end`,
        )
        .reduce((all, one) => sql`${all}, ${one}`)})`,
  }
}

/** The kinds among which a caller may search: those that it may list. */
function kindsOf({ actor }: TenantScope): Kind[] {
  const lists: Record<Kind, boolean> = {
    machines: mayCall(actor, 'listMachines', 'any'),
    alerts: mayCall(actor, 'listAlerts', 'any'),
    work_orders: mayCall(actor, 'listWorkOrders', 'any'),
    agents: mayCall(actor, 'listAgents', 'admin'),
    // people are in no group
    people: mayCall(actor, 'listUsers', 'admin') && !actor.isConfined,
  }
  return KINDS.filter((kind) => lists[kind])
}

/** Finds what a caller may list by the words that a person typed, at most `limit` of each kind. */
export async function search(scope: TenantScope, query: Query): Promise<Found> {
  const searched = kindsOf(scope)
  const none: Omit<Found, 'searched'> = { machines: [], alerts: [], work_orders: [], agents: [], people: [] }
  if (query.q.length === 0) return { ...none, searched }
  const read = async (kinds: readonly Kind[]) =>
    kinds.length === 0
      ? []
      : scope.read((sql) => Promise.all(kinds.map(async (kind) => [kind, await FIND[kind](sql, scope, query)] as const)))
  // beside each other: all machines take as long as the rest together
  const found = await Promise.all([
    read(searched.filter((kind) => kind === 'machines')),
    read(searched.filter((kind) => kind !== 'machines')),
  ])
  return { ...none, ...Object.fromEntries(found.flat()), searched }
}

type Find<K extends Kind> = (sql: TransactionSql, scope: TenantScope, query: Query) => Promise<Found[K]>

const findMachines: Find<'machines'> = async (sql, { tenantId }, { q, limit, group_id }) => {
  const { match, rank } = termsOf(sql, q)
  return sql<Found['machines']>`
    select id, name, machine_identifier, status from machines
    where tenant_id = ${tenantId} and is_active ${inGroup(sql, tenantId, group_id, 'id')} and ${match(folded(`name || ' ' || machine_identifier`))}
    order by ${rank(folded('name'), folded('machine_identifier'))}, name collate natural_order, id
    limit ${limit}`
}

/** The common metrics with their folded names in all languages. */
const metricLabels = (sql: TransactionSql) => sql`
  metrics as materialized (
    select name, ${sql.unsafe(folded('label'))} as label from unnest(${METRICS as string[]}::text[], ${METRIC_LABELS}::text[]) metric(name, label)
  )`

/** The folded names of a metric, in all languages, of rows that are joined with `metrics l`. */
const metricText = (column: string) => `coalesce(l.label, ${folded(`replace(${column}, '_', ' ')`)})`

const findAlerts: Find<'alerts'> = async (sql, { tenantId }, { q, limit, group_id }) => {
  const { match } = termsOf(sql, q)
  const rows = await sql<(Omit<Found['alerts'][number], 'created_at'> & { created_at: Date })[]>`
    with ${metricLabels(sql)},
    recent as (
      select id, machine_id, severity, metric_name, rule_name, created_at, is_acknowledged from (
        select id, machine_id, severity, metric_name, rule_name, created_at, acknowledged_at is not null as is_acknowledged
        from alerts where tenant_id = ${tenantId} order by created_at desc, id desc limit ${group_id ? MAX_RECENT_OF_ALL : MAX_RECENT}
      ) newest where true ${inGroup(sql, tenantId, group_id, 'machine_id')} order by created_at desc, id desc limit ${MAX_RECENT}
    )
    select a.id, a.machine_id, m.name as machine_name, a.severity, a.metric_name, a.rule_name, a.created_at, a.is_acknowledged
    from recent a join machines m on m.tenant_id = ${tenantId} and m.id = a.machine_id left join metrics l on l.name = a.metric_name
    where ${match(`${folded(`${NAMES_OF_MACHINE} || coalesce(' ' || a.rule_name, '')`)} || ' ' || ${metricText('a.metric_name')}`)}
    order by a.is_acknowledged, a.created_at desc, a.id
    limit ${limit}`
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
}

const findOrders: Find<'work_orders'> = async (sql, { tenantId }, { q, limit, group_id }) => {
  const { match } = termsOf(sql, q)
  const rows = await sql<(Omit<Found['work_orders'][number], 'title_facts'> & { titleFacts: FactsRow | null })[]>`
    with ${metricLabels(sql)},
    recent as (
      select id, machine_id, alert_id, title, status, created_at from (
        select id, machine_id, alert_id, title, status, created_at
        from work_orders where tenant_id = ${tenantId} order by created_at desc, id desc limit ${group_id ? MAX_RECENT_OF_ALL : MAX_RECENT}
      ) newest where true ${inGroup(sql, tenantId, group_id, 'machine_id')} order by created_at desc, id desc limit ${MAX_RECENT}
    ),
    matching as (
      select r.id, m.name as machine_name, r.status in ('completed', 'cancelled') as is_over, r.created_at
      from recent r join machines m on m.tenant_id = ${tenantId} and m.id = r.machine_id
      left join metrics l on l.name = (select s.metric_name from alerts s where s.tenant_id = ${tenantId} and s.id = r.alert_id)
      where ${match(`${folded(`${NAMES_OF_MACHINE} || ' ' || r.title`)} || coalesce(' ' || l.label, '')`)}
      order by is_over, r.created_at desc, r.id
      limit ${limit}
    )
    select o.id, o.machine_id, f.machine_name, o.title, ${sql.unsafe(TITLE_FACTS)}, o.status, o.priority
    from matching f join work_orders o on o.tenant_id = ${tenantId} and o.id = f.id
    order by f.is_over, f.created_at desc, f.id`
  return rows.map(({ titleFacts, ...row }) => ({ ...row, title_facts: titleFacts && presentFacts(titleFacts) }))
}

const findAgents: Find<'agents'> = async (sql, { tenantId }, { q, limit, group_id }) => {
  const { match, rank } = termsOf(sql, q)
  return sql<Found['agents']>`
    select a.agent_id, a.hostname, g.name as group_name
    from agents a left join machine_groups g on g.tenant_id = a.tenant_id and g.id = a.group_id
    where a.tenant_id = ${tenantId} and a.retired_at is null
      ${group_id ? sql`and a.group_id in (${groupsBelow(sql, tenantId, group_id)})` : sql``}
      and ${match(folded(`a.agent_id || coalesce(' ' || a.hostname, '') || coalesce(' ' || g.name, '')`))}
    order by ${rank(folded('a.agent_id'))}, a.agent_id collate natural_order
    limit ${limit}`
}

const findPeople: Find<'people'> = async (sql, { tenantId }, { q, limit }) => {
  const { match, rank } = termsOf(sql, q)
  return sql<Found['people']>`
    select id, full_name, email from users
    where tenant_id = ${tenantId} and is_active and not is_invited and not is_service and ${match(folded(`full_name || ' ' || email`))}
    order by ${rank(folded('full_name'), folded('email'))}, full_name collate natural_order, id
    limit ${limit}`
}

const FIND: { [K in Kind]: Find<K> } = {
  machines: findMachines,
  alerts: findAlerts,
  work_orders: findOrders,
  agents: findAgents,
  people: findPeople,
}
