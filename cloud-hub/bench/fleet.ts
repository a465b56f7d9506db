import { type BenchRow, fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { sumOeeDays } from '../test/support/oee-sums.ts'
import { addMachines, type BenchHub, fetchText, onHub, readAgent, runConcurrently, startBenchHub } from './environment.ts'

const [REQUESTS, USERS, CONNECTIONS] = [60, 10, 4]
const MACHINES = fullOrShort(10_000, 100)
/** Two stops a week of each machine, for a year. */
const [STOPS, YEAR_HOURS] = [104, 365 * 24]
const [SITES, METRICS, BATCH_MACHINES] = [100, 4, 250]

/** Acknowledged alerts of each machine in a year, by five rules. */
const [ALERTS, RULES] = [98, 5]

const insertAlerts = (hub: BenchHub, from: number, to: number) => hub.owner`
  insert into alerts (tenant_id, machine_id, rule_id, severity, metric_name, unit, trigger_value, threshold_value, message, triggered_at, created_at,
    acknowledged_at, cleared_at)
  select m.tenant_id, m.id, lpad((n % ${RULES})::text, 32, '0')::uuid, (array['warning', 'critical'])[1 + n % 2], 'metric_' || n % ${RULES}, 'mm/s', 5,
    4, 'high', s.at, s.at, s.at, s.at
  from machines m cross join generate_series(0, ${ALERTS - 1}) n
  cross join lateral (select now() - interval '1 hour' * ${YEAR_HOURS} * (n + 1) / ${ALERTS} - interval '1 second' * substr(m.machine_identifier, 2)::int as at) s
  where m.tenant_id = ${hub.tenantId} and substr(m.machine_identifier, 2)::int >= ${from} and substr(m.machine_identifier, 2)::int < ${to} order by n`

/** Half of the stops are failures; each lasts up to two hours, and one in ten overlaps the next. */
const insertStops = (hub: BenchHub, from: number, to: number) => hub.owner`
  insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type)
  select m.tenant_id, m.id, s.at, s.at + interval '1 minute' * (5 + (n * 7 + i) % 115) + case when n % 10 = 0 then interval '100 h' else interval '0' end,
    (array['unplanned', 'planned', 'unplanned', 'changeover', 'unplanned', 'maintenance'])[1 + (n + i) % 6]
  from (select *, substr(machine_identifier, 2)::int as i from machines where tenant_id = ${hub.tenantId}) m
  cross join generate_series(0, ${STOPS - 1}) n
  cross join lateral (select now() - interval '1 hour' * ${YEAR_HOURS}
    + interval '1 hour' * ${YEAR_HOURS - 120} * n / ${STOPS} + interval '1 minute' * (i % 1000) as at) s
  where i >= ${from} and i < ${to} order by i, n`

/** Sites of 10 lines each, shift figures of a year, alerts and work orders. */
async function insertSurroundings(hub: BenchHub): Promise<void> {
  const { owner, tenantId, userId } = hub
  await owner`insert into machine_groups (tenant_id, name, group_type) select ${tenantId}, 'Site ' || i, 'site' from generate_series(1, ${SITES}::int) i`
  await owner`insert into machine_groups (tenant_id, name, parent_id) select ${tenantId}, g.name || '/' || i, g.id
    from machine_groups g cross join generate_series(1, 9) i`
  await owner`insert into machine_group_members (tenant_id, group_id, machine_id)
    select ${tenantId}, g.id, m.id from (select *, row_number() over (order by id) - 1 as n from machines) m
    join (select *, row_number() over (order by id) - 1 as n from machine_groups) g on g.n = m.n % (select count(*) from machine_groups)`
  await owner`insert into machine_oee_days (tenant_id, shift_date, machine_id, oee_count, oee_sum_ppb)
    select ${tenantId}, current_date - d, id, 3, 2400000000 from generate_series(0, 364) d cross join machines order by d, id`
  const [shift] = await owner<{ id: string }[]>`
    insert into shift_definitions (tenant_id, name, start_time, end_time, duration_minutes, color)
    values (${tenantId}, 'Day', '06:00', '14:00', 480, '#f2b705') returning id`
  await sumOeeDays(owner, tenantId, shift?.id as string)
  await owner`insert into work_orders (tenant_id, machine_id, title, created_by)
    select ${tenantId}, id, 'Bearing', ${userId} from machines where substr(machine_identifier, 2)::int % 5 = 0`
  await owner`insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, triggered_at)
    select ${tenantId}, id, 'warning', 'vibration', 'mm/s', 5, 4, 'high', now() from machines, generate_series(1, 2)`
}

async function sendReadings(hub: BenchHub, readings: unknown[]): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-api-key': hub.keys[0] as string }
  const answer = await fetch(`${hub.url}/api/v1/ingest`, { method: 'POST', headers, body: JSON.stringify({ readings }) })
  const { accepted_count } = (await answer.json()) as { accepted_count: number }
  if (accepted_count !== readings.length) throw new Error(`the hub accepted ${accepted_count} of ${readings.length} readings`)
}

async function fill(hub: BenchHub): Promise<void> {
  await addMachines(hub, 0, MACHINES)
  const now = new Date().toISOString()
  const metrics = Array.from({ length: METRICS }, (_, n) => ({
    metric_name: `metric_${n}`,
    unit: 'celsius',
    value: n,
    timestamp: now,
  }))
  await runConcurrently(MACHINES / BATCH_MACHINES, CONNECTIONS, (batch) => {
    const machines = Array.from({ length: Math.min(BATCH_MACHINES, MACHINES) }, (_, i) => `m${batch * BATCH_MACHINES + i}`)
    return sendReadings(
      hub,
      machines.flatMap((machine_identifier) => metrics.map((one) => ({ ...one, machine_identifier }))),
    )
  })
  await insertSurroundings(hub)
  const step = Math.ceil(MACHINES / 40)
  await runConcurrently(40, CONNECTIONS, (i) => insertStops(hub, i * step, (i + 1) * step))
  await runConcurrently(40, CONNECTIONS, (i) => insertAlerts(hub, i * step, (i + 1) * step))
  await hub.owner.unsafe('vacuum analyze')
  // access tokens hold for 15 minutes
  await hub.renewTokens()
}

const FLEET_ROWS = {
  'fleet.status': {
    against: 'the same machines with their status by an indexed query through postgres.js',
    path: '/fleet/status',
    bare: (hub: BenchHub) => hub.owner`
      select id, name, machine_identifier, status from machines where tenant_id = ${hub.tenantId} and is_active order by name collate natural_order, id`,
  },
  'fleet.sites.comparison': {
    against: 'the downtime records of 30 days by machine, summed by a query through postgres.js, overlaps twice',
    path: '/fleet/sites/comparison?sort_by=downtime_hours',
    bare: (hub: BenchHub) => hub.owner`
      select machine_id, sum(ended_at - started_at) from downtime_records
      where tenant_id = ${hub.tenantId} and ended_at > now() - interval '30 days' group by machine_id`,
  },
  'fleet.figures': {
    against: 'the downtime records of a year by machine, summed by a query through postgres.js, overlaps twice',
    path: `/fleet/figures?by=group&group_type=site&from=${new Date(Date.now() - 365 * 86_400_000).toISOString()}`,
    bare: (hub: BenchHub) => hub.owner`
      select machine_id, sum(ended_at - started_at) from downtime_records
      where tenant_id = ${hub.tenantId} and ended_at > now() - interval '365 days' group by machine_id`,
  },
  'fleet.figures.days': {
    against: 'the downtime records of a year by day, summed by a query through postgres.js, overlaps twice',
    path: `/fleet/figures?interval=day&from=${new Date(Date.now() - 365 * 86_400_000).toISOString()}`,
    bare: (hub: BenchHub) => hub.owner`
      select started_at::date, sum(ended_at - started_at) from downtime_records
      where tenant_id = ${hub.tenantId} and ended_at > now() - interval '365 days' group by 1`,
  },
  'fleet.alerts.groups': {
    against: 'the newest 100,000 alerts by machine and rule, counted by a query through postgres.js',
    path: '/alerts/groups',
    bare: (hub: BenchHub) => hub.owner`
      select machine_id, rule_id, count(*), max(created_at) from (
        select machine_id, rule_id, created_at from alerts where tenant_id = ${hub.tenantId} order by created_at desc limit 100000) newest
      group by machine_id, rule_id order by max(created_at) desc limit 20`,
  },
  'fleet.mttr-mtbf': {
    against: 'the repairs of 90 days by machine, averaged by a query through postgres.js, without MTBF',
    path: '/fleet/mttr-mtbf',
    bare: (hub: BenchHub) => hub.owner`
      select machine_id, avg(ended_at - started_at) from downtime_records
      where tenant_id = ${hub.tenantId} and started_at >= now() - interval '90 days' and reason_type in ('unplanned', 'maintenance') group by machine_id`,
  },
}

/** The median of single requests, because people wait for one answer. */
const median = async (work: (i: number) => Promise<unknown>) => {
  const took: number[] = []
  for (let i = 0; i < REQUESTS; i++) took.push((await seconds(() => work(i))) * 1_000)
  return took.toSorted((a, b) => a - b)[REQUESTS / 2] as number
}

let shared: Promise<BenchHub> | null = null
/** One hub for all rows of the run: a year of records takes minutes to insert. */
const filledHub = () =>
  (shared ??= onHub(startBenchHub({ users: USERS }, { LOG_LEVEL: 'info' }), async (hub) => {
    await fill(hub)
    return hub
  }))

const rows = Object.entries(FLEET_ROWS).map(
  ([row, { against, path, bare }]): BenchRow => ({
    row,
    against,
    unit: `milliseconds, p50 of ${REQUESTS} answers about ${MACHINES.toLocaleString('en')} machines with ${(MACHINES * STOPS).toLocaleString('en')} records`,
    prepare: async () => {
      const hub = await filledHub()
      let asked = 0
      return {
        ours: () => median(() => fetchText(`${hub.url}/api/v1${path}`, hub.tokens[asked++ % USERS] as string)),
        theirs: () => median(() => bare(hub)),
        close: async () => {},
      }
    },
  }),
)

try {
  await runRows(rows, process.argv.slice(2))
} finally {
  await (await (shared as Promise<BenchHub> | null))?.close()
  readAgent.destroy()
}
