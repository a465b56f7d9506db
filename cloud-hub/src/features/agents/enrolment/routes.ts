import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { rotateCredential } from '../../people/accounts/index.ts'
import { AgentParams } from '../fleet/index.ts'
import type { EnrolmentDeps } from './deps.ts'
import { enrolAgent, loadOffer, releaseAgent } from './enrol-agent.ts'
import { createEnrolmentKey, deleteEnrolmentKey, type EnrolmentKeyRow, listEnrolmentKeys, statusOf } from './enrolment-keys.ts'
import {
  CreatedEnrolmentKey,
  CredentialBody,
  EnrolmentBody,
  EnrolmentKeyBody,
  EnrolmentKeyEntry,
  EnrolmentKeyParams,
  OfferBody,
} from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Fleet and edge agent'

const present = ({ id, name, agentId, groupId, expiresAt, createdAt }: EnrolmentKeyRow) => ({
  id,
  name,
  agent_id: agentId,
  group_id: groupId,
  expires_at: expiresAt.toISOString(),
  created_at: createdAt.toISOString(),
})

export const enrolmentRoutes = ({ clock, mqttUrl }: EnrolmentDeps) => [
  route(
    {
      method: 'post',
      path: '/enrolment-keys',
      operation: 'createEnrolmentKey',
      holdsSecrets: true,
      access: 'admin',
      tag,
      summary: 'Create an enrolment key',
      description:
        'A key that enrols one agent: `haltless-agent enroll --hub URL` exchanges it for a credential of that agent. This answer is the only one that shows the full key. It expires, and is used up when the agent first uses its credential. A tenant has at most 1,000 unused keys.',
      body: EnrolmentKeyBody,
      returns: CreatedEnrolmentKey,
      creates: true,
      refuses: { 404: ['machine_group_not_found'], 409: ['too_many_enrolment_keys'] },
    },
    async ({ scope, body: { name, agent_id, group_id, expires_in_hours } }) => {
      const made = await createEnrolmentKey(scope, {
        name,
        agentId: agent_id ?? null,
        groupId: group_id ?? null,
        expiresInHours: expires_in_hours,
      })
      return { ...present(made), key: made.key }
    },
  ),
  route(
    {
      method: 'get',
      path: '/enrolment-keys',
      operation: 'listEnrolmentKeys',
      holdsSecrets: true,
      access: 'admin',
      tag,
      summary: 'Enrolment keys, newest first, without their secrets',
      description: 'All enrolment keys of the tenant, newest first. They are deleted 30 days after they expired.',
      returns: z.array(EnrolmentKeyEntry),
    },
    async ({ scope }) =>
      (await listEnrolmentKeys(scope)).map((row) => ({
        ...present(row),
        key_prefix: `he_${row.prefix}_***`,
        status: statusOf(row, clock.now()),
        used_at: row.usedAt?.toISOString() ?? null,
        used_by_agent: row.usedByAgent,
        created_by: row.createdBy,
      })),
  ),
  route(
    {
      method: 'delete',
      path: '/enrolment-keys/{enrolment_key_id}',
      operation: 'deleteEnrolmentKey',
      access: 'admin',
      tag,
      summary: 'Delete an enrolment key',
      description:
        'The key enrols no agent from now on. A credential that an agent got for it and has not used is revoked. An agent that uses its credential stays enrolled: release it to revoke that.',
      params: EnrolmentKeyParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await deleteEnrolmentKey(scope, params.enrolment_key_id)
      return undefined
    },
  ),
  route(
    {
      method: 'get',
      path: '/agent/enroll',
      operation: 'getEnrolment',
      access: 'enrolment',
      tag,
      summary: 'What an enrolment key allows, and how to reach the broker',
      description: 'An agent calls this to test its transports before it exchanges the key. It changes nothing.',
      returns: OfferBody,
      refuses: { 429: ['login_locked'] },
    },
    async ({ scope, caller }) => {
      const { agentId, expiresAt } = await loadOffer(scope)
      const mqtt_url = mqttUrl(caller.headers.get('host'))
      return { agent_id: agentId, expires_at: expiresAt.toISOString(), mqtt_url, time: clock.now().toISOString() }
    },
  ),
  route(
    {
      method: 'post',
      path: '/agent/enroll',
      operation: 'enrollAgent',
      access: 'enrolment',
      tag,
      summary: 'Exchange an enrolment key for the credential of an agent',
      description:
        'The credential has the form of an API key and is valid only for operations that name this agent. It is valid at once; its first use uses up the enrolment key. Until then the exchange can be repeated, also under another `agent_id`, and replaces the credential of the last one. An agent with a valid credential is enrolled again only after an admin has released it. After 10 unknown keys in 10 minutes a network address waits for 15 minutes.',
      body: EnrolmentBody,
      returns: CredentialBody,
      status: 201,
      refuses: { 403: ['enrolment_key_of_other_agent'], 409: ['agent_enrolled'], 429: ['login_locked'] },
    },
    async ({ scope, body }) => {
      const { credential, createdAt } = await enrolAgent(scope, body)
      return { agent_id: body.agent_id, credential, created_at: createdAt.toISOString() }
    },
  ),
  route(
    {
      method: 'post',
      path: '/agent/credential',
      operation: 'rotateAgentCredential',
      holdsSecrets: true,
      access: 'key',
      tag,
      summary: 'Issue the next credential of an agent',
      description:
        'An enrolled agent calls this to renew its credential; agents do so every 90 days. The credential of the request stays valid until the new one is used, so a lost answer costs nothing: the next call replaces the credential that was lost.',
      returns: CredentialBody,
      status: 201,
      refuses: { 403: ['credential_required'] },
    },
    async ({ scope }) => {
      const { agentId, credential, createdAt } = await rotateCredential(scope)
      return { agent_id: agentId, credential, created_at: createdAt.toISOString() }
    },
  ),
  route(
    {
      method: 'post',
      path: '/agent/fleet/{agent_id}/release',
      operation: 'releaseAgent',
      access: 'admin',
      tag,
      summary: 'Release an agent, so that its agent_id can be enrolled again',
      description:
        'Revokes the credentials of the agent: requests with them are refused from now on, and its MQTT sessions end within 5 seconds. Its history stays. Repeating the call changes nothing, and neither does releasing an agent that uses a plain API key: revoke that key instead.',
      params: AgentParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await releaseAgent(scope, params.agent_id)
      return undefined
    },
  ),
]
