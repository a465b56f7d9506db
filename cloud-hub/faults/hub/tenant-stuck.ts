import { ADVISORY_LOCKS } from '../../src/db/advisory-locks.ts'
import { until } from '../../test/processes.ts'
import { hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { heard } from '../sender.ts'
import { startDatabase } from '../shared.ts'
import { startStream } from '../stream.ts'

/** The lock that a change of a tenant's rules takes, and that a replica which hangs in the middle of one would keep. */
const RULES_LOCK = ADVISORY_LOCKS.tenantRules
/** The others may be held up once, until it is clear that one tenant is stuck. */
const OTHERS_MS = 5_000

export const tenantStuck: FaultRow = {
  name: 'tenant.stuck',
  area: 'hub',
  what: "one tenant's rules stay locked for 30 s, as if a replica hung while it changes them",
  async run(context) {
    const { url, owner } = await startDatabase(context)
    const hub = await hubProcess(context, { DATABASE_URL: url })
    await hub.start()
    const stuck = await startStream(context, hub, owner)
    const others = await startStream(context, hub, owner, { ledger: stuck.ledger })
    await Promise.all([stuck.sending.next(5), others.sending.next(5)])
    const length = context.times(30_000, 4_500)
    context.say(`one tenant is locked for ${length / 1_000} s`)
    others.sending.longestSilenceMs()
    const before = stuck.sending.yes()
    const isTold = () => [...stuck.sending.answers.keys()].some((answer) => answer.startsWith('503'))
    await owner.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${RULES_LOCK}, hashtext(${stuck.tenant.tenantId}))`
      await context.sleep(length)
      // on a busy machine its requests may take longer to run into the lock
      await until('the stuck tenant is told', isTold, 30_000).catch(() => {})
    })
    const silence = others.sending.longestSilenceMs()
    if (silence > OTHERS_MS) context.complain(`the other tenant had no answer for ${(silence / 1_000).toFixed(1)} s`)
    const slipped = stuck.sending.yes() - before
    context.say('the lock is gone')
    await stuck.sending.next(5)
    await others.settle()
    const counts = await stuck.finish(url)
    await others.alarms.check(owner)
    await hub.stop()
    if (!isTold()) context.complain('the stuck tenant was not told')
    const note = `the others waited ${(silence / 1_000).toFixed(1)} s at most, ${slipped} batches of the stuck one got through`
    return { counts, note: `${note}; stuck: ${heard(stuck.sending)}; others: ${heard(others.sending)}` }
  },
}
