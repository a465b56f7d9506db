import type { TransactionSql } from '../../../db/pools.ts'
import { firstReadingOf } from '../../../readings/index.ts'

/**
 * Since when there is something to compute a machine's figures from: its first reading, or its first downtime record if that began
 * before. A window before it looks like uptime without being any.
 * @returns null for a machine with neither
 */
export async function observedFrom(tx: TransactionSql, tenantId: string, machineId: string): Promise<string | null> {
  const reading = await firstReadingOf(tx, tenantId, machineId)
  const [record] = await tx<{ first: Date | null }[]>`
    select min(started_at) as first from downtime_figures where tenant_id = ${tenantId} and machine_id = ${machineId}`
  const known = [reading, record?.first?.getTime()].filter((at) => typeof at === 'number')
  return known.length === 0 ? null : new Date(Math.min(...known)).toISOString()
}
