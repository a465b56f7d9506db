import type { z } from 'zod'
import { tenantLockKey } from '../../../db/advisory-locks.ts'
import type { GroupType } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, Forbidden, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import { recordEventOfEach } from '../../people/audit/index.ts'
import { activeMembers, findUnknownMachine, type GroupRow, isDescendant, listGroups } from './repository.ts'
import { type GroupCreate, type GroupPut, MAX_GROUPS } from './schemas.ts'
import { keepSiteRules } from './site-rules.ts'

export interface GroupWithMembers extends GroupRow {
  machineIds: string[]
}

/** @throws NotFound */
export async function getGroup(sql: TransactionSql, scope: TenantScope, groupId: string): Promise<GroupWithMembers> {
  const [row] = await listGroups(sql, scope, { id: groupId })
  if (!row) throw new NotFound('machine group', groupId)
  return { ...row, machineIds: await activeMembers(sql, scope, groupId) }
}

/** Serializes changes of the tree: two concurrent ones could form a cycle, or put a machine in two sites, that neither sees. */
const lockTree = (sql: TransactionSql, scope: TenantScope) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('machine_groups', scope)}, 0))`

/** Locks a group and the tree until the end of the transaction. */
export async function lockInTree(sql: TransactionSql, scope: TenantScope, groupId: string): Promise<void> {
  await lockTree(sql, scope)
  await sql`select 1 from machine_groups where tenant_id = ${scope.tenantId} and id = ${groupId} for update`
}

async function checkParent(sql: TransactionSql, scope: TenantScope, groupId: string | null, parentId: string): Promise<void> {
  const [parent] = await sql`select 1 from machine_groups where tenant_id = ${scope.tenantId} and id = ${parentId}`
  if (!parent) throw new NotFound('machine group', parentId)
  if (groupId && (await isDescendant(sql, scope, groupId, parentId)))
    throw new Unprocessable(
      [fieldError('body.parent_id', 'own_branch', {}, 'is this group itself or one below it')],
      'group_cycle',
    )
}

/** @throws Unprocessable for a time zone of a group that is no site */
function checkZone(timeZone: string | null | undefined, type: GroupType): void {
  if (timeZone && type !== 'site') throw new Unprocessable([fieldError('body.time_zone', 'sites_only')])
}

async function replaceMembers(
  sql: TransactionSql,
  scope: TenantScope,
  groupId: string,
  machineIds: readonly string[],
): Promise<void> {
  const unknown = await findUnknownMachine(sql, scope, machineIds)
  if (unknown) throw new NotFound('machine', unknown)
  const wanted = machineIds as string[]
  await sql`delete from machine_group_members
    where tenant_id = ${scope.tenantId} and group_id = ${groupId} and machine_id <> all(${wanted}::uuid[])`
  await sql`insert into machine_group_members (tenant_id, group_id, machine_id)
    select distinct ${scope.tenantId}::uuid, ${groupId}::uuid, id from unnest(${wanted}::uuid[]) id on conflict do nothing`
}

/** @throws Unprocessable, NotFound for an unknown parent or machine, Conflict `too_many_groups` and those of {@link keepSiteRules} */
export const createGroup = (scope: TenantScope, given: z.output<typeof GroupCreate>): Promise<GroupWithMembers> =>
  scope.tx(async (sql) => {
    checkZone(given.time_zone, given.group_type ?? 'custom')
    await lockTree(sql, scope)
    const [counted] = await sql<
      { n: number }[]
    >`select count(*)::int as n from machine_groups where tenant_id = ${scope.tenantId}`
    if (given.parent_id) await checkParent(sql, scope, null, given.parent_id)
    if ((counted?.n ?? 0) >= MAX_GROUPS)
      throw new Conflict('too_many_groups', `A tenant has at most ${MAX_GROUPS} groups.`, { limit: MAX_GROUPS })
    const now = scope.clock.now()
    const values = {
      tenant_id: scope.tenantId,
      name: given.name,
      group_type: given.group_type ?? 'custom',
      description: given.description ?? null,
      color: given.color ?? null,
      parent_id: given.parent_id ?? null,
      time_zone: given.time_zone ?? null,
      created_at: now,
      updated_at: now,
    }
    let id = ''
    await keepSiteRules(sql, scope, async () => {
      const [row] = await sql<{ id: string }[]>`insert into machine_groups ${sql(values)} returning id`
      id = (row as { id: string }).id
      if (given.machine_ids) await replaceMembers(sql, scope, id, given.machine_ids)
    })
    return getGroup(sql, scope, id)
  })

/** Whether a site has non-production days or active shift definitions of its own. */
export type HasCalendar = (sql: TransactionSql, tenantId: string, siteId: string) => Promise<boolean>

/**
 * Only admins change the days and shifts that go with a site that is deleted or becomes another group.
 * @throws Conflict `site_has_calendar`
 */
async function refuseLossOfCalendar(
  sql: TransactionSql,
  { tenantId, actor }: TenantScope,
  groupId: string,
  hasCalendar: HasCalendar,
): Promise<void> {
  if (actor.role !== 'admin' && (await hasCalendar(sql, tenantId, groupId)))
    throw new Conflict('site_has_calendar', 'The site has non-production days or shifts of its own, which an admin must give up.')
}

/** Changes the given fields. @throws NotFound, Unprocessable `group_cycle`, Conflict `site_has_calendar` and those of {@link keepSiteRules} */
export const changeGroup = (
  scope: TenantScope,
  groupId: string,
  change: z.output<typeof GroupPut>,
  hasCalendar: HasCalendar,
): Promise<GroupWithMembers> =>
  scope.tx(async (sql) => {
    const { machine_ids, ...rest } = change
    const concernsSites = [change.parent_id, change.group_type, machine_ids].some((given) => given !== undefined)
    if (concernsSites) await lockTree(sql, scope)
    const [there] = await sql<{ type: GroupType }[]>`
      select group_type as type from machine_groups where tenant_id = ${scope.tenantId} and id = ${groupId} for update`
    if (!there) throw new NotFound('machine group', groupId)
    checkZone(change.time_zone, change.group_type ?? there.type)
    if (there.type === 'site' && change.group_type && change.group_type !== 'site')
      await refuseLossOfCalendar(sql, scope, groupId, hasCalendar)
    if (change.parent_id) await checkParent(sql, scope, groupId, change.parent_id)
    const values = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
    const apply = async () => {
      if (Object.keys(values).length > 0)
        await sql`update machine_groups set ${sql({ ...values, updated_at: scope.clock.now() })}
          where tenant_id = ${scope.tenantId} and id = ${groupId}`
      if (machine_ids) await replaceMembers(sql, scope, groupId, machine_ids)
    }
    await (concernsSites ? keepSiteRules(sql, scope, apply) : apply())
    return getGroup(sql, scope, groupId)
  })

/** Whether others than a user have written notes about a group. */
export type HasNotesOfOthers = (sql: TransactionSql, tenantId: string, groupId: string, userId: string) => Promise<boolean>

/**
 * Deletes a group and the notes about it; its children move to its parent, its machines and agents stay.
 * @throws NotFound, Conflict `site_has_calendar`, Forbidden `not_author` where others have written notes and the caller is no admin
 */
export const deleteGroup = (
  scope: TenantScope,
  groupId: string,
  hasCalendar: HasCalendar,
  hasNotesOfOthers: HasNotesOfOthers,
): Promise<void> =>
  scope.tx(async (sql) => {
    const { tenantId, actor } = scope
    await lockTree(sql, scope)
    const [group] = await sql<{ parentId: string | null; type: GroupType }[]>`
      select parent_id as "parentId", group_type as type from machine_groups where tenant_id = ${tenantId} and id = ${groupId} for update`
    if (!group) throw new NotFound('machine group', groupId)
    if (group.type === 'site') await refuseLossOfCalendar(sql, scope, groupId, hasCalendar)
    if (actor.role !== 'admin' && (await hasNotesOfOthers(sql, tenantId, groupId, actor.id)))
      throw new Forbidden('not_author', 'Others have written notes about the group, which an admin must give up.')
    await sql`update machine_groups set parent_id = ${group.parentId} where tenant_id = ${tenantId} and parent_id = ${groupId}`
    // Keys before agents, as where a credential is activated.
    await sql`update enrolment_keys set group_id = null where tenant_id = ${tenantId} and group_id = ${groupId}`
    const left = await sql<{ agentId: string }[]>`
      update agents set group_id = null where tenant_id = ${tenantId} and group_id = ${groupId} returning agent_id as "agentId"`
    const agents = { type: 'agent', ids: left.map(({ agentId }) => agentId) }
    await recordEventOfEach(sql, tenantId, actor, 'agent.updated', agents, { group_id: null })
    await sql`delete from machine_groups where tenant_id = ${tenantId} and id = ${groupId}`
  })
