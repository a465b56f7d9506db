import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { setTotal, TOTAL_HEADER } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { changeLog, createLog, deleteLog } from './change-log.ts'
import { changeDefinition, createDefinition, findDefinition, listDefinitions, lockDefinition } from './definitions.ts'
import { handoverOf } from './handover.ts'
import { minutesOf, presentDefinition, presentLog } from './present.ts'
import { activeLogs, findLog, listLogs, lockLog } from './repository.ts'
import {
  ActiveLogBody,
  ActiveQuery,
  DefinitionBody,
  DefinitionCreate,
  DefinitionParams,
  DefinitionPut,
  DefinitionQuery,
  HandoverBody,
  LogBody,
  LogCreate,
  LogPage,
  LogParams,
  LogPatch,
  LogQuery,
} from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Shifts'

const definitionRoutes = () => [
  route(
    {
      method: 'get',
      path: '/shifts/definitions',
      operation: 'listShiftDefinitions',
      access: 'any',
      tag,
      summary: 'Shift definitions',
      description:
        'The shifts of a day, in the local time of the site or of the plant, by `sort_order`, then by start. Those of all sites have no `group_id`.',
      query: DefinitionQuery,
      returns: z.array(DefinitionBody),
    },
    async ({ scope, query }) => (await listDefinitions(scope, query)).map(presentDefinition),
  ),
  route(
    {
      method: 'post',
      path: '/shifts/definitions',
      operation: 'createShiftDefinition',
      access: 'admin',
      tag,
      summary: 'Define a shift',
      description:
        'Times are those of each machine: of its site, where that has a time zone, else of the plant (`time_zone` of `/settings/plant`). With `group_id` the machines of that site have this shift beside those of all sites; a shift that ends at or before its start ends on the next day. When the clocks change, a shift across the change is an hour shorter or longer. A tenant has at most 200 definitions.',
      body: DefinitionCreate,
      returns: DefinitionBody,
      creates: true,
      refuses: { 404: ['machine_group_not_found'], 409: ['too_many_shift_definitions'] },
    },
    async ({ scope, body }) => presentDefinition(await createDefinition(scope, body)),
  ),
  route(
    {
      method: 'put',
      path: '/shifts/definitions/{definition_id}',
      operation: 'updateShiftDefinition',
      access: 'admin',
      tag,
      summary: 'Change a shift definition; what is not named stays',
      description:
        'New times hold for shifts that start from now on; logs keep their times, and show the new name and colour. New times without `duration_minutes` have their length computed.',
      params: DefinitionParams,
      body: DefinitionPut,
      changes: { lock: lockDefinition, current: async (scope, params) => presentDefinition(await findDefinition(scope, params)) },
      returns: DefinitionBody,
      refuses: { 404: ['machine_group_not_found'] },
    },
    async ({ scope, params, body }) => presentDefinition(await changeDefinition(scope, params.definition_id, body)),
    findDefinition,
  ),
  route(
    {
      method: 'delete',
      path: '/shifts/definitions/{definition_id}',
      operation: 'deactivateShiftDefinition',
      access: 'admin',
      tag,
      summary: 'Deactivate a shift definition',
      description:
        'The definition stays with `is_active` false, because its logs name it. PUT with `is_active` true brings it back.',
      params: DefinitionParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await changeDefinition(scope, params.definition_id, { is_active: false })
      return undefined
    },
  ),
]

const logRoutes = () => [
  route(
    {
      method: 'get',
      path: '/shifts/logs',
      operation: 'listShiftLogs',
      access: 'any',
      tag,
      summary: 'Shift logs, newest first',
      description: 'By `shift_date`, then by start, descending. A filter by an unknown machine or group answers an empty list.',
      query: LogQuery,
      returns: LogPage,
    },
    async ({ scope, query }) => {
      const { rows, total } = await listLogs(scope, query)
      return { items: rows.map(presentLog), total, page: query.page, page_size: query.page_size }
    },
  ),
  route(
    {
      method: 'post',
      path: '/shifts/logs',
      operation: 'createShiftLog',
      access: 'any',
      tag,
      summary: 'Start a shift on a machine, or record one that is over',
      description:
        'Without `status` the log is `completed` when it has an end, else `active`; `completed` without an end means now. A machine has at most one active log.',
      body: LogCreate,
      returns: LogBody,
      creates: true,
      refuses: { 404: ['machine_not_found', 'shift_definition_not_found'], 409: ['shift_log_active'] },
    },
    async ({ scope, body }) => presentLog(await createLog(scope, body)),
  ),
  route(
    {
      method: 'patch',
      path: '/shifts/logs/{log_id}',
      operation: 'updateShiftLog',
      access: 'any',
      tag,
      summary: 'Change, complete or cancel a shift log; what is not named stays',
      description:
        'An active log can be completed, without `actual_end` now, or cancelled. Times, supervisor, operators and notes change after that too, and the OEE of a completed log follows its times.',
      params: LogParams,
      body: LogPatch,
      changes: { lock: lockLog, current: async (scope, params) => presentLog(await findLog(scope, params)) },
      returns: LogBody,
      refuses: { 409: ['transition_not_allowed'] },
    },
    async ({ scope, params, body }) => presentLog(await changeLog(scope, params.log_id, body)),
    findLog,
  ),
  route(
    {
      method: 'delete',
      path: '/shifts/logs/{log_id}',
      operation: 'deleteShiftLog',
      access: 'admin',
      tag,
      summary: 'Delete a shift log',
      description: 'Its OEE no longer counts. A log that the hub started is not started again.',
      params: LogParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await deleteLog(scope, params.log_id)
      return undefined
    },
    findLog,
  ),
  route(
    {
      method: 'get',
      path: '/shifts/logs/{log_id}/handover',
      operation: 'getShiftHandover',
      access: 'any',
      tag,
      summary: 'What the next shift must know',
      description:
        'The log with the alerts, the downtime and the notes of its machine during the shift; an active shift lasts until now.',
      params: LogParams,
      returns: HandoverBody,
    },
    ({ scope, found }) => handoverOf(scope, found),
    findLog,
  ),
  route(
    {
      method: 'get',
      path: '/shifts/active',
      operation: 'listActiveShifts',
      answerHeaders: TOTAL_HEADER,
      access: 'any',
      tag,
      summary: 'Shifts in progress',
      description: 'The active logs of all machines, by start.',
      query: ActiveQuery,
      returns: z.array(ActiveLogBody),
    },
    async ({ scope, query, caller }) => {
      const now = scope.clock.now().getTime()
      const { rows, total } = await activeLogs(scope, query)
      setTotal(caller, query, total)
      return rows.map((row) => ({
        ...presentLog(row),
        elapsed_minutes: minutesOf(Math.max(0, now - row.actualStart.getTime())),
      }))
    },
  ),
]

export const shiftRoutes = () => [...definitionRoutes(), ...logRoutes()]
