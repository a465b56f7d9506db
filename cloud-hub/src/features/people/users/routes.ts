import type { TenantScope } from '../../../db/scope.ts'
import { NotFound } from '../../../support/errors.ts'
import type { VersionedRecord } from '../../../support/http/if-match.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { REAUTHENTICATION_CODES, Reauthentication, throttleGuesses } from '../accounts/index.ts'
import { addUser, changeRole, changeUser } from './change-user.ts'
import { inviteUser, type LinkDeps, requestPasswordReset, setPasswordByToken } from './invitations.ts'
import { lockMembership } from './last-admin.ts'
import { findUser, listNames, listUsers, lockUser, type UserRow } from './repository.ts'
import { resetMfa } from './reset-mfa.ts'
import { roleRoutes } from './role-routes.ts'
import {
  DirectoryEntry,
  InvitationAccept,
  InvitationCreate,
  PasswordResetConfirm,
  PasswordResetRequest,
  RolePut,
  UserBody,
  UserCreate,
  UserParams,
  UserPatch,
} from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

const withVersion = versionedBy(UserPatch.extend(RolePut.shape))
const presentUser = (row: UserRow) =>
  withVersion({
    id: row.id,
    email: row.email,
    full_name: row.fullName,
    is_service_account: row.isService,
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
const user: VersionedRecord = {
  lock: async (sql, scope, { user_id }) => {
    await lockMembership(sql, scope)
    await lockUser(sql, scope, user_id)
  },
  current: async (scope, params) => presentUser(await userOfPath(scope, params)),
}

async function userOfPath(scope: TenantScope, { user_id }: { user_id: string }): Promise<UserRow> {
  const row = await scope.tx((sql) => findUser(sql, scope, user_id))
  if (!row) throw new NotFound('user', user_id)
  return row
}

export const userRoutes = (deps: LinkDeps) => [
  ...roleRoutes(),
  route(
    {
      method: 'get',
      path: '/users',
      operation: 'listUsers',
      access: 'admin',
      tag,
      summary: 'Team members, oldest first',
      description:
        'Active, invited and deactivated users of the tenant, oldest first, all in one answer. Service accounts are among them.',
      returns: z.array(UserBody),
    },
    async ({ scope }) => (await scope.tx((sql) => listUsers(sql, scope))).map(presentUser),
  ),
  route(
    {
      method: 'get',
      path: '/users/directory',
      operation: 'listUserDirectory',
      access: 'any',
      tag,
      summary: 'Names of the team, by name',
      description:
        'Who can be assigned work, and who is behind the ids of other answers. Deactivated users stay, so that what they did keeps its name. Addresses, roles and more are in `GET /users`, for admins.',
      returns: z.array(DirectoryEntry),
    },
    async ({ scope }) =>
      (await scope.read((sql) => listNames(sql, scope))).map(({ id, fullName, isActive, isService }) => ({
        id,
        full_name: fullName,
        is_active: isActive,
        is_service_account: isService,
      })),
  ),
  route(
    {
      method: 'post',
      path: '/users',
      operation: 'createUser',
      access: 'admin',
      tag,
      summary: 'Add a member with a password',
      description:
        'Creates a user who can sign in at once with this password. To let people choose their own password, use `POST /users/invite`.',
      body: UserCreate,
      shows: { timezone: null, locale: null },
      returns: UserBody,
      creates: true,
      refuses: { 409: ['tenant_limit', 'email_taken'], 429: ['login_locked'], 503: ['busy'] },
    },
    async ({ scope, body }) =>
      presentUser(
        await throttleGuesses(deps.pools, scope, body.email, () =>
          addUser(scope, { email: body.email, password: body.password, fullName: body.full_name, role: body.role }),
        ),
      ),
  ),
  route(
    {
      method: 'post',
      path: '/users/invite',
      operation: 'inviteUser',
      access: 'admin',
      tag,
      summary: 'Invite a member by mail',
      description:
        'Mails a link that works once, for 7 days, and lets the invited user set a password. Inviting somebody again whose invitation is open sends a new link, takes the name and role given now, and ends the old link.',
      body: InvitationCreate,
      shows: { status: 'invited', timezone: null },
      returns: UserBody,
      creates: true,
      refuses: { 409: ['tenant_limit', 'email_taken'], 429: ['login_locked', 'sending_limit'] },
    },
    async ({ scope, body }) =>
      presentUser(
        await throttleGuesses(deps.pools, scope, body.email, () =>
          inviteUser(deps, scope, { email: body.email, fullName: body.full_name, role: body.role, locale: body.locale }),
        ),
      ),
  ),
  route(
    {
      method: 'patch',
      path: '/users/{user_id}',
      operation: 'updateUser',
      access: 'admin',
      tag,
      summary: "Change a member's details, or bring a deactivated one back",
      description:
        'Changes the given fields. `is_active: false` deactivates the user, ends all sessions and revokes the personal access tokens for good; `is_active: true` reactivates. A changed e-mail address ends links that were sent to the old one, which is notified; your own takes `current_password`.',
      params: UserParams,
      body: UserPatch,
      changes: user,
      returns: UserBody,
      refuses: {
        403: ['password_wrong', 'password_not_set'],
        409: ['tenant_limit', 'email_taken', 'own_account', 'last_admin', 'service_account'],
        429: ['login_locked', 'sending_limit'],
      },
    },
    async ({ scope, params, body }) =>
      presentUser(await throttleGuesses(deps.pools, scope, body.email, () => changeUser(deps, scope, params.user_id, body))),
    userOfPath,
  ),
  route(
    {
      method: 'put',
      path: '/users/{user_id}/role',
      operation: 'changeUserRole',
      access: 'admin',
      tag,
      summary: "Change a member's role, at once",
      description:
        'The sessions of the user go on, with the new rights from the next request. The user is informed by mail unless the tenant switched that off.',
      params: UserParams,
      body: RolePut,
      changes: user,
      returns: UserBody,
      refuses: { 409: ['last_admin'] },
    },
    async ({ scope, params, body }) => presentUser(await changeRole(deps, scope, params.user_id, body.role)),
    userOfPath,
  ),
  route(
    {
      method: 'post',
      path: '/users/{user_id}/mfa-reset',
      operation: 'resetUserMfa',
      access: 'admin',
      tag,
      summary: 'Switch off the two-factor sign-in of a member who has lost it',
      description:
        'Deletes secret and recovery codes of the member and ends all sessions and pending sign-ins; password, role and the rest stay. The member gets a mail in any case, and signs in with the password alone until two-factor sign-in is set up again. It needs a sign-in (with a password or through SSO) of the last 15 minutes, or your `current_password`. Nobody can reset the own second factor.',
      params: UserParams,
      body: Reauthentication,
      isBodyOptional: true,
      returns: UserBody,
      refuses: {
        403: REAUTHENTICATION_CODES,
        409: ['own_mfa', 'mfa_disabled'],
        429: ['login_locked', 'sending_limit'],
        503: ['busy'],
      },
    },
    async ({ scope, params, body }) => presentUser(await resetMfa(deps, scope, params.user_id, body.current_password)),
    userOfPath,
  ),
  route(
    {
      method: 'delete',
      path: '/users/{user_id}',
      operation: 'deactivateUser',
      access: 'admin',
      tag,
      summary: 'Deactivate a member and end all his sessions',
      description:
        'Ends all sessions, personal access tokens, open invitations and reset links of the user. The record stays, with status `deactivated`; PATCH with `is_active: true` reactivates it. Nobody can deactivate the own account.',
      params: UserParams,
      returns: null,
      refuses: { 409: ['own_account', 'last_admin'] },
    },
    async ({ scope, params }) => {
      await changeUser(deps, scope, params.user_id, { is_active: false })
      return undefined
    },
  ),
  route(
    {
      method: 'post',
      path: '/auth/invitations/accept',
      operation: 'acceptInvitation',
      access: 'none',
      tag,
      summary: 'Accept an invitation: set the password of the invited account',
      description:
        'Sets the first password with the token of the mailed link. Then sign in with `POST /auth/login`. Wrong tokens count towards the lockout of the network address.',
      body: InvitationAccept,
      returns: null,
      refuses: { 401: ['link_invalid'], 409: ['user_gone'], 429: ['login_locked'], 503: ['busy'] },
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
      operation: 'requestPasswordReset',
      access: 'none',
      tag,
      summary: 'Ask for a link that resets a forgotten password',
      description:
        'Mails a link that works once. The answer is always 202, so that nobody learns who has an account. At most one mail a minute goes to an address; of several links the newest works.',
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
      operation: 'confirmPasswordReset',
      access: 'none',
      tag,
      summary: 'Set a new password with the token of the link; all sessions and personal access tokens end',
      description:
        'Sets a new password with the token of the mailed link, ends all sessions of the user and revokes the personal access tokens. Wrong tokens count towards the lockout of the network address.',
      body: PasswordResetConfirm,
      returns: null,
      refuses: { 401: ['link_invalid'], 409: ['user_gone'], 429: ['login_locked'], 503: ['busy'] },
    },
    async ({ body, caller }) => {
      await setPasswordByToken(deps, caller, 'password_reset', body.token, body.password)
      return undefined
    },
  ),
]
