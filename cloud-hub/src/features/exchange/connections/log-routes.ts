import type { TenantScope } from '../../../db/scope.ts'
import { cursorPage, type ListPart, listPartOf } from '../../../support/http/cursor.ts'
import { routeFor } from '../../../support/http/route.ts'
import { AllLogsQuery, LogPage, LogQuery, RunBody, RunPage, RunParams, RunQuery } from './log-schemas.ts'
import { findConnection } from './manage-connection.ts'
import { presentEntry, presentRun } from './present.ts'
import { findRun, listLogs, listRuns } from './repository.ts'
import { ConnectionParams } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'ERP integration'

const logPage = (part: ListPart, { rows, total }: Awaited<ReturnType<typeof listLogs>>) => {
  const page = cursorPage(part, rows, total, ({ createdAt, id }) => ({ at: createdAt, id }))
  return { items: page.items.map(presentEntry), ...page.pagination, next_cursor: page.next_cursor }
}

export const logRoutes = () => [
  route(
    {
      method: 'get',
      path: '/erp/connections/{connection_id}/logs',
      operation: 'listErpConnectionLogs',
      access: 'any',
      tag,
      summary: 'Sync log of an ERP connection, newest first',
      description:
        'One entry for each attempt to exchange a record, and one for a run that ended before its first record. Kept for 400 days.',
      params: ConnectionParams,
      query: LogQuery,
      returns: LogPage,
    },
    async ({ scope, params, query }) => {
      const part = listPartOf(['erp-connection-logs', scope.tenantId, params.connection_id], query)
      return logPage(part, await listLogs(scope, { ...query, erp_connection_id: params.connection_id }, part))
    },
    findConnection,
  ),
  route(
    {
      method: 'get',
      path: '/erp/logs',
      operation: 'listErpLogs',
      access: 'any',
      tag,
      summary: 'Sync log of all ERP connections, newest first',
      description: 'As the log of one connection, with the entries of connections that were deleted.',
      query: AllLogsQuery,
      returns: LogPage,
    },
    async ({ scope, query }) => {
      const part = listPartOf(['erp-logs', scope.tenantId], query)
      return logPage(part, await listLogs(scope, query, part))
    },
  ),
  route(
    {
      method: 'get',
      path: '/erp/connections/{connection_id}/runs',
      operation: 'listErpConnectionRuns',
      access: 'any',
      tag,
      summary: 'Runs of an ERP connection, newest first',
      description:
        'Manual and automatic runs with their progress. A sync by hand that takes more than 60 seconds goes on, and is followed here.',
      params: ConnectionParams,
      query: RunQuery,
      returns: RunPage,
    },
    async ({ scope, params, query }) => {
      const { rows, total } = await listRuns(scope, params.connection_id, query)
      return { items: rows.map(presentRun), total, page: query.page, page_size: query.page_size }
    },
    findConnection,
  ),
  route(
    {
      method: 'get',
      path: '/erp/connections/{connection_id}/runs/{run_id}',
      operation: 'getErpConnectionRun',
      access: 'any',
      tag,
      summary: 'A run of an ERP connection',
      description: 'Its progress; the counters grow while it runs.',
      params: RunParams,
      returns: RunBody,
    },
    async ({ scope, params }) => {
      await findConnection(scope, params)
      return presentRun(await findRun(scope, params.connection_id, params.run_id))
    },
  ),
]
