import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { OpcUaConfig } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCollector } from '../../src/collectors/index.ts'
import { acceptNamespaces } from '../../src/commands/namespaces.ts'
import { run } from '../../src/commands/run.ts'
import { KnownNamespaces } from '../../src/sources/known-namespaces.ts'
import { systemClock } from '../../src/support/clock.ts'
import { createLogger } from '../../src/support/logger.ts'
import { Plant } from '../agent-harness.ts'
import { Sink, until } from '../collectors/support.ts'
import { DataType, OpcUaSimulator } from '../support/opcua-simulator.ts'
import { agentCommand } from './agent-command.ts'

const OVEN = 'urn:acme:oven'
const PRESS = 'urn:acme:press'
const LATHE = 'urn:acme:lathe'
const FIRST: Record<string, number> = { [OVEN]: 800, [PRESS]: 40, [LATHE]: 5 }

let plant: Plant
let server: OpcUaSimulator
let sink: Sink
let port: number
let stop: AbortController
let running: Promise<void>
beforeEach(async () => {
  plant = await Plant.open()
  sink = new Sink()
  port = await freePort()
  await serve(OVEN, PRESS)
  start()
  await until('the first session', () => sink.values('oven').includes(800))
})
afterEach(async () => {
  await end()
  await server.stop()
  await plant.end()
})

async function freePort(): Promise<number> {
  const listener = createServer()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port: free } = listener.address() as AddressInfo
  await new Promise((resolve) => listener.close(resolve))
  return free
}

async function serve(...namespaces: string[]): Promise<void> {
  server = await OpcUaSimulator.start({ dir: plant.folder, port, namespaces })
  for (const uri of namespaces) server.set(uri, DataType.Double, FIRST[uri])
}

const source = () => ({
  protocol: 'opcua' as const,
  name: 'press hall',
  machine: 'hall',
  host: '127.0.0.1',
  port,
  pollIntervalSeconds: 0.1,
  config: OpcUaConfig.parse({ nodes: [{ node_id: 'ns=2;s=Temp', metric_name: 'oven', unit: 'celsius' }] }),
})

function start(): void {
  stop = new AbortController()
  const deps = { clock: systemClock, logger: createLogger('silent'), createCollector }
  const config = { ...plant.config(), collectors: [source()] }
  const watched = { ...deps, createCollector: tapped }
  running = run(config, watched, stop.signal)
}
const tapped: typeof createCollector = (given, deps) =>
  createCollector(given, {
    ...deps,
    onReadings: (readings, progress) => {
      sink.take(readings)
      return deps.onReadings(readings, progress)
    },
  })
async function end(): Promise<void> {
  stop.abort()
  await running
}

const quiet = createLogger('silent')

describe('namespaces', () => {
  it('lists what node ids mean and what the server has, and accepts that in the running agent', async () => {
    const file = join(plant.folder, 'agent.yaml')
    const settings = `hub: { url: "${plant.hub.url}", api_key: hk_fake_key }\nagent_id: press-hall\ndata_dir: ${plant.dataDir}\n`
    await writeFile(file, settings, { mode: 0o600 })
    const list = () => agentCommand(['namespaces', '--config', file])
    expect((await list()).out).toMatch(/^press hall {2}opc\.tcp:\/\/127\.0\.0\.1:\d+\n[\s\S]* ns=2 +urn:acme:oven\n/)
    const none = await agentCommand(['namespaces', '--config', file, 'accept', 'press hall'])
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('There is nothing to accept') })

    await server.stop()
    await serve(LATHE, PRESS)
    const refused = () => plant.report().agent?.collectors['press hall']?.badTags[0]?.reason ?? ''
    await until('the tag is refused', () => /^ns=2 was urn:acme:oven/.test(refused()))
    const shown = await list()
    expect(shown.out).toMatch(/ns=2 +urn:acme:oven +GONE: its tags are refused\n/)
    expect(shown.out).toMatch(/- +urn:acme:lathe +new, ns=2\n/)
    expect(shown.out).toMatch(/Accept what the server has now: .* namespaces --config .+ accept 'press hall'\n/)

    const accepted = await agentCommand(['namespaces', '--config', file, 'accept', 'press hall'])
    expect(accepted).toMatchObject({ code: 0, out: expect.stringContaining('begins a new session') })
    await until('the lathe', () => sink.values('oven').includes(5))
    expect((await list()).out).toMatch(/ns=2 +urn:acme:lathe\n/)
  })

  it('accepts for an agent that does not run, and not beside one without a socket', async () => {
    await server.stop()
    await serve(PRESS, OVEN)
    await until('the renumbering is noted', () => sink.values('oven').length > 0 && isOther())
    await end()
    expect(await acceptNamespaces(plant.dataDir, 'press hall', quiet)).toMatch(/had at its newest session/)
    await expect(acceptNamespaces(plant.dataDir, 'press hall', quiet)).rejects.toThrow(/nothing to accept/)
    start()
    await until('the press', () => sink.values('oven').includes(40))
    expect(new Set(sink.values('oven'))).toEqual(new Set([800, 40]))
  })
})

const isOther = () => new KnownNamespaces(plant.dataDir, quiet).list()[0]?.[1].found != null
