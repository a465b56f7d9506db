import postgres from '../../src/db/driver.ts'
import { migrateTables } from '../../src/db/migrate.ts'
import { BrokenPromise, runStoreProperty } from '../../test/support/store-property.ts'
import { EMPTY_COMPARISON } from '../compare.ts'
import type { FaultRow } from '../row.ts'
import { startDatabase } from '../shared.ts'

/** These say how often parts of the store were in each other's way; the others must all have had work. */
const COLLISIONS = ['stale', 'deadlocks']

export const storeProperty: FaultRow = {
  name: 'store.property',
  area: 'hub',
  what: 'writers, sealers and readers work at random on the same few series, against a model in memory',
  async run(context) {
    const { url } = await startDatabase(context)
    await migrateTables(url)
    const owner = postgres(url, { max: 12, onnotice: () => {} })
    context.defer(() => owner.end({ timeout: 1 }))
    const seconds = context.fullOrShort(600, 20)
    context.say(`${seconds} seconds`)
    try {
      const counts = await runStoreProperty(owner, { seed: context.random.whole(1, 1_000_000), seconds })
      for (const [part, count] of Object.entries(counts))
        if (count === 0 && !COLLISIONS.includes(part)) context.reportFailure(`nothing was ${part}, so the run proves too little`)
      if (counts.deadlocks > 0) context.reportFailure(`PostgreSQL detected ${counts.deadlocks} deadlocks`)
      const note = `${counts.sent} sent, ${counts.stored} stored, ${counts.claimed} claims, ${counts.stale} stale, ${counts.divided} divided, ${counts.sealed} sealed`
      return { counts: { ...EMPTY_COMPARISON, readings: counts.stored }, note }
    } catch (error) {
      if (!(error instanceof BrokenPromise)) throw error
      context.reportFailure(error.message)
      return { counts: { ...EMPTY_COMPARISON, readings: 1 } }
    }
  },
}
