import type { Command } from 'commander'
import { operatorActor, withHub } from './open-hub.ts'
import { table, UsageError } from './terminal.ts'

interface ConnectionState {
  id: string
  tenant: string
  name: string
  provider: string
  automatic_runs: string
  last_sync: string | null
  last_status: string | null
}

interface Resumed {
  id: string
  tenantId: string
  tenant: string
  name: string
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Commands for connections to ERP systems: docs/erp.md explains them. */
export function addErpCommands(program: Command): void {
  const erp = program.command('erp').description('connections to ERP systems')
  erp
    .command('list')
    .option('--json', 'as JSON')
    .description('list all connections, and whether they run automatically')
    .action(({ json }: { json?: boolean }) =>
      withHub(async ({ pools }) => {
        const rows = await pools.system<ConnectionState[]>`
          select c.id, t.name as tenant, c.name, c.provider,
            case when not c.is_active then 'inactive'
              when c.paused_at is not null then 'paused since a restore'
              when not (c.auto_push_work_orders or c.auto_push_production_data or c.auto_push_downtime or c.auto_pull_assets) then 'off'
              when c.breaker_open_until > now() then 'waiting for the ERP'
              else 'on' end as automatic_runs,
            to_char(c.last_sync_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') as last_sync, c.last_sync_status as last_status
          from erp_connections c join tenants t on t.id = c.tenant_id order by t.name, c.name, c.id`
        const listed = rows.map((row) => ({ ...row }))
        console.log(json ? JSON.stringify(listed, null, 2) : table(listed, 'There are no connections to an ERP.'))
      }),
    )
  erp
    .command('resume')
    .argument('[connection id]', 'default: all')
    .option('--json', 'as JSON')
    .description('resume automatic runs, which are paused after a restore; do it only on the hub that is in production')
    .action((id: string | undefined, { json }: { json?: boolean }) => resume(id, json ?? false))
}

const resume = (id: string | undefined, json: boolean) =>
  withHub(async (hub) => {
    if (id !== undefined && !UUID.test(id)) throw new UsageError(`${id} is not the id of a connection: \`erp list\` shows them.`)
    const { recordEvent } = await import('../features/people/audit/index.ts')
    const resumed = await hub.change(async (sql) => {
      const matching = id === undefined ? sql`true` : sql`c.id = ${id}`
      const found = await sql`select from erp_connections c where ${matching}`
      if (id !== undefined && found.length === 0) throw new UsageError(`There is no connection ${id}: \`erp list\` shows all.`)
      const rows = await sql<Resumed[]>`
        update erp_connections c set paused_at = null, next_run_at = now() from tenants t
        where t.id = c.tenant_id and c.paused_at is not null and ${matching}
        returning c.id, c.tenant_id as "tenantId", t.name as tenant, c.name`
      for (const row of rows) {
        const target = { type: 'erp_connection', id: row.id, name: row.name }
        await recordEvent(sql, row.tenantId, operatorActor(), 'erp_connection.resumed', target)
      }
      return rows
    })
    if (json)
      return console.log(
        JSON.stringify(
          resumed.map(({ id, tenantId, name }) => ({ id, tenant_id: tenantId, name })),
          null,
          2,
        ),
      )
    if (resumed.length === 0) return console.log('No connection is paused.')
    for (const { id, tenant, name } of resumed) console.log(`${name} (${tenant}, ${id}) runs automatically again.`)
  })
