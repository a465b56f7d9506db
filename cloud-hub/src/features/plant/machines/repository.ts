import { containing } from '../../../db/like.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { z } from '../../../support/http/z.ts'
import { inGroup } from '../machine-groups/index.ts'
import { MachineBody, type MachineCreate, type MachinePatch, type MachineQuery } from './schemas.ts'

/** A machine: the fields that the API shows have the names of their columns. */
export type MachineRow = Omit<z.output<typeof MachineBody>, 'created_at' | 'updated_at' | 'version'> & {
  created_at: Date
  updated_at: Date
}

const COLUMNS = Object.keys(MachineBody.omit({ version: true }).shape).join(', ')

/** Sorts names by Unicode collation, numbers in them by value: `press 2` before `press 10`. */
const SORT: Record<z.output<typeof MachineQuery>['sort_by'], string> = {
  name: 'name collate natural_order',
  machine_identifier: 'machine_identifier collate natural_order',
  status: 'status',
  location: 'location collate natural_order',
  updated_at: 'updated_at',
  created_at: 'created_at',
}

type Query = z.output<typeof MachineQuery>

/** A page and the total count for each query; queries with the same filters share the count. */
export function list(
  sql: TransactionSql,
  tenantId: string,
  queries: readonly Query[],
): Promise<{ items: MachineRow[]; total: number }[]> {
  const totals = new Map<string, Promise<number>>()
  return Promise.all(
    queries.map(async (query) => {
      const { page, page_size: pageSize, sort_by, sort_dir, ...filters } = query
      const where = matching(sql, tenantId, filters)
      const key = JSON.stringify(filters)
      const counting = totals.get(key) ?? count(sql, tenantId, filters)
      totals.set(key, counting)
      const order = sql.unsafe(`${SORT[sort_by]} ${sort_dir === 'asc' ? 'asc' : 'desc'}`)
      const [items, total] = await Promise.all([
        sql<MachineRow[]>`
          select ${sql.unsafe(COLUMNS)} from machines where tenant_id = ${tenantId} ${where} order by ${order}, id limit ${pageSize} offset ${(page - 1) * pageSize}`,
        counting,
      ])
      return { items, total }
    }),
  )
}

type Filters = Pick<Query, 'search' | 'is_active' | 'status' | 'group_id'>

const matching = (sql: TransactionSql, tenantId: string, { search, is_active, status, group_id }: Filters) => sql`
  ${is_active === 'all' ? sql`` : sql`and is_active = ${is_active === 'true'}`}
  ${status ? sql`and status = ${status}` : sql``}
  ${search ? sql`and (name ilike ${containing(search)} or machine_identifier ilike ${containing(search)})` : sql``}
  ${inGroup(sql, tenantId, group_id, 'id')}`

async function count(sql: TransactionSql, tenantId: string, filters: Filters): Promise<number> {
  const [counted] = await sql<{ total: number }[]>`
    select count(*)::int as total from machines where tenant_id = ${tenantId} ${matching(sql, tenantId, filters)}`
  return counted?.total ?? 0
}

export async function find(sql: TransactionSql, { tenantId }: TenantScope, machineId: string): Promise<MachineRow | undefined> {
  const [row] = await sql<MachineRow[]>`
    select ${sql.unsafe(COLUMNS)} from machines where tenant_id = ${tenantId} and id = ${machineId}`
  return row
}

/** Locks a machine until the end of the transaction. */
export const lock = (sql: TransactionSql, { tenantId }: TenantScope, machineId: string) =>
  sql<{ isActive: boolean }[]>`
    select is_active as "isActive" from machines where tenant_id = ${tenantId} and id = ${machineId} for no key update`

export async function insert(
  sql: TransactionSql,
  { tenantId, clock }: TenantScope,
  values: z.output<typeof MachineCreate>,
): Promise<MachineRow> {
  const now = clock.now()
  const [row] = await sql<MachineRow[]>`
    insert into machines ${sql({ tenant_id: tenantId, ...values, created_at: now, updated_at: now })}
    returning ${sql.unsafe(COLUMNS)}`
  return row as MachineRow
}

export async function update(
  sql: TransactionSql,
  { tenantId }: TenantScope,
  machineId: string,
  values: z.output<typeof MachinePatch> & { status_is_manual?: boolean; updated_at: Date },
): Promise<MachineRow | undefined> {
  const [row] = await sql<MachineRow[]>`
    update machines set ${sql(values)}
    where tenant_id = ${tenantId} and id = ${machineId} returning ${sql.unsafe(COLUMNS)}`
  return row
}
