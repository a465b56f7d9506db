import path from 'node:path'
import type postgres from 'postgres'
import type { ErpProvider } from '../../src/db/enums.ts'
import { until } from '../../test/processes.ts'
import type { Fault } from '../../test/support/erp/faults.ts'
import { type ErpServer, startErpServer } from '../../test/support/erp/server.ts'
import { type Comparison, EMPTY_COMPARISON } from '../compare.ts'
import { asOwner, checkDurability, embeddedDatabase, type HubProcess, hubProcess } from '../hub-process.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { makeTenant, type Tenant } from '../tenant.ts'

/**
 * Each hits about a tenth of the changes that an ERP receives. The numbers have no common factor, so that they rarely meet in one
 * request, where only the first would count.
 */
const FAULTS: Partial<Record<Fault, number>> = {
  timeout_after_commit: 11,
  '500': 10,
  '429': 9,
  drop_before_commit: 13,
  drop_after_commit: 7,
}
const RENEWED: Record<ErpProvider, Partial<Record<Fault, number>>> = {
  erp_a: { csrf_expiry: 8 },
  erp_b: { expired_token: 8 },
  erp_c: {},
}
const PROVIDERS = Object.keys(RENEWED) as ErpProvider[]
const TITLE_FIELDS: Record<ErpProvider, string> = { erp_a: 'Title', erp_b: 'hl_title', erp_c: 'title' }

/** What the log says of a fault. Of a lost answer it cannot say whether the ERP executed the request. */
const LOGGED: { faults: Fault[]; matches: RegExp }[] = [
  { faults: ['500'], matches: /\(status 500\)/ },
  { faults: ['429'], matches: /limits the requests|429, / },
  { faults: ['csrf_expiry'], matches: /403 \(CSRF token\)/ },
  { faults: ['expired_token'], matches: /401 \(access token\)/ },
  {
    faults: ['timeout_after_commit', 'drop_before_commit', 'drop_after_commit'],
    matches: /may have accepted the record|connection lost/,
  },
]

interface Erp {
  provider: ErpProvider
  server: ErpServer
  connectionId: string
}

export const erpExchange: FaultRow = {
  name: 'erp.exchange',
  area: 'hub',
  what: 'kill -9 of the hub and a tenth of each fault of an ERP while work orders are sent to three of them',
  async run(context) {
    const hub = await hubProcess(context, { ERP_SYNC_TICK_SECONDS: '1', ERP_TIMEOUT_SECONDS: '1' })
    const database = embeddedDatabase(path.join(context.dir, 'hub'))
    await hub.start()
    const owner = <T>(work: (sql: postgres.Sql) => Promise<T>) => asOwner(database.url(), work)
    const tenant = await owner(async (sql) => {
      await checkDurability(sql)
      return makeTenant(hub.url, sql, { machines: 1 })
    })
    const erps: Erp[] = []
    for (const provider of PROVIDERS) {
      // A server without a unique key stores what is created twice, so that the row sees it.
      const server = await startErpServer(provider, { isUnique: false })
      context.defer(() => server.close())
      const given = { provider, name: provider, config: server.config, auto_push_work_orders: true }
      const { id: connectionId } = await tenant.call<{ id: string }>('POST', 'erp/connections', given)
      erps.push({ provider, server, connectionId })
    }
    const count = context.fullOrShort(1_000, 24)
    const exchange = { context, hub, tenant, erps, owner }

    context.say(`${count} work orders, every fault`)
    for (const { provider, server } of erps)
      for (const [fault, every] of Object.entries({ ...FAULTS, ...RENEWED[provider] }))
        server.inject(fault as Fault, { every, retryAfterSeconds: 0 })
    await owner((sql) => addOrders(sql, tenant.tenantId, count))
    await allSent(exchange)
    const injected = new Map(erps.map(({ provider, server }) => [provider, { ...server.faults }]))
    for (const erp of erps) await checkLog(exchange, erp, injected.get(erp.provider) ?? {})

    context.say(`${count / 2} more work orders and as many changes, every fault, kill -9`)
    await owner((sql) => addOrders(sql, tenant.tenantId, count / 2))
    const kills = context.fullOrShort(12, 1)
    for (let kill = 1; kill <= kills; kill++) {
      await owner((sql) => changeOrders(sql, Math.ceil(count / 2 / kills)))
      const before = received(erps)
      await until('an ERP receives more', async () => {
        await retryNow(exchange)
        return received(erps) > before
      })
      await context.sleep(context.random.between(0, 1_500))
      context.say(`kill ${kill} of ${kills}`)
      const owners = await owner(leaseholders)
      await hub.kill()
      await hub.start()
      // Some runs wait until their lease of 30 seconds expires; the others are continued at once.
      if (context.short || kill % 4 !== 0) await owner((sql) => expireLeases(sql, owners))
    }
    await allSent(exchange)
    for (const { server } of erps) server.clearFaults()
    await owner((sql) => changeOrders(sql, 10))
    await allSent(exchange)

    const counts = await owner((sql) => compareRecords(context, sql, erps))
    await hub.stop()
    const total = (kind: Fault) => erps.reduce((sum, { server }) => sum + (server.faults[kind] ?? 0), 0)
    const kinds = [...Object.keys(FAULTS), 'csrf_expiry', 'expired_token'] as Fault[]
    const note = `${kills} kills; ${received(erps)} requests; ${kinds.map((kind) => `${total(kind)} ${kind}`).join(', ')}`
    return { counts, note }
  },
}

interface Exchange {
  context: RowContext
  hub: HubProcess
  tenant: Tenant
  erps: readonly Erp[]
  owner<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T>
}

const received = (erps: readonly Erp[]) => erps.reduce((sum, { server }) => sum + server.calls.length, 0)

const addOrders = (sql: postgres.Sql, tenantId: string, count: number) => sql`
  insert into work_orders (tenant_id, machine_id, title, created_by)
  select ${tenantId}, (select id from machines where tenant_id = ${tenantId} limit 1), 'Order ' || gen_random_uuid(),
    (select id from users where tenant_id = ${tenantId} limit 1)
  from generate_series(1, ${count}::int)`

const leaseholders = async (sql: postgres.Sql) =>
  (await sql<{ owner: string }[]>`select distinct leased_by as owner from erp_runs where status = 'running'`).map(
    ({ owner }) => owner,
  )
const expireLeases = (sql: postgres.Sql, owners: string[]) =>
  sql`update erp_runs set leased_until = now() where status = 'running' and leased_by = any(${owners}::uuid[])`

const changeOrders = (sql: postgres.Sql, count: number) => sql`
  update work_orders set title = 'Changed ' || gen_random_uuid()
  where id in (select id from work_orders order by random() limit ${count})`

/** Ends the waiting times of records, connections and circuit breakers, which are minutes. */
const retryNow = ({ owner }: Exchange) =>
  owner(async (sql) => {
    await sql`update erp_records set next_attempt_at = now() where failures > 0 and next_attempt_at > now()`
    await sql`update erp_connections set next_run_at = now(), breaker_open_until = null, failures_in_a_row = 0`
  })

/** Waits until nothing is due. Every now and then a person synchronizes too. */
async function allSent(exchange: Exchange): Promise<void> {
  const { context, erps, tenant, owner } = exchange
  let nextManual = 0
  await until(
    'nothing is due',
    async () => {
      await retryNow(exchange)
      const erp = erps[nextManual++ % (4 * erps.length)]
      // Another run may be under way, or the ERP limits calls: the answer does not matter here.
      if (erp)
        void tenant
          .call('POST', `erp/connections/${erp.connectionId}/sync`, { direction: 'outbound', entity_type: 'work_order' })
          .catch(() => {})
      await context.sleep(250)
      return owner(async (sql) => {
        const [row] = await sql<{ isDone: boolean }[]>`
          select not exists (select from erp_changes) and not exists (select from erp_records where is_due)
            and not exists (select from erp_runs where status = 'running') as "isDone"`
        return row?.isDone ?? false
      })
    },
    280_000,
  )
}

/** Each fault that an ERP injected is in the log; one batch may write it for each of its records. */
async function checkLog({ context, owner }: Exchange, { provider, connectionId }: Erp, injected: Partial<Record<Fault, number>>) {
  const entries = await owner(
    (sql) => sql<{ text: string }[]>`
      select concat_ws(' ', error_message, response_summary) as text from erp_sync_logs where erp_connection_id = ${connectionId}`,
  )
  for (const { faults, matches } of LOGGED) {
    const expected = faults.reduce((sum, fault) => sum + (injected[fault] ?? 0), 0)
    // An entry can name several: `429, 429, then 201`.
    const found = entries.reduce((sum, { text }) => sum + (text.match(new RegExp(matches, 'g'))?.length ?? 0), 0)
    if (found < expected)
      context.reportFailure(`${provider}: ${expected} times ${faults.join(', ')}, of which the log names ${found}`)
    // Of a short run some batches meet no fault.
    if (!context.short && faults.some((fault) => fault in { ...FAULTS, ...RENEWED[provider] }) && expected === 0)
      context.reportFailure(`${provider}: ${faults.join(', ')} never happened`)
  }
}

/** In this row the numbers of the table count work orders in ERPs. */
async function compareRecords(context: RowContext, sql: postgres.Sql, erps: readonly Erp[]): Promise<Comparison> {
  const orders = await sql<{ id: string; title: string }[]>`select id, title from work_orders`
  const counts = { ...EMPTY_COMPARISON, readings: orders.length * erps.length, examples: [] as string[] }
  const example = (text: string) => counts.examples.length < 5 && counts.examples.push(text)
  for (const { provider, server, connectionId } of erps) {
    const externalIds = new Map(
      (
        await sql<{ id: string; external: string | null }[]>`
          select entity_id as id, external_id as external from erp_records where connection_id = ${connectionId}`
      ).map(({ id, external }) => [id, external]),
    )
    const byId = Map.groupBy(server.records('work_order'), ({ haltlessId }) => haltlessId)
    for (const { id, title } of orders) {
      const [record, ...others] = byId.get(id) ?? []
      byId.delete(id)
      counts.doubled += others.length
      if (others.length > 0) example(`doubled: ${id} in ${provider}`)
      if (!record) {
        counts.lost++
        example(`lost: ${id} in ${provider}`)
      } else if (record.fields[TITLE_FIELDS[provider]] !== title) {
        counts.altered++
        example(`altered: ${id} in ${provider} has ${record.fields[TITLE_FIELDS[provider]]}, not ${title}`)
      } else if (externalIds.get(id) !== record.externalId)
        context.reportFailure(`${provider}: Haltless knows ${id} as ${externalIds.get(id)}, not as ${record.externalId}`)
    }
    for (const id of byId.keys()) {
      counts.invented++
      example(`invented: ${id} in ${provider}`)
    }
  }
  return counts
}
