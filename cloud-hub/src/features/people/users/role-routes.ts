import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { listRoles, type RoleRow } from './repository.ts'
import { createRole, deleteRole, findRole, lockRole, renameRole } from './roles.ts'
import { RoleBody, RoleCreate, RoleParams, RolePatch } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

const withVersion = versionedBy(RolePatch)
const presentRole = (row: RoleRow) =>
  withVersion({
    key: row.key,
    name: row.name,
    base_tier: row.baseTier,
    is_builtin: row.isBuiltin,
    member_count: row.memberCount,
  })

const roleOfPath = (scope: TenantScope, { key }: { key: string }) => scope.tx((sql) => findRole(sql, scope, key))

export const roleRoutes = () => [
  route(
    {
      method: 'get',
      path: '/settings/roles',
      operation: 'listRoles',
      access: 'any',
      tag,
      summary: 'Built-in and custom roles with their member counts',
      description:
        'The built-in roles `admin`, `operator` and `viewer`, then the custom ones. A custom role has exactly the rights of its base tier.',
      returns: z.array(RoleBody),
    },
    async ({ scope }) => (await scope.tx((sql) => listRoles(sql, scope))).map(presentRole),
  ),
  route(
    {
      method: 'post',
      path: '/settings/roles',
      operation: 'createRole',
      access: 'admin',
      tag,
      summary: 'Create a role with the rights of its base tier',
      description: 'The `key` is made from the name and never changes. A tenant has at most 100 roles; their names are unique.',
      body: RoleCreate,
      returns: RoleBody,
      creates: true,
      refuses: { 409: ['role_name_taken', 'too_many_roles'] },
    },
    async ({ scope, body }) => presentRole(await createRole(scope, body.name, body.base_tier)),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/roles/{key}',
      operation: 'updateRole',
      access: 'admin',
      tag,
      summary: 'Rename a custom role; its key stays',
      description: 'Members keep the role. Built-in roles cannot be renamed.',
      params: RoleParams,
      body: RolePatch,
      changes: { lock: lockRole, current: async (scope, params) => presentRole(await roleOfPath(scope, params)) },
      returns: RoleBody,
      refuses: { 404: ['role_not_found'], 409: ['role_builtin', 'role_name_taken'] },
    },
    async ({ scope, params, body }) => presentRole(await renameRole(scope, params.key, body.name)),
    roleOfPath,
  ),
  route(
    {
      method: 'delete',
      path: '/settings/roles/{key}',
      operation: 'deleteRole',
      access: 'admin',
      tag,
      summary: 'Delete a custom role that no user has',
      description: 'Only a custom role without members can be deleted; deactivated users count as members.',
      params: RoleParams,
      returns: null,
      refuses: { 404: ['role_not_found'], 409: ['role_builtin', 'role_in_use'] },
    },
    async ({ scope, params }) => {
      await deleteRole(scope, params.key)
      return undefined
    },
  ),
]
