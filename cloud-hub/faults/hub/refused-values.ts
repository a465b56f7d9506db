import type { Reading } from '@haltless/protocol'
import { hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary, countingSource, startSender } from '../sender.ts'
import { startDatabase } from '../shared.ts'
import { startStream } from '../stream.ts'
import { httpTransport, mqttTransport } from '../transports.ts'

/** A trigger that rejects negative values of readings, and raises an unexpected error below -1e6. */
const REFUSE = `
  create function refuse() returns trigger language plpgsql as $$ begin
    if new.value < -1e6 then raise exception 'an unexpected error' using errcode = 'XX000'; end if;
    if new.value < 0 then raise exception 'a value that the database rejects' using errcode = '22003'; end if;
    return new;
  end $$;
  create trigger refuse before insert on readings for each row execute function refuse()`

/** The longest wait of the other tenant: splitting a flush by request takes longer, but not more than this. */
const MAX_OTHERS_WAIT_MS = 5_000

export const valueRefused: FaultRow = {
  name: 'value.refused',
  area: 'hub',
  what: 'the database rejects single values and fails at others, in flushes that several tenants share',
  async run(context) {
    const { url, owner } = await startDatabase(context)
    const hub = await hubProcess(context, { DATABASE_URL: url })
    await hub.start()
    await owner.unsafe(REFUSE)
    const { tenant, ledger, sending, alarms, finish } = await startStream(context, hub, owner)
    const others = await startStream(context, hub, owner, { ledger, agents: 1 })
    const { tenantId, keys } = tenant
    const transports = [
      mqttTransport(hub.mqttUrl, { tenantId, agentId: 'poisoned', password: keys[0] as string }),
      httpTransport(hub.url, keys),
    ]
    context.defer(() => Promise.all(transports.map((transport) => transport.close())))
    const next = countingSource(['m0'], { metrics: 1, size: 50, start: Date.now() - 60 * 3_600_000 })
    let poison = 0
    const bad = startSender(
      context,
      ledger,
      tenantId,
      transports,
      () =>
        next().map((reading): Reading => {
          const isPoison = context.random.uniform() < 0.02
          if (isPoison) poison++
          return { ...reading, metric: 'poisoned', value: isPoison ? -reading.value : reading.value }
        }),
      { pauseMs: 20 },
    )
    const batches = context.fullOrShort(200, 15)
    context.say('values that the database rejects')
    await others.sending.untilAccepted(1)
    others.sending.longestGapMs()
    await Promise.all([bad.untilAccepted(batches), sending.untilAccepted(batches), others.sending.untilAccepted(batches)])
    await bad.finish()

    context.say('values that cause an unexpected error')
    const answers = new Map<string, number>()
    for (let i = 0; i < context.fullOrShort(20, 3); i++) {
      const reading = { machine: 'm0', metric: 'broken', unit: 'x', rawTag: null, timestamp: Date.now(), value: -2e6 - i }
      const { answer } = await (transports[1] as (typeof transports)[number]).send({
        id: crypto.randomUUID(),
        readings: [reading],
      })
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      await sending.untilAccepted(1)
    }
    if (answers.size !== 1 || !answers.has('500 internal_error'))
      context.reportFailure(`readings that caused an unexpected error were answered ${answerSummary({ answers })}`)
    const silence = others.sending.longestGapMs()
    if (silence > MAX_OTHERS_WAIT_MS)
      context.reportFailure(`the other tenant had no answer for ${(silence / 1_000).toFixed(1)} s`)
    await others.drain()
    const counts = await finish(url)
    await others.alarms.verify(owner)
    await hub.stop()
    if (poison === 0) context.reportFailure('no value was to be rejected')
    if (counts.refused !== poison) context.reportFailure(`${poison} values had to be rejected, and ${counts.refused} were`)
    const note = `${poison} values rejected individually; batches with an unexpected error: ${answerSummary({ answers })}; ${alarms.crossings()} alerts`
    const waited = `the other tenant waited ${(silence / 1_000).toFixed(1)} s at most`
    return { counts, note: `${note}; ${waited}; ${answerSummary(sending)}` }
  },
}
