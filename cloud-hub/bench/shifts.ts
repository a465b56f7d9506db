import { fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { addMachines, type BenchHub, fetchText, onHub, readAgent, startBenchHub } from './environment.ts'

const [REQUESTS, USERS] = [60, 10]
const MACHINES = fullOrShort(10_000, 100)
const DAYS = 365

/** A completed log a day of each machine for a year, of one of three shifts. Its OEE is inserted as the job does, so triggers keep the sums. */
async function fill(hub: BenchHub): Promise<void> {
  const { owner, tenantId } = hub
  await addMachines(hub, 0, MACHINES)
  await owner`
    insert into shift_definitions (tenant_id, name, start_time, end_time, duration_minutes, color, sort_order)
    select ${tenantId}, name, start_at::time, end_at::time, 480, '#336699', n
    from (values ('Early', '06:00', '14:00', 0), ('Late', '14:00', '22:00', 1), ('Night', '22:00', '06:00', 2)) d(name, start_at, end_at, n)`
  for (let day = 0; day < DAYS; day++)
    await owner.begin(async (sql) => {
      // no log is queued: its OEE is stored below
      await sql`alter table shift_logs disable trigger user`
      await sql`
        insert into shift_logs (tenant_id, machine_id, shift_definition_id, shift_date, actual_start, actual_end, status)
        select m.tenant_id, m.id, d.id, current_date - ${day}::int, current_date - ${day}::int + d.start_time, current_date - ${day}::int + d.start_time + interval '8 h', 'completed'
        from (select *, row_number() over (order by id) as n from machines where tenant_id = ${tenantId}) m
        join shift_definitions d on d.tenant_id = m.tenant_id and d.sort_order = (m.n + ${day}::int) % 3`
      await sql`alter table shift_logs enable trigger user`
      await sql`
        insert into shift_log_oee select tenant_id, id, machine_id, shift_definition_id, shift_date, 28800000, 0, 2880000, 0, 0, 2880000, null, null, null,
          720000000, 900000000, 800000000, 1000000000
        from shift_logs where tenant_id = ${tenantId} and shift_date = current_date - ${day}::int`
    })
  await owner.unsafe('vacuum analyze')
}

/** The median of single requests, because people wait for one answer. */
const median = async (work: (i: number) => Promise<unknown>) => {
  const took: number[] = []
  for (let i = 0; i < REQUESTS; i++) took.push((await seconds(() => work(i))) * 1_000)
  return took.toSorted((a, b) => a - b)[REQUESTS / 2] as number
}

await runRows(
  [
    {
      row: 'shifts.comparison',
      against: 'the averages of the stored OEE of the same logs by a query through postgres.js',
      unit: `milliseconds, p50 of ${REQUESTS} answers about 30 days of ${MACHINES.toLocaleString('en')} machines with ${(MACHINES * DAYS).toLocaleString('en')} logs`,
      prepare: () =>
        onHub(startBenchHub({ users: USERS }, { LOG_LEVEL: 'info' }), async (hub) => {
          await fill(hub)
          let asked = 0
          return {
            ours: () => median(() => fetchText(`${hub.url}/api/v1/shifts/comparison`, hub.tokens[asked++ % USERS] as string)),
            theirs: () =>
              median(
                () => hub.owner`
                  select shift_definition_id, count(*), avg(oee_ppb), avg(availability_ppb), avg(performance_ppb), avg(quality_ppb), sum(downtime_ms), avg(planned_ms)
                  from shift_log_oee where tenant_id = ${hub.tenantId} and shift_date > current_date - 30 group by 1`,
              ),
            close: () => hub.close(),
          }
        }),
    },
  ],
  process.argv.slice(2),
)
readAgent.destroy()
