import { toColumns } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import { Flusher, type Ingest, IngestQueue, submissionFromBatch } from '../src/features/telemetry/ingest/index.ts'
import { purgeAnomalies } from '../src/readings/index.ts'
import { createLogger } from '../src/support/logger.ts'
import { plant, useHub } from './harness.ts'
import { latestOf } from './support/stored-readings.ts'

const hub = useHub()

/** A replica with a memory of its own, on the same database. */
const replica = (): Ingest => new IngestQueue(new Flusher(hub.flushDeps), createLogger('silent'))

type Sent = readonly (readonly [at: number, value: number])[]

/** A machine whose temperature is 50 with a standard deviation of 2, so 44 to 56 are within. */
async function knownPlant(baseline: { mean: number; sd: number } | null = { mean: 50, sd: 2 }) {
  const { admin, machine, identifier: id, key } = await plant(hub)
  const from = hub.clock.now().getTime() - 3_600_000
  const accept = (ingest: Ingest, sent: Sent, metric = 'temperature') =>
    ingest.acceptReadings(
      admin.tenantId,
      submissionFromBatch(
        toColumns(
          sent.map(([at, value]) => ({ machine: id, metric, unit: 'celsius', rawTag: null, timestamp: from + at, value })),
        ),
        hub.clock.now().getTime(),
      ),
    )
  const setBaseline = async ({ mean, sd }: { mean: number; sd: number }) => {
    await hub.owner`
      insert into baselines (tenant_id, machine_id, series_id, metric_name, unit, mean_value, std_dev, min_value, max_value, sample_count, window_start, window_end)
      select tenant_id, machine_id, id, metric, unit, ${mean}, ${sd}, 0, 0, 30, now(), now() from series where machine_id = ${machine.id}
      on conflict (series_id) do update set mean_value = excluded.mean_value, std_dev = excluded.std_dev`
    hub.clock.advance(601)
  }
  await accept(hub.ingest, [[-1, 50]])
  if (baseline) await setBaseline(baseline)
  /** start, end (null while it stands), value */
  const events = async () =>
    (
      await hub.owner<{ startedAt: Date; endedAt: Date | null; value: number }[]>`
        select started_at as "startedAt", ended_at as "endedAt", value from anomaly_events where machine_id = ${machine.id} order by started_at, ended_at`
    ).map((e) => [e.startedAt.getTime() - from, e.endedAt === null ? null : e.endedAt.getTime() - from, e.value])
  return { admin, machine, key, accept, events, setBaseline }
}

/** What one pass over all readings in their order finds. */
function excursionsOf(sent: Sent): (number | null)[][] {
  const found: (number | null)[][] = []
  let open: (number | null)[] | null = null
  for (const [at, value] of sent) {
    const isBeyond = value < 44 || value > 56
    if (isBeyond && !open) {
      open = [at, null, value]
      found.push(open)
    } else if (!isBeyond && open) {
      open[1] = at
      open = null
    }
  }
  return found
}

describe('an anomaly', () => {
  it('opens once when a reading lies beyond three sigma, and ends when one is back within', async () => {
    const { admin, machine, accept, events } = await knownPlant()
    const ingest = replica()
    await accept(ingest, [[0, 55]])
    expect(await events()).toEqual([])
    await accept(ingest, [[1, 60]])
    await accept(ingest, [[2, 70]])
    await accept(ingest, [[3, 20]])
    expect(await events()).toEqual([[1, null, 60]])
    await accept(ingest, [[4, 50]])
    expect(await events()).toEqual([[1, 4, 60]])
    const [row] = await hub.owner`select * from anomaly_events where machine_id = ${machine.id}`
    expect(row).toMatchObject({
      tenant_id: admin.tenantId,
      metric_name: 'temperature',
      unit: 'celsius',
      sigma: 5,
      baseline_mean: 50,
      baseline_std_dev: 2,
    })
  })

  it('is the same for every distribution of readings over batches and replicas', async () => {
    let seed = 11
    const random = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((seed / 2 ** 31) * n)
    }
    for (let round = 0; round < 4; round++) {
      const { accept, events } = await knownPlant()
      const replicas = [replica(), replica(), replica()]
      let isOut = false
      const all: Sent = Array.from({ length: 200 }, (_, i) => {
        if (random(4) === 0) isOut = !isOut
        return [i * 10, isOut ? 60 + random(20) : 46 + random(9)] as const
      })
      for (let i = 0; i < all.length; ) {
        const size = 1 + random(6)
        await accept(replicas[random(3)] as Ingest, all.slice(i, i + size))
        // one in a while comes twice
        if (random(5) === 0) await accept(replicas[random(3)] as Ingest, all.slice(Math.max(0, i - 2), i + size))
        i += size
      }
      expect(excursionsOf(all).length).toBeGreaterThan(10)
      expect(await events()).toEqual(excursionsOf(all))
    }
  })

  it('of late readings is stored too, once, and merged with the event before it', async () => {
    const { accept, events } = await knownPlant()
    const ingest = replica()
    await accept(ingest, [[100_000, 50]])
    const late: Sent[] = [
      [
        [10, 50],
        [11, 60],
        [12, 61],
      ],
      [
        [13, 62],
        [14, 50],
        [15, 70],
      ],
      [[16, 50]],
      [[17, 80]],
    ]
    for (const batch of late) await accept(ingest, batch)
    const expected = [
      [11, 14, 60],
      [15, 15, 70],
      [17, 17, 80],
    ]
    expect(await events()).toEqual(expected)
    for (const batch of late) await accept(replica(), batch)
    expect(await events()).toEqual(expected)
    await accept(ingest, [[100_001, 90]])
    expect(await events()).toEqual([...expected, [100_001, null, 90]])
  })

  it('needs a baseline, and uses the newest one', async () => {
    const { accept, events, setBaseline } = await knownPlant(null)
    const ingest = replica()
    await accept(ingest, [[0, 500]])
    expect(await events()).toEqual([])
    await setBaseline({ mean: 50, sd: 2 })
    await accept(ingest, [[1, 60]])
    expect(await events()).toEqual([[1, null, 60]])
    await setBaseline({ mean: 60, sd: 2 })
    await accept(ingest, [[2, 61]])
    await accept(ingest, [[3, 50]])
    expect(await events()).toEqual([
      [1, 2, 60],
      [3, null, 50],
    ])
  })

  it('ends when there is no baseline any more', async () => {
    const { machine, accept, events } = await knownPlant()
    await accept(hub.ingest, [[0, 90]])
    await hub.owner`delete from baselines where machine_id = ${machine.id}`
    hub.clock.advance(601)
    await accept(hub.ingest, [[1, 90]])
    expect(await events()).toEqual([[0, 1, 90]])
  })

  it('is of its series only, and commits with its reading', async () => {
    const { accept, events, machine } = await knownPlant()
    await accept(hub.ingest, [[0, 90]], 'other')
    expect(await events()).toEqual([])
    await hub.owner`alter table anomaly_events add constraint never check (value <> 91) not valid`
    const result = await accept(hub.ingest, [
      [1, 91],
      [2, 50],
    ])
    await hub.owner`alter table anomaly_events drop constraint never`
    expect(result).toMatchObject({ accepted_count: 1, rejected_count: 1 })
    expect(await latestOf(hub.owner, { machineId: machine.id, metric: 'temperature' })).toMatchObject([{ value: 50 }])
    expect(await events()).toEqual([])
  })

  it('is forgotten a year after it ended', async () => {
    const { accept, events } = await knownPlant()
    await accept(hub.ingest, [
      [0, 90],
      [1, 50],
      [2, 90],
    ])
    await purgeAnomalies(hub.deps.pools.system, new Date(hub.clock.now().getTime() + 364 * 86_400_000))
    expect(await events()).toHaveLength(2)
    await purgeAnomalies(hub.deps.pools.system, new Date(hub.clock.now().getTime() + 366 * 86_400_000))
    expect(await events()).toEqual([[2, null, 90]])
  })
})

describe('a baseline that is new', () => {
  it('counts from the moment when the next would be computed, where that is soon', async () => {
    const { accept, events, setBaseline } = await knownPlant(null)
    const often = new IngestQueue(new Flusher({ ...hub.flushDeps, baselineIntervalSeconds: 5 }), createLogger('silent'))
    // that there is none is remembered
    await accept(often, [[1, 50]])
    await setBaseline({ mean: 50, sd: 2 })
    hub.clock.advance(-601 + 6)
    await accept(often, [[2, 90]])
    expect(await events()).toEqual([[2, null, 90]])
  })
})
