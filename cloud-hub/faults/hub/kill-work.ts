import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { until } from '../../test/processes.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary } from '../sender.ts'
import { slowWrites } from '../slow-writes.ts'
import { startHubAndStream } from '../stream.ts'
import { checkWork, emptySeries, startWork, storedKeys } from '../work.ts'

/** How long a kill waits at most: uploads, sign-offs and fills last a few tenths of a second each. */
const WITHIN_MS = 1_500
const KINDS = ['uploads', 'signoffs', 'series'] as const

export const workKill: FaultRow = {
  name: 'work.kill',
  area: 'hub',
  what: 'kill -9 of the hub in the middle of uploads, sign-offs and the filling of recurrences',
  async run(context) {
    const { hub, dataDir, database, owner, sending, finish } = await startHubAndStream(context)
    await owner(async (sql) => {
      for (const table of ['attachments', 'signoffs', 'maintenance_events'] as const) await slowWrites(sql, table, 0.15)
    })
    const work = await owner((sql) => startWork(context, hub.url, sql))
    const { ledger } = work
    const kills = context.fullOrShort(12, 3)
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}`)
      await owner((sql) => emptySeries(sql, 4))
      // Every fourth kill meets the start, when series are filled; the others meet one more piece of work of a kind.
      if (kill % 4 !== 0) {
        const kind = KINDS[kill % KINDS.length] as (typeof KINDS)[number]
        const before = ledger[kind].size
        await until(`more ${kind} are confirmed`, () => ledger[kind].size > before, 120_000)
      }
      await context.sleep(context.random.between(0, WITHIN_MS))
      await hub.kill()
      await hub.start()
      const left = spooled(dataDir)
      if (left > 1) context.reportFailure(`${left - 1} spool folders of killed hubs remain`)
    }
    context.say('waiting for the last answers')
    await until(
      'each kind of work was confirmed',
      () => ledger.uploads.size > 3 && ledger.signoffs.size > 3 && ledger.series.size > 1,
      120_000,
    )
    await work.stop()
    // A hub that starts fills what is due at once.
    await hub.stop()
    await hub.start()
    await until('all series are filled', () =>
      owner(async (sql) => (await sql`select 1 from maintenance_events where next_occurrence = 1`).length === 0),
    )
    await owner((sql) => checkWork(context, sql, ledger, dataDir))
    const orphans = await owner(async (sql) => {
      await sql`update attachment_uploads set expires_at = '-infinity'`
      return (await sql`select 1 from attachment_uploads`).length
    })
    const counts = await finish(database.url())
    await hub.stop()
    await hub.start()
    await until('the files of interrupted uploads are deleted', async () => {
      const [row] = await owner((sql) => sql<{ n: number }[]>`select count(*)::int as n from attachments`)
      return storedKeys(dataDir).length === row?.n
    })
    const verified = await hub.command(['signoffs', 'verify'])
    if (verified.code !== 0) context.reportFailure(`the sign-offs do not verify: ${verified.out}`)
    await hub.stop()
    const done = `${ledger.uploads.size} uploads, ${ledger.signoffs.size} sign-offs, ${ledger.series.size} series confirmed`
    return { counts, note: `${kills} kills; ${done}; ${orphans} interrupted uploads cleaned up; ${answerSummary(sending)}` }
  },
}

/** Folders of hubs in the spool; the running hub has one. */
function spooled(dataDir: string): number {
  const spool = path.join(dataDir, 'spool')
  return existsSync(spool) ? readdirSync(spool).length : 0
}
