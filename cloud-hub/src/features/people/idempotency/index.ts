import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'
import { KEPT_MS } from './claims.ts'

export { createRunOnce } from './run-once.ts'

/** Deletes requests whose keys no longer count. */
export const purgeIdempotentRequests = (allTenants: Sql, now: Date): Promise<void> =>
  purge(allTenants, { table: 'idempotent_requests', column: 'created_at', before: new Date(now.getTime() - KEPT_MS) })
