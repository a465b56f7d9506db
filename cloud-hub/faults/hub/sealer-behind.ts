import type { Reading } from '@haltless/protocol'
import { until } from '../../test/processes.ts'
import { brokenInvariants, tailBefore } from '../../test/support/moved-readings.ts'
import { compare } from '../compare.ts'
import { checkDurability, type HubProcess, hubProcess } from '../hub-process.ts'
import { openLedger } from '../ledger.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary, startSender } from '../sender.ts'
import { prepareShared } from '../shared.ts'
import { makeTenant } from '../tenant.ts'
import { httpTransport, mqttTransport } from '../transports.ts'

const HOUR = 3_600_000
const METRICS = 10
/** Seconds of one machine in a batch: 1,000 readings, as an agent sends its buffer. */
const SECONDS = 100
/** Resident memory of the hub that catches up, in MB. */
const MAX_MEMORY_MB = 700

/** An hour of each machine at 1 Hz, all machines side by side. */
function hourOfLoad(machines: number, start: number) {
  let batch = 0
  const batches = machines * Math.ceil(HOUR / 1_000 / SECONDS)
  return (): Reading[] | null => {
    if (batch === batches) return null
    const [machine, first] = [batch % machines, Math.floor(batch / machines) * SECONDS]
    batch++
    return Array.from({ length: METRICS * SECONDS }, (_, i) => {
      const second = first + (i % SECONDS)
      return {
        ...{ machine: `m${machine}`, metric: `metric_${Math.floor(i / SECONDS)}`, unit: 'celsius', rawTag: null },
        ...{ timestamp: start + second * 1_000 + machine, value: second + 1 },
      }
    })
  }
}

/** Waits until all of it is sealed. @returns seconds, and the worker's largest memory in MB */
async function untilSealed(worker: HubProcess, left: () => Promise<number>, say: (what: string) => void) {
  const started = performance.now()
  await until(
    'the sealer has caught up',
    async () => {
      const readings = await left()
      say(`${readings.toLocaleString('en')} readings are not sealed`)
      return readings === 0
    },
    240_000,
  )
  return { seconds: (performance.now() - started) / 1_000, memoryMb: worker.memory().most }
}

export const sealBehind: FaultRow = {
  name: 'seal.behind',
  area: 'hub',
  what: 'no hub seals while readings of an hour arrive; then a hub with the worker role catches up, while others arrive',
  async run(context) {
    const { database, mosquitto, env } = await prepareShared(context)
    const ingesting = await hubProcess(context, { ...env, HUB_ROLES: 'api,broker' })
    const worker = await hubProcess(context, { ...env, HUB_ROLES: 'worker' })
    await ingesting.start()
    await checkDurability(database.owner)
    const machines = context.fullOrShort(100, 4)
    const tenant = await makeTenant(ingesting.url, database.owner, { machines: machines + 1, keys: 20 })
    const { tenantId, keys } = tenant
    const ledger = openLedger(context)
    mosquitto.user(`${tenantId}/line`, 'line-password')
    const login = { tenantId, agentId: 'line', username: `${tenantId}/line`, password: 'line-password' }
    // a queue of several batches takes longer than one
    const transports = [mqttTransport(mosquitto.url, login, 10_000), httpTransport(ingesting.url, keys)]
    context.defer(() => Promise.all(transports.map((transport) => transport.close())))
    // its last reading is of a finished hour, and so all of it is to be sealed
    const end = Math.floor(Date.now() / HOUR) * HOUR - HOUR
    context.say('an hour of load arrives')
    const next = hourOfLoad(machines, end - HOUR)
    const load = startSender(context, ledger, tenantId, transports, next, { concurrency: 3 })
    const batches = machines * Math.ceil(HOUR / 1_000 / SECONDS)
    await load.untilAccepted(batches, 240_000)
    await load.finish()
    const left = () => tailBefore(database.owner, end)
    const behind = await left()
    if (behind !== batches * METRICS * SECONDS)
      context.reportFailure(`${behind} readings wait: some were sealed without a worker`)
    let n = 0
    const live = (): Reading[] =>
      Array.from({ length: METRICS }, (_, i) => {
        const value = ++n
        const machine = `m${machines}`
        return { machine, metric: `metric_${i}`, unit: 'celsius', rawTag: null, timestamp: Date.now(), value }
      })
    const meanwhile = startSender(context, ledger, tenantId, transports.slice(1), live, { concurrency: 1, pauseMs: 50 })
    await worker.start()
    const startMb = worker.memory().now
    const { seconds, memoryMb } = await untilSealed(worker, left, context.say)
    if (memoryMb > MAX_MEMORY_MB) context.reportFailure(`the hub that sealed grew to ${memoryMb} MB`)
    await meanwhile.finish()
    const longestMs = meanwhile.longestGapMs()
    context.say('comparing')
    for (const what of await brokenInvariants(database.owner)) context.reportFailure(what)
    const counts = await compare(ledger, database.owner)
    await Promise.all([ingesting.stop(), worker.stop()])
    const sealed = `${behind.toLocaleString('en')} readings sealed within ${seconds.toFixed(1)} s of the start of the worker`
    const memory = `its memory ${startMb} -> ${memoryMb} MB, limit ${MAX_MEMORY_MB}`
    const others = `others waited ${(longestMs / 1_000).toFixed(1)} s at most`
    return { counts, note: `${sealed}, ${memory}; ${others}; ${answerSummary(load)}` }
  },
}
