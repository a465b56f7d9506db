import path from 'node:path'
import { parseSync } from 'libpg-query'
import { AREAS } from '../areas.ts'
import { checkStatement, type Findings } from './check-statement.ts'
import { ACROSS_AREAS, type Exception, UNPARSED, WITHOUT_TENANT } from './exceptions.ts'
import type { SourceFile, SourceFiles } from './source-file.ts'
import { AREA_OF } from './table-areas.ts'
import type { Table } from './tables.ts'
import { type Statement, statementsOf } from './templates.ts'

/** The rules of the product. Tests, faults and benchmarks may read everything. */
const PRODUCT = 'cloud-hub/src/**/!(*.test).ts'

/** Collects which exceptions apply, so that those that no longer do are reported. */
export class ExceptionUse {
  private readonly used = new Set<Exception>()

  isExcepted(exceptions: Exception[], file: string, table?: string): boolean {
    const found = exceptions.find(
      ({ files, tables }) => path.matchesGlob(file, files) && (!tables || !table || tables.includes(table)),
    )
    if (found) this.used.add(found)
    return found !== undefined
  }

  unused = (): Exception[] => [...UNPARSED, ...WITHOUT_TENANT, ...ACROSS_AREAS].filter((exception) => !this.used.has(exception))
}

/**
 * Parses the statements of a file as PostgreSQL does.
 * @returns a line for each fault. `loadModule` of libpg-query must have ended before.
 */
export function checkFile(
  files: SourceFiles,
  file: SourceFile,
  { tables, exceptions }: { tables: ReadonlyMap<string, Table>; exceptions: ExceptionUse },
): string[] {
  const faults = new Set<string>()
  for (const statement of statementsOf(files, file))
    for (const text of statement.variants) {
      const found = parse(text)
      const messages =
        typeof found === 'string'
          ? exceptions.isExcepted(UNPARSED, file.name)
            ? []
            : [`PostgreSQL cannot parse the statement: ${found}`]
          : path.matchesGlob(file.name, PRODUCT)
            ? faultsOf(checkStatement(found.parsed, tables), statement, file.name, exceptions)
            : []
      for (const message of messages) faults.add(`${file.name}:${statement.line} ${message}`)
    }
  return [...faults]
}

function parse(text: string): { parsed: unknown } | string {
  try {
    return { parsed: parseSync(text) }
  } catch (error) {
    return (error as Error).message
  }
}

function faultsOf(findings: Findings, { isForAllTenants }: Statement, file: string, exceptions: ExceptionUse): string[] {
  const area = /^cloud-hub\/src\/features\/(\w+)\//.exec(file)?.[1]
  return [
    ...findings.starred.map((table) => `names no columns of ${table}: \`*\` also returns the columns of later migrations`),
    ...findings.withoutTenant
      .filter((table) => !isForAllTenants && !exceptions.isExcepted(WITHOUT_TENANT, file, table))
      .map((table) => `names no tenant for ${table}: add it, or call the parameter \`allTenants\``),
    ...findings.tables
      .filter((table) => area !== undefined && !isBelow(area, table) && !exceptions.isExcepted(ACROSS_AREAS, file, table))
      .map(
        (table) =>
          `${area} does not use ${table}, a table of ${AREA_OF.get(table) ?? 'no area: add it to install/sql/table-areas.ts'}`,
      ),
  ]
}

function isBelow(area: string, table: string): boolean {
  const its = AREA_OF.get(table)
  return its === 'db' || its === 'readings' || its === area || (its !== undefined && AREAS[area]?.includes(its) === true)
}
