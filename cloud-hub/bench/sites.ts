import { type BenchRow, fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { insertLargeCompany, sendReadings } from '../test/support/large-company.ts'
import { type BenchHub, fetchText, onHub, readAgent, startBenchHub } from './environment.ts'

const [REQUESTS, USERS, LIMIT_MS] = [fullOrShort(60, 5), 10, 300]
const SIZE = {
  machines: fullOrShort(10_000, 100),
  agents: fullOrShort(1_500, 24),
  alerts: fullOrShort(50_000, 200),
  stops: fullOrShort(25, 3),
  shiftDays: fullOrShort(7, 2),
}

/** The operations that a site narrows, with the paths that the console asks. */
const SITE_PATHS = {
  'sites.machines': '/machines?page_size=50',
  'sites.alerts': '/alerts?is_acknowledged=false&page_size=50',
  'sites.alerts.stats': '/alerts/stats?',
  'sites.work-orders': '/work-orders?page_size=50',
  'sites.maintenance': '/maintenance?page_size=50',
  'sites.fleet.status': '/fleet/status?',
  'sites.fleet.overview': '/fleet/overview?',
  'sites.fleet.figures': '/fleet/figures?interval=day',
  'sites.fleet.downtime': '/fleet/downtime?page_size=50',
  'sites.fleet.mttr-mtbf': '/fleet/mttr-mtbf?',
  'sites.fleet.pareto': '/fleet/downtime/pareto?',
  'sites.shifts.logs': '/shifts/logs?page_size=50',
  'sites.shifts.active': '/shifts/active?',
  'sites.shifts.comparison': '/shifts/comparison?',
  'sites.predictions': '/machines/predictions/fleet?',
  'sites.agents': '/agent/fleet?',
}

interface Company {
  hub: BenchHub
  /** the first of twelve */
  siteId: string
}

async function fill(hub: BenchHub): Promise<Company> {
  const { owner, tenantId, userId } = hub
  // no log is queued: its OEE is stored below
  await owner`alter table shift_logs disable trigger user`
  await insertLargeCompany(owner, tenantId, userId, SIZE)
  await owner`alter table shift_logs enable trigger user`
  await owner`
    insert into shift_log_oee select tenant_id, id, machine_id, shift_definition_id, shift_date, 28800000, 0, 2880000, 0, 0, 2880000, null, null, null,
      720000000, 900000000, 800000000, 1000000000
    from shift_logs where tenant_id = ${tenantId} and status = 'completed'`
  // the hub may have made some meanwhile
  await owner`
    insert into machine_predictions (tenant_id, machine_id, health_score, risk_level, degradation_rate, factors, analyzed_at)
    select ${tenantId}, id, 60, 'watch', 0, '[]', now() from machines where tenant_id = ${tenantId}
    on conflict do nothing`
  await sendReadings(hub.url, hub.keys[0] as string, SIZE.machines)
  // agents are shown to admins
  await owner`update users set role = 'admin' where tenant_id = ${tenantId} and email like 'bench-%'`
  const [site] = await owner<[{ id: string }]>`
    select id from machine_groups where tenant_id = ${tenantId} and group_type = 'site' order by name limit 1`
  await owner`vacuum analyze`
  await hub.renewTokens()
  return { hub, siteId: site.id }
}

let shared: Promise<Company> | null = null
/** One company for all rows of the run. */
const filledCompany = () => (shared ??= onHub(startBenchHub({ users: USERS }, { LOG_LEVEL: 'info' }), fill))

let asked = 0
/** The median of single requests, because people wait for one answer. */
async function median({ hub, siteId }: Company, path: string): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < REQUESTS; i++) {
    const token = hub.tokens[asked++ % USERS] as string
    took.push((await seconds(() => fetchText(`${hub.url}/api/v1${path}&group_id=${siteId}`, token))) * 1_000)
  }
  return took.toSorted((a, b) => a - b)[Math.floor(REQUESTS / 2)] as number
}

const rows = Object.entries(SITE_PATHS).map(
  ([row, path]): BenchRow => ({
    row,
    against: `the limit of ${LIMIT_MS} ms`,
    unit: `milliseconds, p50 of ${REQUESTS} answers about one of twelve sites with ${SIZE.machines.toLocaleString('en')} machines`,
    prepare: async () => {
      const company = await filledCompany()
      return { ours: () => median(company, path), theirs: () => LIMIT_MS, close: async () => {} }
    },
  }),
)

try {
  await runRows(rows, process.argv.slice(2))
} finally {
  await (await (shared as Promise<Company> | null))?.hub.close()
  readAgent.destroy()
}
