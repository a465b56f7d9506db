import { expect, it } from 'vitest'
import { refreshStatistics } from '../src/db/statistics.ts'
import { plant, useHub } from './harness.ts'

const hub = useHub()

it('a table that has just been filled is analyzed once, without waiting for autovacuum', async () => {
  const { admin } = await plant(hub)
  const { tenantId } = admin
  await hub.owner.begin(async (tx) => {
    await tx`
      insert into machines (tenant_id, name, machine_identifier, protocol)
      select ${tenantId}, 'Machine ' || i, 'm' || i, 'json' from generate_series(1, 500) i`
    await tx`select pg_stat_force_next_flush()`
  })
  const { system } = hub.deps.pools
  const known = async () => (await hub.owner`select reltuples::int as n from pg_class where relname = 'machines'`)[0]?.n
  await expect.poll(() => refreshStatistics(system).then(known)).toBeGreaterThanOrEqual(500)
  await expect.poll(() => refreshStatistics(system)).not.toContain('machines')
})
