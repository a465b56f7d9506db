import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Reading } from '@haltless/protocol'
import { startEmbeddedPostgres } from '../../src/db/embedded/index.ts'
import { migrateTables } from '../../src/db/migrate.ts'
import { until } from '../../test/processes.ts'
import {
  ALL_MOVES,
  brokenInvariants,
  isMoving,
  type Move,
  mergedInTime,
  removedReadings,
  slowMoves,
} from '../../test/support/moved-readings.ts'
import { compare } from '../compare.ts'
import { type HubClock, hubClock } from '../hub-clock.ts'
import { asOwner, checkDurability, embeddedDatabase, type HubProcess, hubProcess } from '../hub-process.ts'
import { openLedger } from '../ledger.ts'
import type { Random } from '../random.ts'
import { markRemoved } from '../removed.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { answerSummary, startSender } from '../sender.ts'
import { makeTenant } from '../tenant.ts'
import { httpTransport, mqttTransport } from '../transports.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
/** An hour of the hub's clock takes six seconds. */
const SPEED = 600
const RAW_DAYS = 2
const MACHINES = ['m0', 'm1', 'm2', 'm3']
/** These send one instant of all at a time, which a flush stores as arrivals. */
const LIVE = ['m4', 'm5', 'm6', 'm7']
/** Each move lasts at least this long before it commits; a kill comes at any time in it or a little later. */
const MOVE_SECONDS = 0.25
const MAX_DELAY_MS = 400

interface Kill {
  move: Move
  of: 'hub' | 'PostgreSQL'
}

/** The sealer rests for 10 s when PostgreSQL is away, unless its hub restarts. */
function plan({ short, random }: RowContext): Kill[] {
  if (short)
    return [
      { move: 'dividing', of: 'hub' },
      { move: 'merging', of: 'PostgreSQL' },
      { move: 'retention', of: 'hub' },
    ]
  const rounds = ['hub', 'PostgreSQL', 'hub'] as const
  return rounds.flatMap((of) => random.shuffle(ALL_MOVES).map((move) => ({ move, of })))
}

/** Creates the hub's database, in which moves are slow from the first one on. */
async function makeDatabase(context: RowContext, dataDir: string): Promise<void> {
  mkdirSync(dataDir, { mode: 0o711 })
  const server = await startEmbeddedPostgres({ dataDir: path.join(dataDir, 'postgres'), restart: false })
  context.defer(() => server.stop())
  await migrateTables(server.url())
  await asOwner(server.url(), (owner) => slowMoves(owner, MOVE_SECONDS))
  await server.stop()
}

/** Readings of a batch and series, and the grid of timestamps, between which there is space for late ones. */
const [EACH, GRID_MS] = [100, 10]
const METRICS = ['level', 'speed']

/**
 * Each machine sends what it measured since its last batch; one batch in four is late and lies between readings sent before. Every other
 * batch is an instant of the live machines.
 */
function sealableReadings(clock: HubClock, random: Random) {
  const machines = MACHINES.map((machine) => ({
    machine,
    at: Math.floor((clock.now() - 6 * HOUR) / GRID_MS) * GRID_MS,
    sent: 0,
    past: [] as { times: number[]; uses: number }[],
  }))
  const live = { at: 0, sent: 0 }
  const instant = (): Reading[] => {
    live.at = Math.max(live.at + 1, Math.floor(clock.now()))
    live.sent++
    return LIVE.flatMap((machine) =>
      METRICS.map((metric) => ({ machine, metric, unit: 'celsius', rawTag: null, timestamp: live.at, value: live.sent })),
    )
  }
  let [calls, turn] = [0, 0]
  return (): Reading[] => {
    if (calls++ % 2 === 0) return instant()
    const machine = machines[turn++ % machines.length] as (typeof machines)[number]
    const stepMs = Math.floor((clock.now() - machine.at) / EACH / GRID_MS) * GRID_MS
    const late = random.pick(machine.past.length > 0 ? machine.past : [undefined])
    let times: number[]
    if (late && late.uses < GRID_MS - 1 && (stepMs === 0 || random.whole(0, 3) === 0)) {
      late.uses++
      times = late.times.map((at) => at + late.uses)
    } else {
      const step = Math.max(GRID_MS, stepMs)
      times = Array.from({ length: EACH }, (_, i) => machine.at + (i + 1) * step)
      machine.at = times.at(-1) as number
      machine.past = [...machine.past.slice(-100), { times, uses: 0 }]
    }
    const first = machine.sent
    machine.sent += EACH
    return METRICS.flatMap((metric) =>
      times.map((timestamp, i) => ({
        ...{ machine: machine.machine, metric, unit: 'celsius', rawTag: null, timestamp, value: first + i + 1 },
      })),
    )
  }
}

/** The day of the clock in which a move has work: merging waits for the day's end, retention for days more. */
const timeFor = (move: Move, now: number): number => {
  const today = Math.floor(now / DAY) * DAY
  if (move === 'merging') return today + DAY + 2 * HOUR + 30 * MINUTE
  return move === 'retention' ? today + (RAW_DAYS + 1) * DAY + HOUR : now
}

interface Target {
  hub: HubProcess
  database: ReturnType<typeof embeddedDatabase>
  clock: HubClock
}

/** Waits for the move, and kills in the middle of it. @returns whether the move was still under way a moment before */
async function killDuring(context: RowContext, { hub, database, clock }: Target, { move, of }: Kill): Promise<boolean> {
  const hasExpiring = () => asOwner(database.url(), (owner) => mergedInTime(owner, RAW_DAYS))
  if (move === 'retention' && (await hasExpiring()) === 0) {
    clock.advanceTo(timeFor('merging', clock.now()))
    await until('a day is merged that retention can remove', hasExpiring, 60_000)
  }
  // retention runs at the start of a hub, and then once an hour: a hub that runs on could be done with it before anyone looks
  if (move === 'retention') await hub.stop()
  clock.advanceTo(timeFor(move, clock.now()))
  if (move === 'retention') await hub.start()
  const isHit = await asOwner(database.url(), async (owner) => {
    // on a busy machine retention may be over before anyone looks
    const isOver = async () => move === 'retention' && (await mergedInTime(owner, RAW_DAYS)) === 0
    await until(`there is ${move}`, async () => (await isMoving(owner, move)) || (await isOver()), 60_000)
    await context.sleep(context.random.between(0, MAX_DELAY_MS))
    return isMoving(owner, move)
  })
  if (of === 'hub') {
    await hub.kill()
    await hub.start()
  } else {
    const postmaster = database.pid()
    process.kill(postmaster, 'SIGKILL')
    await until('the supervisor starts PostgreSQL again', () => database.isThere() && database.pid() !== postmaster, 60_000)
    await until('PostgreSQL answers', () => asOwner(database.url(), (sql) => sql`select 1`).catch(() => null), 60_000)
  }
  return isHit
}

export const sealKill: FaultRow = {
  name: 'seal.kill',
  area: 'hub',
  what: 'kill -9 of the hub or of PostgreSQL while readings are divided, sealed, merged and removed, and others arrive',
  async run(context) {
    const dataDir = path.join(context.dir, 'hub')
    const ledger = openLedger(context)
    const start = Math.floor(Date.now() / DAY) * DAY - context.fullOrShort(40, 12) * DAY + 5 * HOUR
    await makeDatabase(context, dataDir)
    const clock = hubClock(context, start)
    const hub = await hubProcess(context, { ...clock.env, RAW_RETENTION_DAYS: String(RAW_DAYS) })
    const database = embeddedDatabase(dataDir)
    await hub.start()
    const { tenantId, keys } = await asOwner(database.url(), async (owner) => {
      await checkDurability(owner)
      return makeTenant(hub.url, owner, { machines: MACHINES.length + LIVE.length, keys: 20 })
    })
    clock.run(SPEED)
    const agent = mqttTransport(hub.mqttUrl, { tenantId, agentId: 'line', password: keys[0] as string })
    const program = httpTransport(hub.url, keys)
    context.defer(() => Promise.all([agent.close(), program.close()]))
    const next = sealableReadings(clock, context.random)
    const sending = startSender(context, ledger, tenantId, [agent, program], () => next(), { concurrency: 1, pauseMs: 40 })
    const kills = plan(context)
    let hits = 0
    for (const [i, kill] of kills.entries()) {
      context.say(`kill ${i + 1} of ${kills.length}: ${kill.of} during ${kill.move}`)
      await sending.untilAccepted(4)
      if (await killDuring(context, { hub, database, clock }, kill)) hits++
      await sending.untilAccepted(1)
    }
    context.say('retention goes on')
    const hasRemoved = () => asOwner(database.url(), removedReadings)
    await until('retention has removed readings', hasRemoved, 60_000)
    context.say('waiting for the last answers')
    await sending.finish()
    await hub.stop()
    context.say('comparing')
    // the hub's PostgreSQL has stopped with it
    const server = await startEmbeddedPostgres({ dataDir: path.join(dataDir, 'postgres'), restart: false })
    context.defer(() => server.stop())
    const [removed, counts] = await asOwner(server.url(), async (sql) => {
      for (const what of await brokenInvariants(sql)) context.reportFailure(what)
      return [await markRemoved(context, ledger, sql), await compare(ledger, sql)]
    })
    const note = `${kills.length} kills, ${hits} before the move had committed; ${removed.toLocaleString('en')} removed, each in the statistics`
    return { counts, note: `${note}; ${answerSummary(sending)}` }
  },
}
