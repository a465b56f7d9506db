import type { TenantScope } from '../../db/scope.ts'
import { NotFound } from '../../support/errors.ts'
import { routeFor } from '../../support/http/route.ts'
import { z } from '../../support/http/z.ts'
import { addUser, changeRole, changeUser } from './change-user.ts'
import { inviteUser, type LinkDeps, requestPasswordReset, setPasswordByToken } from './invitations.ts'
import { findUser, listRoles, listUsers, type RoleRow, type UserRow } from './repository.ts'
import { createRole, deleteRole, findRole, renameRole } from './roles.ts'
import {
  InvitationAccept,
  InvitationCreate,
  PasswordResetConfirm,
  PasswordResetRequest,
  RoleBody,
  RoleCreate,
  RoleParams,
  RolePatch,
  RolePut,
  UserBody,
  UserCreate,
  UserParams,
  UserPatch,
} from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

const presentUser = (row: UserRow) => ({
  id: row.id,
  email: row.email,
  full_name: row.fullName,
  role: row.role,
  is_active: row.isActive,
  status: row.isActive ? (row.isInvited ? ('invited' as const) : ('active' as const)) : ('deactivated' as const),
  mfa_enabled: row.mfaEnabled,
  phone: row.phone,
  timezone: row.timezone,
  locale: row.locale,
  last_login_at: row.lastLoginAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
})
const presentRole = (row: RoleRow) => ({
  key: row.key,
  name: row.name,
  base_tier: row.baseTier,
  is_builtin: row.isBuiltin,
  member_count: row.memberCount,
})

async function userOfPath(scope: TenantScope, { user_id }: { user_id: string }): Promise<UserRow> {
  const row = await scope.rawTx((sql) => findUser(sql, scope, user_id))
  if (!row) throw new NotFound('user', user_id)
  return row
}
const roleOfPath = (scope: TenantScope, { key }: { key: string }) => scope.rawTx((sql) => findRole(sql, scope, key))

const UNKNOWN_ROLE = 'or the role is none of this tenant'
const INVALID_LINK = 'The link was used before, has run out, or was replaced by a newer one'

export const userRoutes = (deps: LinkDeps) => [
  route(
    { method: 'get', path: '/users', access: 'admin', tag, summary: 'Team members, oldest first', returns: z.array(UserBody) },
    async ({ scope }) => (await scope.rawTx((sql) => listUsers(sql, scope))).map(presentUser),
  ),
  route(
    {
      method: 'post',
      path: '/users',
      access: 'admin',
      tag,
      summary: 'Add a member with a password',
      body: UserCreate,
      returns: UserBody,
      creates: true,
      refuses: { 409: 'The e-mail address has an account already', 422: `A field is out of range, ${UNKNOWN_ROLE}` },
    },
    async ({ scope, body }) =>
      presentUser(
        await addUser(scope, { email: body.email, password: body.password, fullName: body.full_name, role: body.role }),
      ),
  ),
  route(
    {
      method: 'post',
      path: '/users/invite',
      access: 'admin',
      tag,
      summary: 'Invite a member by mail',
      description:
        'Mails a link that works once, for 7 days, and sets the password. Inviting somebody again whose invitation is open sends a new link and ends the old one.',
      body: InvitationCreate,
      returns: UserBody,
      creates: true,
      refuses: { 409: 'The e-mail address has an account already', 422: `A field is out of range, ${UNKNOWN_ROLE}` },
    },
    async ({ scope, body }) =>
      presentUser(
        await inviteUser(deps, scope, { email: body.email, fullName: body.full_name, role: body.role, locale: body.locale }),
      ),
  ),
  route(
    {
      method: 'patch',
      path: '/users/{user_id}',
      access: 'admin',
      tag,
      summary: "Change a member's details, or bring a deactivated one back",
      params: UserParams,
      body: UserPatch,
      returns: UserBody,
      refuses: { 409: 'The e-mail address is taken, it is your own account, or the last admin' },
    },
    async ({ scope, params, body }) => presentUser(await changeUser(scope, params.user_id, body)),
    userOfPath,
  ),
  route(
    {
      method: 'put',
      path: '/users/{user_id}/role',
      access: 'admin',
      tag,
      summary: "Change a member's role, at once",
      params: UserParams,
      body: RolePut,
      returns: UserBody,
      refuses: { 409: 'It is the last admin' },
    },
    async ({ scope, params, body }) => presentUser(await changeRole(deps.box, scope, params.user_id, body.role)),
    userOfPath,
  ),
  route(
    {
      method: 'delete',
      path: '/users/{user_id}',
      access: 'admin',
      tag,
      summary: 'Deactivate a member and end all his sessions',
      params: UserParams,
      returns: null,
      refuses: { 409: 'It is your own account, or the last admin' },
    },
    async ({ scope, params }) => {
      await changeUser(scope, params.user_id, { is_active: false })
      return undefined
    },
  ),
  route(
    {
      method: 'get',
      path: '/settings/roles',
      access: 'any',
      tag,
      summary: 'Built-in and custom roles with their member counts',
      returns: z.array(RoleBody),
    },
    async ({ scope }) => (await scope.rawTx((sql) => listRoles(sql, scope))).map(presentRole),
  ),
  route(
    {
      method: 'post',
      path: '/settings/roles',
      access: 'admin',
      tag,
      summary: 'Create a role with the rights of its base tier',
      body: RoleCreate,
      returns: RoleBody,
      creates: true,
      refuses: { 409: 'Another role has this name' },
    },
    async ({ scope, body }) => presentRole(await createRole(scope, body.name, body.base_tier)),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/roles/{key}',
      access: 'admin',
      tag,
      summary: 'Rename a custom role; its key stays',
      params: RoleParams,
      body: RolePatch,
      returns: RoleBody,
      refuses: { 409: 'It is built in, or another role has this name' },
    },
    async ({ scope, params, body }) => presentRole(await renameRole(scope, params.key, body.name)),
    roleOfPath,
  ),
  route(
    {
      method: 'delete',
      path: '/settings/roles/{key}',
      access: 'admin',
      tag,
      summary: 'Delete a custom role that nobody has',
      params: RoleParams,
      returns: null,
      refuses: { 409: 'It is built in, or somebody has it' },
    },
    async ({ scope, params }) => {
      await deleteRole(scope, params.key)
      return undefined
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/invitations/accept',
      access: 'none',
      tag,
      summary: 'Accept an invitation: set the password of the invited account',
      description: 'Then sign in with `POST /auth/login`.',
      body: InvitationAccept,
      returns: null,
      refuses: { 401: INVALID_LINK },
    },
    async ({ body, caller }) => {
      await setPasswordByToken(deps, caller, 'invitation', body.token, body.password)
      return undefined
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/password-reset',
      access: 'none',
      tag,
      summary: 'Ask for a link that resets a forgotten password',
      description: 'Answers 202 whether or not somebody has this address. At most one mail a minute.',
      body: PasswordResetRequest,
      returns: null,
      status: 202,
    },
    async ({ body }) => {
      await requestPasswordReset(deps, body.email)
      return undefined
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/password-reset/confirm',
      access: 'none',
      tag,
      summary: 'Set a new password with the token of the link; all sessions end',
      body: PasswordResetConfirm,
      returns: null,
      refuses: { 401: INVALID_LINK },
    },
    async ({ body, caller }) => {
      await setPasswordByToken(deps, caller, 'password_reset', body.token, body.password)
      return undefined
    },
  ),
]
