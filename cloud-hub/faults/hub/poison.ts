import type { Reading } from '@haltless/protocol'
import { hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { countingSource, heard, startSending } from '../sender.ts'
import { startDatabase } from '../shared.ts'
import { startStream } from '../stream.ts'
import { httpWay, mqttWay } from '../ways.ts'

/** Readings of this metric are refused by the database when they are negative, and break it in an unforeseen way below -1e6. */
const REFUSE = `
  create function refuse() returns trigger language plpgsql as $$ begin
    if new.value < -1e6 then raise exception 'a fault that nobody foresaw' using errcode = 'XX000'; end if;
    if new.value < 0 then raise exception 'a value that the database refuses' using errcode = '22003'; end if;
    return new;
  end $$;
  create trigger refuse before insert on readings for each row execute function refuse()`

/** What the other tenant may wait: a flush that is split by request takes longer, and no more than that. */
const OTHERS_MS = 5_000

export const valueRefused: FaultRow = {
  name: 'value.refused',
  area: 'hub',
  what: 'the database refuses single values, and fails over others, in the middle of flushes that many tenants share',
  async run(context) {
    const { url, owner } = await startDatabase(context)
    const hub = await hubProcess(context, { DATABASE_URL: url })
    await hub.start()
    await owner.unsafe(REFUSE)
    const { tenant, ledger, sending, alarms, finish } = await startStream(context, hub, owner)
    const others = await startStream(context, hub, owner, { ledger, agents: 1 })
    const { tenantId, keys } = tenant
    const ways = [mqttWay(hub.mqttUrl, { tenantId, agentId: 'poisoned', password: keys[0] as string }), httpWay(hub.url, keys)]
    context.defer(() => Promise.all(ways.map((way) => way.close())))
    const next = countingSource(['m0'], { metrics: 1, size: 50, start: Date.now() - 60 * 3_600_000 })
    let poison = 0
    const bad = startSending(
      context,
      ledger,
      tenantId,
      ways,
      () =>
        next().map((reading): Reading => {
          const isPoison = context.chance.uniform() < 0.02
          if (isPoison) poison++
          return { ...reading, metric: 'poisoned', value: isPoison ? -reading.value : reading.value }
        }),
      { pauseMs: 20 },
    )
    const batches = context.times(200, 15)
    context.say('values that the database refuses')
    await others.sending.next(1)
    others.sending.longestSilenceMs()
    await Promise.all([bad.next(batches), sending.next(batches), others.sending.next(batches)])
    await bad.finish()

    context.say('values that break it in a way nobody foresaw')
    const answers = new Map<string, number>()
    for (let i = 0; i < context.times(20, 3); i++) {
      const reading = { machine: 'm0', metric: 'broken', unit: 'x', rawTag: null, timestamp: Date.now(), value: -2e6 - i }
      const { answer } = await (ways[1] as (typeof ways)[number]).send({ id: crypto.randomUUID(), readings: [reading] })
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      await sending.next(1)
    }
    if (answers.size !== 1 || !answers.has('500 internal_error'))
      context.complain(`readings that broke the database were answered ${heard({ answers })}`)
    const silence = others.sending.longestSilenceMs()
    if (silence > OTHERS_MS) context.complain(`the other tenant had no answer for ${(silence / 1_000).toFixed(1)} s`)
    await others.settle()
    const counts = await finish(url)
    await others.alarms.check(owner)
    await hub.stop()
    if (poison === 0) context.complain('no value was poison')
    if (counts.refused !== poison) context.complain(`${poison} values were poison, and ${counts.refused} were refused`)
    const note = `${poison} values refused one by one; broken batches: ${heard({ answers })}; ${alarms.raised()} alerts`
    const waited = `the other tenant waited ${(silence / 1_000).toFixed(1)} s at most`
    return { counts, note: `${note}; ${waited}; ${heard(sending)}` }
  },
}
