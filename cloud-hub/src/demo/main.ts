import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { plantAgentCollectors } from '@haltless/edge-agent/plant'
import { pino } from 'pino'
import { stringify } from 'yaml'
import { ConfigError, loadConfig } from '../config.ts'
import { PortInUse, startHub } from '../hub.ts'
import { createLogger } from '../support/logger.ts'
import { type Child, startChild } from './children.ts'
import { type ReceivedAlert, startReceiver } from './receiver.ts'
import { body, heading, viewMachines } from './screen.ts'
import { type DemoAccess, openDemoTenant } from './tenant.ts'

/** `npm start`: hub, simulated plant and agent on this machine, in a demonstration tenant. Listens on loopback only. */
const START_MS = 30_000
const REFRESH_MS = 2_000
/** Where output is no terminal, the table is printed this often, not redrawn. */
const PRINT_MS = 30_000

const say = (text: string) => process.stdout.write(`${text}\n`)

async function writeAgentConfig(
  file: string,
  access: DemoAccess,
  ports: { opcuaPort: number; modbusPort: number },
): Promise<void> {
  const config = {
    hub: { url: access.url, api_key: access.api_key },
    agent_id: 'demo-plant',
    data_dir: './agent-data',
    collectors: plantAgentCollectors({ host: '127.0.0.1', ...ports }),
  }
  await writeFile(file, `# Written by npm start at every start.\n${stringify(config)}`, { mode: 0o600 })
}

async function main(): Promise<void> {
  const config = loadConfig({ ...process.env, HOST: '127.0.0.1', OUTBOUND_ALLOW: '127.0.0.0/8' })
  const logs = path.join(config.dataDir, 'logs')
  const demoDir = path.join(config.dataDir, 'demo')
  await mkdir(config.dataDir, { recursive: true, mode: 0o711 })
  for (const folder of [logs, demoDir]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const logger = createLogger(
    config.logLevel,
    pino.destination({ dest: path.join(logs, 'hub.log'), append: true, sync: true, mode: 0o600 }),
  )

  const stops: (() => Promise<unknown>)[] = []
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      for (const step of stops.reverse())
        await step().catch((error) => logger.warn({ err: error }, 'a part did not stop cleanly'))
    })()
    return stopping
  }
  const end = () => {
    if (stopping) return
    say('\n\nStopping ...')
    stop().then(() => {
      say('Stopped.')
      process.exit(0)
    })
  }
  process.on('SIGINT', end).on('SIGTERM', end)

  const failed = (child: Child) => {
    child.died.then(async (reason) => {
      if (stopping) return
      await stop()
      process.stderr.write(`\n${reason}\n`)
      process.exit(1)
    })
  }

  try {
    say('Starting Haltless ...')
    const plantData = path.join(demoDir, 'plant')
    const plant = startChild(
      'plant',
      'edge-agent/src/plant/main.ts',
      ['--opcua-port', '0', '--modbus-port', '0', '--data-dir', plantData],
      path.join(logs, 'plant.log'),
    )
    stops.push(() => plant.stop())
    const hub = await startHub(config, logger)
    stops.push(() => hub.stop())
    const alerts: ReceivedAlert[] = []
    const receiver = await startReceiver((alert) => {
      alerts.push(alert)
      if (alerts.length > 100) alerts.shift()
      if (!process.stdout.isTTY) say(`  ${alert.at.toTimeString().slice(0, 8)}   ${alert.severity.padEnd(9)}   ${alert.message}`)
    })
    stops.push(() => receiver.close())
    const { access, api } = await openDemoTenant(hub.url, config.dataDir, receiver.url)
    const [, opcuaPort, modbusPort] = await plant.waitFor(/opc\.tcp:\/\/[^:]+:(\d+).*Modbus TCP at [^:]+:(\d+)/, START_MS)
    const agentFile = path.join(demoDir, 'agent.yaml')
    await writeAgentConfig(agentFile, access, { opcuaPort: Number(opcuaPort), modbusPort: Number(modbusPort) })
    const agent = startChild('agent', 'edge-agent/src/main.ts', ['run', '--config', agentFile], path.join(logs, 'agent.log'))
    stops.push(() => agent.stop())
    failed(plant)
    failed(agent)
    if (stopping) return
    say(heading(access, hub.mqttPort, config.dataDir))
    const stopShowing = show(async () => viewMachines(api), alerts)
    stops.push(async () => stopShowing())
  } catch (error) {
    if (stopping) return
    await stop()
    throw error
  }
}

/** Draws the changing part over itself on a terminal; elsewhere prints it now and then. */
function show(look: () => ReturnType<typeof viewMachines>, alerts: ReceivedAlert[]): () => void {
  const isTerminal = process.stdout.isTTY === true
  let drawn = 0
  let printedAt = 0
  const draw = async () => {
    const machines = await look().catch(() => null)
    if (!machines || stopped) return
    if (!isTerminal && (machines.every((machine) => machine.values === '') || Date.now() - printedAt < PRINT_MS)) return
    printedAt = Date.now()
    const text = body(machines, alerts, { columns: process.stdout.columns || 110, isColoured: isTerminal })
    const lines = text.split('\n')
    if (isTerminal) process.stdout.write(`${drawn > 0 ? `\x1b[${drawn}A\x1b[J` : ''}${text}\n`)
    else say(`\n${text}`)
    drawn = lines.length
  }
  let stopped = false
  const timer = setInterval(draw, REFRESH_MS)
  draw()
  return () => {
    stopped = true
    clearInterval(timer)
  }
}

main().catch((error) => {
  const isForPeople = error instanceof ConfigError || error instanceof PortInUse
  process.stderr.write(`${isForPeople ? error.message : `Haltless could not start: ${(error as Error).message}`}\n`)
  process.exit(1)
})
