import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.ts'
import type { Sql } from '../../../../db/pools.ts'

const HOUR_MS = 3_600_000
/** Live readings are younger than this, so that they need no mark. */
const LIVE_MS = 10 * 60_000
/** Flushes that take longer are waited for again at the next turn. */
const PATIENCE_MS = 5_000
/** Hours that one statement takes in; after a stay of days the way is walked in steps. */
const STEP_HOURS = 24

/**
 * Moves the instant up to which rollups hold to the last whole hour that live readings have left behind, by marking what has to be rolled up for
 * it. In two steps, so that no flush pays for it: first flushes are told to mark what is older (`marked_until`); when every flush that may
 * not know that has ended, the hours of all series that have readings there are marked and `rolled_until` follows. A kill in between leaves
 * readings that are marked needlessly, and the next turn goes on. Safe in several replicas at once.
 */
export async function advanceRollups(allTenants: Sql, now: Date): Promise<void> {
  const target = new Date(Math.floor((now.getTime() - LIVE_MS) / HOUR_MS) * HOUR_MS)
  await allTenants`update rollup_state set marked_until = ${target} where marked_until < ${target}`
  const [state] = await allTenants<{ rolled: Date; marked: Date }[]>`
    select rolled_until as rolled, marked_until as marked from rollup_state`
  if (!state || state.rolled >= state.marked || !(await othersHaveEnded(allTenants))) return
  for (let from = state.rolled; from < state.marked; ) {
    const to = new Date(Math.min(from.getTime() + STEP_HOURS * HOUR_MS, state.marked.getTime()))
    await allTenants`
      with moved as (update rollup_state set rolled_until = ${to} where rolled_until < ${to} returning old.rolled_until as since)
      insert into rollup_marks (series_id, hour, marked_at)
      select l.series_id, h, '-infinity' from moved m
      cross join generate_series(m.since, ${to}::timestamptz - interval '1 hour', interval '1 hour') h
      join latest_readings l on l.ts >= h
      cross join lateral (select from readings r where r.series_id = l.series_id and r.ts >= h and r.ts < h + interval '1 hour' limit 1) r`
    from = to
  }
}

/**
 * Waits until the flushes under way have ended, by the lock that each takes before it looks at the state (series/locks.ts); those that take it later
 * see what we have committed. Nobody ever waits for that lock.
 * @returns false when one goes on for too long
 */
async function othersHaveEnded(allTenants: Sql): Promise<boolean> {
  const holders = () => allTenants<{ name: string }[]>`
    select virtualtransaction as name from pg_locks where locktype = 'advisory' and classid = ${ADVISORY_LOCKS.rollupState} and objid = 0 and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())`
  const before = new Set((await holders()).map(({ name }) => name))
  for (const started = Date.now(); before.size > 0 && Date.now() - started < PATIENCE_MS; ) {
    await new Promise((again) => setTimeout(again, 20))
    const still = new Set((await holders()).map(({ name }) => name))
    for (const name of before) if (!still.has(name)) before.delete(name)
  }
  return before.size === 0
}
