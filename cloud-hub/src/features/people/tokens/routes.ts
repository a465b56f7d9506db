import type { TenantScope } from '../../../db/scope.ts'
import type { VersionedRecord } from '../../../support/http/if-match.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { REAUTHENTICATION_CODES } from '../accounts/index.ts'
import {
  CreatedToken,
  ServiceAccountBody,
  ServiceAccountCreate,
  ServiceAccountParams,
  ServiceAccountPatch,
  TokenBody,
  TokenCreate,
  TokenParams,
} from './schemas.ts'
import {
  changeServiceAccount,
  createServiceAccount,
  findServiceAccount,
  listServiceAccounts,
  lockServiceAccount,
  type ServiceAccountRow,
} from './service-accounts.ts'
import { createToken, listTokens, revokeToken, statusOf, type TokenDeps, type TokenRow } from './tokens.ts'

const route = routeFor<TenantScope>()
const tag = 'Access tokens'

const presentToken = (row: TokenRow, now: Date) => ({
  id: row.id,
  name: row.name,
  token_prefix: `ht_${row.prefix}_***`,
  owner_id: row.userId,
  owner_name: row.ownerName,
  is_service_account: row.isService,
  scopes: row.scopes,
  group_ids: row.groupIds,
  source_addresses: row.sourceAddresses,
  status: statusOf(row, now),
  created_at: row.createdAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  revoked_at: row.revokedAt?.toISOString() ?? null,
})

const withVersion = versionedBy(ServiceAccountPatch)
const presentAccount = (row: ServiceAccountRow) =>
  withVersion({
    id: row.id,
    name: row.name,
    role: row.role,
    responsible_id: row.responsibleId,
    is_active: row.isActive,
    active_tokens: row.activeTokens,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  })
const ofPath = (scope: TenantScope, { service_account_id }: { service_account_id: string }) =>
  findServiceAccount(scope, service_account_id)
const account: VersionedRecord = {
  lock: (sql, scope, { service_account_id }) => lockServiceAccount(sql, scope, service_account_id),
  current: async (scope, params) => presentAccount(await ofPath(scope, params)),
}

const CREATION = {
  returns: CreatedToken,
  body: TokenCreate,
  creates: true,
  holdsSecrets: true,
  refuses: {
    403: REAUTHENTICATION_CODES,
    404: ['machine_group_not_found'],
    409: ['tenant_limit', 'too_many_tokens'],
    429: ['login_locked'],
  },
} as const

export const tokenRoutes = (deps: TokenDeps) => [
  route(
    {
      ...CREATION,
      method: 'post',
      path: '/tokens',
      operation: 'createToken',
      access: 'any',
      tag,
      summary: 'Create a personal access token',
      description:
        'A program sends it as `Authorization: Bearer`, and acts as you: never with more than your role at that moment, and within the scopes of the token. This answer is the only one that shows it. Requires a sign-in of the last 15 minutes, or the password. A program of the company is better off with a service account, which stays when people leave. The account gets a mail about it. An account has at most 50 active tokens, and makes at most 200 within 24 hours.',
    },
    async ({ scope, body }) => {
      const made = await createToken(deps, scope, scope.actor.id, body)
      return { ...presentToken(made, scope.clock.now()), token: made.token }
    },
  ),
  route(
    {
      method: 'get',
      path: '/tokens',
      operation: 'listTokens',
      holdsSecrets: true,
      access: 'any',
      tag,
      summary: 'Your access tokens',
      description:
        'The active ones first, then the newest. Expired and revoked ones stay for 90 days; the newest 500 of them are shown. The secrets are not stored.',
      returns: z.array(TokenBody),
    },
    async ({ scope }) => (await listTokens(scope, scope.actor.id)).map((row) => presentToken(row, scope.clock.now())),
  ),
  route(
    {
      method: 'get',
      path: '/settings/tokens',
      operation: 'listAllTokens',
      holdsSecrets: true,
      access: 'admin',
      tag,
      summary: 'The access tokens of all members and service accounts',
      description:
        'Personal tokens and those of service accounts, the active ones first, then the newest 500 of those that ended, without their secrets.',
      returns: z.array(TokenBody),
    },
    async ({ scope }) => (await listTokens(scope)).map((row) => presentToken(row, scope.clock.now())),
  ),
  route(
    {
      method: 'delete',
      path: '/tokens/{access_token_id}',
      operation: 'revokeToken',
      access: 'any',
      tag,
      summary: 'Revoke an access token at once',
      description:
        'Requests with the token are refused from now on, and its streams end within 5 seconds. Admins revoke those of all members and service accounts, others their own. Repeating the call changes nothing.',
      params: TokenParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await revokeToken(scope, params.access_token_id)
      return undefined
    },
  ),
  route(
    {
      method: 'post',
      path: '/service-accounts',
      operation: 'createServiceAccount',
      access: 'admin',
      tag,
      summary: 'Create a service account',
      description:
        'A member for programs: it has a role and no password, nobody signs in as it, and it stays when people leave. A person answers for it and gets the mails about its tokens; without an active one, all admins get them.',
      body: ServiceAccountCreate,
      returns: ServiceAccountBody,
      creates: true,
      refuses: { 409: ['tenant_limit'] },
    },
    async ({ scope, body }) => presentAccount(await createServiceAccount(scope, body)),
  ),
  route(
    {
      method: 'get',
      path: '/service-accounts',
      operation: 'listServiceAccounts',
      access: 'admin',
      tag,
      summary: 'Service accounts, by name',
      description: 'The active ones first. `GET /settings/tokens` has their tokens.',
      returns: z.array(ServiceAccountBody),
    },
    async ({ scope }) => (await listServiceAccounts(scope)).map(presentAccount),
  ),
  route(
    {
      method: 'patch',
      path: '/service-accounts/{service_account_id}',
      operation: 'updateServiceAccount',
      access: 'admin',
      tag,
      summary: 'Change or deactivate a service account',
      description: 'A new role bounds its tokens from the next request on. `is_active: false` stops all its tokens at once.',
      params: ServiceAccountParams,
      body: ServiceAccountPatch,
      changes: account,
      returns: ServiceAccountBody,
      refuses: { 409: ['tenant_limit'] },
    },
    async ({ scope, params, body }) => presentAccount(await changeServiceAccount(scope, params.service_account_id, body)),
    ofPath,
  ),
  route(
    {
      ...CREATION,
      method: 'post',
      path: '/service-accounts/{service_account_id}/tokens',
      operation: 'createServiceAccountToken',
      access: 'admin',
      tag,
      summary: 'Create an access token of a service account',
      description:
        'A program sends it as `Authorization: Bearer`, and acts as the service account. This answer is the only one that shows it. The person who answers for the account gets a mail about it. Requires a sign-in of the last 15 minutes, or the password.',
      params: ServiceAccountParams,
    },
    async ({ scope, body, found }) => {
      const made = await createToken(deps, scope, found.id, body)
      return { ...presentToken(made, scope.clock.now()), token: made.token }
    },
    ofPath,
  ),
]
