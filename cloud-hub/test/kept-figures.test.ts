import { describe, expect, it } from 'vitest'
import { loadMachineScope } from '../src/features/production/figures/machine-scope.ts'
import type { FiguresQueryOutput } from '../src/features/production/figures/schemas.ts'
import { selectPeriods, selectReasons } from '../src/features/production/figures/select-sums.ts'
import { keptOf } from '../src/features/production/figures/spans.ts'
import { windowsOf } from '../src/features/production/figures/window.ts'
import { useHub } from './harness.ts'
import { shiftPlant } from './support/shift-plant.ts'

const hub = useHub()
const [HOUR, DAY] = [3_600_000, 86_400_000]
const EVERY_RECORD = { instants: null, dates: null, company: null }
const EVERY_MACHINE = { listed: null, inactive: null }
const ZONES = ['UTC', 'Pacific/Auckland', 'Europe/Berlin', 'America/Chicago']

/** Numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** A plant with five machines in two sites and none, and what changes its records at random. */
async function randomPlant(seed: number) {
  const { admin, machine: first, definition } = await shiftPlant(hub)
  const random = randomFrom(seed)
  const { tenantId } = admin
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T
  const machines = [first.id]
  for (const name of ['B', 'C', 'D', 'E']) machines.push((await hub.machine(admin, { name })).id)
  const site = async (name: string, machine_ids: string[]): Promise<string> =>
    (await admin.call('POST', 'machine-groups', { name, group_type: 'site', machine_ids })).body.id
  const sites = [await site('North', machines.slice(0, 2)), await site('South', machines.slice(2, 4))]
  const now = Math.floor(Date.now() / 60_000) * 60_000
  /** Also the bounds of days and spans. */
  const instant = () => {
    const at = now - Math.floor(random() * pick([400, 25]) * DAY)
    return pick([at, Math.floor(at / HOUR) * HOUR, Math.floor(at / DAY) * DAY, Math.floor(at / (7 * DAY)) * 7 * DAY + 4 * DAY])
  }
  const duration = () => pick([60_000, random() * HOUR, random() * DAY, 7 * DAY, 7 * DAY + 1, random() * 40 * DAY, 1])
  const addStops = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const start = instant()
      await hub.owner`
        insert into downtime_records (tenant_id, machine_id, started_at, ended_at, reason_type)
        values (${tenantId}, ${pick(machines)}, ${new Date(start)}, ${new Date(start + Math.ceil(duration()))},
          ${pick(['unplanned', 'unplanned', 'planned', 'maintenance'])})`
    }
  }
  const addLogs = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const start = instant()
      const [log] = await hub.owner<{ id: string }[]>`
        insert into shift_logs (tenant_id, machine_id, shift_definition_id, shift_date, actual_start, actual_end, status)
        values (${tenantId}, ${pick(machines)}, ${definition.id}, ${new Date(start).toISOString().slice(0, 10)}, ${new Date(start)},
          ${new Date(start + 8 * HOUR)}, 'completed') returning id`
      await hub.owner`
        insert into shift_log_oee (tenant_id, shift_log_id, machine_id, shift_definition_id, shift_date, planned_ms, not_scheduled_ms, availability_loss_ms,
          performance_loss_ms, quality_loss_ms, downtime_ms, total_count, good_count, oee_ppb, availability_ppb, performance_ppb, quality_ppb)
        select tenant_id, id, machine_id, shift_definition_id, shift_date, 28800000, 0, ${Math.floor(random() * 1e7)}::int, 0, 0, 0,
          ${pick([null, 100.125, 7])}::float8, ${pick([null, 90, 6.5])}::float8, 500000000, 600000000, ${Math.floor(random() * 1e9)}::int, 900000000
        from shift_logs where id = ${log?.id as string} on conflict do nothing`
    }
  }
  return { admin, tenantId, machines, sites, now, random, addStops, addLogs }
}

describe('kept sums', () => {
  it.each([1, 2, 3, 4])('give the figures of the records to the digit, whatever changes (seed %i)', async (seed) => {
    const { admin, tenantId, machines, sites, now, random, addStops, addLogs } = await randomPlant(seed)
    const some = (n: number) => hub.owner`tenant_id = ${tenantId} and hashtext(id::text) % ${n}::int = 0`
    const steps: (() => Promise<unknown>)[] = [
      () => Promise.all([addStops(30), addStops(30), addLogs(100)]),
      () =>
        hub.owner`update downtime_records set ended_at = ended_at + interval '7 minutes', reason_type = 'planned' where ${some(3)}`,
      () =>
        hub.owner`update downtime_records set started_at = started_at - interval '9 days', reason_type = 'unplanned' where ${some(5)}`,
      () => hub.owner`
        insert into downtime_records (tenant_id, machine_id, started_at, reason_type)
        values (${tenantId}, ${machines[0] as string}, ${new Date(now - 50 * DAY)}, 'unplanned')`,
      () =>
        hub.owner`update shift_log_oee set good_count = 3, performance_ppb = 700000001 where tenant_id = ${tenantId} and hashtext(shift_log_id::text) % 3 = 0`,
      () => Promise.all([hub.owner`delete from downtime_records where ${some(4)}`, addStops(20), addLogs(10)]),
      () => hub.owner`delete from shift_logs where ${some(5)}`,
      () => admin.call('DELETE', `machines/${machines[2]}`),
      () => hub.owner`update downtime_records set ended_at = ${new Date(now)} where tenant_id = ${tenantId} and ended_at is null`,
      () => hub.owner`delete from machines where tenant_id = ${tenantId} and id = ${machines[3] as string}`,
    ]
    for (const [n, step] of steps.entries()) {
      await step()
      expect([n, ...(await keptAndComputed(tenantId))]).toSatisfy(
        ([, kept, computed]) => JSON.stringify(kept) === JSON.stringify(computed),
      )
      // every second time in two time zones
      const zones = {
        plant: ZONES[n % 4] as string,
        sites: new Map(n % 2 ? [[sites[0] as string, ZONES[(n + 2) % 4] as string]] : []),
      }
      for (const query of queries(sites[0] as string, machines, now, random)) {
        const { windows, before } = await windowsOf(query, now, zones, query.machine_id ? zones.plant : null)
        for (const of of before ? [windows, before] : [windows]) {
          const { answered, computed } = await hub.owner.begin('isolation level repeatable read', async (sql) => {
            const scope = await loadMachineScope(sql as never, tenantId, query)
            if (query.by === 'reason')
              return {
                answered: await selectReasons(sql as never, tenantId, query, of, scope),
                computed: await selectReasons(sql as never, tenantId, query, of, EVERY_MACHINE),
              }
            return {
              answered: await selectPeriods(sql as never, tenantId, query, of, scope),
              computed: await selectPeriods(sql as never, tenantId, query, of, EVERY_MACHINE, EVERY_RECORD),
            }
          })
          expect([n, query, zones, answered]).toEqual([n, query, zones, computed])
        }
      }
    }
    expect((await keptAndComputed(tenantId))[0]?.length).toBeGreaterThan(20)
  })

  it('are read for whole weeks and four weeks of a range, and the rest comes from records', async () => {
    const kept = async (from: string, to: string, interval: string, zone = 'Europe/Berlin') => {
      const query = { from, to, interval } as unknown as FiguresQueryOutput
      const { windows } = await windowsOf(query, Date.parse('2026-11-28T12:00Z'), { plant: zone, sites: new Map() }, null)
      return keptOf(windows, query)
    }
    const weeks = (from: string, until: string) => ({ from, until, long: { from: until, until } })
    // Mondays: 2026-01-05, 2026-01-12, ... Spans of 28 days begin on 2026-01-19 and 2026-02-16.
    expect(await kept('2026-01-01', '2026-01-31', 'none')).toEqual({
      instants: weeks('2026-01-05', '2026-01-26'),
      dates: weeks('2026-01-05', '2026-01-26'),
      company: { from: '2026-01-01', until: '2026-02-01' },
    })
    expect((await kept('2026-01-06', '2026-03-02', 'none')).dates).toEqual({
      from: '2026-01-12',
      until: '2026-03-02',
      long: { from: '2026-01-19', until: '2026-02-16' },
    })
    expect((await kept('2026-01-05', '2026-01-11', 'none')).instants).toBeNull()
    expect((await kept('2026-01-05', '2026-01-11', 'none', 'UTC')).instants).toEqual(weeks('2026-01-05', '2026-01-12'))
    expect(await kept('2026-01-06', '2026-02-20', 'week')).toMatchObject({
      instants: null,
      dates: weeks('2026-01-12', '2026-02-16'),
    })
    expect(await kept('2026-01-06', '2026-02-20', 'day')).toMatchObject({ instants: null, dates: null })
  })
})

/** Ranges of any length, whose ends are dates or any instants. */
function queries(site: string, machines: string[], now: number, random: () => number): FiguresQueryOutput[] {
  const end = now - random() * 20 * DAY
  const days = (most: number) => {
    const from = end - random() * most * DAY
    if (random() < 0.5) return { from: new Date(Math.floor(from)), to: new Date(Math.floor(end)) }
    return { from: new Date(from).toISOString().slice(0, 10), to: new Date(end).toISOString().slice(0, 10) }
  }
  const [all, machine_id] = [{ interval: 'none', ...days(365) }, machines[Math.floor(random() * machines.length)]]
  return [
    { ...all, compare: 'previous' },
    { interval: 'none', from: new Date(now - (1 + Math.floor(random() * 364)) * DAY) },
    ...['machine', 'group', 'reason'].map((by) => ({ ...all, by })),
    { ...all, group_id: site },
    ...Array.from({ length: 12 }, (_, i) => ({ ...days(60), interval: i % 3 ? 'none' : 'day' })),
    { ...all, machine_id },
    { ...days(365), interval: 'week' },
    { ...days(365), interval: 'week', group_id: site },
    { ...days(365), interval: 'day' },
    { ...days(90), interval: 'week', by: 'group' },
    { ...days(30), interval: 'day', by: 'machine', group_id: site },
    { ...days(30), interval: 'none', by: 'machine' },
    { ...days(90), interval: 'week', by: 'reason', group_id: site },
  ] as FiguresQueryOutput[]
}

/** The kept rows that are not zero, and the same from the rows that they sum. */
const keptAndComputed = (tenantId: string) =>
  hub.owner.begin('isolation level repeatable read', async (sql) => {
    const ofDowntime = sql`machine_id, days, start_at, sum(downtime_ms) as downtime, sum(records) as records, sum(repairs) as repairs, sum(repair_ms) as repair,
    sum(failures) as failures, sum(intervals) as intervals, sum(uptime_ms) as uptime, sum(entering_intervals) as entering,
    sum(entering_uptime_ms) as entering_uptime, sum(entering_from_ms) as entering_from`
    const ofOee = sql`sum(planned_ms) as planned, sum(run_ms) as run, sum(net_ms) as net, sum(counted_ms) as counted, sum(good_ms) as good,
    trim_scale(sum(parts)) as parts, trim_scale(sum(good_parts)) as good_parts`
    return [
      [
        ...(await sql`
        select ${ofDowntime} from downtime_rollups where tenant_id = ${tenantId}
        group by 1, 2, 3 having (sum(downtime_ms), sum(records)) <> (0, 0) order by 1, 2, 3`),
        ...(await sql`
        select machine_id, days, start_date, ${ofOee} from oee_rollups where tenant_id = ${tenantId}
        group by 1, 2, 3 having sum(planned_ms) <> 0 order by 1, 2, 3`),
      ],
      [
        ...(await sql`
        select ${ofDowntime}
        from downtime_figures f cross join (values (7), (28)) length(days) cross join lateral downtime_rollups_of(f, days) s
        where tenant_id = ${tenantId} group by 1, 2, 3 having (sum(downtime_ms), sum(records)) <> (0, 0) order by 1, 2, 3`),
        ...(await sql`
        select machine_id, days, date_bin(days * interval '1 day', shift_date::timestamp, '1970-01-05')::date as start_date, ${ofOee}
        from shift_log_oee log cross join (values (7), (28)) length(days) cross join lateral oee_weights(log)
        where tenant_id = ${tenantId} group by 1, 2, 3 having sum(planned_ms) <> 0 order by 1, 2, 3`),
      ],
    ]
  })
