import postgres from './driver.ts'
import { sessionAttrs } from './hosts.ts'
import type { Sql } from './pools.ts'
import { requireServer } from './require-server.ts'

/**
 * Runs with one connection of the database's owner, which only migrations, backups, restores and `doctor` use.
 * @param purpose shown in pg_stat_activity
 * @throws UnsupportedServer before `work` begins
 */
export async function asOwner<T>(url: string, purpose: string, work: (owner: Sql) => Promise<T>): Promise<T> {
  const owner = postgres(url, {
    ...sessionAttrs(url),
    max: 1,
    onnotice: () => {},
    connection: { application_name: `haltless ${purpose}` },
  })
  try {
    await requireServer(owner)
    return await work(owner)
  } finally {
    await owner.end({ timeout: 5 })
  }
}
