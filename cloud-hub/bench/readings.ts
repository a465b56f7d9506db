import { median, runRows, seconds } from '@haltless/protocol/bench'
import { evenly, storeReadings, untilSettled } from '../test/support/stored-readings.ts'
import { addMachines, type BenchHub, fetchText, readAgent, startBenchHub } from './environment.ts'

const DAYS = 90
const DAY_MS = 86_400_000
/** Requests of a round to our side; the other side takes seconds and gets one. */
const ANSWERS = 20

/** Starts a hub with 90 days of one series at 1 Hz until a minute ago, which the hub has rolled up. */
async function withHistory(): Promise<{ hub: BenchHub; machineId: string; start: Date; end: Date }> {
  const hub = await startBenchHub({ users: 10 }, { LOG_LEVEL: 'info' })
  await addMachines(hub, 0, 1)
  const end = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 60_000)
  const start = new Date(end.getTime() - DAYS * DAY_MS)
  const [machine] = await hub.owner<{ id: string }[]>`select id from machines`
  const machineId = machine?.id ?? ''
  const waveAt = (_: number, at: number) => 50 + 10 * Math.sin(at / 1_000_000) + ((at / 1_000) % 7) / 10
  await hub.owner`create table bench_rows (series_id integer, ts timestamptz(3), value float8, primary key (series_id, ts))`
  for (let from = start.getTime(); from < end.getTime(); from += DAY_MS) {
    const day = evenly(from, Math.min(from + DAY_MS, end.getTime()), 1_000, waveAt)
    await storeReadings(hub.owner, [{ machineId, metric: 'temperature', unit: 'celsius', ...day }])
    await hub.owner`
      insert into bench_rows select 1, to_timestamp(t / 1000), v
      from unnest(${`{${day.times.join()}}`}::text::float8[], ${`{${day.values.join()}}`}::text::float8[]) n(t, v)`
  }
  await untilSettled(hub.owner)
  await hub.owner`vacuum analyze`
  return { hub, machineId, start, end }
}

const pathOf = (machineId: string, query: Record<string, string>) =>
  `/api/v1/machines/${machineId}/readings?${new URLSearchParams(query)}`
interface Answer {
  data_points: { timestamp: string; value: number }[]
}

await runRows(
  [
    {
      row: 'readings.hours',
      against: 'date_bin over the readings through postgres.js, 90 days at 1 Hz to hourly means',
      unit: 'milliseconds to answer over HTTP, median',
      prepare: async () => {
        const { hub, machineId, start, end } = await withHistory()
        const url = `${hub.url}${pathOf(machineId, { start: start.toISOString(), end: end.toISOString(), interval: '1h' })}`
        const bare = () => hub.owner<{ bucket: Date; mean: number }[]>`
          select date_bin('1 hour', ts, 'epoch') as bucket, avg(value) as mean from bench_rows
          where series_id = 1 and ts between ${start} and ${end} group by 1 order by 1`
        const [exact, answered] = [await bare(), (JSON.parse(await fetchText(url, hub.tokens[0] as string)) as Answer[])[0]]
        const isSame = exact.every(({ bucket, mean }, i) => {
          const point = answered?.data_points[i]
          return point?.timestamp === bucket.toISOString() && Math.abs(point.value - mean) < 1e-9
        })
        if (!isSame || answered?.data_points.length !== exact.length) throw new Error('the answer is not what the readings say')
        let asked = 0
        return {
          ours: async () => {
            const took: number[] = []
            for (let i = 0; i < ANSWERS; i++)
              took.push(await seconds(() => fetchText(url, hub.tokens[asked++ % hub.tokens.length] as string)))
            return median(took) * 1_000
          },
          theirs: async () => (await seconds(bare)) * 1_000,
          close: () => hub.close(),
        }
      },
    },
    {
      row: 'readings.raw',
      against: 'the same 86,400 rows by an indexed query through postgres.js',
      unit: 'milliseconds to answer over HTTP',
      prepare: async () => {
        const { hub, machineId, end } = await withHistory()
        const start = new Date(end.getTime() - DAY_MS)
        const url = `${hub.url}${pathOf(machineId, { start: start.toISOString(), end: end.toISOString() })}`
        const points = (JSON.parse(await fetchText(url, hub.tokens[0] as string)) as Answer[])[0]?.data_points
        if (points?.length !== 86_400) throw new Error(`${points?.length} points were answered, not 86,400`)
        return {
          ours: async () => (await seconds(() => fetchText(url, hub.tokens[0] as string))) * 1_000,
          theirs: async () =>
            (await seconds(
              () => hub.owner`
              select ts, value from bench_rows where series_id = 1 and ts between ${start} and ${end} order by ts`,
            )) * 1_000,
          close: () => hub.close(),
        }
      },
    },
  ],
  process.argv.slice(2),
)
readAgent.destroy()
