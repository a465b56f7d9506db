import { type BenchRow, fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { assertStored, mergeAll } from '../test/support/reading-storage.ts'
import { storedReadings, storeReadings } from '../test/support/stored-readings.ts'
import { addMachines, type BenchHub, onHub, startBenchHub } from './environment.ts'
import { batchOf, jsonOf, METRICS, plantValue, UNIT } from './plant-data.ts'
import { closeConnections, ingestUrl, post } from './senders.ts'

const DAYS = fullOrShort(90, 3)
const [DAY_SECONDS, DAY_MS] = [86_400, 86_400_000]
const METRIC = 2
const SIZE = 1_000
const ROUNDS = 6
/** Days until yesterday, so that all of them can be sealed and merged. */
const START = (Math.floor(Date.now() / DAY_MS) - DAYS - 1) * DAY_MS

/** 1 % of the seconds, in random order, the same in every run. Source: mulberry32, Fisher-Yates */
function lateSeconds(): number[] {
  let state = 5
  const random = (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
  const late = Array.from({ length: DAYS * DAY_SECONDS }, (_, second) => second).filter(() => random(100) === 0)
  for (let i = late.length - 1; i > 0; i--) {
    const other = random(i + 1)
    ;[late[i], late[other]] = [late[other] as number, late[i] as number]
  }
  return late
}

/** Stores 90 days of one series at 1 Hz without the late readings, and waits until they are sealed. */
async function withMostReadings(hub: BenchHub, late: ReadonlySet<number>): Promise<string> {
  await addMachines(hub, 0, 1)
  const [machine] = await hub.owner<[{ id: string }]>`select id from machines`
  for (let day = 0; day < DAYS; day++) {
    const own = Array.from({ length: DAY_SECONDS }, (_, i) => day * DAY_SECONDS + i).filter((second) => !late.has(second))
    const times = own.map((second) => START + second * 1_000)
    const values = own.map((second) => plantValue(0, METRIC, second))
    await storeReadings(hub.owner, [{ machineId: machine.id, metric: METRICS[METRIC] as string, unit: UNIT, times, values }])
  }
  await mergeAll(hub.owner)
  return machine.id
}

/** Compares every stored reading with what was sent. */
async function assertExact(hub: BenchHub, machineId: string): Promise<void> {
  for (let day = 0; day < DAYS; day++) {
    const from = START + day * DAY_MS
    const stored = await storedReadings(hub.owner, { machineId, from, until: from + DAY_MS })
    const isExact = ({ at, value }: { at: number; value: number }, i: number) =>
      at === from + i * 1_000 && Object.is(value, plantValue(0, METRIC, day * DAY_SECONDS + i))
    if (stored.length !== DAY_SECONDS || !stored.every(isExact)) throw new Error(`day ${day} is not what was sent`)
  }
}

const late: BenchRow = {
  row: 'ingest.late',
  against: '50,000 readings per second',
  unit: 'late readings per second on one connection',
  rounds: ROUNDS,
  prepare: () =>
    onHub(startBenchHub({ keys: 20 }, { LOG_LEVEL: 'info' }), async (hub) => {
      const all = lateSeconds()
      const machineId = await withMostReadings(hub, new Set(all))
      const total = DAYS * DAY_SECONDS
      let [round, sent, turn] = [0, 0, 0]
      return {
        ours: async () => {
          const own = all.slice(Math.floor((all.length * round) / ROUNDS), Math.floor((all.length * ++round) / ROUNDS))
          const bodies: { body: Buffer; size: number }[] = []
          for (let i = 0; i < own.length; i += SIZE) {
            const times = own.slice(i, i + SIZE)
            const batch = batchOf({ machines: [0], metrics: [METRIC], second: 0, times, valueAt: () => 0 })
            times.forEach((second, k) => {
              batch.timestamps[k] = START + second * 1_000
              batch.values[k] = plantValue(0, METRIC, second)
            })
            bodies.push({ body: jsonOf(batch), size: times.length })
          }
          const took = await seconds(async () => {
            for (const { body, size } of bodies)
              await post(ingestUrl(hub), hub.keys[turn++ % hub.keys.length] as string, body, size)
          })
          // again: none of them is stored twice
          const [first] = bodies
          if (first) await post(ingestUrl(hub), hub.keys[0] as string, first.body, first.size)
          sent += own.length
          await assertStored(hub.owner, total - all.length + sent)
          if (round === ROUNDS) await assertExact(hub, machineId)
          return own.length / took
        },
        theirs: () => 50_000,
        close: () => hub.close(),
      }
    }),
}

await runRows([late], process.argv.slice(2))
closeConnections()
