import { until } from '../../test/processes.ts'
import { brokenInvariants, type OldRows, storeOldRows, unpackedPartitions } from '../../test/support/moved-readings.ts'
import { compare } from '../compare.ts'
import { checkDurability, hubProcess } from '../hub-process.ts'
import { type Ledger, openLedger } from '../ledger.ts'
import { oldHub } from '../old-hub.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { answerSummary, countingSource, startSender } from '../sender.ts'
import { prepareShared } from '../shared.ts'
import { makeTenant, type Tenant } from '../tenant.ts'
import { httpTransport, mqttTransport, type Transport } from '../transports.ts'

const [SECOND, HOUR] = [1_000, 3_600_000]
const MACHINES = ['m0', 'm1', 'm2', 'm3']
/** Readings of an answer. */
const WINDOW = 1_000

/** Readings of the last days, side by side in several series. */
const history = (context: RowContext, tenantId: string): OldRows[] =>
  Array.from({ length: context.fullOrShort(50, 6) }, (_, i) => ({
    ...{ tenantId, machine: `old_${i % 5}`, metric: `metric_${Math.floor(i / 5)}`, unit: 'celsius' },
    ...{ from: Math.floor(Date.now() / HOUR) * HOUR - 30 * HOUR, stepMs: SECOND, count: context.fullOrShort(100_000, 1_000) },
  }))

function record(ledger: Ledger, { from, stepMs, count, ...name }: OldRows): void {
  const series = ledger.series(name)
  const at = (i: number) => from + i * stepMs
  ledger.write(Array.from({ length: count }, (_, i) => ({ series, value: i + 1, from: at(i), to: at(i) })))
}

/** Asks a hub for old readings again and again. Each answer must be complete and exact, or an error. */
function startReader(context: RowContext, { call }: Pick<Tenant, 'call'>, machineId: string, rows: OldRows, who: string) {
  const counts = { complete: 0, errors: 0, wrong: 0 }
  const answers = new Map<string, number>()
  let isOver = false
  context.defer(() => {
    isOver = true
  })
  const read = async () => {
    const first = context.random.whole(0, rows.count - WINDOW)
    const [start, end] = [first, first + WINDOW - 1].map((i) => new Date(rows.from + i * rows.stepMs).toISOString())
    const path = `machines/${machineId}/readings?metric=${rows.metric}&start=${start}&end=${end}`
    const answer = await call<{ data_points: { value: number }[] }[]>('GET', path).catch((error: Error) => error)
    if (answer instanceof Error) {
      answers.set(answer.message, (answers.get(answer.message) ?? 0) + 1)
      // the limit of requests is no error of a hub
      if (!answer.message.includes('429')) counts.errors++
      return
    }
    const values = answer.flatMap((one) => one.data_points.map(({ value }) => value))
    if (values.length === WINDOW && values.every((value, i) => value === first + i + 1)) counts.complete++
    else if (++counts.wrong === 1)
      context.reportFailure(`${who} answered with ${values.length} of ${WINDOW} readings from ${start}`)
  }
  const running = (async () => {
    while (!isOver) {
      await read()
      await new Promise((go) => setTimeout(go, context.fullOrShort(500, 50)))
    }
  })()
  return {
    counts,
    answers,
    async stop() {
      isOver = true
      await running
    },
  }
}

/** A program that sends to the old replica, and repeats at the new hub once the old one is gone. It repeats after any 500. */
function movingProgram(old: Transport, later: () => Transport | null): Transport {
  return {
    async send(batch) {
      const moved = later()
      if (moved) return moved.send(batch)
      const result = await old.send(batch)
      return result.answer.startsWith('500 ') ? { answer: 'lost in transit' } : result
    },
    close: () => old.close(),
  }
}

export const upgradeRows: FaultRow = {
  name: 'upgrade.rows',
  area: 'hub',
  what: 'a hub of commit c79cc08 with readings as rows is upgraded while others send and read, and an old replica keeps running',
  async run(context) {
    const script = oldHub(context)
    const { database, mosquitto, env } = await prepareShared(context)
    const { owner } = database
    const [first, replica] = [await hubProcess(context, env, script), await hubProcess(context, env, script)]
    const present = await hubProcess(context, env)
    context.say('two hubs of the old version start')
    await first.start()
    await replica.start()
    await checkDurability(owner)
    const tenant = await makeTenant(first.url, owner, { machines: MACHINES.length, keys: 20 })
    const { tenantId, keys, token } = tenant
    const ledger = openLedger(context)
    const old = history(context, tenantId)
    context.say(`${old.reduce((sum, { count }) => sum + count, 0).toLocaleString('en')} rows`)
    for (const rows of old) record(ledger, rows)
    await storeOldRows(owner, old)
    const rows = old[0] as OldRows
    const [machine] = await owner<[{ id: string }]>`select id from machines where machine_identifier = ${rows.machine}`
    const callOf = (url: string): Pick<Tenant, 'call'> => ({
      async call(method, route) {
        const answer = await fetch(`${url}/api/v1/${route}`, { method, headers: { authorization: `Bearer ${token}` } })
        if (!answer.ok) throw new Error(`answered ${answer.status}`)
        return (await answer.json()) as never
      },
    })
    const oldReader = startReader(context, callOf(replica.url), machine.id, rows, 'the old replica')
    mosquitto.user(`${tenantId}/line`, 'line-password')
    const login = { tenantId, agentId: 'line', username: `${tenantId}/line`, password: 'line-password' }
    let isMoved = false
    const later = httpTransport(present.url, keys)
    const transports = [
      mqttTransport(mosquitto.url, login),
      movingProgram(httpTransport(replica.url, keys), () => (isMoved ? later : null)),
    ]
    context.defer(() => Promise.all([...transports, later].map((transport) => transport.close())))
    const next = countingSource(MACHINES)
    const sending = startSender(context, ledger, tenantId, transports, () => next(), { concurrency: 2, pauseMs: 40 })
    await sending.untilAccepted(context.fullOrShort(100, 10))
    const completeBefore = oldReader.counts.complete
    context.say('one hub is upgraded')
    await first.stop()
    const took = await present.start()
    const started = performance.now()
    const reader = startReader(context, callOf(present.url), machine.id, rows, 'the new hub')
    await sending.untilAccepted(10)
    const isPacked = async () => {
      const left = await unpackedPartitions(owner)
      context.say(`${left} partitions are not packed`)
      return left === 0
    }
    await until('the rows are packed', isPacked, 200_000)
    const packed = (performance.now() - started) / 1_000
    await until('the new hub has answered', () => reader.counts.complete >= 5)
    if (replica.hasEnded()) context.reportFailure('the old replica ended, so it proves too little')
    await Promise.all([oldReader.stop(), reader.stop()])
    isMoved = true
    await replica.stop()
    context.say('waiting for the last answers')
    await sending.finish()
    context.say('comparing')
    for (const what of await brokenInvariants(owner)) context.reportFailure(what)
    const counts = await compare(ledger, owner)
    await present.stop()
    if (completeBefore === 0) context.reportFailure('the old replica never answered before the upgrade')
    if (reader.counts.errors > 0) context.reportFailure(`the new hub answered reads with an error: ${answerSummary(reader)}`)
    const { complete, errors } = oldReader.counts
    const reads = `old replica: ${complete} complete answers, ${errors} errors; new hub: ${reader.counts.complete} complete`
    return {
      counts,
      note: `upgraded in ${took.toFixed(1)} s, packed after ${packed.toFixed(1)} s; ${reads}; ${answerSummary(sending)}`,
    }
  },
}
