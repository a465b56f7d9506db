import { dbError } from './errors.ts'
import type { Sql } from './sql.ts'

/** What PostgreSQL grants to every login and no login of the hub needs: temporary tables, and large objects, which belong to no tenant. */
async function grantedToAll(owner: Sql): Promise<string[]> {
  const [{ temporary }, functions] = await Promise.all([
    owner<[{ temporary: string | null }]>`
      select case when has_database_privilege('public', current_database(), 'temporary')
        then format('revoke temporary on database %I from public', current_database()) end as temporary`.then(([row]) => row),
    owner<{ statement: string }[]>`
      select format('revoke execute on function %s from public', oid::regprocedure) as statement from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and (proname like 'lo\\_%' or proname in ('loread', 'lowrite'))
        and has_function_privilege('public', oid, 'execute')
      order by 1`,
  ])
  return [...(temporary === null ? [] : [temporary]), ...functions.map(({ statement }) => statement)]
}

/**
 * Takes from PUBLIC what no login of the hub needs, as the owner and under the migration lock. An owner who is no superuser may not do
 * all of it; then `docs/database.md` has it for an administrator, and the walls between tenants stand without it.
 */
export async function narrowPublic(owner: Sql): Promise<void> {
  const statements = await grantedToAll(owner)
  const run = (statement: string) =>
    owner.unsafe(statement).then(
      () => true,
      (error) => {
        if (dbError(error)?.code !== '42501') throw error
        return false
      },
    )
  if (statements.length === 0 || (await run(statements.join(';')))) return
  for (const statement of statements) await run(statement)
}
