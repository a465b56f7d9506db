import { type BenchRow, runRows, seconds } from '@haltless/protocol/bench'
import { suggest } from '../src/features/telemetry/tag-mappings/suggest.ts'

/** Suggestions for the longest permitted tags and contexts, which were made to take long. They are made in the hub's only thread. */
const TAG = 500
const CONTEXT = 2_000
const TAGS = ['motor', 'x', '°', 'temperature', '1', 'a_', 'µ', '%'].flatMap((part) => [
  part.repeat(TAG).slice(0, TAG),
  `${part.repeat(TAG).slice(0, TAG - 1)}!`,
])
const CONTEXTS = ['speed ', '(', 'motortemperature', '°C ']

const rows: BenchRow[] = [
  {
    row: 'tags.suggest',
    against: '5 ms a tag',
    unit: 'milliseconds a tag, of the tag that takes longest',
    prepare: async () => ({
      ours: async () => {
        let slowest = 0
        for (const tag of TAGS)
          for (const part of CONTEXTS) {
            const context = part.repeat(CONTEXT).slice(0, CONTEXT)
            slowest = Math.max(slowest, (await seconds(() => void suggest(tag, context))) * 1e3)
          }
        return slowest
      },
      theirs: () => 5,
    }),
  },
]

await runRows(rows, process.argv.slice(2))
