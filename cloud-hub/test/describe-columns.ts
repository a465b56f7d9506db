import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import * as tables from '../src/db/tables/index.ts'

/** What the driver reads as another type than drizzle declares: bigint as text, and dates as Date. */
const CASTS: Record<string, string> = { PgBigInt53: '::float8', PgDateString: '::text' }

const LINE_WIDTH = 130

/** The source text of `src/db/columns.ts`. */
export function describeColumns(): string {
  const lines = Object.entries(tables)
    .filter(([, table]) => is(table, PgTable))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, table]) => property(name, `'${selectList(table)}',`))
  return `/**
 * Written from the tables by \`npm run schema\`; test/schema.test.ts compares. The columns of each table for a statement whose rows match
 * drizzle's type: \`id, tenant_id as "tenantId"\`.
 */
export const columns = {\n${lines.join('')}}\n`
}

/** Formatted as biome would. */
const property = (name: string, value: string): string =>
  name.length + value.length + 4 > LINE_WIDTH ? `  ${name}:\n    ${value}\n` : `  ${name}: ${value}\n`

const selectList = (table: PgTable): string =>
  columnsOf(table)
    .map(([key, name, cast]) => (key === name && !cast ? name : `${name}${cast} as "${key}"`))
    .join(', ')

const columnsOf = (table: PgTable): [key: string, name: string, cast: string][] =>
  Object.entries(getTableColumns(table)).map(([key, { name, columnType }]) => [key, name, CASTS[columnType] ?? ''])

/** Columns whose name is not that of their property in snake_case, as `columnValues` writes it. */
export const irregularColumns = (): string[] =>
  Object.values(tables)
    .filter((table) => is(table, PgTable))
    .flatMap((table) => columnsOf(table).map(([key, name]) => ({ key, name: `${getTableName(table)}.${name}` })))
    .filter(({ key, name }) => !name.endsWith(`.${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`))
    .map(({ name }) => name)
