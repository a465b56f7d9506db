import { randomUUID } from 'node:crypto'
import { type TenantScope, tenantScope } from '../../src/db/scope.ts'
import { ErpRunner, startSync } from '../../src/features/exchange/sync/index.ts'
import type { TestHub, TestUser } from '../harness.ts'
import { FakeErp } from './fake-erp.ts'

type Request = Parameters<typeof startSync>[3]
export type Entry = Awaited<ReturnType<typeof startSync>>[number]

export interface Exchange {
  admin: TestUser
  scope: TenantScope
  machineId: string
  connectionId: string
  erp: FakeErp
  /** this process's runner, with the ERP */
  runner: ErpRunner
  /** another process of the same hub */
  other(leaseSeconds?: number, places?: number): ErpRunner
  sync(values?: Partial<Request>, runner?: ErpRunner, times?: { waitMs: number; answerMs: number }): Promise<Entry[]>
  order(values?: Record<string, unknown>): Promise<string>
  connection(): Promise<Record<string, unknown>>
  set(values: Record<string, unknown>): Promise<unknown>
  record(
    id: string,
  ): Promise<{ is_due: boolean; external_id: string | null; failures: number; next_attempt_at: Date } | undefined>
  runs(): Promise<
    {
      id: string
      status: string
      succeeded: number
      failed: number
      skipped: number
      total: number | null
      error_message: string | null
      trigger: string
      direction: string
    }[]
  >
}

export function scopeOf(hub: TestHub, user: TestUser): TenantScope {
  return tenantScope(hub.deps.pools, hub.clock, user.tenantId, {
    kind: 'user',
    id: user.userId,
    role: 'admin',
    sessionId: null,
    name: 'ada@example.com',
    ip: null,
    requestId: null,
  })
}

/** A tick concerns the connections of all tests of a file. */
const erps = new Map<string, FakeErp>()

/** A tenant with a machine and a connection to an ERP in memory. */
export async function startExchange(hub: TestHub, values: Record<string, unknown> = {}): Promise<Exchange> {
  const admin = await hub.admin()
  const machine = await hub.machine(admin)
  const config = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
  const connection = (await admin.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config, ...values })).body
  const scope = scopeOf(hub, admin)
  const erp = new FakeErp()
  erps.set(connection.id, erp)
  const other = (leaseSeconds = 30, places = 4) =>
    new ErpRunner(hub.deps, { leaseSeconds, places, open: (row) => (erps.get(row.id) ?? new FakeErp()).session() })
  const runner = other()
  const one = hub.owner`tenant_id = ${admin.tenantId} and connection_id = ${connection.id}`
  return {
    admin,
    scope,
    machineId: machine.id,
    connectionId: connection.id,
    erp,
    runner,
    other,
    sync: (request = {}, by = runner, times = { waitMs: 10_000, answerMs: 60_000 }) =>
      startSync(by, scope, connection, { direction: 'outbound', entityType: 'work_order', entityId: null, ...request }, times),
    order: async (given = {}) =>
      (await admin.call('POST', 'work-orders', { machine_id: machine.id, title: `Order ${randomUUID()}`, ...given })).body.id,
    connection: async () => (await hub.owner`select * from erp_connections where id = ${connection.id}`)[0] ?? {},
    set: (given) => hub.owner`update erp_connections set ${hub.owner(given)} where id = ${connection.id}`,
    record: async (id) =>
      (
        await hub.owner`select is_due, external_id, failures, next_attempt_at from erp_records where ${one} and entity_id = ${id}`
      )[0] as never,
    runs: async () => (await hub.owner`select * from erp_runs where ${one} order by started_at, id`) as never,
  }
}
