import { topicPrefix } from '@haltless/protocol'
import type { TenantScope } from '../../../db/scope.ts'
import { type Caller, routeFor } from '../../../support/http/route.ts'
import { selectPage, TOTAL_HEADER } from '../../../support/http/shapes.ts'
import { refusePlainKeyOfEnrolled, requireNamedAgent } from '../../people/accounts/index.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import { loadAgentSources } from '../../telemetry/polling/index.ts'
import { findNewestVersion } from '../updates/index.ts'
import type { AgentDeps } from './deps.ts'
import { listGaps } from './gaps.ts'
import { directivesFor, recordTelemetry } from './heartbeat.ts'
import { presentAgent, selectAgents } from './present-fleet.ts'
import {
  changeGroupOfAgent,
  directivesFacts,
  findAgent,
  listAgents,
  lockAgent,
  machineStates,
  requestRequeue,
  retireAgent,
} from './repository.ts'
import {
  AgentParams,
  AgentPatch,
  CheckAnswerBody,
  CheckBody,
  DirectivesBody,
  DirectivesQuery,
  FleetAgent,
  FleetBody,
  FleetQuery,
  GapPage,
  GapQuery,
  HeartbeatBody,
  RequeueBody,
  TelemetryBody,
} from './schemas.ts'
import { latestOf } from './version.ts'

const route = routeFor<TenantScope>()
const tag = 'Fleet and edge agent'
/** Lifetime of an agent's MQTT password; heartbeats renew it much earlier. */
const MQTT_TOKEN_SECONDS = 3_600

const UNPAID = {
  402: { description: 'The subscription needs payment.', shows: { status: 'payment_required' } },
}

/** 402 has the body of the specification instead of a problem document. */
const payFirst = (status: string, caller: Caller) => {
  if (status === 'payment_required') caller.setStatus(402)
}

async function currentAgent(config: AgentDeps['config'], scope: TenantScope, params: { agent_id: string }) {
  const [row, newestRelease] = await Promise.all([findAgent(scope, params), scope.read(findNewestVersion)])
  return presentAgent(row, latestOf(config, newestRelease), scope.clock.now())
}

export const agentRoutes = ({ pools, keys, box, clock, config, mqttUrl }: AgentDeps) => [
  route(
    {
      method: 'get',
      path: '/agent/heartbeat',
      operation: 'getAgentSettings',
      access: 'key',
      tag,
      summary: 'What the hub wants of agents',
      description:
        'Whether the subscription is active, when to ask again, and which agent versions the hub knows. It reports nothing; agents use POST.',
      query: DirectivesQuery,
      refuses: { 403: ['credential_of_other_agent'] },
      alsoAnswers: UNPAID,
      returns: DirectivesBody,
    },
    async ({ scope, query, caller }) => {
      requireNamedAgent(scope, query.agent_id)
      const directives = directivesFor(config, await directivesFacts(pools.system, scope.tenantId), query.agent_version)
      payFirst(directives.status, caller)
      return directives
    },
  ),
  route(
    {
      method: 'post',
      path: '/agent/heartbeat',
      operation: 'sendAgentHeartbeat',
      holdsSecrets: true,
      access: 'key',
      tag,
      summary: 'Report an agent, and learn how to reach the broker',
      description:
        'Agents call this every `next_check_seconds`. It stores the telemetry and the reported gaps, and answers how to reach the broker: `mqtt.password` is a token of one hour that opens only the topics of this agent. A second live holder of an `agent_id` is refused. `sources` is present when the agent reports another revision of its polling sources than it should run.',
      body: TelemetryBody,
      alsoAnswers: UNPAID,
      returns: HeartbeatBody,
      status: 200,
      refuses: { 403: ['credential_of_other_agent', 'credential_required'], 409: ['agent_id_in_use'] },
    },
    async ({ scope, body, caller }) => {
      requireNamedAgent(scope, body.agent_id)
      await refusePlainKeyOfEnrolled(pools.system, scope, body.agent_id)
      const now = clock.now()
      const { wantsSources, requeueId, update } = await recordTelemetry(
        pools.system,
        scope.tenantId,
        body,
        now,
        config.heartbeatSeconds,
        true,
      )
      const directives = directivesFor(config, await directivesFacts(pools.system, scope.tenantId), body.agent_version)
      payFirst(directives.status, caller)
      if (directives.status === 'payment_required') return directives
      const claims = {
        sub: body.agent_id,
        tid: scope.tenantId,
        key: scope.actor.id,
        ...(body.instance_id ? { iid: body.instance_id } : {}),
      }
      const mqtt = {
        url: mqttUrl(caller.headers.get('host')),
        username: `${scope.tenantId}/${body.agent_id}`,
        password: await keys.mqtt.sign(claims, MQTT_TOKEN_SECONDS, now),
        topic_prefix: topicPrefix(scope.tenantId, body.agent_id),
      }
      const sources = wantsSources
        ? await loadAgentSources({ allTenants: pools.system, box }, scope.tenantId, body.agent_id)
        : null
      return {
        ...directives,
        time: clock.now().toISOString(),
        mqtt,
        ...(sources && { sources }),
        ...(requeueId && { requeue: requeueId }),
        ...(update && { update }),
      }
    },
  ),
  route(
    {
      method: 'post',
      path: '/agent/check',
      operation: 'checkAgent',
      isTrial: true,
      access: 'key',
      tag,
      summary: 'Check the machines of an agent before it sends',
      description:
        'Which of the machines that an agent is configured for exist and are active, and the time of the hub. It stores nothing: `haltless-agent check` calls it, so that a wrong identifier shows before its readings are rejected.',
      body: CheckBody,
      refuses: { 403: ['credential_of_other_agent'] },
      returns: CheckAnswerBody,
      status: 200,
    },
    async ({ scope, body }) => {
      requireNamedAgent(scope, body.agent_id)
      const machines = await machineStates(pools.system, scope.tenantId, body.machine_identifiers)
      return { time: clock.now().toISOString(), machines }
    },
  ),
  route(
    {
      method: 'get',
      path: '/agent/fleet',
      operation: 'listAgents',
      answerHeaders: TOTAL_HEADER,
      access: 'admin',
      tag,
      summary: 'Every agent of the tenant, as it last reported itself',
      description: 'All agents of the tenant that match, as each last reported itself.',
      query: FleetQuery,
      returns: FleetBody,
    },
    async ({ scope, query, caller }) => {
      const [rows, newestRelease] = await Promise.all([
        listAgents(scope, { groupId: query.group_id }),
        scope.read(findNewestVersion),
      ])
      const settings = latestOf(config, newestRelease)
      const agents = selectAgents(
        rows.map((row) => presentAgent(row, settings, scope.clock.now())),
        query,
      )
      return { agents: selectPage(agents, query, caller), total: agents.length }
    },
  ),
  route(
    {
      method: 'patch',
      path: '/agent/fleet/{agent_id}',
      operation: 'updateAgent',
      access: 'admin',
      tag,
      summary: 'Give an agent a site or another group',
      description:
        'Changes the given fields. The group says where the agent is, and changes nothing of what it reads or sends. An agent gets that of its enrolment key at first.',
      params: AgentParams,
      body: AgentPatch,
      changes: { lock: lockAgent, current: (scope, params) => currentAgent(config, scope, params) },
      returns: FleetAgent,
      refuses: { 404: ['agent_not_found', 'machine_group_not_found'] },
    },
    async ({ scope, params, body }) => {
      if (body.group_id !== undefined) await changeGroupOfAgent(scope, params.agent_id, body.group_id)
      return currentAgent(config, scope, params)
    },
    findAgent,
  ),
  route(
    {
      method: 'post',
      path: '/agent/fleet/{agent_id}/requeue',
      operation: 'requeueAgentReadings',
      access: 'admin',
      tag,
      summary: 'Let an agent send rejected readings once more',
      description:
        'After the cause was corrected, such as a machine that did not exist. `dead_letters` of the fleet lists the reasons. The agent gets the request with its next heartbeat, and `requeue_requested_at` is null once it has reported that it executed it. Agents of before this version ignore it. Readings that the hub rejects again are kept aside again.',
      params: AgentParams,
      returns: RequeueBody,
      status: 202,
      refuses: { 404: ['agent_not_found'] },
    },
    async ({ scope, params }) => {
      const requested = await requestRequeue(scope, params.agent_id)
      return { agent_id: params.agent_id, requeue_requested_at: requested.toISOString() }
    },
  ),
  route(
    {
      method: 'post',
      path: '/agent/fleet/{agent_id}/retire',
      operation: 'retireAgent',
      access: 'admin',
      tag,
      summary: 'Take an agent that is gone off the list',
      description:
        'For a box that was taken out of service: `GET /agent/fleet` shows it only with `retired=true`, and its credentials are revoked. Its readings and data gaps stay. It is back on the list as soon as it reports again, with a plain API key or after it was enrolled again. Repeating the call changes nothing.',
      params: AgentParams,
      returns: null,
      refuses: { 404: ['agent_not_found'], 409: ['agent_online'] },
    },
    async ({ scope, params }) => {
      await retireAgent(scope, params.agent_id, config.heartbeatSeconds)
      return undefined
    },
  ),
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/data-gaps',
      operation: 'listDataGaps',
      access: 'any',
      tag: 'Sensor data',
      summary: 'What agents had to drop or could not poll of a machine, latest first',
      description:
        'The readings that agents had to drop, because their disk was full or for their age, and the polls that brought nothing, counted exactly by metric and span. Latest first.',
      params: MachineParams,
      query: GapQuery,
      returns: GapPage,
    },
    async ({ scope, query, found: machine }) => {
      const { items, total } = await listGaps(scope, machine.machine_identifier, query.page, query.page_size)
      const presented = items.map((row) => ({
        id: row.id,
        agent_id: row.agentId,
        collector: row.collector,
        metric_name: row.metricName,
        unit: row.unit,
        from: row.fromAt.toISOString(),
        to: row.toAt.toISOString(),
        count: row.count,
        reason: row.reason,
        created_at: row.createdAt.toISOString(),
      }))
      return { items: presented, pagination: { total, page: query.page, page_size: query.page_size } }
    },
    findMachine,
  ),
]
