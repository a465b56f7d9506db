import { spawn } from 'node:child_process'
import path from 'node:path'
import { type BenchRow, fullOrShort, median, runRows, type Side, seconds } from '@haltless/protocol/bench'
import { bucketsOf } from '../src/readings/query/statistics.ts'
import { mergeAll } from '../test/support/reading-storage.ts'
import { evenly, storeReadings } from '../test/support/stored-readings.ts'
import { addMachines, type BenchHub, fetchText, onHub, readAgent, startBenchHub } from './environment.ts'
import { plantValue } from './plant-data.ts'

const DAYS = fullOrShort(90, 2)
const DAY_MS = 86_400_000
/** Until the end of the day before yesterday, so that all days are sealed and merged. */
const END = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS
const START = END - DAYS * DAY_MS
/** Requests of a round to our side; the other side takes seconds and gets one. */
const ANSWERS = fullOrShort(20, 3)

/** The noisiest metric of the simulated plant, with two decimals. */
const valueAt = (_: number, at: number) => plantValue(0, 0, (at - START) / 1_000)

interface WithHistory {
  hub: BenchHub
  machineId: string
  seriesId: number
}

/** Stores 90 days of one series at 1 Hz, sealed in the hub, and as rows in the table `bench_rows` for the other side. */
const withHistory = (sides: (history: WithHistory) => Promise<{ ours: Side; theirs: Side; close?(): unknown }>) => () =>
  onHub(startBenchHub({ users: 10 }, { LOG_LEVEL: 'info' }), async (hub) => {
    await addMachines(hub, 0, 1)
    const [machine] = await hub.owner<[{ id: string }]>`select id from machines`
    const machineId = machine.id
    await hub.owner`create table bench_rows (series_id integer, ts timestamptz(3), value float8, primary key (series_id, ts))`
    for (let from = START; from < END; from += DAY_MS) {
      const day = evenly(from, from + DAY_MS, 1_000, valueAt)
      await storeReadings(hub.owner, [{ machineId, metric: 'temperature', unit: 'celsius', ...day }])
      await hub.owner`
        insert into bench_rows select 1, to_timestamp(t / 1000), v
        from unnest(${`{${day.times.join()}}`}::text::float8[], ${`{${day.values.join()}}`}::text::float8[]) n(t, v)`
    }
    await mergeAll(hub.owner)
    await hub.owner`vacuum analyze`
    const [series] = await hub.owner<[{ id: number }]>`select id from series`
    const { ours, theirs, close } = await sides({ hub, machineId, seriesId: series.id })
    return { ours, theirs, close: () => Promise.all([close?.(), hub.close()]) }
  })

interface Point {
  timestamp: string
  value: number
}
interface Mean {
  bucket: Date
  mean: number
}

const urlOf = ({ hub, machineId }: WithHistory, from: number, interval?: string): string => {
  const query = new URLSearchParams({ start: new Date(from).toISOString(), end: new Date(END - 1).toISOString() })
  if (interval) query.set('interval', interval)
  return `${hub.url}/api/v1/machines/${machineId}/readings?${query}`
}

const pointsOf = async ({ hub }: WithHistory, url: string): Promise<Point[]> =>
  (JSON.parse(await fetchText(url, hub.tokens[0] as string)) as { data_points: Point[] }[])[0]?.data_points ?? []

const meansOfRows = ({ hub }: WithHistory, interval: string, from: number) => hub.owner<Mean[]>`
  select date_bin(${interval}::interval, ts, 'epoch') as bucket, avg(value) as mean from bench_rows
  where series_id = 1 and ts >= ${new Date(from)} and ts < ${new Date(END)} group by 1 order by 1`

/** Fails unless the answer is the mean of the rows in each bucket. */
function assertSame(answered: readonly { at: number; mean: number }[], exact: readonly Mean[]): void {
  const isSame = exact.every(({ bucket, mean }, i) => {
    const own = answered[i]
    return own?.at === bucket.getTime() && Math.abs(own.mean - mean) < 1e-9
  })
  if (!isSame || answered.length !== exact.length) throw new Error('the answer is not what the readings say')
}

/** Means over HTTP against `date_bin` over the rows. */
const means = (row: string, label: string, interval: string, sqlInterval: string, from: number): BenchRow => ({
  row,
  against: `date_bin over the same rows through postgres.js, ${label}`,
  unit: 'milliseconds to answer over HTTP, median',
  prepare: withHistory(async (history) => {
    const url = urlOf(history, from, interval)
    const answered = (await pointsOf(history, url)).map(({ timestamp, value }) => ({ at: Date.parse(timestamp), mean: value }))
    assertSame(answered, await meansOfRows(history, sqlInterval, from))
    const { tokens } = history.hub
    let asked = 0
    return {
      ours: async () => {
        const took: number[] = []
        for (let i = 0; i < ANSWERS; i++)
          took.push(await seconds(() => fetchText(url, tokens[asked++ % tokens.length] as string)))
        return median(took) * 1_000
      },
      theirs: async () => (await seconds(() => meansOfRows(history, sqlInterval, from))) * 1_000,
    }
  }),
})

const scan: BenchRow = {
  row: 'readings.scan',
  against: 'date_bin over the same rows through postgres.js, 90 days at 1 Hz to means of 7 minutes',
  unit: 'milliseconds in the store, where no bucket is made of whole hours',
  prepare: withHistory(async (history) => {
    const { hub, seriesId } = history
    const bucketMs = 7 * 60_000
    const range = { tenantId: hub.tenantId, seriesIds: [seriesId], from: START, until: END }
    const scanned = () => hub.owner.begin((tx) => bucketsOf(tx, range, bucketMs))
    assertSame(await scanned(), await meansOfRows(history, '7 minutes', START))
    return {
      ours: async () => (await seconds(scanned)) * 1_000,
      theirs: async () => (await seconds(() => meansOfRows(history, '7 minutes', START))) * 1_000,
    }
  }),
}

const raw: BenchRow = {
  row: 'readings.raw',
  against: 'query, JSON and HTTP of the same 86,400 rows, bare, in a separate process',
  unit: 'milliseconds to answer over HTTP',
  prepare: withHistory(async (history) => {
    const { hub } = history
    const from = END - DAY_MS
    const url = urlOf(history, from)
    const points = await pointsOf(history, url)
    const isExact = ({ timestamp, value }: Point, i: number) =>
      Date.parse(timestamp) === from + i * 1_000 && Object.is(value, valueAt(i, from + i * 1_000))
    if (points.length !== 86_400 || !points.every(isExact)) throw new Error('the answer is not what the readings say')
    const script = path.join(import.meta.dirname, 'bare-readings.ts')
    const bare = spawn(process.execPath, [script, hub.databaseUrl, String(from), String(END - 1)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const port = await new Promise<number>((resolve) => bare.stdout.once('data', (text) => resolve(Number(String(text)))))
    return {
      ours: async () => (await seconds(() => fetchText(url, hub.tokens[0] as string))) * 1_000,
      theirs: async () => (await seconds(() => fetchText(`http://127.0.0.1:${port}/`, ''))) * 1_000,
      close: () => bare.kill('SIGKILL'),
    }
  }),
}

await runRows(
  [
    means('readings.hours', '90 days at 1 Hz to hourly means', '1h', '1 hour', START),
    scan,
    raw,
    means('readings.minutes', '24 hours at 1 Hz to means of a minute', '1m', '1 minute', END - DAY_MS),
  ],
  process.argv.slice(2),
)
readAgent.destroy()
