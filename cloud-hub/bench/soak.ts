import { setTimeout } from 'node:timers/promises'
import { type BenchRow, fullOrShort, runRows } from '@haltless/protocol/bench'
import { assertStored, storedLevels } from '../test/support/reading-storage.ts'
import { BACKLOG_SIZE, backlogBatch, backlogHub } from './backlog.ts'
import { type BenchHub, onHub, residentBytes } from './environment.ts'
import { mqttAgent, mqttMessage } from './senders.ts'

/** Three parts: the memory of the last is compared with that of the second. */
const SECONDS = fullOrShort(1_800, 15)
const MACHINES = fullOrShort(1_000, 50)
/** Batches of 1,000 readings a second: a steady load with room for other requests. */
const BATCHES_PER_SECOND = 50
const [AGENTS, SAMPLE_MS, PROBE_MS] = [8, 1_000, 50]
const MIN_SEALED = fullOrShort(1, 0)
const MEMORY_LIMIT = 1.05
const HEALTH_LIMIT_MS = 50

interface Soak {
  /** resident memory of the hub, of the last part against the second */
  growth: number
  /** ms */
  healthP99: number
}

/** The rows share one load. */
let measured: Promise<Soak> | undefined

async function soak(hub: BenchHub): Promise<Soak> {
  const agents = await Promise.all(Array.from({ length: AGENTS }, (_, i) => mqttAgent(hub, hub, `agent-${i}`)))
  const memory: number[] = []
  const health: number[] = []
  const end = performance.now() + SECONDS * 1_000
  let sent = 0
  const sample = async () => {
    for (; performance.now() < end; await setTimeout(SAMPLE_MS)) memory.push(residentBytes(hub.pid))
  }
  const probe = async () => {
    for (; performance.now() < end; await setTimeout(PROBE_MS)) {
      const asked = performance.now()
      const { ok } = await fetch(`${hub.url}/healthz`)
      if (!ok) throw new Error('the hub is not healthy')
      health.push(performance.now() - asked)
    }
  }
  const load = async () => {
    const started = performance.now()
    const under = new Set<Promise<void>>()
    while (performance.now() < end) {
      const due = Math.floor(((performance.now() - started) / 1_000) * BATCHES_PER_SECOND)
      for (; sent < due; sent++) {
        const agent = agents[sent % AGENTS]
        const sending = (agent?.send(mqttMessage(backlogBatch(sent, MACHINES))) ?? Promise.resolve()).then(() => {
          under.delete(sending)
        })
        under.add(sending)
      }
      // a hub that is slower than the load is not given more
      while (under.size > 4 * AGENTS) await Promise.race(under)
      await setTimeout(10)
    }
    await Promise.all(under)
  }
  await Promise.all([sample(), probe(), load()]).finally(() => Promise.all(agents.map((agent) => agent.close())))
  await assertStored(hub.owner, sent * BACKLOG_SIZE)
  const { open, days } = await storedLevels(hub.owner)
  if (open + days < MIN_SEALED) throw new Error('nothing was sealed')
  const third = Math.floor(memory.length / 3)
  return {
    growth: mean(memory.slice(2 * third)) / mean(memory.slice(third, 2 * third)),
    healthP99: health.toSorted((a, b) => a - b)[Math.floor(health.length * 0.99)] as number,
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const rowOf = (row: string, unit: string, against: string, limit: number, figure: (soak: Soak) => number): BenchRow => ({
  row,
  unit,
  against,
  rounds: 1,
  prepare: () =>
    onHub(backlogHub(MACHINES), async (hub) => ({
      ours: async () => {
        measured ??= soak(hub)
        return figure(await measured)
      },
      theirs: async () => limit,
      close: () => hub.close(),
    })),
})

const rows: BenchRow[] = [
  rowOf(
    'ingest.soak.memory',
    'resident memory of the hub in the last third of 30 minutes of steady load, against the second',
    'the limit of 1.05',
    MEMORY_LIMIT,
    ({ growth }) => growth,
  ),
  rowOf(
    'ingest.soak.healthz',
    'milliseconds, p99 of /healthz while the readings of 1,000 machines are stored and sealed',
    'the limit of 50 ms',
    HEALTH_LIMIT_MS,
    ({ healthP99 }) => healthP99,
  ),
]

await runRows(rows, process.argv.slice(2))
