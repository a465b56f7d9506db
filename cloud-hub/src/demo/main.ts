import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { plantAgentCollectors } from '@haltless/edge-agent/plant'
import { pino } from 'pino'
import { stringify } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { ConfigError, loadConfig } from '../config.ts'
import { ensureConsole } from '../console-build.ts'
import { SMALL_SHARED_BUFFERS_MB } from '../db/embedded/index.ts'
import { claimOwnership, isOwned, releaseOwnership } from '../db/embedded/owner.ts'
import { DemoSignIn } from '../features/people/accounts/index.ts'
import { PortInUse } from '../hub/listen.ts'
import { startHub } from '../hub.ts'
import { systemClock } from '../support/clock.ts'
import { pruneCompileCache } from '../support/compile-cache.ts'
import { createLogger } from '../support/logger.ts'
import { startChild } from './children.ts'
import { type ReceivedAlert, startReceiver } from './receiver.ts'
import { loadMachineViews, renderHeading } from './screen.ts'
import { showMachines } from './show.ts'
import { type DemoAccess, openDemoTenant } from './tenant.ts'

/** `npm start`: hub, simulated plant and agent on this machine, in a demonstration tenant. Listens on loopback only. */
const START_MS = 30_000
const USAGE = `Usage: npm start
Runs a hub, a simulated plant of five machines and an agent on this machine until Ctrl-C.
Settings are environment variables: PORT, MQTT_PORT, DATA_DIR; .env.example explains all. DEMO_PAST_DAYS (28) says how many days a new
plant has behind it, 0 to 90.
Options: --help, --version`

/** @throws ConfigError */
function readPastDays(): number {
  const text = process.env.DEMO_PAST_DAYS || '28'
  const days = Number(text)
  if (!/^\d+$/.test(text) || days > 90) throw new ConfigError([`DEMO_PAST_DAYS must be a whole number from 0 to 90, not ${text}`])
  return days
}

const say = (text: string) => process.stdout.write(`${text}\n`)

/** A second start on the same data would share its database and take over its receiver. */
class AlreadyRunning extends Error {
  constructor(dataDir: string) {
    super(`npm start already runs on ${dataDir}. Stop that one, or give this one other data: DATA_DIR=./other-data`)
  }
}

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
  // allows the receiver of the demonstration, besides the targets that the environment allows
  const outbound = [process.env.OUTBOUND_ALLOW, '127.0.0.0/8'].filter(Boolean).join(',')
  const config = loadConfig({
    SHARED_BUFFERS_MB: `${SMALL_SHARED_BUFFERS_MB}`,
    ...process.env,
    HOST: '127.0.0.1',
    OUTBOUND_ALLOW: outbound,
  })
  const pastDays = readPastDays()
  const logs = path.join(config.dataDir, 'logs')
  const demoDir = path.join(config.dataDir, 'demo')
  await mkdir(config.dataDir, { recursive: true, mode: 0o711 })
  for (const folder of [logs, demoDir]) await mkdir(folder, { recursive: true, mode: 0o700 })
  if (isOwned(demoDir)) throw new AlreadyRunning(config.dataDir)
  claimOwnership(demoDir)
  const logger = createLogger(
    config.logLevel,
    pino.destination({ dest: path.join(logs, 'hub.log'), append: true, sync: true, mode: 0o600 }),
  )

  const stops: (() => unknown)[] = [() => releaseOwnership(demoDir)]
  let isEnding = false
  const ending = new AbortController()
  const stop = async () => {
    isEnding = true
    ending.abort()
    for (const step of stops.splice(0).reverse()) {
      try {
        await step()
      } catch (error) {
        logger.warn({ err: error }, 'a part did not stop cleanly')
      }
    }
  }
  const end = async () => {
    if (isEnding) return
    isEnding = true
    ending.abort()
    say('\nStopping ...')
    // wait for the start to finish, so that nothing incomplete remains
    await starting.catch(() => {})
    await stop()
    say('Stopped.')
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  // the reader of our output has closed the pipe, as `head` does
  process.stdout.on('error', end)

  const failed = async (reason: string) => {
    if (isEnding) return
    await stop()
    process.stderr.write(`\n${reason}\n`)
    process.exit(1)
  }

  const start = async () => {
    await ensureConsole(say)
    pruneCompileCache()
    say('Starting Haltless ...')
    const plantData = path.join(demoDir, 'plant')
    const plant = startChild(
      'plant',
      'edge-agent/src/plant/main.ts',
      ['--opcua-port', '0', '--modbus-port', '0', '--data-dir', plantData],
      path.join(logs, 'plant.log'),
    )
    stops.push(() => plant.stop())
    const signIn = new DemoSignIn()
    const hub = await startHub(config, logger, systemClock, signIn)
    stops.push(() => hub.stop())
    const alerts: ReceivedAlert[] = []
    const receiver = await startReceiver((alert) => {
      alerts.push(alert)
      if (alerts.length > 100) alerts.shift()
      if (!process.stdout.isTTY) say(`  ${alert.at.toTimeString().slice(0, 8)}   ${alert.severity.padEnd(8)}   ${alert.message}`)
    })
    stops.push(() => receiver.close())
    const { access, refusal, api, user, pumpId, actPast } = await openDemoTenant(
      hub,
      { dataDir: config.dataDir, pastDays },
      receiver.url,
      {
        say,
        pause: (seconds) => setTimeout(seconds * 1_000, undefined, { signal: ending.signal }),
      },
    )
    const [, opcuaPort, modbusPort] = await plant.waitFor(/opc\.tcp:\/\/[^:]+:(\d+).*Modbus TCP at [^:]+:(\d+)/, START_MS)
    const agentFile = path.join(demoDir, 'agent.yaml')
    await writeAgentConfig(agentFile, access, { opcuaPort: Number(opcuaPort), modbusPort: Number(modbusPort) })
    if (isEnding) return
    const agent = startChild('agent', 'edge-agent/src/main.ts', ['run', '--config', agentFile], path.join(logs, 'agent.log'))
    stops.push(() => agent.stop())
    plant.unexpectedExit.then(failed)
    agent.unexpectedExit.then(failed)
    if (actPast) {
      const acted = actPast(ending.signal).then(
        () => logger.info('the past of the demonstration is complete'),
        (error) => isEnding || logger.warn({ err: error }, 'the past of the demonstration is not complete'),
      )
      stops.push(() => acted)
    }
    const files = { data: config.dataDir, agent: agentFile, database: hub.databaseDir }
    const token = signIn.offer(user, systemClock.now())
    stops.push(
      showMachines(renderHeading(access, token, hub.mqttPort, files, { pumpId, refusal }), () => loadMachineViews(api), alerts),
    )
  }
  const starting = start()
  try {
    await starting
  } catch (error) {
    if (isEnding) return
    await stop()
    throw error
  }
}

const [option] = process.argv.slice(2)
if (option === '--version') say(packageJson.version)
else if (option === '--help') say(USAGE)
else if (option !== undefined) {
  process.stderr.write(`npm start does not know ${option}.\n${USAGE}\n`)
  process.exit(1)
} else
  main().catch((error) => {
    const isForPeople = [ConfigError, PortInUse, AlreadyRunning].some((kind) => error instanceof kind)
    process.stderr.write(`${isForPeople ? error.message : `Haltless could not start: ${(error as Error).message}`}\n`)
    process.exit(1)
  })
