import path from 'node:path'
import type postgres from 'postgres'
import { type ServedPoll, startCountingPlant } from '../../../edge-agent/test/support/counting-plant.ts'
import { type PlantProcess, startPlantProcess } from '../../../edge-agent/test/support/start-plant-process.ts'
import { until } from '../../test/processes.ts'
import { type Relay, startRelay } from '../../test/support/relay.ts'
import { countStored } from '../../test/support/stored-readings.ts'
import { type Comparison, compare } from '../compare.ts'
import { asOwner, checkDurability, embeddedDatabase, type HubProcess, hubProcess } from '../hub-process.ts'
import { type Entry, type Ledger, openLedger } from '../ledger.ts'
import type { RowContext } from '../row.ts'
import { makeTenant, type Tenant } from '../tenant.ts'
import { type AgentProcess, type AgentSettings, agentProcess } from './agent-process.ts'

/** A plant that records what it serves, the real agent that polls it, relays, and the real hub. */
export interface Site {
  hub: HubProcess
  database: { url(): string }
  tenant: Tenant
  ledger: Ledger
  agent: AgentProcess
  /** between the agent and the hub's two ports */
  http: Relay
  mqtt: Relay
  /** values served so far */
  served(): number
  /** waits until the plant has served this many more values */
  serve(values: number, limitMs?: number): Promise<void>
  /** how many readings of this tenant the hub has stored */
  stored(): Promise<number>
  /** waits until this many more readings are stored than now; returns the seconds that took */
  untilMoreStored(values?: number, limitMs?: number): Promise<number>
  /** stops the agent as an operator does; values that devices answer meanwhile are marked as in flight */
  stopAgent(): Promise<void>
  /** what the agent polls */
  collectors: readonly object[]
  /** kills and restarts the agent; values in flight are marked so in the ledger. `between` runs while it does not. */
  killAgent(between?: () => void): Promise<void>
  /**
   * Stops the process of the plant (SIGSTOP) for the time of `during`, then lets it continue. Values that it serves until `after` has
   * resolved are marked as in flight: their answers may have been given up.
   */
  hangPlant(during: () => Promise<void>, after: () => Promise<void>): Promise<void>
  /**
   * Stops the devices, waits until the agent's buffer is empty, and compares. `before` runs first, while agent and hub still run.
   */
  finish(options?: { before?(): Promise<void> }): Promise<{ counts: Comparison; declared: number }>
}

export interface SiteOptions {
  /**
   * Modbus units, tags per unit, nodes of the OPC UA server, seconds between polls. Values per second: (units x tags + nodes) /
   * pollSeconds
   */
  plant?: { units?: number; tags?: number; nodes?: number; pollSeconds?: number; timeoutMs?: number }
  /** the plant runs in a process of its own, so that `hangPlant` can stop it */
  isPlantApart?: boolean
  /** of the agent, beside those of the plant; the row records their values in the ledger itself */
  collectors?: readonly object[]
  hubEnv?: Record<string, string>
  agent?: Partial<AgentSettings>
  /** a proxy between the agent and the http relay: gets the relay's port, returns its own */
  frontProxy?(port: number): Promise<{ port: number }>
  /** a proxy between the mqtt relay and the broker: gets the broker's port, returns its own */
  mqttProxy?(port: number): Promise<{ port: number }>
  /** an agent's settings for a broker that is not the hub's, once its tenant is known */
  broker?(tenant: Tenant, agentId: string, relayPort: number): { url: string; username: string; password: string }
  brokerUrl?: string
  databaseUrl?: string
  /** the timestamps that a value may have, Unix ms: the device answered this poll at `at`, the one before at `since` */
  window?(poll: ServedPoll, at: number, since: number): { from: number; to: number }
}

const AGENT = 'line-1'
/** The longest time between reading a value and the start of its write to disk. */
const WRITE_DELAY_MS = 75

/** The agent's clock rounds to milliseconds, and the plant's cuts them off. */
const ROUNDING_MS = 2

/** How far the wall clock was ahead of the monotonic one, ms: the least and the most so far. NTP changes it by some ms. */
const wallAhead = { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY }
function noteWallClock(): number {
  const ahead = Date.now() - performance.now()
  wallAhead.least = Math.min(wallAhead.least, ahead)
  wallAhead.most = Math.max(wallAhead.most, ahead)
  return ahead
}

/**
 * The timestamps of values that the agent dates by its poll. The plant dates by the wall clock, and the agent by the monotonic one: as it was
 * ahead of it when the agent started.
 */
export function pollWindow(_poll: ServedPoll, at: number, since: number): { from: number; to: number } {
  const ahead = noteWallClock()
  return { from: since - (ahead - wallAhead.least), to: at + (wallAhead.most - ahead) + ROUNDING_MS }
}

/** OPC UA provides the timestamp. A Modbus poll is dated when it begins, which is after the answer to the one before. */
const usualWindow = (poll: ServedPoll, at: number, since: number) =>
  poll.protocol === 'opcua' ? { from: at, to: at } : pollWindow(poll, at, since)

/** Starts the whole site, and waits until the hub has stored readings. */
export async function startSite(context: RowContext, options: SiteOptions = {}): Promise<Site> {
  // OPC UA costs two seconds of CPU, so in the short form only rows that need it have it
  const { units = 3, tags = 30, nodes = context.fullOrShort(30, 0), pollSeconds = 0.2, timeoutMs } = options.plant ?? {}
  // the poll that is being answered, and those that are being written
  const pollsInFlight = 1 + Math.ceil(WRITE_DELAY_MS / (pollSeconds * 1_000))
  const [http, mqtt] = [await startRelay(), await startRelay()]
  context.defer(() => Promise.all([http.close(), mqtt.close()]))
  const hub = await hubProcess(context, {
    HEARTBEAT_SECONDS: '2',
    MQTT_PUBLIC_URL: `mqtt://127.0.0.1:${mqtt.port}`,
    ...options.hubEnv,
  })
  const ledger = openLedger(context)
  let [tenantId, served] = ['', 0]
  /** the newest polls by device; the first holds the value from which each series was in flight */
  const newest = new Map<string, Entry[][]>()
  /** while the agent ends: polls in flight, and all polls that are served meanwhile, also by newly connected devices */
  let inFlight: Entry[][] | null = null
  const window = options.window ?? usualWindow
  const lastServedAt = new Map<string, number>()
  /** the plant hangs since then: several requests of a device may wait in its sockets, each dated before the answer to the one before */
  let hungSince = Number.POSITIVE_INFINITY
  let startedAt = 0
  const onServed = (poll: ServedPoll) => {
    const since = Math.min(lastServedAt.get(poll.device) ?? startedAt, hungSince)
    lastServedAt.set(poll.device, poll.values[0]?.at ?? Date.now())
    const entries = poll.values.map(({ machine, metric, unit, value, at }) => ({
      series: ledger.series({ tenantId, machine, metric, unit }),
      value,
      ...window(poll, at, since),
    }))
    ledger.write(entries)
    served += entries.length
    newest.set(poll.device, [...(newest.get(poll.device) ?? []), entries].slice(-pollsInFlight))
    inFlight?.push(entries)
  }
  context.say('starting hub and plant')
  const plantOptions = { dir: path.join(context.dir, 'plant'), units, tagsPerUnit: tags, nodes, pollSeconds, timeoutMs, onServed }
  const [plant] = await Promise.all([
    options.isPlantApart ? startPlantProcess(plantOptions) : startCountingPlant(plantOptions),
    hub.start(),
  ])
  context.defer(() => plant.stop())
  const database = options.databaseUrl
    ? { url: () => options.databaseUrl as string }
    : embeddedDatabase(path.join(context.dir, 'hub'))
  const tenant = await asOwner(database.url(), async (sql) => {
    await checkDurability(sql)
    return makeTenant(hub.url, sql, { machines: plant.machines.length, keys: 1 })
  })
  tenantId = tenant.tenantId
  http.to(Number(new URL(hub.url).port))
  const broker = Number(new URL(options.brokerUrl ?? hub.mqttUrl).port)
  mqtt.to((await options.mqttProxy?.(broker))?.port ?? broker)
  const hubPort = (await options.frontProxy?.(http.port))?.port ?? http.port
  const { uplink, ...settings } = options.agent ?? {}
  const ownBroker = options.broker?.(tenant, AGENT, mqtt.port)
  const agent = agentProcess(context, {
    agentId: AGENT,
    hubUrl: `http://127.0.0.1:${hubPort}`,
    apiKey: tenant.keys[0] as string,
    collectors: [...plant.collectors, ...(options.collectors ?? [])],
    uplink: { ...uplink, ...(ownBroker ? { mqtt: ownBroker } : {}) },
    ...settings,
  })
  const owner = async <T>(work: (sql: postgres.Sql) => Promise<T>) => asOwner(database.url(), work)
  const ended = async (end: () => Promise<void>) => {
    const polls = [...newest.values()].map(([first]) => first as Entry[])
    inFlight = polls
    await end()
    // requests in its sockets are answered by now, and the answers are lost
    await context.sleep(100)
    inFlight = null
    for (const poll of polls) for (const { series, value } of poll) ledger.markFrom('in flight', series, value)
    newest.clear()
    lastServedAt.clear()
    startedAt = Date.now()
  }
  const hangPlant = async (during: () => Promise<void>, after: () => Promise<void>) => {
    const { freeze, thaw } = plant as Partial<PlantProcess>
    if (!freeze || !thaw) throw new Error('the plant is no process of its own')
    // the answers that were lost in its sockets, and those to requests that nobody waits for any more
    const polls = [...newest.values()].map(([first]) => first as Entry[])
    inFlight = polls
    hungSince = Date.now() - 2 * pollSeconds * 1_000
    freeze()
    try {
      await during()
    } finally {
      thaw()
    }
    await after()
    inFlight = null
    hungSince = Number.POSITIVE_INFINITY
    for (const poll of polls) for (const { series, value } of poll) ledger.markFrom('in flight', series, value)
    newest.clear()
  }
  const site: Site = {
    hangPlant,
    hub,
    database,
    tenant,
    ledger,
    agent,
    http,
    mqtt,
    served: () => served,
    serve: async (values, limitMs = 60_000) => {
      const from = served
      const isServed = () => {
        context.say(`${(served - from).toLocaleString('en')} of ${values.toLocaleString('en')} values are served`)
        return served >= from + values
      }
      await until(`the plant has served ${values} more values`, isServed, limitMs)
    },
    stored: () => owner((sql) => countStored(sql, { tenantId })).catch(() => 0),
    async untilMoreStored(values = 1, limitMs = 60_000) {
      const started = performance.now()
      const from = await until('the database answers', () => site.stored(), limitMs)
      await until(`${values} more values are stored`, async () => (await site.stored()) >= from + values, limitMs)
      return (performance.now() - started) / 1000
    },
    stopAgent: () => ended(() => agent.stop()),
    collectors: plant.collectors,
    killAgent: async (between) => {
      await ended(() => agent.kill())
      between?.()
      await agent.start()
    },
    async finish({ before } = {}) {
      context.say('waiting until the buffer of the agent is empty')
      plant.quiet()
      // the agent writes the last answers to its disk a moment later
      await context.sleep(1_000)
      const holdsNothing = () => {
        const { buffered } = agent.counts()
        context.say(`waiting until the buffer of the agent is empty: ${buffered.toLocaleString('en')} readings`)
        return buffered === 0
      }
      await until('the buffer of the agent is empty', holdsNothing, 180_000)
      const { dropped } = agent.counts()
      if (dropped > 0)
        await owner((sql) => untilGapsReported(sql, tenantId, dropped)).catch((error) => context.reportFailure(error.message))
      context.say('comparing')
      await before?.()
      const counts = await owner((sql) => compare(ledger, sql))
      await agent.stop()
      await hub.stop()
      return { counts, declared: dropped }
    },
  }
  startedAt = Date.now()
  await agent.start()
  await until('the first values are stored', async () => (await site.stored()) > 0, 60_000)
  return site
}

/** Waits until the hub reports exactly the readings that the agent dropped. */
async function untilGapsReported(sql: postgres.Sql, tenantId: string, dropped: number): Promise<void> {
  await until(
    `the hub reports the ${dropped} readings that the agent dropped`,
    async () => {
      const [row] = await sql<
        { n: number }[]
      >`select coalesce(sum(count), 0)::int as n from data_gaps where tenant_id = ${tenantId} and collector is null`
      return row?.n === dropped
    },
    60_000,
  )
}
