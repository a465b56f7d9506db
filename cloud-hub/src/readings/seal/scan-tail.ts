import type { Sql } from '../../db/pools.ts'
import type { TailCount } from './machine-queue.ts'

/** Counts the tail of every machine. Reads the rows of the tail without their bodies. */
export const scanTail = async (allTenants: Sql): Promise<TailCount[]> => [
  ...(await allTenants<TailCount[]>`
    select tenant_id as "tenantId", machine_id as "machineId", count(*)::int as rows, sum(n)::float8 as readings,
      (extract(epoch from min(t0)) * 1000)::float8 as "oldestAt"
    from reading_tail
    group by tenant_id, machine_id`),
]
