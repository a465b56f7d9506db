import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { refusePlainKeyOfEnrolled, requireNamedAgent } from '../../people/accounts/index.ts'
import { faultOfText } from '../../plant/faults/index.ts'
import type { UpdateDeps } from './deps.ts'
import { listReleases, type Release } from './releases.ts'
import { changeRollout, createRollout, listRollouts, loadRollout, type RolloutAgentRow, type RolloutRow } from './rollouts.ts'
import {
  ReleaseFileParams,
  ReleaseFileQuery,
  ReleaseList,
  Rollout,
  RolloutBody,
  RolloutDetail,
  RolloutPage,
  RolloutParams,
  RolloutQuery,
} from './schemas.ts'
import { serveArchive, serveOrderedArchive } from './serve-archive.ts'

const route = routeFor<TenantScope>()
const tag = 'Fleet and edge agent'

const presentRelease = ({ manifest, addedAt }: Release, now: Date) => ({
  version: manifest.version,
  sequence: manifest.sequence,
  min_source_version: manifest.min_source_version,
  issued_at: new Date(manifest.issued_at).toISOString(),
  expires_at: new Date(manifest.expires_at).toISOString(),
  is_expired: Date.parse(manifest.expires_at) <= now.getTime(),
  platforms: manifest.files.map(({ platform, size, sha256 }) => ({ platform, size, sha256 })),
  added_at: addedAt.toISOString(),
})

const presentRollout = ({ createdAt, endedAt, ...row }: RolloutRow) => ({
  id: row.id,
  version: row.version,
  state: row.state,
  reason: row.reason,
  fault: faultOfText(row.fault, row.reason),
  wave: row.wave,
  waves: row.waves,
  wave_sizes: row.waveSizes,
  stop_after_failures: row.stopAfterFailures,
  spread_seconds: row.spreadSeconds,
  failures: row.failures,
  counts: row.counts,
  created_by: row.createdBy,
  created_at: createdAt.toISOString(),
  ended_at: endedAt?.toISOString() ?? null,
})

const presentAgentOf = ({ agentId, wave, state, since, reason, fault, fromVersion, receivedBytes }: RolloutAgentRow) => ({
  agent_id: agentId,
  wave,
  state,
  since: since.toISOString(),
  reason,
  fault: faultOfText(fault, reason),
  from_version: fromVersion,
  received_bytes: receivedBytes,
})

async function presentDetail(scope: TenantScope, id: string) {
  const { rollout, agents } = await loadRollout(scope, id)
  return { ...presentRollout(rollout), agents: agents.map(presentAgentOf) }
}

const changes = [
  [
    'pause',
    'Pause a rollout',
    'Agents that have not begun to install it are ordered nothing until it is resumed. What is being installed goes on.',
  ],
  ['resume', 'Resume a rollout', 'A rollout that was paused, or stopped because agents failed, goes on; failures count anew.'],
  ['cancel', 'Cancel a rollout', 'Agents that have not begun to install it stay as they are. What is being installed goes on.'],
] as const

export const updateRoutes = ({ pools, clock }: UpdateDeps) => [
  route(
    {
      method: 'get',
      path: '/agent/releases',
      operation: 'listAgentReleases',
      access: 'admin',
      tag,
      summary: 'Versions of the agent that can be rolled out',
      description: 'All releases that the operator of the hub added, newest first.',
      returns: ReleaseList,
    },
    async ({ scope }) => (await scope.read(listReleases)).map((release) => presentRelease(release, clock.now())),
  ),
  route(
    {
      method: 'get',
      path: '/agent/releases/{version}/{platform}',
      operation: 'downloadAgentRelease',
      answerHeaders: {
        ETag: 'The SHA-256 of the file, for `If-None-Match` and `If-Range`.',
        'Accept-Ranges': '`bytes`: parts are answered with 206.',
      },
      access: 'key',
      tag,
      summary: 'The archive of a release',
      description:
        'For agents that are ordered this version now. One range of bytes is answered with 206, one behind the end with 416; `If-Range` takes the `ETag`. A hub sends 20 archives at once; more get 503 with `Retry-After`.',
      params: ReleaseFileParams,
      query: ReleaseFileQuery,
      returns: null,
      media: { 'application/octet-stream': { description: 'The bytes of the archive.', example: '(archive)' } },
      status: 200,
      refuses: {
        403: ['credential_of_other_agent', 'credential_required', 'update_not_ordered'],
        404: ['agent_release_not_found'],
        416: ['range_not_satisfiable'],
        503: ['downloads_busy'],
      },
    },
    async ({ scope, params: { version, platform }, query, request }) => {
      requireNamedAgent(scope, query.agent_id)
      await refusePlainKeyOfEnrolled(pools.system, scope, query.agent_id)
      const wanted = { version, platform, agentId: query.agent_id }
      return (await serveOrderedArchive(pools.system, scope, wanted, request)) as never
    },
  ),
  route(
    {
      method: 'get',
      path: '/agent/releases/{version}/{platform}/archive',
      operation: 'downloadAgentArchive',
      answerHeaders: {
        ETag: 'The SHA-256 of the file, for `If-None-Match` and `If-Range`.',
        'Accept-Ranges': '`bytes`: parts are answered with 206.',
      },
      access: 'admin',
      tag,
      summary: 'The archive of a release, to install an agent with',
      description:
        'The same archive that agents download. It contains all that an agent needs; the release list has its SHA-256. Ranges are answered as for agents. A hub sends people 4 archives at once, 2 of a tenant.',
      params: ReleaseFileParams,
      returns: null,
      media: { 'application/octet-stream': { description: 'The bytes of the archive.', example: '(archive)' } },
      status: 200,
      refuses: { 404: ['agent_release_not_found'], 416: ['range_not_satisfiable'], 503: ['downloads_busy'] },
    },
    async ({ scope, params, request }) =>
      (await serveArchive(pools.system, scope, { ...params, reader: null }, request)) as never,
  ),
  route(
    {
      method: 'post',
      path: '/agent/rollouts',
      operation: 'createAgentRollout',
      access: 'admin',
      tag,
      summary: 'Roll out a version to agents',
      description:
        'Orders the update wave by wave: the next wave begins when every agent of the one before has confirmed, refused or failed; one that is off or waits for the hours of its plant holds it up for a day at most, once another has confirmed. Agents install it when their plant allows it, try it, and go back by themselves when it does not work. Agents that cannot take it are listed as `skipped`. An agent takes part in one rollout at a time.',
      body: RolloutBody,
      returns: RolloutDetail,
      creates: true,
      refuses: {
        404: ['agent_release_not_found', 'agent_not_found'],
        409: ['agent_in_rollout', 'no_agent_to_update', 'release_expired'],
      },
    },
    async ({ scope, body: { version, agent_ids, wave_sizes, stop_after_failures, spread_seconds } }) => {
      const id = await createRollout(scope, {
        version,
        agentIds: agent_ids ?? null,
        waveSizes: wave_sizes,
        stopAfterFailures: stop_after_failures,
        spreadSeconds: spread_seconds,
      })
      return presentDetail(scope, id)
    },
  ),
  route(
    {
      method: 'get',
      path: '/agent/rollouts',
      operation: 'listAgentRollouts',
      access: 'admin',
      tag,
      summary: 'Rollouts, newest first',
      description: 'Without their agents. Rollouts are deleted two years after they ended.',
      query: RolloutQuery,
      returns: RolloutPage,
    },
    async ({ scope, query }) => {
      const { rows, total } = await listRollouts(scope, query)
      return { items: rows.map(presentRollout), pagination: { total, page: query.page, page_size: query.page_size } }
    },
  ),
  route(
    {
      method: 'get',
      path: '/agent/rollouts/{rollout_id}',
      operation: 'getAgentRollout',
      access: 'admin',
      tag,
      summary: 'A rollout and how far each agent is',
      description: 'With all its agents, by wave.',
      params: RolloutParams,
      returns: RolloutDetail,
    },
    async ({ scope, params }) => presentDetail(scope, params.rollout_id),
  ),
  ...changes.map(([change, summary, description]) =>
    route(
      {
        method: 'post',
        path: `/agent/rollouts/{rollout_id}/${change}`,
        operation: `${change}AgentRollout`,
        access: 'admin',
        tag,
        summary,
        description,
        params: RolloutParams,
        returns: Rollout,
        status: 200,
        refuses: { 409: ['rollout_state'] },
      },
      async ({ scope, params }) => {
        await changeRollout(scope, params.rollout_id, change)
        return presentRollout((await loadRollout(scope, params.rollout_id)).rollout)
      },
    ),
  ),
]
