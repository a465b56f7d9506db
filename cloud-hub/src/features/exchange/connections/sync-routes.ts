import type { TenantScope } from '../../../db/scope.ts'
import { BadRequest, Conflict, fieldError, Unprocessable } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import { Id } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { recordEvent } from '../../people/audit/index.ts'
import { type ErpRunner, startSync } from '../sync/index.ts'
import { checkEntity } from './find-entity.ts'
import { LogBody } from './log-schemas.ts'
import { findConnection } from './manage-connection.ts'
import { presentEntry } from './present.ts'
import { ConnectionParams } from './schemas.ts'
import { SyncCreate } from './sync-schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'ERP integration'
const ENTITY_CODES = ['work_order_not_found', 'shift_log_not_found', 'downtime_record_not_found'] as const

/** @throws BadRequest for a combination that is not supported, before anything else; Unprocessable for the id */
function requestOf({ direction, entity_type: entityType, entity_id: given }: z.output<typeof SyncCreate>) {
  if ((direction === 'inbound') !== (entityType === 'machine'))
    throw new BadRequest(
      'erp_sync_unsupported',
      entityType === 'machine'
        ? 'Machines are fetched from the ERP and never sent to it: use the direction inbound.'
        : `Records of type ${entityType} are sent to the ERP and never fetched from it: use the direction outbound.`,
    )
  if (given === undefined || given === null) return { direction, entityType, entityId: null }
  const id = Id.safeParse(given)
  if (entityType === 'machine')
    throw new Unprocessable([fieldError('body.entity_id', 'must_be_absent', {}, 'is for outbound only: remove it')])
  if (!id.success) throw new Unprocessable([fieldError('body.entity_id', 'invalid_uuid')])
  return { direction, entityType, entityId: id.data }
}

export const syncRoutes = (deps: { erp: ErpRunner }) => [
  route(
    {
      method: 'post',
      path: '/erp/connections/{connection_id}/sync',
      operation: 'syncErpConnection',
      callsOut: true,
      access: 'any',
      tag,
      summary: 'Synchronize now',
      description:
        'Sends `work_order`, `production_data` or `downtime`, or fetches `machine`, and answers the log entries of the run: 200, also when some failed, and an empty list when nothing was due. After 60 seconds it answers the entries so far and the run goes on (`GET /erp/connections/{connection_id}/runs`). While another run of the connection is under way, it waits up to 10 seconds. A record that has not changed since the ERP accepted it is `skipped`.',
      params: ConnectionParams,
      body: SyncCreate,
      returns: z.array(LogBody),
      status: 200,
      seconds: 85,
      refuses: {
        400: ['erp_sync_unsupported'],
        404: ENTITY_CODES,
        409: ['erp_connection_inactive', 'sync_running'],
      },
    },
    async ({ scope, body, found }) => {
      const { direction, entityType, entityId } = requestOf(body)
      if (entityId) await checkEntity(scope, entityType, entityId)
      if (!found.isActive)
        throw new Conflict('erp_connection_inactive', 'The connection is inactive: activate it, then repeat the request.')
      const target = { type: 'erp_connection', id: found.id, name: found.name }
      const details = { direction, entity_type: entityType, entity_id: entityId }
      await scope.tx((sql) => recordEvent(sql, scope.tenantId, scope.actor, 'erp_connection.sync_requested', target, details))
      return (await startSync(deps.erp, scope, found, { direction, entityType, entityId })).map(presentEntry)
    },
    findConnection,
  ),
]
