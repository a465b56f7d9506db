import type { PendingQuery, Row } from 'postgres'
import type { TransactionSql } from '../../../db/pools.ts'
import { groupsBelow, inGroup, siteOfMachines } from '../../plant/machine-groups/index.ts'
import type { FiguresQueryOutput } from './schemas.ts'
import type { Windows } from './window.ts'

export type Fragment = PendingQuery<Row[]>

/** The key of all machines together: no id of a row. */
export const ALL = '00000000-0000-0000-0000-000000000000'

/** Machines of the scope of a query: `m`. One that the query names counts also when it is deactivated. */
export const inScope = (sql: TransactionSql, tenantId: string, { machine_id, group_id }: FiguresQueryOutput) => sql`
  m.tenant_id = ${tenantId} ${machine_id ? sql`and m.id = ${machine_id}` : sql`and m.is_active`}
  ${inGroup(sql, tenantId, group_id, 'm.id')}`

/** Selects what entries are about: `key`, `name`. */
export function selectKeys(sql: TransactionSql, tenantId: string, query: FiguresQueryOutput): Fragment {
  if (query.by === 'machine') return sql`select m.id as key, m.name from machines m where ${inScope(sql, tenantId, query)}`
  if (query.by !== 'group') return sql`select ${ALL}::uuid as key, null::text as name`
  return sql`
    select g.id as key, g.name from machine_groups g where g.tenant_id = ${tenantId}
      ${query.group_type ? sql`and g.group_type = ${query.group_type}` : sql``}
      ${query.group_id ? sql`and g.id in (${groupsBelow(sql, tenantId, query.group_id)})` : sql``}`
}

/** The index of the time zone of a machine `m`, which {@link joinSites} joins. */
const zoneOfMachine = (sql: TransactionSql, { each }: Windows) => (each.length === 1 ? sql`0` : sql`coalesce(s.zone, 0)`)

/** Machines of one time zone are the most frequent case, and join nothing. */
const joinSites = (sql: TransactionSql, tenantId: string, { each, ofSites }: Windows) =>
  each.length === 1
    ? sql``
    : sql`left join (
        select of.machine_id as of_machine, w.zone
        from (${siteOfMachines(sql, tenantId)}) of
        join unnest(${[...ofSites.keys()]}::uuid[], ${[...ofSites.values()]}::int[]) w(site_id, zone) on w.site_id = of.site_id
      ) s on s.of_machine = m.id`

/** Selects the machines of each key, each once, with the index of their time zone: `key`, `machine_id`, `zone`. */
export function selectMembers(sql: TransactionSql, tenantId: string, query: FiguresQueryOutput, windows: Windows): Fragment {
  const scope = inScope(sql, tenantId, query)
  const zone = zoneOfMachine(sql, windows)
  const sites = joinSites(sql, tenantId, windows)
  if (query.by === 'machine')
    return sql`select m.id as key, m.id as machine_id, ${zone} as zone from machines m ${sites} where ${scope}`
  if (query.by !== 'group')
    return sql`select ${ALL}::uuid as key, m.id as machine_id, ${zone} as zone from machines m ${sites} where ${scope}`
  return sql`
    with recursive nested(key, group_id) as (
      select key, key from keys
      union select n.key, g.id from machine_groups g join nested n on g.parent_id = n.group_id where g.tenant_id = ${tenantId}
    )
    select distinct n.key, m.id as machine_id, ${zone} as zone
    from nested n join machine_group_members k on k.tenant_id = ${tenantId} and k.group_id = n.group_id
    join machines m on m.id = k.machine_id and ${scope} ${sites}`
}

/** Joins `b`, the bounds of the time zone of a machine, by its id; with one zone there is nothing to join. */
export const joinBounds = (sql: TransactionSql, { each }: Windows) =>
  each.length === 1
    ? sql``
    : sql`
      join (select distinct machine_id as of_machine, zone from members) z on z.of_machine = machine_id
      join bounds b on b.zone = z.zone`

/** As {@link joinBounds}, where the members `m` are joined already. */
export const joinBoundsOfMember = (sql: TransactionSql, { each }: Windows) =>
  each.length === 1 ? sql`` : sql`join bounds b on b.zone = m.zone`

const instantText = (at: number) => new Date(at).toISOString()

/** Selects what {@link divide} reads as `bounds`, a row for each time zone. A cast beside a column would be evaluated, and so all bounds parsed, for each row. */
export function selectBounds(sql: TransactionSql, { each }: Windows): Fragment {
  const rows = each.flatMap(({ periods, dates }, zone) =>
    periods.map(({ start, end }, n) => ({
      ...{ zone, n, start: instantText(start), end: instantText(end) },
      ...{ date: dates[n] as string, lastDate: dates.at(-1) as string },
    })),
  )
  return sql`
    select zone, array_agg(p.start order by n) as starts, array_agg(p.end order by n) as ends, array_agg(date order by n) as dates,
      min(p.start) as from_at, max(p.end) as until_at, min(date) as from_date, max(last_date) as until_date
    from unnest(${rows.map(({ zone }) => zone)}::int[], ${rows.map(({ n }) => n)}::int[],
      ${rows.map(({ start }) => start)}::text[]::timestamptz[], ${rows.map(({ end }) => end)}::text[]::timestamptz[],
      ${rows.map(({ date }) => date)}::text[]::date[], ${rows.map(({ lastDate }) => lastDate)}::text[]::date[]
    ) p(zone, n, start, "end", date, last_date)
    group by zone`
}

/** How statements with the CTE `bounds` divide windows into their periods, which count from 1. With several time zones they join {@link joinBounds}. */
interface Division {
  from: Fragment
  until: Fragment
  /** with several zones: that an instant lies in the range of all their windows, for indexes */
  isAfter(column: Fragment): Fragment
  isBefore(column: Fragment): Fragment
  /** a `shift_date` lies in the window */
  hasDate(column: Fragment): Fragment
  /** the period of `shift_date`, and of an instant */
  ofDate: Fragment
  ofInstant(column: Fragment): Fragment
  startOf(column: Fragment): Fragment
  /** of rows of `downtime_figures` with {@link joinPeriods}: the period, its start and its end */
  joined: { period: Fragment; start: Fragment; end: Fragment }
}

const isOnePeriod = ({ each }: Windows) => each[0].periods.length === 1

/** The windows' bounds and arrays: parameters and scalars of one zone, or columns of `b`. */
function boundsOf(sql: TransactionSql, { each }: Windows) {
  const [one] = each
  if (each.length === 1)
    return {
      ...{ from: sql`${new Date(one.start)}::timestamptz`, until: sql`${new Date(one.end)}::timestamptz` },
      hasDate: (column: Fragment) =>
        sql`${column} >= ${one.dates[0] as string}::date and ${column} < ${one.dates.at(-1) as string}::date`,
      ...{
        starts: sql`(select starts from bounds where zone = 0)`,
        ends: sql`(select ends from bounds where zone = 0)`,
        dates: sql`(select dates from bounds where zone = 0)`,
      },
      isAfter: () => sql`true`,
      isBefore: () => sql`true`,
    }
  const [first] = each.map(({ dates }) => dates[0] as string).toSorted()
  const last = each
    .map(({ dates }) => dates.at(-1) as string)
    .toSorted()
    .at(-1)
  const earliest = new Date(Math.min(...each.map(({ start }) => start)))
  const latest = new Date(Math.max(...each.map(({ end }) => end)))
  return {
    ...{ from: sql`b.from_at`, until: sql`b.until_at`, starts: sql`b.starts`, ends: sql`b.ends`, dates: sql`b.dates` },
    hasDate: (column: Fragment) => sql`${column} >= ${first as string}::date and ${column} < ${last as string}::date
      and ${column} >= b.from_date and ${column} < b.until_date`,
    isAfter: (column: Fragment) => sql`${column} >= ${earliest}`,
    isBefore: (column: Fragment) => sql`${column} < ${latest}`,
  }
}

export function divide(sql: TransactionSql, windows: Windows): Division {
  const { starts, ends, dates, ...bounds } = boundsOf(sql, windows)
  const { from, until } = bounds
  const one = sql`1`
  if (isOnePeriod(windows))
    return { ...bounds, ofDate: one, ofInstant: () => one, startOf: () => from, joined: { period: one, start: from, end: until } }
  const ofInstant = (column: Fragment) => sql`width_bucket(${column}, ${starts})`
  return {
    ...bounds,
    ofDate: sql`width_bucket(shift_date, ${dates})`,
    ofInstant,
    startOf: (column) => sql`(${starts})[${ofInstant(column)}]`,
    joined: { period: sql`at.period`, start: sql`(${starts})[at.period]`, end: sql`(${ends})[at.period]` },
  }
}

/** Joins rows of `downtime_figures` with the periods that they reach into. */
export function joinPeriods(sql: TransactionSql, windows: Windows) {
  if (isOnePeriod(windows)) return sql``
  const { from, until, ofInstant } = divide(sql, windows)
  return sql`cross join lateral generate_series(${ofInstant(sql`greatest(attributed_from, ${from})`)},
    ${ofInstant(sql`least(ended_at, ${until})`)}) at(period)`
}
