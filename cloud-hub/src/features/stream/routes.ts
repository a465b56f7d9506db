import type { TenantScope } from '../../db/scope.ts'
import { compressEvents } from '../../support/http/compress.ts'
import { routeFor } from '../../support/http/route.ts'
import { Id, whole } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'
import { type SigningKeys, streamCredential } from '../people/accounts/index.ts'
import { ofGroup } from '../plant/machine-groups/index.ts'
import type { Live } from './live.ts'

const route = routeFor<TenantScope>()

const DESCRIPTION = `Server-sent events, about a second after a change. Each event has the current state of a resource, as the lists show it, and may repeat an earlier one:

- \`ready\`: \`{"resumed": true|false}\`, first. When false, earlier changes are not sent: read the current state with GET.
- \`readings\`: \`{"machine_id", "readings": [{"metric_name", "unit", "timestamp", "value", "raw_tag"}]}\`: new latest values; of several between two events only the newest.
- \`status\`: \`{"machine_id", "machine_identifier", "name", "status", "is_active"}\`.
- \`alert\`: an alert as \`GET /alerts/{alert_id}\` shows it, when raised, acknowledged, snoozed or cleared.
- \`work_order\`: a work order as \`GET /work-orders/{work_order_id}\` shows it, when created or changed.
- \`maintenance\`: an event as \`GET /maintenance/{event_id}\` shows it, when created or changed.
- \`downtime\`: a record as \`GET /machines/{machine_id}/downtime\` shows it, when it begins, ends or is changed.
- \`shift\`: a log as \`GET /shifts/logs\` shows it, when it starts, ends or is changed.
- \`note\`: a note as \`GET /notes/{note_id}\` shows it, when written or changed. A stream of single machines gets no notes about groups.
- \`deleted\`: \`{"kind": "work_order"|"maintenance"|"downtime"|"shift"|"note", "id", "machine_id"}\`; \`machine_id\` is null of a note about a group.
- \`reset\`: \`{"of": "readings"|"status"|"alert"|"work_order"|"maintenance"|"downtime"|"shift"|"note"|"deleted"}\`: more of these changed at once than a stream sends (5,000, 1,000, 500, 500, 1,000, 500, 1,000, 500, 1,000): read them with GET, or filter by machine. A round of readings with \`readings_interval\` of 2, 3, or 4 and more sends up to 10,000, 15,000 or 20,000.
- \`end\`: \`{"reason"}\`, the last: \`signed_out\`, \`role_changed\`, \`token_expired\`, \`outside_groups\`, \`hub_stopping\`, \`hub_full\`, \`too_slow\`.

Reconnect with the header \`Last-Event-ID\` within a day, to any replica: each resource that changed meanwhile is sent once, in its current state. A comment keeps the connection open every 15 seconds. The stream ends within 5 seconds of its credential; \`signed_out\` also means that an access token was revoked, \`outside_groups\` that what is asked for has left the groups of an access token. A client that reads slowly gets fewer events; one that reads nothing for 30 seconds is disconnected. Each replica serves 10 streams a user or access token, 100 a tenant, of which access tokens have at most 50, and 1,000 in all; a full one ends the oldest stream of the tenant with most for a newcomer (\`hub_full\`).`

const EXAMPLE = `event: ready
id: 1769860800000-740:740:
data: {"resumed":false}

event: status
id: 1769860801000-742:742:
data: {"machine_id":"0198c7d4-5a00-7000-8000-0000f5a48bee","machine_identifier":"press-01","name":"Press 1","status":"critical","is_active":true}

`

export const liveRoutes = (deps: { live: Live; keys: SigningKeys }) => [
  route(
    {
      method: 'get',
      path: '/stream',
      operation: 'streamEvents',
      access: 'any',
      tag: 'Live',
      summary: 'Latest values, machine status, alerts, work orders, maintenance, downtime, shifts and notes as they change',
      description: DESCRIPTION,
      query: z.object({
        machine_id: z
          .array(Id)
          .max(100, 'may name at most 100 machines')
          .optional()
          .describe('Only these machines, at most 100: the parameter repeated, or one value with commas.'),
        group_id: ofGroup('machines'),
        readings_of: z
          .array(z.union([z.literal('none'), Id]))
          .max(200, 'may name at most 200 machines')
          .optional()
          .openapi({
            description:
              'Sends `readings` of these machines only, at most 200, or `none`: for a page that shows few of them. All other events go on. Without it the readings of all machines of the stream are sent.',
            example: ['none'],
          }),
        readings_interval: whole(60).default(1).openapi({
          default: 1,
          description:
            'Seconds between two rounds of `readings`, 1 to 60: a round sends the newest value of each metric. All other events are sent as they happen.',
          example: 1,
        }),
      }),
      queryLists: ['machine_id', 'readings_of'],
      returns: null,
      media: { 'text/event-stream': { description: 'Server-sent events, as described above.', example: EXAMPLE } },
      status: 200,
      refuses: { 429: ['too_many_streams'], 503: ['streams_full', 'hub_stopping'] },
    },
    async ({ scope, query, caller }) => {
      const body = await deps.live.open({
        scope,
        held: await streamCredential(deps.keys, scope, caller.headers),
        wanted: { machineIds: query.machine_id ? [...new Set(query.machine_id)] : null, groupId: query.group_id },
        readingsOf: query.readings_of ? [...new Set(query.readings_of)].filter((id) => id !== 'none') : null,
        readingsInterval: query.readings_interval,
        lastEventId: caller.headers.get('last-event-id'),
        destroySocket: caller.destroySocket,
      })
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        // nginx would buffer events otherwise
        'x-accel-buffering': 'no',
      }
      return compressEvents(body, headers, caller.headers) as never
    },
  ),
]
