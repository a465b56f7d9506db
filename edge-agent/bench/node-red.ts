import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { type BenchRow, fullOrShort, runRows } from '@haltless/protocol/bench'
import { Aedes } from 'aedes'
import { stringify } from 'yaml'
import { systemClock } from '../src/support/clock.ts'
import { FakeHub } from '../test/support/fake-hub.ts'
import { startDevice } from './start-device.ts'

/**
 * CPU and memory of the agent and of Node-RED, which poll the same Modbus server at the same time, 1,000 registers a second. Both deliver each
 * value over MQTT with QoS 1; the agent writes it to disk before. Linux only: the figures are those of /proc.
 */
const TAGS = 1_000
const PER_READ = 125
const MEASURED_MS = fullOrShort(300_000, 20_000)
const NODE_RED = 'node-red@5.0.7'
/** Newer ones need a package from outside the registry. */
const MODBUS = 'node-red-contrib-modbus@5.23.3'
/** Both start, connect and compile their code in this time. */
const WARM_UP_MS = fullOrShort(20_000, 5_000)
/** of CPU times in /proc/PID/stat, on every Linux */
const TICKS_PER_SECOND = 100

interface Usage {
  /** of one core */
  cpuPercent: number
  /** resident, mean of one sample a second */
  megabytes: number
}

const device = await startDevice('modbus')
const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-bench-'))
const children: ChildProcess[] = []
const stops: (() => unknown)[] = [device.stop]
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

/** A program whose output is kept for the message of a failure. */
function start(program: string, args: string[], cwd: string): { pid: number; said: () => string } {
  let said = ''
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-2_000)))
  children.push(child)
  return { pid: child.pid as number, said: () => said }
}

/** Unpacks the archive that plants install. */
async function installAgent(): Promise<string> {
  const out = path.join(dir, 'package')
  const platform = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const packager = path.join(import.meta.dirname, '../../install/package/main.ts')
  await promisify(execFile)(process.execPath, [packager, '--no-updates', '--arch', platform, '--fast', '--out', out])
  const archive = readdirSync(out).find((name) => name.endsWith('.tar.zst')) as string
  writeFileSync(path.join(out, 'agent.tar'), zstdDecompressSync(readFileSync(path.join(out, archive))))
  execFileSync('tar', ['-xf', path.join(out, 'agent.tar'), '-C', out])
  return path.join(out, archive.replace('.tar.zst', ''))
}

async function startAgent(port: number): Promise<{ pid: number; said: () => string; delivered: () => number }> {
  const hub = await FakeHub.start()
  hub.behaviour.nextCheckSeconds = 30
  stops.push(() => hub.stop())
  const registers = Array.from({ length: TAGS }, (_, address) => ({
    address,
    metric_name: `metric_${address % 10}`,
    unit: 'celsius',
    machine_identifier: `machine-${Math.floor(address / 10)}`,
  }))
  const file = path.join(dir, 'agent.yaml')
  const collector = { name: 'bench', protocol: 'modbus', machine_identifier: 'm', host: '127.0.0.1', port, registers }
  const settings = { hub: { url: hub.url, api_key: hub.apiKey }, agent_id: 'bench', log_level: 'warn', collectors: [collector] }
  writeFileSync(file, stringify(settings), { mode: 0o600 })
  const installed = await installAgent()
  const agent = start(path.join(installed, 'bin/haltless-agent'), ['run', '--config', file], dir)
  return { ...agent, delivered: () => hub.batches.reduce((sum, { count }) => sum + count, 0) }
}

/** The usual flow: a node for each request, a function that makes readings of its registers, and an MQTT node. */
function flow(devicePort: number, brokerPort: number): object[] {
  const reads = Array.from({ length: TAGS / PER_READ }, (_, i) => ({
    id: `read${i}`,
    type: 'modbus-read',
    z: 'flow',
    topic: String(i * PER_READ),
    unitid: '1',
    dataType: 'HoldingRegister',
    adr: String(i * PER_READ),
    quantity: String(PER_READ),
    rate: '1',
    rateUnit: 's',
    server: 'device',
    wires: [['readings'], []],
  }))
  const func = `
    const first = Number(msg.topic)
    const timestamp = Date.now()
    const readings = msg.payload.map((value, i) => ({
      machine: 'machine-' + Math.floor((first + i) / 10), metric: 'metric_' + (first + i) % 10, unit: 'celsius', timestamp, value,
    }))
    return { payload: JSON.stringify(readings) }`
  const client = { clienttype: 'tcp', tcpHost: '127.0.0.1', tcpPort: String(devicePort), tcpType: 'DEFAULT', unit_id: '1' }
  const timing = {
    bufferCommands: true,
    commandDelay: '1',
    clientTimeout: '1000',
    reconnectOnTimeout: true,
    reconnectTimeout: '2000',
  }
  return [
    { id: 'flow', type: 'tab', label: 'bench' },
    { id: 'device', type: 'modbus-client', name: 'plc', ...client, ...timing, parallelUnitIdsAllowed: true },
    { id: 'broker', type: 'mqtt-broker', broker: '127.0.0.1', port: String(brokerPort), autoConnect: true, protocolVersion: '4' },
    ...reads,
    { id: 'readings', type: 'function', z: 'flow', func, outputs: 1, libs: [], wires: [['send']] },
    { id: 'send', type: 'mqtt out', z: 'flow', topic: 'readings', qos: '1', retain: 'false', broker: 'broker', wires: [] },
  ]
}

async function startNodeRed(port: number): Promise<{ pid: number; said: () => string; delivered: () => number }> {
  const home = path.join(dir, 'node-red')
  mkdirSync(home)
  writeFileSync(path.join(home, 'package.json'), '{"private":true}')
  const install = [
    'install',
    '--prefix',
    home,
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--fetch-retries=0',
    NODE_RED,
    MODBUS,
  ]
  await promisify(execFile)('npm', install, { cwd: home, timeout: 600_000 }).catch(() => {
    throw new Error(`${NODE_RED} cannot be installed from the package registry: not run`)
  })
  let delivered = 0
  const broker = await Aedes.createBroker()
  broker.on('publish', ({ topic, payload }) => {
    if (topic === 'readings') delivered += JSON.parse(String(payload)).length
  })
  const server = createServer((socket) => void broker.handle(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => server.close())
  const { port: brokerPort } = server.address() as { port: number }
  writeFileSync(path.join(home, 'flows.json'), JSON.stringify(flow(port, brokerPort)))
  // Without the editor, which a box in a plant does not need.
  const settings = {
    flowFile: 'flows.json',
    httpAdminRoot: false,
    httpNodeRoot: false,
    uiHost: '127.0.0.1',
    uiPort: 0,
    telemetry: { enabled: false, updateNotification: false },
    logging: { console: { level: 'warn' } },
  }
  writeFileSync(path.join(home, 'settings.js'), `module.exports = ${JSON.stringify(settings)}`)
  const nodeRed = start(process.execPath, [path.join(home, 'node_modules/node-red/red.js'), '--userDir', home], home)
  return { ...nodeRed, delivered: () => delivered }
}

function cpuSeconds(pid: number): number {
  // The second field is the name of the program, in parentheses.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') as string[]
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** @throws Error when one of them did not deliver what it was to poll */
async function measure(): Promise<{ agent: Usage; nodeRed: Usage }> {
  const sides = [await startAgent(device.port), await startNodeRed(device.port)]
  await systemClock.sleep(WARM_UP_MS)
  const before = sides.map(({ pid, delivered }) => ({ cpu: cpuSeconds(pid), delivered: delivered() }))
  const started = performance.now()
  const samples: number[][] = [[], []]
  while (performance.now() - started < MEASURED_MS) {
    await systemClock.sleep(1_000)
    for (const [i, { pid }] of sides.entries()) samples[i]?.push(residentMegabytes(pid))
  }
  const seconds = (performance.now() - started) / 1_000
  const [agent, nodeRed] = sides.map(({ pid, delivered, said }, i) => {
    const values = delivered() - (before[i]?.delivered ?? 0)
    if (values < 0.98 * TAGS * (seconds - 2))
      throw new Error(`${['the agent', 'Node-RED'][i]} delivered ${values} values in ${seconds.toFixed(0)} s: ${said()}`)
    const megabytes = samples[i] as number[]
    return {
      cpuPercent: (100 * (cpuSeconds(pid) - (before[i]?.cpu ?? 0))) / seconds,
      megabytes: megabytes.reduce((sum, each) => sum + each, 0) / megabytes.length,
    }
  }) as [Usage, Usage]
  return { agent, nodeRed }
}

/** Both rows show one measurement. */
let measured: ReturnType<typeof measure> | undefined
const row = (name: string, unit: string, figure: (usage: Usage) => number): BenchRow => ({
  row: `collect.node-red.${name}`,
  against: `${NODE_RED} with ${MODBUS}, polling the same ${TAGS} registers a second at the same time`,
  unit,
  rounds: 1,
  prepare: async () => {
    measured ??= measure()
    const { agent, nodeRed } = await measured
    return { ours: async () => figure(agent), theirs: async () => figure(nodeRed) }
  },
})

await runRows(
  [row('cpu', 'percent of a core', (usage) => usage.cpuPercent), row('memory', 'MB', (usage) => usage.megabytes)],
  process.argv.slice(2),
)
for (const stop of stops) await stop()
process.exit()
