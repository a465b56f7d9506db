import type postgres from 'postgres'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openPool, type Sql } from '../src/db/pools.ts'
import { purgeEnrolments } from '../src/features/agents/enrolment/index.ts'
import { advanceRollouts, failSilentUpdates } from '../src/features/agents/updates/index.ts'
import { escalateDue } from '../src/features/alerting/escalation/index.ts'
import { completeDurations, sweepSilentMachines } from '../src/features/alerting/evaluation/index.ts'
import { purgeDeliveries } from '../src/features/delivery/notifications/index.ts'
import { claimDueConnection } from '../src/features/exchange/sync/schedule.ts'
import { purgeExpiredSignInData } from '../src/features/people/accounts/index.ts'
import { analyzeMachines } from '../src/features/predictions/health/index.ts'
import { detectDowntime } from '../src/features/production/detection/index.ts'
import { recomputeOee } from '../src/features/production/oee/index.ts'
import { runAutomaticLogs } from '../src/features/production/shifts/index.ts'
import { queueReports } from '../src/features/reports/index.ts'
import { recomputeBaselines } from '../src/features/telemetry/baselines/index.ts'
import { registerPoller } from '../src/features/telemetry/polling/leases.ts'
import { fillRecurrences } from '../src/features/work/maintenance/index.ts'
import { purgeReminders, purgeWorkMessages, queueReminders } from '../src/features/work/messages/index.ts'
import { anchorChains } from '../src/features/work/signoffs/index.ts'
import { purgeKeys, sealKeys } from '../src/readings/index.ts'
import { removeExpired } from '../src/readings/seal/remove-expired.ts'
import { useHub } from './harness.ts'
import { insertCompany } from './support/company.ts'

/** Rows that an idle run may read: of catalogs of work, not of the company. */
const FEW = 60
const SIZE = { tenants: 2_000, machines: 2, series: 2 }
const MACHINES = SIZE.tenants * SIZE.machines
const DAY_MS = 86_400_000
const hub = useHub()
const now = () => hub.clock.now()

beforeAll(async () => {
  await insertCompany(hub.owner, SIZE, now(), new Date(now().getTime() - 30 * DAY_MS))
  await hub.owner.unsafe('vacuum analyze')
}, 120_000)

/** Tables that a run read, with the number of rows; those of fewer than `FEW` rows are left out. */
async function rowsRead(work: (sql: Sql) => Promise<unknown>): Promise<Record<string, number>> {
  const sql = openPool(hub.logins.haltless_system, {
    name: 'counted',
    max: 1,
    statementSeconds: 60,
    settings: { random_page_cost: '1.1' },
  })
  onTestFinished(() => sql.end())
  const counts = async () =>
    new Map(
      (
        await hub.owner<{ name: string; n: number }[]>`
          select relname as name, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_user_tables`
      ).map(({ name, n }) => [name, n]),
    )
  const flush = () => sql`select pg_stat_force_next_flush()`
  // the first run plans, which reads the ends of indexes
  await work(sql)
  await flush()
  const before = await counts()
  await work(sql)
  await flush()
  const after = await counts()
  return Object.fromEntries(
    [...after].map(([name, n]) => [name, n - (before.get(name) ?? 0)] as const).filter(([, n]) => n >= FEW),
  )
}

describe('in a company without traffic, a run reads few rows', () => {
  it.each<[string, (sql: Sql) => Promise<unknown>]>([
    ['of silent machines', (sql) => sweepSilentMachines(sql, now(), 300)],
    ['of predictions', (sql) => analyzeMachines(sql, hub.deps.store, now(), () => false)],
    ['of escalations', (sql) => escalateDue(sql, now())],
    ['of reports', (sql) => queueReports({ ...hub.deps, allTenants: sql, publicUrl: 'http://127.0.0.1' }, now())],
    ['of automatic shift logs', (sql) => runAutomaticLogs(sql, now())],
    ['of the ERP exchange', (sql) => claimDueConnection(sql, now(), [])],
    ['of silent updates', (sql) => failSilentUpdates(sql, now())],
    ['of sign-off chains', (sql) => anchorChains(sql, hub.deps.logger, now())],
    ['of waves of rollouts', (sql) => advanceRollouts(sql, now())],
    ['of durations of rules', (sql) => completeDurations(sql, hub.clock, 300)],
    [
      'of the detection of downtime',
      (sql) => detectDowntime(sql, hub.deps.store, now(), { logger: hub.deps.logger, isStopping: () => false }),
    ],
    ['of the OEE of shift logs', (sql) => recomputeOee(sql, hub.deps, now())],
    ['of recurrences', (sql) => fillRecurrences(sql, now())],
    ['of reminders', (sql) => queueReminders(sql, now())],
    ['that deletes old reminders', (sql) => purgeReminders(sql, now())],
    ['that deletes old messages', (sql) => purgeWorkMessages(sql, now())],
    ['that deletes expired sessions', (sql) => purgeExpiredSignInData(sql, now())],
    ['that deletes revoked credentials', (sql) => purgeEnrolments(sql, now())],
    ['that deletes old deliveries', (sql) => purgeDeliveries(sql, now(), 90)],
    ['that deletes old keys', (sql) => purgeKeys(sql, now())],
    ['that assigns polled sources', (sql) => registerPoller(sql, '00000000-0000-4000-8000-000000000000')],
  ])('%s', async (_, work) => {
    expect(await rowsRead(work)).toEqual({})
  })

  it('of the sealing of idempotency keys', async () => {
    const day = now().toISOString().slice(0, 10)
    const [first] = await hub.owner.begin(async (tx) => {
      await tx`select pg_stat_force_next_flush()`
      return tx<{ id: string }[]>`
        insert into reading_key_tail (tenant_id, day, keys) select id, ${day}::date, uuid_send(id) from tenants returning tenant_id as id`
    })
    await hub.owner.unsafe('analyze reading_key_tail')
    const seal = (sql: Sql) => sealKeys(sql, now(), { onlyNew: true })
    expect(await rowsRead(seal)).toEqual({})
    // a tenant that gets many is examined: 300 small rows become one
    expect(
      await rowsRead(async (sql) => {
        await seal(sql)
        await hub.owner`
          insert into reading_key_tail (tenant_id, day, keys)
          select ${first?.id as string}, ${day}::date, uuid_send(gen_random_uuid()) from generate_series(1, 300)`
        await seal(sql)
      }),
    ).toMatchObject({ reading_key_tail: expect.any(Number) })
    const rows = await hub.owner`select from reading_key_tail where tenant_id = ${first?.id as string}`
    expect(rows.length).toBeLessThan(10)
  })

  it('of retention, except the tenants with their rules, in few statements', async () => {
    const retention = { rawDays: 90, minuteDays: 365, hourDays: 0 }
    let statements = 0
    const counted = (sql: Sql) =>
      new Proxy(sql, {
        apply(target, self, values) {
          statements++
          return Reflect.apply(target, self, values)
        },
      })
    expect(await rowsRead((sql) => removeExpired(counted(sql), now(), retention))).toEqual({ tenants: expect.any(Number) })
    expect(statements).toBeLessThan(FEW)
  })

  it('of baselines, except the newest readings of each machine once', async () => {
    const read = await rowsRead((sql) => recomputeBaselines(sql, hub.deps.store, now()))
    expect(Object.keys(read)).toHaveLength(1)
    expect(Object.values(read)[0]).toBeLessThan(1.1 * MACHINES)
  })
})

describe('of a company, a run reads few rows beside those that are due', () => {
  const machine = async () =>
    (
      await hub.owner<{ id: string; tenantId: string }[]>`select id, tenant_id as "tenantId" from machines order by id limit 1`
    )[0] as {
      id: string
      tenantId: string
    }
  /** Stores the rows for which a job is due, through a connection whose statements are not counted. */
  const prepare = (work: (tx: postgres.TransactionSql) => Promise<unknown>) =>
    hub.owner.begin(async (tx) => {
      await tx`select pg_stat_force_next_flush()`
      await work(tx)
    })

  it('of silent machines', async () => {
    const { id, tenantId } = await machine()
    expect(
      await rowsRead(async (sql) => {
        await prepare(
          (tx) =>
            tx`update machines set offline_due_at = '2026-01-01', status = 'healthy' where tenant_id = ${tenantId} and id = ${id}`,
        )
        expect(await sweepSilentMachines(sql, now(), 300)).toBe(1)
      }),
    ).toEqual({})
  })

  it('of predictions', async () => {
    const { id, tenantId } = await machine()
    expect(
      await rowsRead(async (sql) => {
        await prepare((tx) => tx`update machines set analysis_due_at = '2026-01-01' where tenant_id = ${tenantId} and id = ${id}`)
        await analyzeMachines(sql, hub.deps.store, now(), () => false)
      }),
    ).toEqual({})
  })

  it('of escalations', async () => {
    const { id, tenantId } = await machine()
    expect(
      await rowsRead(async (sql) => {
        await prepare(async (tx) => {
          await tx`delete from escalations where tenant_id = ${tenantId}`
          await tx`update alerts set escalation_due_at = '2026-01-01' where tenant_id = ${tenantId} and machine_id = ${id}`
        })
        expect(await escalateDue(sql, now())).toBe(1)
      }),
    ).toEqual({})
  })

  it('of reports and shifts', async () => {
    const { tenantId } = await machine()
    expect(
      await rowsRead(async (sql) => {
        await prepare(async (tx) => {
          await tx`update users set timezone = 'Europe/Berlin' where tenant_id = ${tenantId}`
          await tx`update users set timezone = null where tenant_id = ${tenantId}`
          await tx`update shift_definitions set name = name where tenant_id = ${tenantId}`
        })
        await queueReports({ ...hub.deps, allTenants: sql, publicUrl: 'http://127.0.0.1' }, now())
        await runAutomaticLogs(sql, now())
      }),
    ).toEqual({})
    expect(await hub.owner`select from users where is_report_stale`).toHaveLength(0)
    expect(await hub.owner`select from tenants where auto_shift_logs and shift_logs_due_at <= ${now()}`).toHaveLength(0)
  })
})
