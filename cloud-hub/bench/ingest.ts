import { type BenchRow, fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { storedKeys, storeKeys } from '../test/support/reading-storage.ts'
import { BACKLOG_MACHINES, BACKLOG_SIZE, backlogBatch, backlogHub, httpBacklog, mqttBacklog } from './backlog.ts'
import { addMachines, type BenchHub, onHub, runConcurrently } from './environment.ts'
import { limitOfPostgres } from './limit-of-postgres.ts'
import { httpLive, LIVE_SIZE, type LiveGroup, liveHub, liveSide, mqttLive } from './live.ts'
import { batchOf, jsonOf, plantValue } from './plant-data.ts'
import { closeConnections, ingestUrl, post } from './senders.ts'

const AGAINST_R = 'R, the PostgreSQL limit on the same server'
const PER_SECOND = 'readings per second'
/** Groups of 100 machines: one for each sender, and 10,000 active machines. */
const [LIVE_GROUPS, MANY_GROUPS] = [8, fullOrShort(100, 10)]
/** `ingest.growth`: 13 machines a batch, so that each of eight senders has machines of its own already among 104. */
const [FEW_TOGETHER, MORE_GROUPS] = [13, fullOrShort(770, 77)]

const againstR = (row: string, prepare: BenchRow['prepare']): BenchRow => ({ row, against: AGAINST_R, unit: PER_SECOND, prepare })

/** Live traffic over HTTP against R. */
const liveOverHttp = (row: string, count: number): BenchRow =>
  againstR(row, async () => {
    const { hub, groups } = await liveHub(count)
    return { ours: liveSide(hub, groups, httpLive(hub)), theirs: limitOfPostgres(hub), close: () => hub.close() }
  })

/** Keys that are stored before `ingest.keys`, over the last six days; the documented figure is of 100 million. */
const STORED_KEYS = Number(process.env.BENCH_STORED_KEYS ?? fullOrShort(2_000_000, 10_000))
const KEYED_BATCHES = 100

/** A UUID that identifies a reading of a batch. */
const keyOf = (batch: number, i: number): string =>
  `${batch.toString(16).padStart(8, '0')}-${i.toString(16).padStart(4, '0')}-4000-8000-${(((batch * BACKLOG_SIZE + i) * 2_654_435_761) % 2 ** 48).toString(16).padStart(12, '0')}`

async function keysHub(): Promise<BenchHub> {
  const hub = await backlogHub()
  await addMachines(hub, BACKLOG_MACHINES, 2 * BACKLOG_MACHINES)
  for (let day = 1; day <= 6; day++)
    await storeKeys(hub.owner, hub.tenantId, Math.ceil(STORED_KEYS / 6), new Date(Date.now() - day * 86_400_000))
  await hub.owner`vacuum analyze`
  return hub
}

/**
 * A round of batches with keys or, on machines of their own, without. In each batch 1 % repeat readings of the machine's batch
 * before. @returns microseconds per reading
 */
function keyedSide(hub: BenchHub, hasKeys: boolean) {
  let sent = 0
  return async () => {
    const bodies = Array.from({ length: KEYED_BATCHES }, (_, i) => {
      const n = sent + i
      const batch = backlogBatch(n, BACKLOG_MACHINES, hasKeys ? 0 : BACKLOG_MACHINES)
      const before = n - BACKLOG_MACHINES
      const isRepeat = (k: number) => before >= 0 && k % 100 === 0
      const earlier = backlogBatch(before, BACKLOG_MACHINES, hasKeys ? 0 : BACKLOG_MACHINES)
      for (let k = 0; k < BACKLOG_SIZE; k++) {
        if (!isRepeat(k)) continue
        batch.timestamps[k] = earlier.timestamps[k] as number
        batch.values[k] = earlier.values[k] as number
      }
      return jsonOf(batch, hasKeys ? (k) => keyOf(isRepeat(k) ? before : n, k) : undefined)
    })
    const took = await seconds(() =>
      runConcurrently(KEYED_BATCHES, 16, (i) =>
        post(ingestUrl(hub), hub.keys[(sent + i) % hub.keys.length] as string, bodies[i] as Buffer, BACKLOG_SIZE),
      ),
    )
    sent += KEYED_BATCHES
    return (took * 1e6) / (KEYED_BATCHES * BACKLOG_SIZE)
  }
}

/** One machine with many series, of which 1 % change in a batch. */
const [WIDE_SERIES, WIDE_CHANGES, WIDE_BATCHES] = [10_000, 100, fullOrShort(100, 20)]

/** Bytes of WAL per reading of some batches, sent one after the other. */
async function walPerReading(hub: BenchHub, batches: number, size: number, send: (i: number) => Promise<void>): Promise<number> {
  const position = async () =>
    Number((await hub.owner`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as at`)[0]?.at)
  const before = await position()
  for (let i = 0; i < batches; i++) await send(i)
  return ((await position()) - before) / (batches * size)
}

async function wideSides(hub: BenchHub, groups: readonly LiveGroup[]) {
  const machine = groups.length * 100
  await addMachines(hub, machine, machine + 1)
  let [second, turn] = [0, 0]
  let lastAt = 0
  const sendWide = async (i: number) => {
    lastAt = Math.max(lastAt + 1, Date.now())
    const metrics = [0]
    const batch = batchOf({ machines: [machine], metrics, second: second++, times: [lastAt], valueAt: plantValue })
    const first = (i * WIDE_CHANGES) % WIDE_SERIES
    const [series] = batch.series
    const names = Array.from({ length: WIDE_CHANGES }, (_, k) => ({ ...series, metric: `wide_${first + k}` }))
    const columns = {
      batchId: batch.batchId,
      series: names as (typeof batch.series)[number][],
      seriesIndex: Uint32Array.from(names, (_, k) => k),
      timestamps: new Float64Array(WIDE_CHANGES).fill(lastAt),
      values: Float64Array.from(names, (_, k) => plantValue(k, 0, second)),
    }
    await post(ingestUrl(hub), hub.keys[turn++ % hub.keys.length] as string, jsonOf(columns), WIDE_CHANGES)
  }
  // all series exist, as in a hub that has been running
  for (let i = 0; i < WIDE_SERIES / WIDE_CHANGES; i++) await sendWide(i)
  const sendLive = httpLive(hub)
  for (const group of groups) await sendLive(group)
  return {
    ours: () => walPerReading(hub, WIDE_BATCHES, WIDE_CHANGES, sendWide),
    theirs: () => walPerReading(hub, WIDE_BATCHES, LIVE_SIZE, (i) => sendLive(groups[i % groups.length] as LiveGroup)),
    close: () => hub.close(),
  }
}

const rows: BenchRow[] = [
  againstR('ingest.json.backlog', async () => {
    const hub = await backlogHub()
    return { ours: httpBacklog(hub), theirs: limitOfPostgres(hub), close: () => hub.close() }
  }),
  liveOverHttp('ingest.json.live', LIVE_GROUPS),
  againstR('ingest.mqtt.backlog', async () => {
    const hub = await backlogHub()
    const { side, close } = await mqttBacklog(hub)
    return { ours: side, theirs: limitOfPostgres(hub), close: () => close().then(() => hub.close()) }
  }),
  againstR('ingest.mqtt.live', async () => {
    const { hub, groups } = await liveHub(LIVE_GROUPS)
    const { send, close } = await mqttLive(hub)
    return { ours: liveSide(hub, groups, send), theirs: limitOfPostgres(hub), close: () => close().then(() => hub.close()) }
  }),
  {
    row: 'ingest.keys',
    against: 'the same readings without idempotency keys; the ratio is the cost',
    unit: 'microseconds per reading',
    prepare: () =>
      onHub(keysHub(), async (hub) => ({
        ours: keyedSide(hub, true),
        theirs: keyedSide(hub, false),
        close: () => hub.close(),
      })),
  },
  {
    row: 'ingest.keys.bytes',
    against: '24 bytes',
    unit: 'bytes on disk per stored idempotency key, with indexes',
    rounds: 1,
    prepare: () =>
      onHub(keysHub(), async (hub) => {
        const send = keyedSide(hub, true)
        return {
          ours: async () => {
            await send()
            const { keys, bytes } = await storedKeys(hub.owner)
            return bytes / keys
          },
          theirs: () => 24,
          close: () => hub.close(),
        }
      }),
  },
  {
    row: 'ingest.growth',
    against: `live traffic of ${MORE_GROUPS * FEW_TOGETHER} instead of ${LIVE_GROUPS * FEW_TOGETHER} active machines; above 1 means that growth costs`,
    unit: PER_SECOND,
    prepare: async () => {
      const [small, large] = [await liveHub(LIVE_GROUPS, FEW_TOGETHER), await liveHub(MORE_GROUPS, FEW_TOGETHER)]
      return {
        ours: liveSide(small.hub, small.groups, httpLive(small.hub)),
        theirs: liveSide(large.hub, large.groups, httpLive(large.hub)),
        close: () => Promise.all([small.hub.close(), large.hub.close()]),
      }
    },
  },
  liveOverHttp('ingest.growth.live', MANY_GROUPS),
  {
    row: 'ingest.wide',
    against: 'live traffic of 100 machines a batch, on the same server',
    unit: 'bytes of WAL per reading',
    prepare: async () => {
      const { hub, groups } = await liveHub(LIVE_GROUPS)
      return onHub(Promise.resolve(hub), () => wideSides(hub, groups))
    },
  },
]

await runRows(rows, process.argv.slice(2))
closeConnections()
