import { columns } from '../../../db/columns.ts'
import { PRIORITIES, WORK_ORDER_STATUSES } from '../../../db/enums.ts'
import { containing } from '../../../db/like.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { qualified } from '../../../db/sql.ts'
import type { workOrderHistory, workOrders } from '../../../db/tables/work-orders.ts'
import { Conflict, fieldError, NotFound, Unprocessable } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import type { FactsRow } from '../../alerting/alerts/index.ts'
import { inGroup } from '../../plant/machine-groups/index.ts'
import { machineNameOf } from '../../plant/machines/index.ts'
import { readsLike, TITLE_FACTS } from '../order-titles/index.ts'
import type { OrderQuery } from './schemas.ts'

/** A work order with the name of its machine and its additional assignees. */
export type OrderRow = typeof workOrders.$inferSelect & {
  machineName: string
  /** in the order of `assignee_ids` */
  assigneeIds: string[]
  signoffCount: number
  /** what the title says while it is the sentence of its alert; null: a person wrote it */
  titleFacts: FactsRow | null
}

/** The columns of an {@link OrderRow} of the table `work_orders o`. */
export const ORDER_COLUMNS = `${qualified(columns.workOrders, 'o')}, ${machineNameOf('o')},
  (select coalesce(json_agg(a.user_id order by a.position), '[]') from work_order_assignees a
   where a.tenant_id = o.tenant_id and a.work_order_id = o.id) as "assigneeIds",
  (select count(*)::int from signoffs s where s.tenant_id = o.tenant_id and s.work_order_id = o.id) as "signoffCount",
  ${TITLE_FACTS}`

/** @throws NotFound */
export async function findOrder(sql: TransactionSql, scope: TenantScope, workOrderId: string): Promise<OrderRow> {
  const [row] = await sql<OrderRow[]>`
    select ${sql.unsafe(ORDER_COLUMNS)} from work_orders o where tenant_id = ${scope.tenantId} and id = ${workOrderId}`
  if (!row) throw new NotFound('work order', workOrderId)
  return row
}

/**
 * Locks a work order. Changes of it, of its instructions and attachments, and signing lock it first, so that each sees what the
 * other did. @throws NotFound
 */
export async function lockOrder(sql: TransactionSql, scope: TenantScope, workOrderId: string): Promise<OrderRow> {
  await sql`select 1 from work_orders where tenant_id = ${scope.tenantId} and id = ${workOrderId} for no key update`
  // A statement of its own: the one that waited for the lock sees sign-offs as they were before.
  return findOrder(sql, scope, workOrderId)
}

/** @throws Conflict when the work order has a sign-off */
export function assertUnsigned({ signoffCount }: OrderRow): void {
  if (signoffCount > 0)
    throw new Conflict(
      'work_order_signed',
      'The work order is signed: it, its instructions and its attachments can no longer be changed. Add a comment, or create another work order.',
    )
}

/**
 * Locks a work order for a change of it, its instructions or attachments, or for its deletion.
 * @throws NotFound; Conflict when it has a sign-off
 */
export async function lockUnsigned(sql: TransactionSql, scope: TenantScope, workOrderId: string): Promise<OrderRow> {
  const row = await lockOrder(sql, scope, workOrderId)
  assertUnsigned(row)
  return row
}

const rank = (column: string, values: readonly string[]) => `array_position('{${values.join()}}'::text[], ${column})`
const SORT: Record<z.output<typeof OrderQuery>['sort_by'], string> = {
  created_at: 'created_at',
  updated_at: 'updated_at',
  due_date: 'due_date',
  priority: rank('priority', PRIORITIES),
  status: rank('status', WORK_ORDER_STATUSES),
  title: 'title collate natural_order',
}

const overdueAt = (sql: TransactionSql, now: Date) =>
  sql`due_date is not null and due_date < ${now} and status in ('open', 'in_progress')`

/** How many work orders of the tenant, or of a group of machines, are overdue. */
export async function countOverdue(sql: TransactionSql, scope: TenantScope, groupId: string | undefined): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from work_orders o where tenant_id = ${scope.tenantId} ${inGroup(sql, scope.tenantId, groupId, 'machine_id')}
      and ${overdueAt(sql, scope.clock.now())}`
  return row.n
}

/** A page of work orders, and the number of all matches. */
export async function listOrders(sql: TransactionSql, scope: TenantScope, query: z.output<typeof OrderQuery>) {
  const { machine_id, group_id, alert_id, status, priority, assigned_to, overdue, page, page_size: size } = query
  const text = query.search ? containing(query.search) : null
  const isOverdue = sql`(${overdueAt(sql, scope.clock.now())})`
  const where = sql`
    tenant_id = ${scope.tenantId} ${machine_id ? sql`and machine_id = ${machine_id}` : sql``}
    ${inGroup(sql, scope.tenantId, group_id, 'machine_id')}
    ${alert_id ? sql`and alert_id = ${alert_id}` : sql``}
    ${status ? sql`and status = any(${status}::text[])` : sql``}
    ${priority ? sql`and priority = any(${priority}::text[])` : sql``}
    ${overdue === undefined ? sql`` : overdue ? sql`and ${isOverdue}` : sql`and not ${isOverdue}`}
    ${
      text
        ? sql`and (title ilike ${text} or description ilike ${text} or completion_notes ilike ${text}
      or ${readsLike(sql, query.search ?? '')})`
        : sql``
    }
    ${
      assigned_to
        ? sql`and (assigned_to = ${assigned_to} or id in (
            select a.work_order_id from work_order_assignees a where a.tenant_id = ${scope.tenantId} and a.user_id = ${assigned_to}))`
        : sql``
    }`
  const direction = query.sort_dir === 'asc' ? 'asc' : 'desc'
  const order = sql.unsafe(`${SORT[query.sort_by]} ${direction} nulls last, id ${direction}`)
  const [items, counted] = await Promise.all([
    sql<OrderRow[]>`
      select ${sql.unsafe(ORDER_COLUMNS)} from work_orders o where ${where} order by ${order} limit ${size} offset ${(page - 1) * size}`,
    sql<{ total: number }[]>`select count(*)::int as total from work_orders o where ${where}`,
  ])
  return { items: [...items], total: counted[0]?.total ?? 0 }
}

/**
 * Checks people who are to be assigned, and locks them until the commit.
 * @param assigned by the path of the field that names them
 * @throws NotFound for an id that is no user of the tenant, Unprocessable for one who is deactivated or has not accepted the invitation
 */
export async function checkAssignees(
  sql: TransactionSql,
  scope: TenantScope,
  assigned: Record<string, readonly string[]>,
): Promise<void> {
  const ids = Object.values(assigned).flat()
  if (ids.length === 0) return
  const rows = await sql<{ id: string; isActive: boolean }[]>`
    select id, is_active and not is_invited and not is_service as "isActive" from users
    where tenant_id = ${scope.tenantId} and id = any(${ids}::uuid[]) order by id for share`
  const active = new Map(rows.map((row) => [row.id, row.isActive]))
  const inactive = Object.entries(assigned).flatMap(([path, people]) =>
    people.some((id) => active.get(id) === false) ? [fieldError(path, 'inactive_user')] : [],
  )
  if (inactive.length > 0) throw new Unprocessable(inactive)
  const unknown = ids.find((id) => !active.has(id))
  if (unknown) throw new NotFound('user', unknown)
}

/** Makes these people the additional assignees of a work order; the history shows who was added and removed. */
export async function replaceAssignees(
  sql: TransactionSql,
  scope: TenantScope,
  workOrderId: string,
  userIds: readonly string[],
): Promise<void> {
  const wanted = userIds as string[]
  await sql`delete from work_order_assignees
    where tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId} and user_id <> all(${wanted}::uuid[])`
  await sql`
    insert into work_order_assignees (tenant_id, work_order_id, user_id, position)
    select ${scope.tenantId}::uuid, ${workOrderId}::uuid, id, n - 1 from unnest(${wanted}::uuid[]) with ordinality w(id, n)
    on conflict (tenant_id, work_order_id, user_id) do update set position = excluded.position
    where work_order_assignees.position <> excluded.position`
}

export type HistoryRow = typeof workOrderHistory.$inferSelect

const HISTORY_COLUMNS = columns.workOrderHistory

/** A page of the history that a trigger writes, oldest first, and the number of all entries. */
export function listHistory(scope: TenantScope, workOrderId: string, { page, pageSize }: { page: number; pageSize: number }) {
  return scope.read(async (sql) => {
    const mine = sql`tenant_id = ${scope.tenantId} and work_order_id = ${workOrderId}`
    const [rows, counted] = await Promise.all([
      sql<HistoryRow[]>`
        select ${sql.unsafe(HISTORY_COLUMNS)} from work_order_history where ${mine}
        order by at, id limit ${pageSize} offset ${(page - 1) * pageSize}`,
      sql<{ n: number }[]>`select count(*)::int as n from work_order_history where ${mine}`,
    ])
    return { rows: [...rows], total: counted[0]?.n ?? 0 }
  })
}
