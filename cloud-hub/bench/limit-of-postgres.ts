import { type Side, seconds } from '@haltless/protocol/bench'
import { type BenchHub, runConcurrently } from './environment.ts'
import { plantValue } from './plant-data.ts'

const [STATEMENTS, SIZE, MACHINES] = [200, 1_000, 100]
const START = Math.floor((Date.now() - 20 * 86_400_000) / 1_000) * 1_000

/**
 * R, the limit of PostgreSQL on this machine: 1,000 narrow rows per statement, key (series, timestamp), 8 connections, on the
 * hub's own server, so with the same settings. @returns rows per second
 */
export function limitOfPostgres(hub: BenchHub): Side {
  let sent = 0
  return async () => {
    await hub.owner`create table if not exists bench_limit (series_id int, ts timestamptz(3), value float8, primary key (series_id, ts))`
    const statements = Array.from({ length: STATEMENTS }, (_, i) => rowsOf(sent + i))
    const took = await seconds(() =>
      runConcurrently(STATEMENTS, 8, async (i) => {
        const { s, t, v } = statements[i] as (typeof statements)[number]
        await hub.owner`insert into bench_limit select s, to_timestamp(t / 1000), v
          from unnest(${s}::text::int[], ${t}::text::float8[], ${v}::text::float8[]) n(s, t, v) on conflict do nothing`
      }),
    )
    sent += STATEMENTS
    const [row] = await hub.owner<{ n: number }[]>`select count(*)::int as n from bench_limit`
    if (row?.n !== sent * SIZE) throw new Error(`${row?.n} rows are stored, not ${sent * SIZE}`)
    return (STATEMENTS * SIZE) / took
  }
}

/** 100 seconds of one machine, as arrays in PostgreSQL's text form. */
function rowsOf(n: number) {
  const [machine, second] = [n % MACHINES, Math.floor(n / MACHINES) * 100]
  const column = (value: (metric: number, at: number) => number) =>
    `{${Array.from({ length: SIZE }, (_, i) => value(i % 10, second + Math.floor(i / 10))).join()}}`
  return {
    s: column((metric) => machine * 10 + metric),
    t: column((_, at) => START + at * 1_000),
    v: column((metric, at) => plantValue(machine, metric, at)),
  }
}
