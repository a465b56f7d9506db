import { readFileSync } from 'node:fs'

/** A table as `cloud-hub/migrations/schema.sql` shows it. */
export interface Table {
  name: string
  /** rows belong to a tenant: the table has the column `tenant_id` */
  isOfTenant: boolean
}

/** The tables and views of the hub by name. */
export function readTables(schemaFile: string): Map<string, Table> {
  const tables = new Map<string, Table>()
  for (const [, name, body] of readFileSync(schemaFile, 'utf8').matchAll(/^create (?:unlogged )?table (\w+) \(\n([\s\S]*?)^\)/gm))
    tables.set(name as string, { name: name as string, isOfTenant: /^ {2}tenant_id /m.test(body as string) })
  return tables
}
