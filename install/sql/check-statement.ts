import type { Table } from './tables.ts'

/** A node of PostgreSQL's syntax tree: an object with one property, its type, or the fields of one. */
type Tree = { [key: string]: unknown }

/** What is wrong with a statement, or what it reads. */
export interface Findings {
  /** tables that it names, without those that it defines itself */
  tables: string[]
  /** tables of tenants that are read or changed where no condition names a tenant */
  withoutTenant: string[]
  /** tables of which it selects all columns */
  starred: string[]
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null

/** Calls `see` for each node below a value, with its type. `see` returns whether to go on below it. */
function walk(value: unknown, see: (type: string, node: Tree) => boolean): void {
  if (Array.isArray(value)) for (const item of value) walk(item, see)
  else if (isTree(value)) for (const [type, node] of Object.entries(value)) if (!isTree(node) || see(type, node)) walk(node, see)
}

const STATEMENTS = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']
/** The parts of a `union` are statements without their type. */
const LEVELS = [...STATEMENTS, 'larg', 'rarg']
const LISTS = ['targetList', 'returningList', 'returningClause']

/** @param parsed what libpg-query returns for one text */
export function checkStatement(parsed: unknown, tables: ReadonlyMap<string, Table>): Findings {
  const defined = new Set<string>()
  const findings = { tables: new Set<string>(), withoutTenant: new Set<string>(), starred: new Set<string>() }
  walk(parsed, (type, node) => {
    if (type === 'CommonTableExpr') defined.add(node.ctename as string)
    return true
  })
  walk(parsed, (type, node) => {
    if (LEVELS.includes(type)) checkLevel(type, node)
    return true
  })
  function checkLevel(type: string, node: Tree): void {
    const its = ownTables(node).filter(({ name }) => tables.has(name) && !defined.has(name))
    for (const { name } of its) findings.tables.add(name)
    for (const name of starredOf(node, its)) findings.starred.add(name)
    if (namesTenant(type, node)) return
    for (const { name } of its) if (tables.get(name)?.isOfTenant) findings.withoutTenant.add(name)
  }
  return { tables: [...findings.tables], withoutTenant: [...findings.withoutTenant], starred: [...findings.starred] }
}

interface NamedTable {
  name: string
  /** its name in this statement */
  alias: string
}

/** The tables of a statement itself: not those of its subqueries. */
function ownTables({ relation, fromClause, usingClause }: Tree): NamedTable[] {
  const found: NamedTable[] = []
  const add = ({ relname, alias }: Tree) => {
    const name = relname as string
    found.push({ name, alias: isTree(alias) ? (alias.aliasname as string) : name })
  }
  if (isTree(relation)) add(relation)
  walk([fromClause, usingClause], (type, node) => {
    if (type === 'RangeVar') add(node)
    return !STATEMENTS.includes(type)
  })
  return found
}

/** Whether a condition, a joined column or a column of an insert is that of the tenant. */
function namesTenant(type: string, node: Tree): boolean {
  if (type === 'InsertStmt')
    return (node.cols as Tree[] | undefined)?.some(({ ResTarget }) => (ResTarget as Tree).name === 'tenant_id') === true
  let isNamed = false
  const { fromClause, usingClause, whereClause } = node
  walk({ fromClause, usingClause, whereClause }, (inner, part) => {
    if (inner === 'ColumnRef' && lastName(part.fields) === 'tenant_id') isNamed = true
    if (
      inner === 'JoinExpr' &&
      (part.usingClause as Tree[] | undefined)?.some(({ String: name }) => (name as Tree).sval === 'tenant_id')
    )
      isNamed = true
    return !isNamed && !STATEMENTS.includes(inner)
  })
  return isNamed
}

function lastName(fields: unknown): string | undefined {
  const last = (fields as Tree[]).at(-1)
  return isTree(last?.String) ? (last.String.sval as string) : undefined
}

/** `*` of a table, or `alias.*`. */
function starredOf(node: Tree, its: NamedTable[]): string[] {
  const found: string[] = []
  for (const list of LISTS)
    walk(node[list], (type, { fields }) => {
      if (type === 'SubLink') return false
      const parts = type === 'ColumnRef' ? (fields as Tree[]) : []
      if (parts.at(-1)?.A_Star) {
        const alias = parts.length > 1 ? (parts[0]?.String as Tree | undefined)?.sval : undefined
        found.push(...its.filter((table) => alias === undefined || table.alias === alias).map(({ name }) => name))
      }
      return true
    })
  return found
}
