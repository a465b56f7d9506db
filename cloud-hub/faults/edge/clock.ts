import type { ServedPoll } from '../../../edge-agent/test/support/counting-plant.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { startSite } from './site.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The agent measures the time of the hub this exactly at worst: smaller differences count as none. */
const BLUR_MS = 2_500

/** Whatever the clock of its computer says, readings have the time at which they were measured. */
const window = (_: ServedPoll, at: number, since: number) => ({ from: since - BLUR_MS, to: at + BLUR_MS })

/** Offsets of the agent's clock, ms; the last one as seconds since 1970. */
const offsetsOf = (context: RowContext) =>
  context.short ? [HOUR, -Date.now()] : [-HOUR, HOUR, -2 * DAY, 2 * DAY, -2_100, -Date.now(), 0]

const words = (ms: number) => (ms < -10_000 * DAY ? '1970' : `${ms > 0 ? '+' : ''}${(ms / HOUR).toFixed(1)} h`)

/** Runs with one offset after another; `atRest` changes the clock while the agent does not run. */
async function runWithOffsets(context: RowContext, atRest: boolean) {
  const site = await startSite(context, { window, plant: { nodes: 30 } })
  const seconds = context.fullOrShort(15, 1.5)
  const offsets = offsetsOf(context)
  for (const offset of offsets) {
    context.say(`the agent's clock is off by ${words(offset)}`)
    if (atRest) await site.stopAgent()
    site.agent.setClock(offset)
    if (atRest) await site.agent.start()
    await context.sleep(seconds * 1_000)
    await site.untilMoreStored()
  }
  const found = await site.finish()
  const { dead_letters } = site.agent.counts()
  if (dead_letters > 0) context.reportFailure(`the hub refused ${dead_letters} readings`)
  return { ...found, note: `${offsets.map(words).join(', ')}; every reading has its true time` }
}

export const edgeClockOff: FaultRow = {
  name: 'edge.clock-off',
  area: 'edge',
  what: 'the agent starts with a clock that is an hour and two days behind and ahead, then with one that begins in 1970',
  run: (context) => runWithOffsets(context, true),
}

export const edgeClockJumps: FaultRow = {
  name: 'edge.clock-jumps',
  area: 'edge',
  what: 'the clock of a running agent is set an hour back, an hour ahead, two days back and ahead, and to 1970',
  run: (context) => runWithOffsets(context, false),
}
