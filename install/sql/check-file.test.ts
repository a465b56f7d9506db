import { loadModule } from 'libpg-query'
import { beforeAll, expect, it } from 'vitest'
import { checkFile, ExceptionUse } from './check-file.ts'
import { SourceFile, SourceFiles } from './source-file.ts'
import type { Table } from './tables.ts'

beforeAll(loadModule)

const TABLES = new Map<string, Table>(
  ['machines', 'users', 'alerts', 'shift_logs', 'maintenance_events'].map((name) => [name, { name, isOfTenant: true }]),
)

/** The faults of a function of plant, which is above people and below alerting. @param body with `#{` for `${` */
function check(body: string, { name = 'plant/machines/find.ts', parameters = 'sql, tenantId, id' } = {}): string[] {
  const source = body.replaceAll('#{', '$' + '{')
  const file = new SourceFile(`cloud-hub/src/features/${name}`, `export async function find(${parameters}) {\n${source}\n}`)
  const found = checkFile(new SourceFiles('/nowhere'), file, { tables: TABLES, exceptions: new ExceptionUse() })
  return found.map((fault) => fault.slice(fault.indexOf(' ') + 1))
}

const NO_TENANT = 'names no tenant for machines: add it, or call the parameter `allTenants`'

it('a statement that names its tenant, its columns and tables of areas below passes', () => {
  expect(
    check(
      'return sql`select m.id, u.email from machines m join users u on u.tenant_id = m.tenant_id where m.tenant_id = #{tenantId}`',
    ),
  ).toEqual([])
})

it.each([
  [
    'a statement that PostgreSQL cannot parse',
    'sql`select id form machines where tenant_id = #{tenantId}`',
    /^PostgreSQL cannot parse/,
  ],
  ['all columns of a table', 'sql`select * from machines where tenant_id = #{tenantId}`', /^names no columns of machines/],
  ['all columns by an alias', 'sql`select m.* from machines m where tenant_id = #{tenantId}`', /^names no columns of machines/],
  [
    'all columns returned',
    'sql`delete from machines where tenant_id = #{tenantId} returning *`',
    /^names no columns of machines/,
  ],
  ['a select without a tenant', 'sql`select id from machines where id = #{id}`', NO_TENANT],
  ['an update without a tenant', 'sql`update machines set name = null where id = #{id}`', NO_TENANT],
  ['a delete without a tenant', 'sql`delete from machines where id = #{id}`', NO_TENANT],
  ['an insert without a tenant', 'sql`insert into machines (id) values (#{id})`', NO_TENANT],
  ['a tenant that is only selected', 'sql`select tenant_id from machines where id = #{id}`', NO_TENANT],
  [
    'a subquery without a tenant',
    'sql`select id from users where tenant_id = #{tenantId} and id in (select id from machines where id = #{id})`',
    NO_TENANT,
  ],
  [
    'a part of a union without a tenant',
    'sql`select id from users where tenant_id = #{tenantId} union all select id from machines where id = #{id}`',
    NO_TENANT,
  ],
  [
    'a table of an area above',
    'sql`select id from alerts where tenant_id = #{tenantId}`',
    'plant does not use alerts, a table of alerting',
  ],
])('%s is a fault', (_title, statement, fault) => {
  const expected = typeof fault === 'string' ? fault : expect.stringMatching(fault)
  expect(check(`return ${statement}`)).toEqual([expected])
})

it('a function for all tenants names none', () => {
  expect(check('return sql`select id from machines where id = #{id}`', { parameters: 'sql, allTenants, id' })).toEqual([])
  expect(check('const allTenants = pools.system\nreturn allTenants<Row[]>`select id from machines`')).toEqual([])
})

it('both branches of a condition are checked', () => {
  expect(check('return sql`select id from machines #{id ? sql`where tenant_id = #{tenantId}` : sql``}`')).toEqual([NO_TENANT])
  expect(
    check('return sql`select id from machines where #{id ? sql`tenant_id = #{tenantId}` : sql`tenant_id is null or`}`'),
  ).toEqual([expect.stringMatching(/^PostgreSQL cannot parse/)])
})

it('fragments in constants, in functions and in their arguments are part of the statement', () => {
  const where = 'const mine = (column) => sql`#{column} = #{tenantId}`\n'
  const columns = "const COLUMNS = 'id, name'\n"
  expect(
    check(`${where}${columns}return sql\`select #{sql.unsafe(COLUMNS)} from machines where #{mine(sql\`tenant_id\`)}\``),
  ).toEqual([])
  expect(check(`${where}return sql\`select id from machines where #{mine(sql\`id\`)}\``)).toEqual([NO_TENANT])
  expect(
    check("const COLUMNS = 'm.*'\nreturn sql`select #{sql.unsafe(COLUMNS)} from machines m where tenant_id = #{tenantId}`"),
  ).toEqual([expect.stringMatching(/^names no columns of machines/)])
  const property = "const columns = { machines: 'm.*' }\n"
  expect(
    check(`${property}return sql\`select #{sql.unsafe(columns.machines)} from machines m where tenant_id = #{tenantId}\``),
  ).toEqual([expect.stringMatching(/^names no columns of machines/)])
})

it('helpers become columns and values', () => {
  expect(check('await sql`update machines set #{sql(values)} where tenant_id = #{tenantId}`')).toEqual([])
  expect(check('await sql`insert into machines #{sql(rows)} on conflict do nothing returning id`')).toEqual([])
})

it('an exception covers only its file and tables', () => {
  const statement = 'return sql`select id from maintenance_events where tenant_id = #{tenantId}`'
  expect(check(statement, { name: 'alerting/evaluation/open-alerts.ts' })).toEqual([])
  expect(check(statement, { name: 'alerting/evaluation/plan.ts' })).toEqual([
    'alerting does not use maintenance_events, a table of work',
  ])
  expect(
    check('return sql`select id from shift_logs where tenant_id = #{tenantId}`', { name: 'alerting/evaluation/open-alerts.ts' }),
  ).toEqual(['alerting does not use shift_logs, a table of production'])
})

it('a template of drizzle is no statement', () => {
  const file = new SourceFile(
    'cloud-hub/src/features/plant/x.ts',
    "import { sql } from 'drizzle-orm'\nexport const x = sql`select from where`",
  )
  expect(checkFile(new SourceFiles('/nowhere'), file, { tables: TABLES, exceptions: new ExceptionUse() })).toEqual([])
})
