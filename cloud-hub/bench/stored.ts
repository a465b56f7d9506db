import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchRow, fullOrShort, runRows } from '@haltless/protocol/bench'
import { assertStored, mergeAll, storedBytes, untilMerged } from '../test/support/reading-storage.ts'
import { storedReadings } from '../test/support/stored-readings.ts'
import { addMachines, type BenchHub, onHub, runConcurrently, startBenchHub } from './environment.ts'
import { batchOf, METRICS, NOISY_METRIC, plantValue, randomDouble, type ValueOf } from './plant-data.ts'
import { mqttAgent, mqttMessage } from './senders.ts'

const [DAY_SECONDS, DAY_MS] = [86_400, 86_400_000]
const DAYS = fullOrShort(7, 1)
const IS_SHORT = DAYS === 1
/** Days until yesterday, so that all of them can be sealed and merged. */
const START = (Math.floor(Date.now() / DAY_MS) - DAYS - 1) * DAY_MS
const AGENTS = 4
/** Readings of a batch: what an agent sends at most. */
const SIZE = 1_000
/** The hub looks for days to merge every ten minutes, and waits until a day is quiet for as long. */
const MERGED_MS = 45 * 60_000
/** Autovacuum looks once a minute. */
const VACUUM_MS = fullOrShort(150_000, 0)

interface Kind {
  row: string
  what: string
  wanted: number
  machines: number
  metrics: readonly number[]
  valueAt: ValueOf
}

/** Sends all days through ingest, the machines side by side, each in order. */
async function sendAll(hub: BenchHub, { machines, metrics, valueAt }: Kind): Promise<void> {
  const agents = await Promise.all(Array.from({ length: AGENTS }, (_, i) => mqttAgent(hub, hub, `agent-${i}`)))
  const step = SIZE / metrics.length
  const steps = Math.ceil((DAYS * DAY_SECONDS) / step)
  await runConcurrently(machines, AGENTS, async (machine, worker) => {
    for (let i = 0; i < steps; i++) {
      const second = i * step
      const length = Math.min(step, DAYS * DAY_SECONDS - second)
      const times = Array.from({ length }, (_, k) => START + (second + k) * 1_000)
      await agents[worker]?.send(mqttMessage(batchOf({ machines: [machine], metrics, second, times, valueAt })))
    }
  })
  await Promise.all(agents.map((agent) => agent.close()))
}

/** Compares all stored readings bit for bit with those that were sent. */
async function assertExact(hub: BenchHub, { machines, metrics, valueAt }: Kind): Promise<void> {
  const ids = await hub.owner<{ id: string; name: string }[]>`select id, machine_identifier as name from machines`
  const idOf = new Map(ids.map(({ id, name }) => [name, id]))
  for (let machine = 0; machine < machines; machine++)
    for (const metric of metrics)
      for (let day = 0; day < DAYS; day++) {
        const from = START + day * DAY_MS
        const name = { machineId: idOf.get(`m${machine}`) as string, metric: METRICS[metric] as string }
        const stored = await storedReadings(hub.owner, { ...name, from, until: from + DAY_MS })
        const isExact = ({ at, value }: { at: number; value: number }, i: number) =>
          at === from + i * 1_000 && Object.is(value, valueAt(machine, metric, day * DAY_SECONDS + i))
        if (stored.length !== DAY_SECONDS || !stored.every(isExact))
          throw new Error(`day ${day} of m${machine} ${name.metric} is not what was sent`)
      }
}

const rowOf = (kind: Kind): BenchRow => ({
  row: kind.row,
  against: `${kind.wanted} bytes`,
  unit: `bytes on disk per reading: ${kind.what}`,
  rounds: 1,
  prepare: () =>
    onHub(startBenchHub({ keys: 1 }, { LOG_LEVEL: 'info' }), async (hub) => {
      await addMachines(hub, 0, kind.machines)
      const before = await storedBytes(hub.owner)
      const count = kind.machines * kind.metrics.length * DAYS * DAY_SECONDS
      return {
        ours: async () => {
          await sendAll(hub, kind)
          if (IS_SHORT) await mergeAll(hub.owner)
          else await untilMerged(hub.owner, MERGED_MS)
          await sleep(VACUUM_MS)
          await assertStored(hub.owner, count)
          const bytes = (await storedBytes(hub.owner)) - before
          await assertExact(hub, kind)
          return bytes / count
        },
        theirs: () => kind.wanted,
        close: () => hub.close(),
      }
    }),
})

const ALL = METRICS.map((_, i) => i)
/** Machines of the rows with ten metrics, and with one. */
const [MACHINES, MORE_MACHINES] = [fullOrShort(4, 1), fullOrShort(20, 2)]

await runRows(
  [
    { row: 'readings.stored', what: 'a plant', wanted: 0.9, machines: MACHINES, metrics: ALL, valueAt: plantValue },
    {
      row: 'readings.stored.noisy',
      what: 'one noisy metric',
      wanted: 1.2,
      machines: MORE_MACHINES,
      metrics: [NOISY_METRIC],
      valueAt: plantValue,
    },
    {
      row: 'readings.stored.doubles',
      what: 'random doubles',
      wanted: 8.5,
      machines: MORE_MACHINES,
      metrics: [NOISY_METRIC],
      valueAt: randomDouble,
    },
  ].map(rowOf),
  process.argv.slice(2),
)
