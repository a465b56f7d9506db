import type { TransactionSql } from '../../../db/pools.ts'
import { type Fragment, inScope } from './divide.ts'
import type { FiguresQueryOutput } from './schemas.ts'

/** The most machines of a group that a statement lists: it finds the rows of each by index, and those of more by a scan of all. */
const MAX_LISTED = 2_000
/** The most deactivated machines whose sums are subtracted from those of the tenant, which have all machines. */
const MAX_SUBTRACTED = 500

/** Which machines a query is about, as far as its statements must know. */
export interface MachineScope {
  /** those of its group, where they are few */
  listed: string[] | null
  /** the deactivated ones, where it is about all others as one and they are few */
  inactive: string[] | null
}

/** Rows are summed by machine before the machines of the query are chosen. */
const isByMachine = ({ by }: FiguresQueryOutput) => by === 'machine' || by === 'group'

export async function loadMachineScope(sql: TransactionSql, tenantId: string, query: FiguresQueryOutput): Promise<MachineScope> {
  if (query.machine_id) return { listed: null, inactive: null }
  if (query.group_id) {
    const rows = await sql<{ id: string }[]>`
      select m.id from machines m where ${inScope(sql, tenantId, query)} limit ${MAX_LISTED + 1}`
    return { listed: rows.length > MAX_LISTED ? null : rows.map(({ id }) => id), inactive: null }
  }
  if (isByMachine(query)) return { listed: null, inactive: null }
  const rows = await sql<{ id: string }[]>`
    select id from machines where tenant_id = ${tenantId} and not is_active limit ${MAX_SUBTRACTED + 1}`
  return { listed: null, inactive: rows.length > MAX_SUBTRACTED ? null : rows.map(({ id }) => id) }
}

/**
 * The condition that a row is of a machine of the query; by machine or group also of others, whose sums are dropped when they are joined with
 * the members. Not from a common table expression, because PostgreSQL cannot estimate its rows.
 */
export function isOfMachines(
  sql: TransactionSql,
  tenantId: string,
  query: FiguresQueryOutput,
  { listed, inactive }: MachineScope,
): Fragment {
  if (query.machine_id) return sql`machine_id = ${query.machine_id} and exists (select from members)`
  if (listed) return sql`machine_id = any(${listed}::uuid[])`
  if (isByMachine(query) || inactive?.length === 0) return sql`true`
  if (inactive) return sql`machine_id <> all(${inactive}::uuid[])`
  return sql`machine_id in (select m.id from machines m where ${inScope(sql, tenantId, query)})`
}
