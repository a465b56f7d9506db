import type { TenantScope } from '../../../../db/scope.ts'
import { Unprocessable } from '../../../../support/errors.ts'
import { findUnstorableText } from '../../../../support/http/body.ts'
import { validationMessage } from '../../../../support/http/validation-message.ts'
import { MachineCreate } from '../schemas.ts'
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
  const made = await insert(
    scope,
    [...valid.values()].map(({ values }) => values),
  )
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
  const bad = findUnstorableText(row.cells, 'row')
  if (bad) return `${bad.path.replace('row.', '')}: ${bad.message}`
  const { location, ...rest } = row.cells
  const parsed = MachineCreate.safeParse({ ...rest, ...(location ? { location } : {}) }, { error: validationMessage })
  if (parsed.success) return { ...parsed.data, location: parsed.data.location ?? null }
  return parsed.error.issues
    .map(({ path, message }) => {
      const column = String(path[0])
      return `${column}: ${row.cells[column as 'name'] ? message : 'must not be empty'}`
    })
    .join('; ')
}

type Values = Exclude<ReturnType<typeof check>, string>

/** @returns the ids of new machines, by identifier */
async function insert(scope: TenantScope, machines: readonly Values[]): Promise<Map<string, string>> {
  if (machines.length === 0) return new Map()
  const now = scope.clock.now()
  const rows = await scope.rawTx(
    (sql) => sql<{ id: string; identifier: string }[]>`
      insert into machines (tenant_id, name, machine_identifier, protocol, location, created_at, updated_at)
      select ${scope.tenantId}::uuid, n, i, p, l, ${now}, ${now}
      from unnest(${machines.map((m) => m.name)}::text[], ${machines.map((m) => m.machine_identifier)}::text[],
        ${machines.map((m) => m.protocol)}::text[], ${machines.map((m) => m.location ?? null)}::text[]) r(n, i, p, l)
      order by i
      on conflict (tenant_id, machine_identifier) do nothing returning id, machine_identifier as identifier`,
  )
  return new Map(rows.map((row) => [row.identifier, row.id]))
}
