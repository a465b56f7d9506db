import { type BenchRow, fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { storeReadings } from '../test/support/stored-readings.ts'
import { addMachines, type BenchHub, fetchText, readAgent, runConcurrently, startBenchHub } from './environment.ts'

/**
 * Requests of a round, spread over users so that the rate limiter is on but refuses none. They are so many that the first round, which does
 * not count, leaves the hub with compiled code, as one that has run for a while.
 */
const REQUESTS = fullOrShort(2_000, 100)
const USERS = 40
const MACHINES = fullOrShort(1_000, 100)

const row = (
  name: string,
  against: string,
  path: (hub: BenchHub, i: number) => string,
  bare: (hub: BenchHub, i: number) => Promise<unknown>,
): BenchRow => ({
  row: name,
  against,
  unit: 'milliseconds per answer, 8 at a time',
  prepare: async () => {
    const hub = await startBenchHub({ users: USERS }, { LOG_LEVEL: 'info' })
    await addMachines(hub, 0, MACHINES)
    ids = (await hub.owner<{ id: string }[]>`select id from machines order by name`).map((machine) => machine.id)
    const now = Date.now()
    const latest = ids.flatMap((machineId, i) =>
      Array.from({ length: 10 }, (_, n) => ({
        machineId,
        metric: `metric_${n}`,
        unit: 'celsius',
        times: [now],
        values: [i + n],
      })),
    )
    await storeReadings(hub.owner, latest)
    // the other side's own rows, so that it stays the same when the hub stores readings in another way
    await hub.owner`create table bench_latest (series_id integer primary key, ts timestamptz(3) not null, value float8 not null, raw_tag text)`
    await hub.owner`insert into bench_latest select id, now(), id from series`
    await hub.owner`analyze`
    const timed = (work: (i: number) => Promise<unknown>) => async () =>
      ((await seconds(() => runConcurrently(REQUESTS, 8, work))) * 1_000) / REQUESTS
    // the rolling minute: no user may send more than 600 requests in it
    let asked = 0
    return {
      ours: timed((i) => fetchText(`${hub.url}/api/v1${path(hub, i)}`, hub.tokens[asked++ % USERS] as string)),
      theirs: timed((i) => bare(hub, i)),
      close: () => hub.close(),
    }
  },
})

let ids: string[] = []
const idOf = (i: number) => ids[(i * 37) % ids.length] as string

await runRows(
  [
    row(
      'api.latest',
      'the same rows by an indexed query through postgres.js',
      (_hub, i) => `/machines/${idOf(i)}/readings/latest`,
      (hub, i) => hub.owner`
        select s.metric, s.unit, l.ts, l.value, l.raw_tag from series s join bench_latest l on l.series_id = s.id
        where s.tenant_id = ${hub.tenantId} and s.machine_id = ${idOf(i)}`,
    ),
    row(
      'api.machines',
      'the same page of 20 by an indexed query through postgres.js',
      (_hub, i) => `/machines?page=${1 + (i % 40)}`,
      (hub, i) => hub.owner`
        select * from machines where tenant_id = ${hub.tenantId} and is_active order by name collate natural_order, id limit 20 offset ${(i % 40) * 20}`,
    ),
  ],
  process.argv.slice(2),
)
readAgent.destroy()
