import { describe, expect, it } from 'vitest'
import { purge } from '../src/db/purge.ts'
import { purgeDeletions } from '../src/features/stream/index.ts'
import { useHub } from './harness.ts'
import { until } from './processes.ts'

const hub = useHub()
const DAY_MS = 86_400_000
const now = () => hub.clock.now()

/** Notes of deletions of a tenant, three days old. */
async function withNotes(count: number) {
  const { tenantId } = await hub.admin()
  await hub.owner`
    insert into deleted_resources (tenant_id, kind, id, machine_id, deleted_at)
    select ${tenantId}, 'machine', gen_random_uuid(), gen_random_uuid(), ${new Date(now().getTime() - 3 * DAY_MS)} from generate_series(1, ${count})`
  const left = async () =>
    (await hub.owner<[{ n: number }]>`select count(*)::int as n from deleted_resources where tenant_id = ${tenantId}`)[0].n
  return { tenantId, left }
}

/** The rows that each deleting statement removed. */
async function removedBy(work: (sql: typeof hub.deps.pools.system) => Promise<unknown>): Promise<number[]> {
  const counts: number[] = []
  await work(
    new Proxy(hub.deps.pools.system, {
      apply(target, self, values) {
        const query = Reflect.apply(target, self, values)
        if (String(values[0]).includes('delete from')) query.then(({ count }: { count: number }) => counts.push(count))
        return query
      },
    }),
  )
  return counts
}

describe('a purge', () => {
  it('deletes all old rows, a portion by each statement', async () => {
    const { left } = await withNotes(12_000)
    expect(await removedBy((sql) => purgeDeletions(sql, now()))).toEqual([5_000, 5_000, 2_000])
    expect(await left()).toBe(0)
  })

  it('leaves a row that another transaction renews meanwhile', async () => {
    const { tenantId, left } = await withNotes(2)
    let purging: Promise<void> | undefined
    await hub.owner.begin(async (other) => {
      await other`
        update deleted_resources set deleted_at = ${now()} where tenant_id = ${tenantId} and id in (
          select id from deleted_resources where tenant_id = ${tenantId} limit 1)`
      purging = purgeDeletions(hub.deps.pools.system, now())
      await until('the purge waits for the row', async () => {
        const waiting = await hub.owner`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return waiting.length > 0
      })
    })
    await purging
    expect(await left()).toBe(1)
  })

  it('leaves rows that are young or fail its condition', async () => {
    const { tenantId, left } = await withNotes(4)
    await hub.owner`
      insert into deleted_resources (tenant_id, kind, id, machine_id, deleted_at)
      values (${tenantId}, 'machine', gen_random_uuid(), gen_random_uuid(), ${now()}), (${tenantId}, 'alert', gen_random_uuid(), gen_random_uuid(), '2020-01-01')`
    await purge(hub.deps.pools.system, {
      table: 'deleted_resources',
      column: 'deleted_at',
      before: new Date(now().getTime() - 2 * DAY_MS),
      and: hub.deps.pools.system`r.kind = 'machine'`,
    })
    expect(await left()).toBe(2)
  })
})
