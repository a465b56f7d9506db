import type { Sql } from '../db/pools.ts'
import { purge } from '../db/purge.ts'

const ANOMALY_DAYS = 365

/** Deletes anomalies of all tenants a year after they ended. */
export const purgeAnomalies = (allTenants: Sql, now: Date): Promise<void> =>
  purge(allTenants, {
    table: 'anomaly_events',
    column: 'ended_at',
    before: new Date(now.getTime() - ANOMALY_DAYS * 86_400_000),
  })
