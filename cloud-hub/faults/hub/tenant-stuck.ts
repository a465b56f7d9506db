import { ADVISORY_LOCKS } from '../../src/db/advisory-locks.ts'
import { until } from '../../test/processes.ts'
import { hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary } from '../sender.ts'
import { startDatabase } from '../shared.ts'
import { startStream } from '../stream.ts'

/** A change of a tenant's rules locks this, and a replica that hangs in the middle of one would keep it. */
const RULES_LOCK = ADVISORY_LOCKS.tenantRules
/** The other tenants may wait once, until the hub detects that one tenant is stuck. */
const MAX_OTHERS_WAIT_MS = 5_000

export const tenantStuck: FaultRow = {
  name: 'tenant.stuck',
  area: 'hub',
  what: 'the rules of one tenant stay locked for 30 s, as by a replica that hangs while it changes them',
  async run(context) {
    const { url, owner } = await startDatabase(context)
    const hub = await hubProcess(context, { DATABASE_URL: url })
    await hub.start()
    const stuck = await startStream(context, hub, owner)
    const others = await startStream(context, hub, owner, { ledger: stuck.ledger })
    await Promise.all([stuck.sending.untilAccepted(5), others.sending.untilAccepted(5)])
    const length = context.fullOrShort(30_000, 4_500)
    context.say(`one tenant is locked for ${length / 1_000} s`)
    others.sending.longestGapMs()
    const before = stuck.sending.acceptedBatches()
    const isRefused = () => [...stuck.sending.answers.keys()].some((answer) => answer.startsWith('503'))
    await owner.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${RULES_LOCK}, hashtext(${stuck.tenant.tenantId}))`
      await context.sleep(length)
      // on a busy machine its requests may reach the lock later
      await until('the stuck tenant receives a 503', isRefused, 30_000).catch(() => {})
    })
    const silence = others.sending.longestGapMs()
    if (silence > MAX_OTHERS_WAIT_MS)
      context.reportFailure(`the other tenant had no answer for ${(silence / 1_000).toFixed(1)} s`)
    const slipped = stuck.sending.acceptedBatches() - before
    context.say('the lock is released')
    await stuck.sending.untilAccepted(5)
    await others.drain()
    const counts = await stuck.finish(url)
    await others.alarms.verify(owner)
    await hub.stop()
    if (!isRefused()) context.reportFailure('the stuck tenant received no 503')
    const note = `the others waited ${(silence / 1_000).toFixed(1)} s at most, ${slipped} batches of the stuck tenant were stored`
    return { counts, note: `${note}; stuck: ${answerSummary(stuck.sending)}; others: ${answerSummary(others.sending)}` }
  },
}
