import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { claimTestQuota, type SendingLimits } from '../../mails/index.ts'
import { recordEvent } from '../../people/audit/index.ts'
import type { ExchangeDeps } from '../open-session.ts'
import { configKeys } from '../providers/index.ts'
import type { ErpRunner } from '../sync/index.ts'
import { logRoutes } from './log-routes.ts'
import {
  changeConnection,
  createConnection,
  deleteConnection,
  findConnection,
  listConnections,
  lockConnection,
} from './manage-connection.ts'
import { presentConnection } from './present.ts'
import { preview } from './preview.ts'
import { PreviewBody, PreviewCreate } from './preview-schemas.ts'
import {
  CONFIG_EXAMPLES,
  ConnectionBody,
  ConnectionCreate,
  ConnectionParams,
  ConnectionPatch,
  ConnectionTest,
  MAX_CONNECTIONS,
} from './schemas.ts'
import { syncRoutes } from './sync-routes.ts'
import { TEST_SECONDS, testConnection } from './test-connection.ts'

const route = routeFor<TenantScope>()
const tag = 'ERP integration'

export interface ErpDeps extends ExchangeDeps {
  config: ExchangeDeps['config'] & { sendingLimits: SendingLimits }
  erp: ErpRunner
}

const settingsOf = <T extends z.output<typeof ConnectionPatch>>(body: T) => ({
  name: body.name as T['name'],
  config: body.config as T['config'],
  isActive: body.is_active as T['is_active'],
  autoPushWorkOrders: body.auto_push_work_orders as T['auto_push_work_orders'],
  autoPushProductionData: body.auto_push_production_data as T['auto_push_production_data'],
  autoPushDowntime: body.auto_push_downtime as T['auto_push_downtime'],
  autoPullAssets: body.auto_pull_assets as T['auto_pull_assets'],
  syncIntervalMinutes: body.sync_interval_minutes as T['sync_interval_minutes'],
  fieldMapping: body.field_mapping as T['field_mapping'],
})

export const erpRoutes = (deps: ErpDeps) => [
  route(
    {
      method: 'get',
      path: '/erp/connections',
      operation: 'listErpConnections',
      access: 'any',
      tag,
      summary: 'List ERP connections, oldest first',
      description: 'All connections of the tenant in one list. Secrets in `config` are `***`.',
      returns: z.array(ConnectionBody),
    },
    async ({ scope }) => (await listConnections(scope)).map(presentConnection),
  ),
  route(
    {
      method: 'post',
      path: '/erp/connections',
      operation: 'createErpConnection',
      access: 'admin',
      tag,
      summary: 'Connect an ERP',
      description: [
        `A connection sends work orders, production data and downtime to an ERP and fetches machines from it: by hand, and automatically for each toggle that is on. A tenant has at most ${MAX_CONNECTIONS}. The address is HTTPS on a public host. \`config\` by provider; keys with a question mark are optional.`,
        ...configKeys(),
        'Examples:',
        ...CONFIG_EXAMPLES,
      ].join('\n'),
      body: ConnectionCreate,
      returns: ConnectionBody,
      creates: true,
      refuses: { 409: ['too_many_erp_connections'] },
    },
    async ({ scope, body }) => presentConnection(await createConnection(deps, scope, body.provider, settingsOf(body))),
  ),
  route(
    {
      method: 'get',
      path: '/erp/connections/{connection_id}',
      operation: 'getErpConnection',
      access: 'any',
      tag,
      summary: 'An ERP connection',
      description: 'Secrets in `config` are `***`.',
      params: ConnectionParams,
      returns: ConnectionBody,
    },
    async ({ scope, params }) => presentConnection(await findConnection(scope, params)),
  ),
  route(
    {
      method: 'patch',
      path: '/erp/connections/{connection_id}',
      operation: 'updateErpConnection',
      access: 'admin',
      tag,
      summary: 'Change an ERP connection',
      description:
        'Changes the given fields. `config` merges: an absent key stays, `***` keeps a secret, null deletes a key. A changed address needs its secrets again, because a secret goes only where it was entered for. `field_mapping` is replaced as a whole. A changed configuration stops a run under way and is tried at once; with another `base_url`, `client` or `paths`, records are searched in that ERP before they are created there.',
      params: ConnectionParams,
      body: ConnectionPatch,
      changes: { lock: lockConnection, current: async (scope, params) => presentConnection(await findConnection(scope, params)) },
      returns: ConnectionBody,
    },
    async ({ scope, params, body }) =>
      presentConnection(
        await changeConnection(deps, scope, params.connection_id, { ...settingsOf(body), provider: body.provider }),
      ),
    findConnection,
  ),
  route(
    {
      method: 'delete',
      path: '/erp/connections/{connection_id}',
      operation: 'deleteErpConnection',
      access: 'admin',
      tag,
      summary: 'Delete an ERP connection; its logs stay',
      description: 'A run under way stops. Records in the ERP stay, and so do the logs (`GET /erp/logs`).',
      params: ConnectionParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await deleteConnection(scope, params.connection_id)
      return undefined
    },
  ),
  route(
    {
      method: 'post',
      path: '/erp/connections/{connection_id}/test',
      operation: 'testErpConnection',
      isTrial: true,
      access: 'admin',
      tag,
      summary: 'Test an ERP connection, also an inactive one',
      description:
        'Signs in to the ERP and reads from the path of each entity; nothing is written there. Answers what was found: a failed test is 200 with `success` false. At most 4 tests of a tenant run at once.',
      params: ConnectionParams,
      returns: ConnectionTest,
      status: 200,
      seconds: TEST_SECONDS + 5,
      refuses: { 429: ['sending_limit', 'tests_under_way'] },
    },
    async ({ scope, params }) => {
      const row = await findConnection(scope, params)
      await scope.tx((sql) => claimTestQuota(sql, scope.clock.now(), deps.config.sendingLimits, scope.tenantId))
      const answer = await testConnection(deps, scope, row)
      const { success, message } = answer
      const target = { type: 'erp_connection', id: row.id, name: row.name }
      await scope.tx((sql) =>
        recordEvent(sql, scope.tenantId, scope.actor, 'erp_connection.tested', target, { success, message }),
      )
      return answer
    },
  ),
  route(
    {
      method: 'post',
      path: '/erp/connections/{connection_id}/preview',
      operation: 'previewErpConnection',
      isTrial: true,
      access: 'admin',
      tag,
      summary: 'Show what would be sent for a record',
      description:
        'The request that a sync would make for the record, with `field_mapping` applied, and whether it would create or update. Nothing is sent, and the ERP is not called. It works for an inactive connection too.',
      params: ConnectionParams,
      body: PreviewCreate,
      returns: PreviewBody,
      status: 200,
      refuses: { 404: ['work_order_not_found', 'shift_log_not_found', 'downtime_record_not_found'] },
    },
    async ({ scope, body, found }) => preview(deps, scope, found, body.entity_type, body.entity_id),
    findConnection,
  ),
  ...syncRoutes(deps),
  ...logRoutes(),
]
