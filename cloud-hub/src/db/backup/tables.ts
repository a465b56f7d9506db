import type { Sql, TransactionSql } from '../pools.ts'

/** State of running hubs, which a restore does not need. */
export const LEFT_OUT = ['agent_connections', 'hub_replicas', 'rate_windows', 'source_pollers']

/** The hub's tables in foreign-key order, parents first. `readings` stands for its partitions. */
export async function tablesInOrder(sql: Sql | TransactionSql): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all(${LEFT_OUT})
    order by relname`
  const links = await sql<{ child: string; parent: string }[]>`
    select distinct c.relname as child, p.relname as parent from pg_constraint k
    join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
    where k.contype = 'f' and c.relnamespace = 'public'::regnamespace and k.conrelid <> k.confrelid`
  const left = new Set(tables.map((table) => table.name))
  const order: string[] = []
  while (left.size > 0) {
    const ready = [...left].filter((name) => !links.some((link) => link.child === name && left.has(link.parent)))
    if (ready.length === 0) throw new Error(`the foreign keys of these tables form a cycle: ${[...left].join(', ')}`)
    for (const name of ready) left.delete(name)
    order.push(...ready)
  }
  return order
}

/** Columns to copy, in their order, without generated columns. */
export async function columnsOf(sql: Sql | TransactionSql, table: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${`public.${table}`}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`
  return rows.map((row) => row.name)
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
