import { type BenchRow, fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { DistributedRateLimit } from '../src/support/http/distributed-rate-limit.ts'

/** The rate limiter of one process: 10,000 callers in rotation, each below and beyond its limit. */
const CALLERS = 10_000
const HITS = fullOrShort(400_000, 20_000)

const rows: BenchRow[] = [
  {
    row: 'limit.cost',
    against: '50 microseconds a request',
    unit: 'microseconds',
    prepare: async () => {
      const nobody = () => Promise.reject(new Error('alone, nobody is asked'))
      const limits = new DistributedRateLimit({ isAlone: () => true, acquireQuota: nobody })
      let now = Date.now()
      return {
        ours: async () =>
          ((await seconds(() => {
            for (let i = 0; i < HITS; i++) {
              if (i % 100 === 0) now++
              limits.hit(`reads user:${i % CALLERS}`, 30, now)
            }
          })) *
            1e6) /
          HITS,
        theirs: () => 50,
      }
    },
  },
]

await runRows(rows, process.argv.slice(2))
