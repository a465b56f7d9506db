import type { TenantScope } from '../../../../db/scope.ts'
import { type FieldError, fieldError, type RowError, rowError, Unprocessable } from '../../../../support/errors.ts'
import { checkMachine, insertMachines, type MachineValues } from '../insert-machines.ts'
import { parseFile } from './parse-file.ts'
import { type Row, UnreadableFile } from './table.ts'

export interface ImportResult {
  totalRows: number
  /** errors, by line of the file */
  errors: RowError[]
  /** in the order of the file; of a dry run none */
  createdIds: string[]
  /** machines that were created, or that a dry run found to be new */
  successCount: number
  /** the first rows of the file */
  preview: Row[]
}

const PREVIEW_ROWS = 20

/**
 * Creates a machine for each valid row of a file. Invalid rows do not affect others; of two rows with one identifier the first
 * counts. Existing machines, also deactivated ones, are reported and left unchanged.
 * @param options `isDryRun`: report the same, and create nothing. `signal` is aborted when the client leaves
 * @throws Unprocessable for an unreadable file
 */
export async function importMachines(
  scope: TenantScope,
  file: Buffer,
  { isDryRun, signal }: { isDryRun: boolean; signal: AbortSignal },
): Promise<ImportResult> {
  const rows = await parseFile(scope.tenantId, file, signal).catch((error) => {
    throw error instanceof UnreadableFile ? new Unprocessable([{ path: 'body.file', ...error.fault }], 'file_unreadable') : error
  })
  const errors: ImportResult['errors'] = []
  const valid = new Map<string, { row: Row; values: MachineValues }>()
  for (const row of rows) {
    const checked = check(row)
    if (Array.isArray(checked)) errors.push(rowError(row.line, checked))
    else {
      const first = valid.get(checked.machine_identifier)
      if (first) errors.push(rowError(row.line, [fieldError('', 'repeated_row', { line: first.row.line })]))
      else valid.set(checked.machine_identifier, { row, values: checked })
    }
  }
  const values = [...valid.values()].map(({ values }) => values)
  const identifiers = [...valid.keys()]
  const isNew = await (isDryRun ? newIdentifiers(scope, identifiers) : createdMachines(scope, values))
  for (const [identifier, { row }] of valid)
    if (!isNew.has(identifier)) errors.push(rowError(row.line, [fieldError('', 'machine_exists')]))
  return {
    totalRows: rows.length,
    errors: errors.sort((a, b) => a.row - b.row),
    createdIds: identifiers.flatMap((identifier) => isNew.get(identifier) ?? []),
    successCount: isNew.size,
    preview: rows.slice(0, PREVIEW_ROWS),
  }
}

/** @returns the ids of the new machines, by identifier */
const createdMachines = async (scope: TenantScope, values: readonly MachineValues[]): Promise<Map<string, string | null>> =>
  values.length === 0 ? new Map() : scope.tx((sql) => insertMachines(sql, scope.tenantId, values, scope.clock.now()))

/** @returns the identifiers that no machine has, without ids */
async function newIdentifiers(scope: TenantScope, identifiers: readonly string[]): Promise<Map<string, string | null>> {
  const known = await scope.read(
    (sql) => sql<{ identifier: string }[]>`
      select machine_identifier as identifier from machines
      where tenant_id = ${scope.tenantId} and machine_identifier = any(${identifiers as string[]}::text[])`,
  )
  const existing = new Set(known.map(({ identifier }) => identifier))
  return new Map(identifiers.filter((it) => !existing.has(it)).map((it) => [it, null]))
}

/** People write protocols in any case, and as `OPC UA` or `opc-ua`. */
const protocolOf = (cell = '') => cell.toLowerCase().replace(/[\s-]+/g, '_')

/** The machine of a row, or its errors. */
function check(row: Row): MachineValues | FieldError[] {
  if (row.hasExtraCells) return [fieldError('', 'too_many_cells')]
  const checked = checkMachine({ ...row.cells, protocol: protocolOf(row.cells.protocol) })
  if (!Array.isArray(checked)) return checked
  return checked.map((error) => (row.cells[error.path as 'name'] ? error : fieldError(error.path, 'empty')))
}
