import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import { ApiKeyBody, ApiKeyEntry, ApiKeyParams, CreatedApiKey } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

export const apiKeyRoutes = () => [
  route(
    {
      method: 'post',
      path: '/api-keys',
      operation: 'createApiKey',
      holdsSecrets: true,
      access: 'admin',
      tag,
      summary: 'Create an API key',
      description:
        'A key lets agents and direct clients send readings and heartbeats, and nothing else. This answer is the only one that shows the full key. To rotate: create a new key, switch the client over, then revoke the old one.',
      body: ApiKeyBody,
      returns: CreatedApiKey,
      creates: true,
    },
    async ({ scope, body }) => {
      const made = await createApiKey(scope, body.name)
      return { id: made.id, name: made.name, key: made.key, created_at: made.createdAt.toISOString() }
    },
  ),
  route(
    {
      method: 'get',
      path: '/api-keys',
      operation: 'listApiKeys',
      holdsSecrets: true,
      access: 'any',
      tag,
      summary: 'API keys, newest first, without their secrets',
      description:
        'All keys of the tenant, revoked ones included, newest first. Credentials of enrolled agents are among them. The secrets are not stored and cannot be shown again.',
      returns: z.array(ApiKeyEntry),
    },
    async ({ scope }) =>
      (await listApiKeys(scope)).map((key) => ({
        id: key.id,
        name: key.name,
        key_prefix: `hk_${key.prefix}_***`,
        is_active: key.isActive,
        agent_id: key.agentId,
        created_at: key.createdAt.toISOString(),
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
      })),
  ),
  route(
    {
      method: 'delete',
      path: '/settings/api-keys/{key_id}',
      operation: 'revokeApiKey',
      access: 'admin',
      tag,
      summary: 'Revoke an API key at once',
      description:
        'Requests with the key are refused from now on, and agents that use it lose their MQTT access. The key stays in the list as inactive. The credential of an agent revokes all credentials of that agent, as releasing it does. Repeating the call changes nothing.',
      params: ApiKeyParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await revokeApiKey(scope, params.key_id)
      return undefined
    },
  ),
]
