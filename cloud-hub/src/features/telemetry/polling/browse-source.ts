import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { adapterOf, nothingFound } from '@haltless/edge-agent/collectors'
import { type BrowseRequest, fault, type SourceBrowse, type SourceBrowseAnswer } from '@haltless/protocol'
import type { Sql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, fieldError, Unavailable, Unprocessable } from '../../../support/errors.ts'
import { recordEvent } from '../../people/audit/index.ts'
import { agentProblem, agentViews } from './agent-view.ts'
import { type CollectingDeps, hostsOf, prepareConnection, probeDeps } from './collecting.ts'
import { openConfig, type SourceDeps, type SourceRow } from './manage-source.ts'
import { SOURCES_CHANNEL } from './poller.ts'
import { collectorSource } from './source-config.ts'
import { sentenceOf, unreachableFault, withinTests } from './test-connection.ts'

/** An agent has 8 s for the device. */
const ANSWER_MS = 10_000
const POLL_INTERVAL_MS = 100
/** All failures of the hub's own sources are told after this time, as those of connection tests are. */
const HUB_MS = 8_000
const HUB_VISIT_MAX = 5_000

/**
 * Looks at the device of a source: the agent that polls it does, else this hub.
 * @throws Unprocessable, Conflict for an agent that cannot be asked now, Unavailable for one that does not answer, TooManyRequests
 */
export async function browse(
  deps: SourceDeps & CollectingDeps,
  scope: TenantScope,
  row: SourceRow,
  machineIdentifier: string,
  query: SourceBrowse,
): Promise<SourceBrowseAnswer> {
  const missing = adapterOf(row.protocol).browser?.missing(query)
  if (missing) throw new Unprocessable([fieldError(`body.${missing.field}`, 'required', {}, missing.message)])
  const { tenantId, actor } = scope
  const target = { type: 'ingest_source', id: row.id, name: row.name }
  await scope.tx((sql) => recordEvent(sql, tenantId, actor, 'source.browsed', target, { ...query }))
  return row.agentId ? askAgent(deps, scope, row, row.agentId, query) : askDevice(deps, scope, row, machineIdentifier, query)
}

async function askAgent(
  deps: SourceDeps & CollectingDeps,
  scope: TenantScope,
  row: SourceRow,
  agentId: string,
  query: SourceBrowse,
): Promise<SourceBrowseAnswer> {
  const { tenantId } = scope
  const { system } = deps.pools
  const views = await agentViews(scope, deps.config.heartbeatSeconds)
  const trouble = row.isActive ? agentProblem(agentId, views.get(agentId)) : fault('source_not_run')
  if (trouble) throw new Conflict('agent_not_ready', sentenceOf(trouble), { reason: trouble })
  const request: BrowseRequest = { request_id: randomUUID(), source_id: row.id, query }
  const [taken] = await system`
    update agents set browse_id = ${request.request_id}, browse_request = ${system.json(request as never)}, browse_answer = null, browse_at = now()
    where tenant_id = ${tenantId} and agent_id = ${agentId}
      and (browse_id is null or browse_at < now() - ${ANSWER_MS + 2_000} * interval '1 millisecond') returning 1`
  if (!taken)
    throw new Conflict(
      'agent_browsing',
      `Agent ${agentId} is browsing a device for another request; try again in ${ANSWER_MS / 1_000} s.`,
    )
  try {
    await system`select pg_notify(${SOURCES_CHANNEL}, ${`${tenantId}/${agentId}/${request.request_id}`})`
    for (const end = performance.now() + ANSWER_MS; performance.now() < end; ) {
      await sleep(POLL_INTERVAL_MS)
      const [found] = await system<{ answer: SourceBrowseAnswer | null }[]>`
        select browse_answer as answer from agents
        where tenant_id = ${tenantId} and agent_id = ${agentId} and browse_id = ${request.request_id}`
      if (found?.answer) return found.answer
    }
  } finally {
    await system`
      update agents set browse_id = null, browse_request = null, browse_answer = null, browse_at = null
      where tenant_id = ${tenantId} and agent_id = ${agentId} and browse_id = ${request.request_id}`
  }
  throw new Unavailable(
    'agent_silent',
    `Agent ${agentId} did not answer within ${ANSWER_MS / 1_000} s. It must be connected over MQTT, and have a version that can browse devices.`,
    ANSWER_MS / 1_000,
  )
}

/** As a connection test, it does not tell which addresses have something that listens. */
async function askDevice(
  deps: SourceDeps & CollectingDeps,
  scope: TenantScope,
  row: SourceRow,
  machineIdentifier: string,
  query: SourceBrowse,
): Promise<SourceBrowseAnswer> {
  return withinTests(scope.tenantId, async () => {
    await prepareConnection(deps, row.protocol)
    const source = collectorSource(row, machineIdentifier, openConfig(deps.box, row))
    await hostsOf(deps).ready(row.protocol, probeDeps(deps, scope.tenantId))
    const end = sleep(HUB_MS, null)
    const signal = AbortSignal.timeout(HUB_MS)
    const looking = hostsOf(deps).browse(source, query, HUB_VISIT_MAX, probeDeps(deps, scope.tenantId), signal)
    const found = await Promise.race([looking, end])
    if (found && found.error === null) return found
    await end
    return nothingFound(unreachableFault(row))
  })
}

/** Takes the answer of an agent; one that came too late is dropped. */
export async function takeBrowseAnswer(
  allTenants: Sql,
  tenantId: string,
  { agent_id, request_id, answer }: { agent_id: string; request_id: string; answer: SourceBrowseAnswer },
): Promise<void> {
  await allTenants`
    update agents set browse_answer = ${allTenants.json(answer as never)}
    where tenant_id = ${tenantId} and agent_id = ${agent_id} and browse_id = ${request_id}`
}

/** The request that an agent has not answered; null without one. */
export async function openBrowseRequest(
  allTenants: Sql,
  tenantId: string,
  agentId: string,
  requestId: string,
): Promise<BrowseRequest | null> {
  const [row] = await allTenants<{ request: BrowseRequest | null }[]>`
    select browse_request as request from agents where tenant_id = ${tenantId} and agent_id = ${agentId} and browse_id = ${requestId}`
  return row?.request ?? null
}
