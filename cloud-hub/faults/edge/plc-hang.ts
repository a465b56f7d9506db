import { until } from '../../test/processes.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { secondsRange } from '../sender.ts'
import { type Site, startSite } from './site.ts'

const UNITS = 3
const MODBUS_TIMEOUT_MS = 2_000
/** A Modbus unit has its timeout, and twice as long again behind silent units of its bus; a loaded computer adds to it. */
const MODBUS_NOTICED_SECONDS = (3 * MODBUS_TIMEOUT_MS) / 1_000 + 1
const OPCUA_NOTICED_SECONDS = 5.5

/** Collectors, by name, whose newest status in the agent's log is this one. */
function collectorsThat(site: Site, are: (state: string) => boolean): Set<string> {
  const states = new Map<string, string>()
  for (const line of site.agent.logged('collector status')) {
    const { collector, state } = JSON.parse(line) as { collector: string; state: string }
    states.set(collector, state)
  }
  return new Set([...states].filter(([, state]) => are(state)).map(([name]) => name))
}

async function hang(context: RowContext, site: Site, seconds: number): Promise<{ modbus: number; opcua: number; back: number }> {
  await until('all collectors run', () => collectorsThat(site, (state) => state === 'running').size === UNITS + 1)
  await site.untilMoreStored(300)
  await context.sleep(context.random.between(0, 500))
  const noticed = { modbus: 0, opcua: 0 }
  let thawedAt = 0
  await site.hangPlant(
    async () => {
      const frozenAt = performance.now()
      const since = () => (performance.now() - frozenAt) / 1_000
      const isAway = (name: string) => collectorsThat(site, (state) => state !== 'running').has(name)
      const modbus = Array.from({ length: UNITS }, (_, i) => `m${i}`)
      await Promise.all([
        until('the agent notices that the OPC UA server hangs', () => isAway(`m${UNITS}`)).then(() => {
          noticed.opcua = since()
        }),
        until('the agent notices that each Modbus unit hangs', () => modbus.every(isAway)).then(() => {
          noticed.modbus = since()
        }),
      ])
      await context.sleep(Math.max(0, seconds - since()) * 1_000)
      thawedAt = performance.now()
    },
    async () => {
      await until(
        'all collectors run again',
        () => collectorsThat(site, (state) => state === 'running').size === UNITS + 1,
        120_000,
      )
      await site.serve(300)
    },
  )
  const back = (performance.now() - thawedAt) / 1_000
  if (noticed.opcua > OPCUA_NOTICED_SECONDS)
    context.reportFailure(`the OPC UA server hung for ${noticed.opcua.toFixed(1)} s unnoticed`)
  if (noticed.modbus > MODBUS_NOTICED_SECONDS)
    context.reportFailure(`Modbus units hung for ${noticed.modbus.toFixed(1)} s unnoticed`)
  return { ...noticed, back }
}

export const edgePlcHang: FaultRow = {
  name: 'edge.plc-hang',
  area: 'edge',
  what: 'the devices stop answering with their connections open (SIGSTOP), then continue',
  isMostlyIdle: true,
  async run(context) {
    const site = await startSite(context, {
      plant: { units: UNITS, nodes: 30, timeoutMs: MODBUS_TIMEOUT_MS },
      isPlantApart: true,
    })
    const hangs: Awaited<ReturnType<typeof hang>>[] = []
    const rounds = context.fullOrShort(4, 1)
    for (let round = 1; round <= rounds; round++) {
      context.say(`the plant hangs, ${round} of ${rounds}`)
      hangs.push(await hang(context, site, context.fullOrShort(20, 8)))
    }
    const found = await site.finish()
    const range = (which: 'modbus' | 'opcua' | 'back') => secondsRange(hangs.map((each) => each[which]))
    return {
      ...found,
      note: `noticed: OPC UA after ${range('opcua')}, Modbus after ${range('modbus')}; read again after ${range('back')}; ${found.counts.inFlight} in flight`,
    }
  },
}
