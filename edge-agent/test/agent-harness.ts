import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Reading, toColumns } from '@haltless/protocol'
import type { AgentDeps } from '../src/agent/deps.ts'
import { type Agent, createAgent } from '../src/agent.ts'
import type { Collector, CollectorSource } from '../src/collectors/collector.ts'
import { readStatus, type StatusReport } from '../src/commands/status.ts'
import type { AgentConfig } from '../src/settings/schema.ts'
import { systemClock } from '../src/support/clock.ts'
import { createLogger } from '../src/support/logger.ts'
import { Secret } from '../src/support/secret.ts'
import { FakeHub } from './support/fake-hub.ts'

/** A plant for one test: a hub, data directories, agents. `end` stops and removes everything. */
export class Plant {
  readonly hub: FakeHub
  readonly folder = mkdtempSync(join(tmpdir(), 'agent-'))
  readonly #agents: Agent[] = []

  constructor(hub: FakeHub) {
    this.hub = hub
  }

  static async open(...args: Parameters<typeof FakeHub.start>): Promise<Plant> {
    return new Plant(await FakeHub.start(...args))
  }

  get dataDir(): string {
    return join(this.folder, 'data')
  }

  config(
    changes: {
      uplink?: Partial<AgentConfig['uplink']>
      buffer?: Partial<AgentConfig['buffer']>
      remote?: AgentConfig['remote']
      collectors?: AgentConfig['collectors']
    } = {},
  ): AgentConfig {
    return {
      file: join(this.folder, 'agent.yaml'),
      secretFiles: [],
      hub: { url: this.hub.url, apiKey: new Secret('hk_fake_key'), allowPlaintext: false },
      agentId: 'press-hall',
      dataDir: this.dataDir,
      buffer: { maxBytes: 1e9, maxAgeMs: null, ...changes.buffer },
      uplink: { maxInFlight: 8, backlogReadingsPerSecond: 1_000_000, receiptTimeoutMs: 2_000, ...changes.uplink },
      updates: { enabled: false, bytesPerSecond: 1_000_000 },
      remote: changes.remote ?? { isOn: true, resolveHost: undefined, allowDevices: () => {} },
      remoteFile: { sources: 'on' },
      localPage: null,
      logLevel: 'info',
      collectors: changes.collectors ?? [FAKE_SOURCE],
    }
  }

  /** Starts an agent with one collector that reads whatever `feed` is given. */
  start(
    changes: Parameters<Plant['config']>[0] = {},
    deps: Partial<AgentDeps> = {},
  ): { agent: Agent; feed: Feed; lines: string[] } {
    let feed: Feed = () => Promise.reject(new Error('not started'))
    const lines: string[] = []
    const agent = createAgent(this.config(changes), {
      clock: systemClock,
      logger: createLogger('debug', { write: (line: string) => void lines.push(line) }),
      connectTimeoutMs: 2_000,
      createCollector: (source, collectorDeps) => {
        feed = async (readings) => void (await collectorDeps.onReadings(toColumns(readings)))
        return fakeCollector(source)
      },
      ...deps,
    })
    this.#agents.push(agent)
    agent.start()
    return { agent, feed: (readings) => feed(readings), lines }
  }

  async stop(agent: Agent): Promise<void> {
    this.#agents.splice(this.#agents.indexOf(agent), 1)
    await agent.stop()
  }

  report(): StatusReport {
    return readStatus(this.config())
  }

  async end(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.stop()))
    await this.hub.stop()
    rmSync(this.folder, { recursive: true })
  }
}

type Feed = (readings: Reading[]) => Promise<void>

const FAKE_SOURCE: CollectorSource = {
  protocol: 'modbus',
  name: 'press',
  machine: 'press-01',
  host: '127.0.0.1',
  port: 1,
  pollIntervalSeconds: 1,
  config: { unit_id: 1, timeout_ms: 1_000, framing: 'tcp', max_gap: 8, max_registers: 125, max_coils: 2_000, registers: [] },
}

const fakeCollector = ({ name }: CollectorSource): Collector => ({
  name,
  start: () => {},
  stop: async () => {},
  status: () => ({
    state: 'running',
    detail: '',
    fault: null,
    lastAnswerAt: null,
    lastReadAt: null,
    readingsTotal: 0,
    badValuesTotal: 0,
    badTags: [],
    missedPolls: { skipped: 0, failed: 0 },
  }),
})

const AT = 1_790_000_000_000

export const readings = (count: number, from = 0): Reading[] =>
  Array.from({ length: count }, (_, i) => ({
    machine: 'press-01',
    metric: 'temperature',
    unit: 'celsius',
    rawTag: 'holding:0',
    timestamp: AT + (from + i) * 1_000,
    value: (from + i) / 100,
  }))

/** Waits for a condition, not for time; fails with what it was waiting for. */
export async function until(what: string, holds: () => boolean, limitMs = 60_000): Promise<void> {
  const end = Date.now() + limitMs
  while (!holds()) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
