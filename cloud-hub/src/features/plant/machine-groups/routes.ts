import type { TenantScope } from '../../../db/scope.ts'
import type { VersionedRecord } from '../../../support/http/if-match.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import {
  changeGroup,
  createGroup,
  deleteGroup,
  type GroupWithMembers as Group,
  getGroup,
  type HasCalendar,
  type HasNotesOfOthers,
  lockInTree,
} from './change-group.ts'
import { type GroupRow, listGroups } from './repository.ts'
import {
  GroupBody,
  GroupCreate,
  type GroupNode,
  GroupParams,
  GroupPut,
  GroupQuery,
  GroupTree,
  GroupWithMembers,
  MAX_CONFLICTS,
  MembersPut,
  SiteConflicts,
} from './schemas.ts'
import { findSiteConflicts, type SiteConflicts as SiteConflictRows } from './site-rules.ts'

const route = routeFor<TenantScope>()
const tag = 'Machines and groups'
const SITE_RULES = ['machine_in_other_site', 'site_in_site'] as const

const withVersion = versionedBy(GroupPut)
export const presentGroup = (row: GroupRow) =>
  withVersion(
    {
      id: row.id,
      name: row.name,
      group_type: row.groupType,
      description: row.description,
      color: row.color,
      parent_id: row.parentId,
      time_zone: row.timeZone,
      machine_count: row.machineCount,
      created_at: row.createdAt.toISOString(),
    },
    row.members,
  )
/** As changes of its members lock it too: the tree before the group. */
const group: VersionedRecord = {
  lock: async (sql, scope, params) => lockInTree(sql, scope, params.group_id),
  current: async (scope, params) => presentGroup(await findGroup(scope, params)),
}
const presentWhole = (group: Group) => ({ ...presentGroup(group), machine_ids: group.machineIds })

function presentConflicts({ machines, sites }: SiteConflictRows) {
  const byMachine = [...Map.groupBy(machines, ({ machineId }) => machineId)]
  return {
    machine_count: machines[0]?.machineCount ?? 0,
    machines: byMachine.map(([machine_id, entries]) => ({
      machine_id,
      machine_name: entries[0]?.machineName as string,
      sites: entries.map(({ siteId, siteName }) => ({ id: siteId, name: siteName })),
    })),
    sites: sites.map(({ siteId, siteName, outerId, outerName }) => ({
      site_id: siteId,
      site_name: siteName,
      inside: { id: outerId, name: outerName },
    })),
  }
}

/** Roots by name, each with its children by name. */
export function treeOf(rows: readonly GroupRow[]): GroupNode[] {
  const nodes = new Map(rows.map((row) => [row.id, { ...presentGroup(row), children: [] as GroupNode[] }]))
  const roots: GroupNode[] = []
  for (const node of nodes.values()) (nodes.get(node.parent_id ?? '')?.children ?? roots).push(node)
  return roots
}

const findGroup = (scope: TenantScope, { group_id }: { group_id: string }) => scope.tx((sql) => getGroup(sql, scope, group_id))

export const groupRoutes = (hasCalendar: HasCalendar, hasNotesOfOthers: HasNotesOfOthers) => [
  route(
    {
      method: 'post',
      path: '/machine-groups',
      operation: 'createMachineGroup',
      access: 'operator',
      tag,
      summary: 'Create a group',
      description:
        'Groups form a tree: a plant as a `site`, its lines below it. A group of type `site` appears in the site figures with all groups below it; it is never inside another site, and a machine belongs to at most one site, also through nested groups. A tenant has at most 1,000 groups.',
      body: GroupCreate,
      returns: GroupWithMembers,
      creates: true,
      refuses: { 404: ['machine_group_not_found', 'machine_not_found'], 409: ['too_many_groups', ...SITE_RULES] },
    },
    async ({ scope, body }) => presentWhole(await createGroup(scope, body)),
  ),
  route(
    {
      method: 'get',
      path: '/machine-groups',
      operation: 'listMachineGroups',
      access: 'any',
      tag,
      summary: 'All groups, by name',
      description: 'All groups of the tenant, or those of one type, in one flat list by name.',
      query: GroupQuery,
      returns: z.array(GroupBody),
    },
    async ({ scope, query }) => (await scope.tx((sql) => listGroups(sql, scope, { type: query.group_type }))).map(presentGroup),
  ),
  route(
    {
      method: 'get',
      path: '/machine-groups/tree',
      operation: 'getMachineGroupTree',
      access: 'any',
      tag,
      summary: 'All groups as a tree',
      description: 'All groups of the tenant, nested: the groups without a parent by name, each with its `children` by name.',
      returns: z.array(GroupTree),
    },
    async ({ scope }) => treeOf(await scope.tx((sql) => listGroups(sql, scope))),
  ),
  route(
    {
      method: 'get',
      path: '/machine-groups/site-conflicts',
      operation: 'listSiteConflicts',
      access: 'any',
      tag,
      summary: 'Machines of several sites, and sites inside others',
      description:
        'A machine belongs to at most one site, and a site is never inside another one. Changes that would break this are refused; this lists what broke it before the rule existed, until somebody resolves it by changing groups.',
      returns: SiteConflicts,
    },
    async ({ scope }) => presentConflicts(await scope.read((sql) => findSiteConflicts(sql, scope, MAX_CONFLICTS))),
  ),
  route(
    {
      method: 'get',
      path: '/machine-groups/{group_id}',
      operation: 'getMachineGroup',
      access: 'any',
      tag,
      summary: 'One group with the ids of its machines',
      description: 'The group with the ids of its direct, active machines. Machines of groups below it are not included.',
      params: GroupParams,
      returns: GroupWithMembers,
    },
    async ({ scope, params }) => presentWhole(await findGroup(scope, params)),
  ),
  route(
    {
      method: 'put',
      path: '/machine-groups/{group_id}',
      operation: 'updateMachineGroup',
      access: 'operator',
      tag,
      summary: 'Change a group; what is not named stays',
      description:
        'Changes the given fields; `machine_ids` replaces the members. The parent must not be the group itself or one below it. A new time zone holds as that of the plant does (`/settings/plant`). A site that becomes another group loses its time zone and non-production days, and its shift definitions are deactivated: where it has any, only an admin may do that.',
      params: GroupParams,
      body: GroupPut,
      changes: group,
      returns: GroupWithMembers,
      refuses: { 404: ['machine_not_found'], 409: [...SITE_RULES, 'site_has_calendar'], 422: ['group_cycle'] },
    },
    async ({ scope, params, body }) => presentWhole(await changeGroup(scope, params.group_id, body, hasCalendar)),
    findGroup,
  ),
  route(
    {
      method: 'delete',
      path: '/machine-groups/{group_id}',
      operation: 'deleteMachineGroup',
      access: 'operator',
      tag,
      summary: 'Delete a group; its children move to its parent',
      description:
        'Its children move to its parent. Its machines and agents stay; `group_id` of its agents becomes null. With a site go its time zone and its non-production days, and its shift definitions are deactivated: where it has any, only an admin may do that. The notes about it are deleted: where others have written any, only an admin may do that.',
      params: GroupParams,
      returns: null,
      refuses: { 403: ['not_author'], 409: ['site_has_calendar'] },
    },
    async ({ scope, params }) => {
      await deleteGroup(scope, params.group_id, hasCalendar, hasNotesOfOthers)
      return undefined
    },
  ),
  route(
    {
      method: 'put',
      path: '/machine-groups/{group_id}/members',
      operation: 'replaceMachineGroupMembers',
      access: 'operator',
      tag,
      summary: 'Replace the direct members of a group',
      description:
        'A machine can be a member of several groups, but of one site only. Ids that were members and are not named leave the group.',
      params: GroupParams,
      body: MembersPut,
      changes: group,
      returns: GroupWithMembers,
      refuses: { 404: ['machine_not_found'], 409: [...SITE_RULES] },
    },
    async ({ scope, params, body }) =>
      presentWhole(await changeGroup(scope, params.group_id, { machine_ids: body.machine_ids }, hasCalendar)),
    findGroup,
  ),
]
