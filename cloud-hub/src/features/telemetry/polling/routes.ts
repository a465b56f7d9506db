import { type Fault, fault } from '@haltless/protocol'
import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { refusePlainKeyOfEnrolled, requireNamedAgent } from '../../people/accounts/index.ts'
import { faultOfText } from '../../plant/faults/index.ts'
import { findMachine } from '../../plant/machines/index.ts'
import { type AgentView, agentProblem, agentViews } from './agent-view.ts'
import { browse, takeBrowseAnswer } from './browse-source.ts'
import type { CollectingDeps } from './collecting.ts'
import {
  changeSource,
  createSource,
  deactivatedMachines,
  deleteSource,
  findSource,
  listSources,
  lockSource,
  type SourceDeps,
  type SourceRow,
} from './manage-source.ts'
import {
  BrowseAnswerBody,
  BrowseBody,
  BrowseFound,
  ConnectionTest,
  SourceBody,
  SourceCreate,
  SourceParams,
  SourcePut,
} from './schemas.ts'
import { testConnection } from './test-connection.ts'

const route = routeFor<TenantScope>()
const tag = 'Sensor data'

/** The agents that poll sources, and the deactivated machines. */
interface PollingContext {
  agents: Map<string, AgentView>
  idle: ReadonlySet<string>
}

/** What is wrong with a source, as a text and, where it has a code, as a fault. */
function troubleOf(row: SourceRow, { agents, idle }: PollingContext): { text: string | null; fault: Fault | null } {
  const found = row.isActive ? hiddenTrouble(row, agents, idle) : null
  if (found) return { text: found.detail, fault: found }
  return { text: row.lastError, fault: faultOfText(row.lastFault, row.lastError) }
}

/** Why the last report about a source says nothing of now. */
function hiddenTrouble(row: SourceRow, agents: PollingContext['agents'], idle: PollingContext['idle']): Fault | null {
  if (idle.has(row.machineId)) return fault('machine_inactive')
  return row.agentId ? agentProblem(row.agentId, agents.get(row.agentId)) : null
}

const withVersion = versionedBy(SourcePut)
const present = (row: SourceRow, context: PollingContext, trouble = troubleOf(row, context)) =>
  withVersion(
    {
      id: row.id,
      tenant_id: row.tenantId,
      machine_id: row.machineId,
      name: row.name,
      protocol: row.protocol,
      host: row.host,
      port: row.port,
      poll_interval_seconds: row.pollIntervalSeconds,
      is_active: row.isActive,
      config: row.config,
      last_polled_at: row.lastPolledAt?.toISOString() ?? null,
      last_error: trouble.text,
      last_fault: trouble.fault,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    },
    row.sealedSecrets,
  )

const settingsOf = (body: z.output<typeof SourcePut>) => ({
  machineId: body.machine_id,
  name: body.name,
  protocol: body.protocol,
  host: body.host,
  port: body.port,
  pollIntervalSeconds: body.poll_interval_seconds,
  isActive: body.is_active,
  config: body.config,
})

/** 8 seconds for the device, and before them the start of the process that reads it. */
const ASK_SECONDS = 40

export const pollingRoutes = (deps: SourceDeps & CollectingDeps) => {
  const loadContext = async (scope: TenantScope): Promise<PollingContext> => {
    const [agents, idle] = await Promise.all([agentViews(scope, deps.config.heartbeatSeconds), deactivatedMachines(scope)])
    return { agents, idle }
  }
  const presentOne = async (scope: TenantScope, row: SourceRow) => present(row, await loadContext(scope))
  return [
    route(
      {
        method: 'post',
        path: '/ingest-sources',
        operation: 'createIngestSource',
        access: 'operator',
        tag,
        summary: 'Create a polling source',
        description:
          'A source is a PLC or gateway that is polled for readings of a machine. The edge agent that `config.agent_id` names polls it inside its plant and receives it at once. Without `agent_id` the hub polls it, and `host` must be a public address.',
        body: SourceCreate,
        returns: SourceBody,
        creates: true,
        refuses: { 404: ['machine_not_found'], 409: ['too_many_sources'] },
      },
      async ({ scope, body }) =>
        presentOne(
          scope,
          await createSource(deps, scope, {
            machineId: body.machine_id,
            name: body.name,
            protocol: body.protocol,
            host: body.host,
            port: body.port,
            pollIntervalSeconds: body.poll_interval_seconds,
            isActive: body.is_active,
            config: body.config,
          }),
        ),
    ),
    route(
      {
        method: 'get',
        path: '/ingest-sources',
        operation: 'listIngestSources',
        access: 'operator',
        tag,
        summary: 'List polling sources, oldest first',
        description: 'All sources of the tenant in one list, oldest first, with their last error. Secrets in `config` are `***`.',
        returns: z.array(SourceBody),
      },
      async ({ scope }) => {
        const [rows, context] = await Promise.all([listSources(scope), loadContext(scope)])
        return rows.map((row) => present(row, context))
      },
    ),
    route(
      {
        method: 'get',
        path: '/ingest-sources/{source_id}',
        operation: 'getIngestSource',
        access: 'operator',
        tag,
        summary: 'A polling source',
        description: 'Secrets in `config` are `***`.',
        params: SourceParams,
        returns: SourceBody,
      },
      async ({ scope, found }) => presentOne(scope, found),
      findSource,
    ),
    route(
      {
        method: 'put',
        path: '/ingest-sources/{source_id}',
        operation: 'updateIngestSource',
        access: 'operator',
        tag,
        summary: 'Change a polling source',
        description:
          'Changes the given fields. `config` merges: an absent key stays, `***` keeps a secret, null deletes a key. A changed host, port or agent needs the secrets again; a changed protocol begins with an empty configuration. The same `config.nodes` of an OPC UA source that the hub polls accepts the namespaces that the server has now: send the nodes again as they are when their indexes (`ns=2`) were refused or mapped.',
        params: SourceParams,
        body: SourcePut,
        changes: { lock: lockSource, current: async (scope, params) => presentOne(scope, await findSource(scope, params)) },
        returns: SourceBody,
        refuses: { 404: ['machine_not_found'], 409: ['too_many_sources'] },
      },
      async ({ scope, params, body }) => presentOne(scope, await changeSource(deps, scope, params.source_id, settingsOf(body))),
      findSource,
    ),
    route(
      {
        method: 'delete',
        path: '/ingest-sources/{source_id}',
        operation: 'deleteIngestSource',
        access: 'operator',
        tag,
        summary: 'Delete a polling source; its readings stay',
        description: 'Polling ends; an agent that polls it is informed at once. The readings stay.',
        params: SourceParams,
        returns: null,
      },
      async ({ scope, params }) => {
        await deleteSource(scope, params.source_id)
        return undefined
      },
      findSource,
    ),
    route(
      {
        method: 'post',
        path: '/ingest-sources/{source_id}/test-connection',
        seconds: ASK_SECONDS,
        operation: 'testIngestSource',
        isTrial: true,
        access: 'operator',
        tag,
        summary: 'Test the connection to a polling source',
        description:
          'Connects once with the stored configuration and describes the server, its tags and first values. All failures to reach a device have the same message, after 8 seconds. For a source that an agent polls, the result is the last report of the agent. At most 4 tests of a tenant run at once.',
        params: SourceParams,
        returns: ConnectionTest,
        status: 200,
        refuses: { 404: ['machine_not_found'], 429: ['tests_under_way'] },
      },
      async ({ scope, found: row }) => {
        const { machine_identifier: machineIdentifier, is_active: isActive } = await findMachine(scope, {
          machine_id: row.machineId,
        })
        const { polledAt, ...result } = await testConnection(deps, scope, row, { machineIdentifier, isActive })
        return { ...result, polled_at: polledAt?.toISOString() ?? null }
      },
      findSource,
    ),
    route(
      {
        method: 'post',
        path: '/ingest-sources/{source_id}/browse',
        seconds: ASK_SECONDS,
        operation: 'browseIngestSource',
        isTrial: true,
        access: 'operator',
        tag,
        summary: 'Browse the device of a polling source',
        description:
          'Lists variables of an OPC UA server with their present values and units, or shows what a Modbus register holds in every type and byte order, so that `config` can name the right ones. The agent that polls the source asks the device, one request at a time, within 8 seconds and within `remote.allow` of its settings; it must be connected over MQTT. Without an agent the hub asks: then all failures have the same message, after 8 seconds. `error` says why a device gave nothing. Only reads; it is in the audit trail.',
        params: SourceParams,
        body: BrowseBody,
        returns: BrowseFound,
        status: 200,
        refuses: {
          404: ['machine_not_found'],
          409: ['agent_browsing', 'agent_not_ready'],
          429: ['tests_under_way'],
          503: ['agent_silent'],
        },
      },
      async ({ scope, found: row, body }) => {
        const { machine_identifier: machineIdentifier } = await findMachine(scope, { machine_id: row.machineId })
        return browse(deps, scope, row, machineIdentifier, body)
      },
      findSource,
    ),
    route(
      {
        method: 'post',
        path: '/agent/browse',
        operation: 'answerAgentBrowse',
        isTrial: true,
        access: 'key',
        tag: 'Fleet and edge agent',
        summary: 'Answer a request to browse a device',
        description: 'An agent sends what it found on the device of a source. An answer that comes too late is dropped.',
        body: BrowseAnswerBody,
        returns: null,
        refuses: { 403: ['credential_of_other_agent', 'credential_required'] },
      },
      async ({ scope, body }) => {
        requireNamedAgent(scope, body.agent_id)
        await refusePlainKeyOfEnrolled(deps.pools.system, scope, body.agent_id)
        await takeBrowseAnswer(deps.pools.system, scope.tenantId, body)
        return undefined
      },
    ),
  ]
}
