import { type BenchRow, fullOrShort, median, runRows } from '@haltless/protocol/bench'
import { assertStored, storedLevels } from '../test/support/reading-storage.ts'
import { BACKLOG_SIZE, backlogBatch, backlogHub } from './backlog.ts'
import { type BenchHub, onHub } from './environment.ts'
import { limitOfPostgres } from './limit-of-postgres.ts'
import { mqttAgent, mqttMessage } from './senders.ts'

const SECONDS = fullOrShort(600, 20)
/** Few machines, so that the data spans days of each series. */
const MACHINES = 50
const [AGENTS, IN_FLIGHT] = [8, 4]
const MIN_SPAN_HOURS = fullOrShort(48, 0)
/** At the end at most the readings of this time may be unsealed. */
const MAX_UNSEALED_SECONDS = fullOrShort(60, Number.POSITIVE_INFINITY)
/** R is measured this often before the load and after it. */
const LIMIT_ROUNDS = fullOrShort(3, 1)

/** Sends a backlog for minutes while the hub seals it. @returns sealed readings per second */
async function loadFor(hub: BenchHub): Promise<number> {
  const agents = await Promise.all(Array.from({ length: AGENTS }, (_, i) => mqttAgent(hub, hub, `agent-${i}`)))
  const started = performance.now()
  let sent = 0
  await Promise.all(
    Array.from({ length: AGENTS * IN_FLIGHT }, async (_, worker) => {
      while (performance.now() - started < SECONDS * 1_000)
        await agents[worker % AGENTS]?.send(mqttMessage(backlogBatch(sent++, MACHINES)))
    }),
  ).finally(() => Promise.all(agents.map((agent) => agent.close())))
  const took = (performance.now() - started) / 1_000
  const { tail, open, days } = await storedLevels(hub.owner)
  await assertStored(hub.owner, sent * BACKLOG_SIZE)
  const spanHours = ((sent / MACHINES) * (BACKLOG_SIZE / 10)) / 3_600
  if (spanHours < MIN_SPAN_HOURS) throw new Error(`the data spans ${spanHours.toFixed(1)} hours of a series`)
  const unsealedSeconds = tail / ((sent * BACKLOG_SIZE) / took)
  if (unsealedSeconds > MAX_UNSEALED_SECONDS)
    throw new Error(`${tail} readings are unsealed, which is ${unsealedSeconds.toFixed(0)} s of ingest`)
  return (open + days) / took
}

const steady: BenchRow = {
  row: 'ingest.steady',
  against: 'R, before the load and after it, on the same server',
  unit: 'sealed readings per second',
  rounds: 1,
  prepare: () =>
    onHub(backlogHub(MACHINES), async (hub) => {
      const limit = limitOfPostgres(hub)
      const limits: number[] = []
      const measure = async () => {
        for (let i = 0; i < LIMIT_ROUNDS; i++) limits.push(await limit())
      }
      await measure()
      return {
        ours: () => loadFor(hub),
        theirs: async () => {
          await measure()
          return median(limits)
        },
        close: () => hub.close(),
      }
    }),
}

await runRows([steady], process.argv.slice(2))
