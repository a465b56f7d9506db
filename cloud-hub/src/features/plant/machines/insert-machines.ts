import type { TransactionSql } from '../../../db/pools.ts'
import type { FieldError } from '../../../support/errors.ts'
import { findUnstorableText } from '../../../support/http/body.ts'
import { fieldErrors, validationMessage } from '../../../support/http/validation-message.ts'
import type { z } from '../../../support/http/z.ts'
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

/**
 * Creates machines with different identifiers. Existing machines, also deactivated ones, stay as they are.
 * @returns the ids of new machines, by identifier
 */
export async function insertMachines(
  sql: TransactionSql,
  tenantId: string,
  machines: readonly MachineValues[],
  now: Date,
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; identifier: string }[]>`
    insert into machines (tenant_id, ${sql.unsafe(GIVEN)}, created_at, updated_at)
    select ${tenantId}::uuid, ${sql.unsafe(GIVEN)}, ${now}, ${now}
    from jsonb_populate_recordset(null::machines, ${sql.json(machines as never)})
    order by machine_identifier
    on conflict (tenant_id, machine_identifier) do nothing returning id, machine_identifier as identifier`
  return new Map(rows.map((row) => [row.identifier, row.id]))
}
