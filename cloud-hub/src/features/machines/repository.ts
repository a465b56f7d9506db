import { and, asc, count, desc, eq, ilike, or, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { first, owned, type TenantDb, type TenantScope } from '../../db/scope.ts'
import { machines } from '../../db/tables/machines.ts'
import type { z } from '../../support/http/z.ts'
import type { MachineQuery } from './schemas.ts'

export type MachineRow = typeof machines.$inferSelect

/** Names are sorted as people expect, in every language. */
const byPeople = (column: PgColumn) => sql`${column} collate "und-x-icu"`
const SORT = {
  name: byPeople(machines.name),
  machine_identifier: byPeople(machines.machineIdentifier),
  status: machines.status,
  location: byPeople(machines.location),
  updated_at: machines.updatedAt,
  created_at: machines.createdAt,
}

/** Members of a group and of all groups nested in it; none for an id that names nothing. */
const inGroup = (scope: TenantScope, groupId: string) => sql`${machines.id} in (
  with recursive nested(id) as (
    select id from machine_groups where tenant_id = ${scope.tenantId} and id = ${groupId}
    union select g.id from machine_groups g join nested n on g.parent_id = n.id where g.tenant_id = ${scope.tenantId}
  )
  select m.machine_id from machine_group_members m join nested n on n.id = m.group_id where m.tenant_id = ${scope.tenantId})`

/** `%` and `_` in what a person typed are meant literally. */
const containing = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

export async function list(db: TenantDb, scope: TenantScope, query: z.output<typeof MachineQuery>) {
  const where = and(
    owned(machines, scope),
    query.is_active === 'all' ? undefined : eq(machines.isActive, query.is_active === 'true'),
    query.status ? eq(machines.status, query.status) : undefined,
    query.search
      ? or(ilike(machines.name, containing(query.search)), ilike(machines.machineIdentifier, containing(query.search)))
      : undefined,
    query.group_id ? inGroup(scope, query.group_id) : undefined,
  )
  const direction = query.sort_dir === 'asc' ? asc : desc
  const rows = db
    .select()
    .from(machines)
    .where(where)
    .orderBy(direction(SORT[query.sort_by]), asc(machines.id))
    .limit(query.page_size)
    .offset((query.page - 1) * query.page_size)
  const total = db.select({ total: count() }).from(machines).where(where)
  const [items, counted] = await Promise.all([rows, total])
  return { items, total: counted[0]?.total ?? 0 }
}

export const find = (db: TenantDb, scope: TenantScope, machineId: string): Promise<MachineRow | undefined> =>
  db
    .select()
    .from(machines)
    .where(and(owned(machines, scope), eq(machines.id, machineId)))
    .then(first)

export const insert = (
  db: TenantDb,
  scope: TenantScope,
  values: Pick<MachineRow, 'name' | 'machineIdentifier' | 'protocol' | 'location'>,
) => {
  const now = scope.clock.now()
  return db
    .insert(machines)
    .values({ ...values, tenantId: scope.tenantId, createdAt: now, updatedAt: now })
    .returning()
    .then(first)
}

export const update = (db: TenantDb, scope: TenantScope, machineId: string, values: Partial<MachineRow>) =>
  db
    .update(machines)
    .set(values)
    .where(and(owned(machines, scope), eq(machines.id, machineId)))
    .returning()
    .then(first)
