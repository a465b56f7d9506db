import type { PendingQuery, Row } from 'postgres'
import type { Sql, TransactionSql } from '../../../db/pools.ts'

/** An id, or the column of a statement that has it. */
type IdOrColumn = string | PendingQuery<Row[]>

/** A subquery: the ids of a group and of all groups below it; none for an id that the tenant does not have. */
export const groupsBelow = (sql: Sql | TransactionSql, tenantId: IdOrColumn, groupId: IdOrColumn) => sql`
  with recursive nested(id) as (
    select id from machine_groups where tenant_id = ${tenantId} and id = ${groupId}
    union select g.id from machine_groups g join nested n on g.parent_id = n.id where g.tenant_id = ${tenantId}
  )
  select id from nested`

/** A subquery: the ids of the groups that contain a machine, also through groups below them. */
export const groupsOfMachine = (sql: TransactionSql, tenantId: string, machineId: string) => sql`
  with recursive above(id) as (
    select group_id from machine_group_members where tenant_id = ${tenantId} and machine_id = ${machineId}
    union select g.parent_id from machine_groups g join above a on g.id = a.id where g.tenant_id = ${tenantId} and g.parent_id is not null
  )
  select id from above`

/** A subquery: the ids of the machines of a group and of all groups below it; none for an id that the tenant does not have. */
export const machinesOfGroup = (sql: Sql | TransactionSql, tenantId: IdOrColumn, groupId: IdOrColumn) => sql`
  select k.machine_id from machine_group_members k
  where k.tenant_id = ${tenantId} and k.group_id in (${groupsBelow(sql, tenantId, groupId)})`

/**
 * A condition for the end of a `where`: that a machine is in a group or in one below it.
 * @param groupId undefined: no condition
 * @param column that with the id of the machine, such as `a.machine_id`
 */
export const inGroup = (sql: TransactionSql, tenantId: string, groupId: string | undefined, column: string) =>
  groupId ? sql`and ${sql.unsafe(column)} in (${machinesOfGroup(sql, tenantId, groupId)})` : sql``

/**
 * A condition for the end of a `where`: that what all sites or one of them have holds for a group, by its column `group_id`.
 * @param groupId undefined: no condition
 */
export const holdsForGroup = (sql: TransactionSql, tenantId: string, groupId: string | undefined) =>
  groupId
    ? sql`and exists (select from machine_groups where tenant_id = ${tenantId} and id = ${groupId}) and (group_id is null or group_id in (
        with recursive above(id) as (
          select ${groupId}::uuid
          union select g.parent_id from machine_groups g join above a on g.id = a.id where g.tenant_id = ${tenantId} and g.parent_id is not null
        )
        select id from above))`
    : sql``

/** A subquery: the machines of each site, those of nested groups included, each once: `site_id`, `machine_id`. @param siteId null for all sites */
export const machinesOfSites = (sql: TransactionSql, tenantId: string, siteId: string | null) => sql`
  with recursive nested(site_id, group_id) as (
    select id, id from machine_groups where tenant_id = ${tenantId} and group_type = 'site' and (${siteId}::uuid is null or id = ${siteId})
    union select n.site_id, g.id from machine_groups g join nested n on g.parent_id = n.group_id where g.tenant_id = ${tenantId}
  )
  select distinct n.site_id, k.machine_id
  from nested n join machine_group_members k on k.tenant_id = ${tenantId} and k.group_id = n.group_id`
