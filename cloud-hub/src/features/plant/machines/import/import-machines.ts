import type { TenantScope } from '../../../../db/scope.ts'
import { type FieldError, fieldError, type RowError, rowError, Unprocessable } from '../../../../support/errors.ts'
import { checkMachine, findNewIdentifiers, insertMachines, type MachineValues, type NewIdentifiers } from '../insert-machines.ts'
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
 * counts. Existing machines, also deactivated ones, are reported and left unchanged. At the limit of the tenant the first rows count.
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
  const { isNew, refused, limit } = await (isDryRun ? newIdentifiers(scope, identifiers) : createdMachines(scope, values))
  for (const [identifier, { row }] of valid)
    if (!isNew.has(identifier))
      errors.push(
        rowError(row.line, [
          refused.has(identifier)
            ? fieldError('', 'no_place_for_machine', { limit: limit ?? 0 })
            : fieldError('', 'machine_exists'),
        ]),
      )
  return {
    totalRows: rows.length,
    errors: errors.sort((a, b) => a.row - b.row),
    createdIds: identifiers.flatMap((identifier) => isNew.get(identifier) ?? []),
    successCount: isNew.size,
    preview: rows.slice(0, PREVIEW_ROWS),
  }
}

interface Outcome extends Pick<NewIdentifiers, 'refused' | 'limit'> {
  /** the ids of new machines, by identifier; null in a dry run */
  isNew: Map<string, string | null>
}

const NOTHING: Outcome = { isNew: new Map(), refused: new Set(), limit: null }

const createdMachines = (scope: TenantScope, values: readonly MachineValues[]): Promise<Outcome> =>
  scope.tx(async (sql) => {
    if (values.length === 0) return NOTHING
    const { created, ...found } = await insertMachines(sql, scope.tenantId, values, scope.clock.now())
    return { ...found, isNew: created }
  })

const newIdentifiers = (scope: TenantScope, identifiers: readonly string[]): Promise<Outcome> =>
  scope.tx(async (sql) => {
    const { free, ...found } = await findNewIdentifiers(sql, scope.tenantId, identifiers)
    return { ...found, isNew: new Map([...free].map((it) => [it, null])) }
  })

/** People write protocols in any case, and as `OPC UA` or `opc-ua`. */
const protocolOf = (cell = '') => cell.toLowerCase().replace(/[\s-]+/g, '_')

/** The machine of a row, or its errors. */
function check(row: Row): MachineValues | FieldError[] {
  if (row.hasExtraCells) return [fieldError('', 'too_many_cells')]
  const checked = checkMachine({ ...row.cells, protocol: protocolOf(row.cells.protocol) })
  if (!Array.isArray(checked)) return checked
  return checked.map((error) => (row.cells[error.path as 'name'] ? error : fieldError(error.path, 'empty')))
}
