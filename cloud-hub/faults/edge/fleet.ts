import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { UpdateState } from '@haltless/protocol'
import { startCountingPlant } from '../../../edge-agent/test/support/counting-plant.ts'
import { InstalledAgent, type InstalledAgentOptions } from '../../../edge-agent/test/support/installed-agent/installed-agent.ts'
import { buildPrograms, type Programs } from '../../../edge-agent/test/support/installed-agent/programs.ts'
import { until } from '../../test/processes.ts'
import { countStored } from '../../test/support/stored-readings.ts'
import { type Comparison, compare } from '../compare.ts'
import { asOwner, checkDurability, embeddedDatabase, type HubProcess, hubProcess } from '../hub-process.ts'
import { type Entry, openLedger } from '../ledger.ts'
import type { RowContext } from '../row.ts'
import { makeTenant, type Tenant } from '../tenant.ts'
import { bufferCounts } from './agent-process.ts'
import { pollWindow } from './site.ts'

/** The version that every agent of a fleet has at first. */
export const FIRST_VERSION = '1.0.0'

/** An agent as it is installed from its package, with its updater and a Modbus unit of its own. */
export interface FleetAgent {
  id: string
  /** the identifier of its only machine */
  machine: string
  installed: InstalledAgent
  /** values that its device has served so far */
  served(): number
}

/** A hub, and agents that can be updated. All programs are the real ones, but for OPC UA and systemd. */
export interface Fleet {
  hub: HubProcess
  tenant: Tenant
  programs: Programs
  agents: FleetAgent[]
  /** adds a release to the hub, as its operator does. @returns its archive */
  addRelease(version: string, sequence: number, isBroken?: boolean): Promise<Buffer>
  startRollout(version: string, agents: readonly FleetAgent[], waves: object): Promise<string>
  rollout(id: string): Promise<Rollout>
  /** how many readings the hub has of an agent */
  stored(agent: FleetAgent): Promise<number>
  /** waits until the hub has stored so many readings more of each agent than it has now */
  untilDelivered(agents: readonly FleetAgent[], more?: number): Promise<void>
  /** stops the devices, waits until all buffers are empty, and compares */
  finish(): Promise<Comparison>
}

/** What the row reads of a rollout. */
export interface Rollout {
  state: string
  reason: string | null
  wave: number
  failures: number
  counts: Record<string, number>
  agents: { agent_id: string; wave: number; state: UpdateState | 'pending'; reason: string | null }[]
}

export interface FleetOptions {
  agents: number
  tags: number
  pollSeconds: number
  heartbeatSeconds: number
  confirmWithinMs?: number
  settledMs?: number
  /** environment of one agent */
  env?(index: number): Record<string, string>
  /** where an agent finds the hub; the hub itself when absent */
  hubUrl?(index: number, hub: HubProcess): Promise<string>
  /** an updater has done a step */
  onStep?(agent: FleetAgent, step: string): void
  settings?: object
}

/**
 * Polls of a collector that may wait for the disk (`collectors/runner.ts`). An agent alone on a computer writes within 75 ms, which other rows
 * prove; here up to 100 share one disk, and many start at once.
 */
const POLLS_TAKEN_MAX = 8

export async function startFleet(context: RowContext, options: FleetOptions): Promise<Fleet> {
  const { tags, pollSeconds, heartbeatSeconds } = options
  const hub = await hubProcess(context, { HEARTBEAT_SECONDS: String(heartbeatSeconds) })
  const ledger = openLedger(context)
  const devices: Device[] = []
  let tenantId = ''
  context.say('starting hub and plant')
  const plantDir = path.join(context.dir, 'plant')
  const [plant, programs] = await Promise.all([
    startCountingPlant({
      dir: plantDir,
      units: options.agents,
      tagsPerUnit: tags,
      nodes: 0,
      pollSeconds,
      onServed({ device, protocol, values }) {
        const known = devices[Number(device.slice(1))] as Device
        const at = values[0]?.at ?? Date.now()
        const span = pollWindow({ device, protocol, values }, at, known.servedAt)
        known.servedAt = at
        known.served += values.length
        const entries = values.map(({ machine, metric, unit, value }) => ({
          series: ledger.series({ tenantId, machine, metric, unit }),
          value,
          ...span,
        }))
        ledger.write(entries)
        known.newest = [...known.newest, entries].slice(-(1 + POLLS_TAKEN_MAX))
        known.inFlight?.push(entries)
      },
    }),
    buildPrograms(context.dir),
    hub.start(),
  ])
  context.defer(() => plant.stop())
  const database = embeddedDatabase(path.join(context.dir, 'hub'))
  const tenant = await asOwner(database.url(), async (sql) => {
    await checkDurability(sql)
    return makeTenant(hub.url, sql, { machines: options.agents, keys: options.agents })
  })
  tenantId = tenant.tenantId
  const agents: FleetAgent[] = []
  for (const [index, collector] of plant.collectors.entries()) {
    const id = `line-${index}`
    const device: Device = { servedAt: Date.now(), served: 0, newest: [], inFlight: null }
    devices.push(device)
    const installedOptions: InstalledAgentOptions = {
      dir: path.join(context.dir, id),
      programs,
      version: FIRST_VERSION,
      settings: {
        hub: { url: (await options.hubUrl?.(index, hub)) ?? hub.url, api_key: tenant.keys[index] },
        agent_id: id,
        uplink: { receipt_timeout_seconds: 5 },
        updates: { max_kilobytes_per_second: 100_000 },
        local_page: { enabled: false },
        collectors: [collector],
        ...options.settings,
      },
      env: { PLANT_PORT: String((collector as { port: number }).port), ...options.env?.(index) },
      ...(options.confirmWithinMs !== undefined && { confirmWithinMs: options.confirmWithinMs }),
      ...(options.settledMs !== undefined && { settledMs: options.settledMs }),
      onStep: (step) => options.onStep?.(agents[index] as FleetAgent, step),
      onEnding: () => {
        device.inFlight ??= [...device.newest]
      },
      onEnded: () => {
        const polls = device.inFlight ?? []
        device.inFlight = null
        for (const poll of polls) for (const { series, value } of poll) ledger.markFrom('in flight', series, value)
        device.newest = []
        device.servedAt = Date.now()
      },
    }
    const installed = new InstalledAgent(installedOptions)
    agents.push({ id, machine: `m${index}`, installed, served: () => device.served })
  }
  const logs = process.env.TEST_LOGS
  if (logs)
    context.defer(() => {
      for (const { id, installed } of agents) writeFileSync(path.join(logs, `${id}.log`), installed.out)
    })
  context.defer(() => Promise.all(agents.map(({ installed }) => installed.powerOff())))
  const owner = <T>(work: Parameters<typeof asOwner<T>>[1]) => asOwner(database.url(), work)
  const storedOf = async (sql: Parameters<typeof countStored>[0], { machine }: FleetAgent) => {
    const [row] = await sql<{ id: string }[]>`
      select id from machines where tenant_id = ${tenantId} and machine_identifier = ${machine}`
    return countStored(sql, { tenantId, machineId: row?.id ?? '' })
  }
  return {
    hub,
    tenant,
    programs,
    agents,
    async addRelease(version, sequence, isBroken) {
      const { file, archive } = programs.release(version, sequence, isBroken)
      const { code, out } = await hub.command(['releases', 'add', file])
      if (code !== 0) throw new Error(`the release ${version} could not be added: ${out.slice(-500)}`)
      return archive
    },
    async startRollout(version, chosen, waves) {
      const body = { version, agent_ids: chosen.map(({ id }) => id), ...waves }
      return (await tenant.call<{ id: string }>('POST', 'agent/rollouts', body)).id
    },
    rollout: (id) => tenant.call<Rollout>('GET', `agent/rollouts/${id}`),
    stored: (agent) => owner((sql) => storedOf(sql, agent)),
    async untilDelivered(chosen, more = 1) {
      await owner(async (sql) => {
        const waiting = new Map<FleetAgent, number>()
        for (const agent of chosen) waiting.set(agent, (await storedOf(sql, agent)) + more)
        const isDone = async () => {
          for (const [agent, wanted] of waiting) if ((await storedOf(sql, agent)) >= wanted) waiting.delete(agent)
          context.say(`${waiting.size} agents have to deliver yet`)
          return waiting.size === 0
        }
        await until('each of these agents has delivered', isDone, 90_000).catch(() => {
          throw new Error(`these agents deliver nothing: ${[...waiting.keys()].map(({ id }) => id).join(', ')}`)
        })
      })
    },
    async finish() {
      context.say('waiting until the buffers of all agents are empty')
      plant.quiet()
      await context.sleep(1_500)
      const waiting = () => agents.filter(({ installed }) => bufferCounts(installed.dataDir).buffered > 0)
      await until('the buffers of all agents are empty', () => waiting().length === 0, 180_000)
      context.say('comparing')
      const counts = await owner((sql) => compare(ledger, sql))
      await Promise.all(agents.map(({ installed }) => installed.powerOff('SIGTERM')))
      await hub.stop()
      return counts
    },
  }
}

/** What is known of one device. */
interface Device {
  /** Unix ms of its newest answer; of the end of the agent's last program when none came since */
  servedAt: number
  served: number
  /** the newest polls; the first holds the value from which each series was in flight */
  newest: Entry[][]
  /** while the agent ends: the polls whose answers may be lost */
  inFlight: Entry[][] | null
}
