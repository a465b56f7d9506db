import type { ServedPoll } from '../../../edge-agent/test/support/counting-plant.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { type Site, startSite } from './site.ts'

const HOUR = 3_600_000
/** The hub refuses readings further ahead than this. Source: the specification, "Reading timestamp" */
const FUTURE_MS = 300_000
/** Around a change of the clock a reading may have the time of either setting. */
const BLUR_MS = 3_000

/** The offset of the agent's clock, and the timestamps that it allows. */
function shiftedClock() {
  let [now, before, changedAt] = [0, 0, 0]
  return {
    /**
     * The agent's clock dates a poll; it keeps a source timestamp that is not ahead of that clock. When the clock is set back
     * during a poll, the source timestamp is ahead. The reading then gets the instant at which its poll began.
     */
    window({ protocol }: ServedPoll, at: number, since: number) {
      const offsets = at - changedAt < BLUR_MS ? [now, before] : [now]
      const times = offsets.flatMap((offset) =>
        protocol === 'opcua' && offset > -1_000 ? [since, at] : [since + offset, at + offset],
      )
      return { from: Math.min(...times), to: Math.max(...times) }
    },
    set(site: Site, offsetMs: number) {
      ;[before, now, changedAt] = [now, offsetMs, Date.now()]
      site.agent.setClock(offsetMs)
    },
  }
}

/** Marks the readings that the agent parked as refused: they must not be stored. */
async function markParked(context: RowContext, site: Site): Promise<number> {
  const letters = await site.agent.deadLetters()
  for (const { code, reading } of letters) {
    if (code !== 'timestamp_in_future') context.reportFailure(`a reading was refused as ${code}`)
    const series = site.ledger.series({ tenantId: site.tenant.tenantId, ...reading })
    site.ledger.mark('refused', [{ series, value: reading.value }])
  }
  if (letters.length !== site.agent.counts().dead_letters)
    context.reportFailure('the agent counts a different number of dead letters than it lists')
  return letters.length
}

const hours = (ms: number) => `${ms > 0 ? '+' : ''}${(ms / HOUR).toFixed(1)} h`

/** Runs with one offset after another; `atRest` changes the clock while the agent does not run. */
async function runWithOffsets(context: RowContext, offsets: readonly number[], atRest: boolean) {
  const clock = shiftedClock()
  const site = await startSite(context, { window: clock.window, plant: { nodes: 30 } })
  const seconds = context.fullOrShort(15, 1.5)
  let parkedAhead = 0
  for (const offset of offsets) {
    context.say(`the agent's clock is off by ${hours(offset)}`)
    if (atRest) await site.stopAgent()
    clock.set(site, offset)
    if (atRest) await site.agent.start()
    const { dead_letters } = site.agent.counts()
    await context.sleep(seconds * 1_000)
    await site.untilMoreStored()
    const parked = site.agent.counts().dead_letters - dead_letters
    if (offset > FUTURE_MS) parkedAhead += parked
  }
  let parked = 0
  const found = await site.finish({
    before: async () => {
      parked = await markParked(context, site)
    },
  })
  if (parkedAhead === 0) context.reportFailure('nothing was refused although the clock was an hour ahead')
  return {
    ...found,
    note: `${offsets.map(hours).join(', ')}; ${parked.toLocaleString('en')} future readings refused and parked, each with its reason`,
  }
}

export const edgeClockOff: FaultRow = {
  name: 'edge.clock-off',
  area: 'edge',
  what: 'the agent starts with a clock that is an hour behind, then an hour ahead, then correct',
  run: (context) => runWithOffsets(context, [-HOUR, HOUR, 0], true),
}

export const edgeClockJumps: FaultRow = {
  name: 'edge.clock-jumps',
  area: 'edge',
  what: 'the clock of a running agent is set an hour back, corrected, set two seconds back, an hour ahead, corrected',
  run: (context) => runWithOffsets(context, context.short ? [-HOUR, HOUR, 0] : [-HOUR - 370, 0, -2_100, 0, HOUR, 0], false),
}
