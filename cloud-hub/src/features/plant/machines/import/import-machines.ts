import type { TenantScope } from '../../../../db/scope.ts'
import { Unprocessable } from '../../../../support/errors.ts'
import { checkMachine, insertMachines } from '../insert-machines.ts'
import { parseFile } from './parse-file.ts'
import { type Row, UnreadableFile } from './table.ts'

export interface ImportResult {
  totalRows: number
  /** errors, by line of the file */
  errors: { row: number; reason: string }[]
  /** in the order of the file */
  createdIds: string[]
}

/**
 * Creates a machine for each valid row of a file. Invalid rows do not affect others; of two rows with one identifier the first
 * counts. Existing machines, also deactivated ones, are reported and left unchanged.
 * @throws Unprocessable for an unreadable file
 */
export async function importMachines(scope: TenantScope, file: Buffer): Promise<ImportResult> {
  const rows = await parseFile(file).catch((error) => {
    throw error instanceof UnreadableFile
      ? new Unprocessable([{ path: 'body.file', message: error.message }], 'file_unreadable')
      : error
  })
  const errors: ImportResult['errors'] = []
  const valid = new Map<string, { row: Row; values: ReturnType<typeof check> & object }>()
  for (const row of rows) {
    const checked = check(row)
    if (typeof checked === 'string') errors.push({ row: row.line, reason: checked })
    else {
      const first = valid.get(checked.machine_identifier)
      if (first) errors.push({ row: row.line, reason: `duplicate machine_identifier: line ${first.row.line} has it already` })
      else valid.set(checked.machine_identifier, { row, values: checked })
    }
  }
  const values = [...valid.values()].map(({ values }) => values)
  const made =
    values.length === 0
      ? new Map<string, string>()
      : await scope.rawTx((sql) => insertMachines(sql, scope.tenantId, values, scope.clock.now()))
  for (const [identifier, { row }] of valid)
    if (!made.has(identifier)) errors.push({ row: row.line, reason: 'duplicate machine_identifier: a machine has it already' })
  return {
    totalRows: rows.length,
    errors: errors.sort((a, b) => a.row - b.row),
    createdIds: [...valid.keys()].flatMap((identifier) => made.get(identifier) ?? []),
  }
}

/** The machine of a row, or its errors. */
function check(row: Row) {
  if (row.hasExtraCells) return 'has more cells than the header has columns'
  const { location, ...rest } = row.cells
  const checked = checkMachine({ ...rest, ...(location ? { location } : {}) })
  if (!Array.isArray(checked)) return checked
  return checked.map(({ path, message }) => `${path}: ${row.cells[path as 'name'] ? message : 'must not be empty'}`).join('; ')
}
