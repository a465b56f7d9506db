import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { setTotal, TOTAL_HEADER } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { OrderBody, presentOrder } from '../orders/index.ts'
import { changeEvent } from './change-event.ts'
import { createEvent } from './create-event.ts'
import { createWorkOrder } from './create-work-order.ts'
import { deleteEvent } from './delete-event.ts'
import { presentEvent } from './present.ts'
import { findEvent, listEvents, lockEvent } from './repository.ts'
import { EventBody, EventCreate, EventParams, EventPut, EventQuery } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Maintenance'

export const maintenanceRoutes = () => [
  route(
    {
      method: 'post',
      path: '/maintenance',
      operation: 'createMaintenanceEvent',
      access: 'operator',
      tag,
      summary: 'Plan maintenance, once or as a series',
      description:
        "With a `recurrence_rule` the event is the first occurrence of a series. The following ones are events of their own, made 12 months ahead, none in the past: each starts its number of days, weeks, months or quarters after the first in the local time of the machine's site, or of the plant (`time_zone` of `/settings/plant`). The last day of a month stands for days that a month lacks.",
      body: EventCreate,
      returns: EventBody,
      creates: true,
      refuses: { 404: ['machine_not_found', 'alert_not_found', 'user_not_found', 'checklist_not_found'] },
    },
    async ({ scope, body }) => presentEvent(await createEvent(scope, body)),
  ),
  route(
    {
      method: 'get',
      path: '/maintenance',
      operation: 'listMaintenanceEvents',
      answerHeaders: TOTAL_HEADER,
      access: 'any',
      tag,
      summary: 'Maintenance events by their start',
      description:
        'All events that match, by `scheduled_start`, at most 10,000: narrow more down with `start_after` and `end_before`, or read pages. A filter by an unknown machine or group answers an empty list.',
      query: EventQuery,
      returns: z.array(EventBody),
    },
    async ({ scope, query, caller }) => {
      const { rows, total } = await listEvents(scope, query)
      setTotal(caller, query, total)
      return rows.map(presentEvent)
    },
  ),
  route(
    {
      method: 'get',
      path: '/maintenance/{event_id}',
      operation: 'getMaintenanceEvent',
      access: 'any',
      tag,
      summary: 'One maintenance event',
      description: 'The event as it is now.',
      params: EventParams,
      returns: EventBody,
    },
    async ({ found }) => presentEvent(found),
    findEvent,
  ),
  route(
    {
      method: 'put',
      path: '/maintenance/{event_id}',
      operation: 'updateMaintenanceEvent',
      access: 'operator',
      tag,
      summary: 'Change, start, complete or cancel an event; what is not named stays',
      description:
        'From the answer to `in_progress` until the event is completed, cancelled or deleted, alerts that are raised on its machine send no notifications and never escalate, and earlier alerts escalate only afterwards. A change of the first occurrence of a series also changes those that have neither started nor been changed by themselves; times move by the same shift in local time, and cancelling cancels them. Starting and completing concern one event.',
      params: EventParams,
      body: EventPut,
      changes: {
        lock: (sql, scope, { event_id }) => lockEvent(sql, scope, event_id),
        current: async (scope, params) => presentEvent(await findEvent(scope, params)),
      },
      returns: EventBody,
      refuses: { 404: ['user_not_found', 'checklist_not_found'], 409: ['maintenance_transition'] },
    },
    async ({ scope, params, body }) => presentEvent(await changeEvent(scope, params.event_id, body)),
    findEvent,
  ),
  route(
    {
      method: 'delete',
      path: '/maintenance/{event_id}',
      operation: 'deleteMaintenanceEvent',
      access: 'operator',
      tag,
      summary: 'Delete an event, and of a series what has not started',
      description:
        'Deletes the event with its attachments. With the first occurrence of a series those go that have neither started nor been changed by themselves; the others stay, with `parent_event_id` null. A deleted occurrence of a series is not made again.',
      params: EventParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await deleteEvent(scope, params.event_id)
      return undefined
    },
    findEvent,
  ),
  route(
    {
      method: 'post',
      path: '/maintenance/{event_id}/work-order',
      operation: 'createMaintenanceWorkOrder',
      access: 'operator',
      tag,
      summary: 'Create the work order of an event from its checklist',
      description:
        'The work order gets machine, title, description, alert and assignee of the event, is due at its end, and has the steps of its checklist as instructions. An event has at most one open work order.',
      params: EventParams,
      returns: OrderBody,
      creates: true,
      refuses: { 409: ['work_order_exists'] },
    },
    async ({ scope, params }) => presentOrder(await createWorkOrder(scope, params.event_id)),
    findEvent,
  ),
]
