import type { TransactionSql } from '../../../db/pools.ts'
import type { FieldError } from '../../../support/errors.ts'
import { findUnstorableText } from '../../../support/http/body.ts'
import { fieldErrors, validationMessage } from '../../../support/http/validation-message.ts'
import type { z } from '../../../support/http/z.ts'
import { lockPlaces } from '../../people/limits/index.ts'
import { type Detail, detailsOf } from './details.ts'
import { MachineCreate } from './schemas.ts'

export type MachineValues = Omit<z.output<typeof MachineCreate>, Detail> & Record<Detail, string | null>

const NO_DETAILS = detailsOf(() => null)
const GIVEN = Object.keys(MachineCreate.shape).join(', ')

/** The machine that values from outside describe, or what is wrong with them; `path` is the name of the field. */
export function checkMachine(values: Readonly<Record<string, unknown>>): MachineValues | FieldError[] {
  const bad = findUnstorableText(values, 'row')
  if (bad) return [{ ...bad, path: bad.path.replace('row.', '') }]
  const parsed = MachineCreate.safeParse(values, { error: validationMessage })
  if (parsed.success) return { ...NO_DETAILS, ...parsed.data } as MachineValues
  return fieldErrors(parsed.error)
}

/** Which identifiers can become machines. */
export interface NewIdentifiers {
  /** no machine has these, and the tenant has places for them */
  free: Set<string>
  /** no machine has these either, but the tenant has as many as it may have */
  refused: Set<string>
  /** of active machines; null: none */
  limit: number | null
}

/** Sorts out different identifiers, the first ones first. Until the end of the transaction nobody else adds machines to the tenant. */
export async function findNewIdentifiers(
  sql: TransactionSql,
  tenantId: string,
  identifiers: readonly string[],
): Promise<NewIdentifiers> {
  const { free, limit } = await lockPlaces(sql, { tenantId }, 'machines')
  const known = await sql<{ identifier: string }[]>`
    select machine_identifier as identifier from machines
    where tenant_id = ${tenantId} and machine_identifier = any(${identifiers as string[]}::text[])`
  const existing = new Set(known.map(({ identifier }) => identifier))
  const fresh = identifiers.filter((it) => !existing.has(it))
  return { free: new Set(fresh.slice(0, free)), refused: new Set(fresh.slice(free)), limit }
}

/**
 * Creates machines with different identifiers, as many as the tenant may have. Existing machines, also deactivated ones, stay as they are.
 * @returns the ids of new machines, by identifier, and the identifiers that were refused
 */
export async function insertMachines(
  sql: TransactionSql,
  tenantId: string,
  machines: readonly MachineValues[],
  now: Date,
): Promise<Pick<NewIdentifiers, 'refused' | 'limit'> & { created: Map<string, string> }> {
  const { free, ...found } = await findNewIdentifiers(
    sql,
    tenantId,
    machines.map((machine) => machine.machine_identifier),
  )
  const added = machines.filter((machine) => free.has(machine.machine_identifier))
  const rows = await sql<{ id: string; identifier: string }[]>`
    insert into machines (tenant_id, ${sql.unsafe(GIVEN)}, created_at, updated_at)
    select ${tenantId}::uuid, ${sql.unsafe(GIVEN)}, ${now}, ${now}
    from jsonb_populate_recordset(null::machines, ${sql.json(added as never)})
    order by machine_identifier
    on conflict (tenant_id, machine_identifier) do nothing returning id, machine_identifier as identifier`
  return { ...found, created: new Map(rows.map((row) => [row.identifier, row.id])) }
}
