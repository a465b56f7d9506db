import type { TransactionSql } from '../../../db/pools.ts'
import type { FieldError } from '../../../support/errors.ts'
import { findUnstorableText } from '../../../support/http/body.ts'
import { fieldErrors, validationMessage } from '../../../support/http/validation-message.ts'
import type { z } from '../../../support/http/z.ts'
import { MachineCreate } from './schemas.ts'

export type MachineValues = Omit<z.output<typeof MachineCreate>, 'location'> & { location: string | null }

/** The machine that values from outside describe, or what is wrong with them; `path` is the name of the field. */
export function checkMachine(values: Readonly<Record<string, unknown>>): MachineValues | FieldError[] {
  const bad = findUnstorableText(values, 'row')
  if (bad) return [{ ...bad, path: bad.path.replace('row.', '') }]
  const parsed = MachineCreate.safeParse(values, { error: validationMessage })
  if (parsed.success) return { ...parsed.data, location: parsed.data.location ?? null }
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
    insert into machines (tenant_id, name, machine_identifier, protocol, location, created_at, updated_at)
    select ${tenantId}::uuid, n, i, p, l, ${now}, ${now}
    from unnest(${machines.map((m) => m.name)}::text[], ${machines.map((m) => m.machine_identifier)}::text[],
      ${machines.map((m) => m.protocol)}::text[], ${machines.map((m) => m.location)}::text[]) r(n, i, p, l)
    order by i
    on conflict (tenant_id, machine_identifier) do nothing returning id, machine_identifier as identifier`
  return new Map(rows.map((row) => [row.identifier, row.id]))
}
