import type { Reading } from '@haltless/protocol'
import { refuseReadings } from '../../test/support/stored-readings.ts'
import { hubProcess } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary, countingSource, startSender } from '../sender.ts'
import { startDatabase } from '../shared.ts'
import { startStream } from '../stream.ts'
import { httpTransport, mqttTransport } from '../transports.ts'

/** The database rejects single readings of the first metric, and fails at the second with an unexpected error. */
const [POISONED, BROKEN] = ['poisoned', 'broken']
/** Among this many readings 2 % are to be rejected. */
const READINGS = 100_000
const STEP_MS = 100

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
    const start = Date.now() - 60 * 3_600_000
    const instants = Array.from({ length: READINGS }, (_, i) => start + i * STEP_MS)
    const rejected = new Set(instants.filter(() => context.random.uniform() < 0.02))
    await refuseReadings(owner, { metric: POISONED, at: [...rejected].map((at) => new Date(at)) }, '22003')
    await refuseReadings(owner, { metric: BROKEN }, 'XX000')
    const { tenant, ledger, sending, alarms, finish } = await startStream(context, hub, owner)
    const others = await startStream(context, hub, owner, { ledger, agents: 1 })
    const { tenantId, keys } = tenant
    const transports = [
      mqttTransport(hub.mqttUrl, { tenantId, agentId: 'poisoned', password: keys[0] as string }),
      httpTransport(hub.url, keys),
    ]
    context.defer(() => Promise.all(transports.map((transport) => transport.close())))
    const next = countingSource(['m0'], { metrics: 1, size: 50, start, stepMs: STEP_MS })
    let poison = 0
    const bad = startSender(
      context,
      ledger,
      tenantId,
      transports,
      () =>
        next().map((reading): Reading => {
          if (rejected.has(reading.timestamp)) poison++
          return { ...reading, metric: POISONED }
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
      const reading = { machine: 'm0', metric: BROKEN, unit: 'x', rawTag: null, timestamp: Date.now(), value: i }
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
