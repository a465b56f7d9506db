import { type BenchRow, fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { residentBytes } from './environment.ts'
import { httpLive, LIVE_SIZE, type LiveGroup, liveHub, liveSide } from './live.ts'
import { closeConnections } from './senders.ts'

/** Groups of 100 machines of 10 metrics: 10,000 machines and 100,000 series. */
const GROUPS = fullOrShort(100, 10)
const SENDERS = 8
const LIMIT_SECONDS = 2
const LIMIT_BYTES = 1e9
/** Rounds of live traffic before the memory is read: a minute of it. */
const ROUNDS = fullOrShort(5, 1)

interface Contact {
  /** seconds of the slowest request */
  slowest: number
  /** of the hub, after live traffic of all series */
  residentBytes: number
}

/** Both rows are of one hub. */
let measured: Promise<Contact> | undefined

/** No machine has sent anything, and the statistics of the planner are those of empty tables. */
async function contact(): Promise<Contact> {
  const { hub, groups } = await liveHub(GROUPS, 100, (empty) => empty.owner`analyze`)
  try {
    const send = httpLive(hub)
    const waiting = [...groups]
    let slowest = 0
    await Promise.all(
      Array.from({ length: SENDERS }, async () => {
        for (let group = waiting.shift(); group; group = waiting.shift())
          slowest = Math.max(slowest, await seconds(() => send(group as LiveGroup)))
      }),
    )
    const live = liveSide(hub, groups, send, GROUPS * LIVE_SIZE)
    for (let round = 0; round < ROUNDS; round++) await live()
    return { slowest, residentBytes: residentBytes(hub.pid) }
  } finally {
    await hub.close()
  }
}

const rowOf = (row: string, unit: string, against: string, limit: number, figure: (contact: Contact) => number): BenchRow => ({
  row,
  unit,
  against,
  rounds: 1,
  prepare: async () => ({
    ours: async () => {
      measured ??= contact()
      return figure(await measured)
    },
    theirs: () => limit,
  }),
})

await runRows(
  [
    rowOf(
      'ingest.contact.slowest',
      'seconds of the slowest request while 10,000 machines send their first 100,000 series, 8 senders, tables analyzed when empty',
      'the limit of 2 s',
      LIMIT_SECONDS,
      ({ slowest }) => slowest,
    ),
    rowOf(
      'ingest.contact.memory',
      'bytes of resident memory of the hub after a minute of live traffic of 100,000 series',
      'the limit of 1 GB',
      LIMIT_BYTES,
      ({ residentBytes: bytes }) => bytes,
    ),
  ],
  process.argv.slice(2),
)
closeConnections()
