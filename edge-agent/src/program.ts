import { resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { addDeviceCommands } from './commands/add-device-commands.ts'
import type { EnrollOptions } from './commands/enroll.ts'
import { addFileCommands } from './commands/file-commands.ts'
import { formatFindings } from './commands/findings.ts'
import { addLocalCommands, watch } from './commands/local-commands.ts'
import { KEY_VARIABLE, readKey } from './enrolment/read-key.ts'
import type { AgentConfig } from './settings/schema.ts'
import { commandName } from './support/agent-command.ts'
import { systemClock } from './support/clock.ts'
import { AGENT_VERSION } from './support/version.ts'

// The action of a command imports what that command needs, because loading takes most of the time of a command.

interface Options {
  config: string
  json?: boolean
  limit?: number
  requeue?: boolean
  watch?: boolean
  bundle?: string
}

const print = (text: string): void => void process.stdout.write(`${text}\n`)
async function load({ config }: Pick<Options, 'config'>): Promise<AgentConfig> {
  const { loadConfig } = await import('./settings/config.ts')
  const { withEnrolmentHint } = await import('./commands/enrolment-hint.ts')
  try {
    return loadConfig(config, process.env)
  } catch (error) {
    throw withEnrolmentHint(error, resolve(config))
  }
}
/** What a command for people logs goes nowhere: its findings say the same in words. */
async function quiet() {
  const { createLogger } = await import('./support/logger.ts')
  return { clock: systemClock, logger: createLogger('silent') }
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.')
  return Number(text)
}

/** Aborts at the first Ctrl-C or SIGTERM; the second one ends the process at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1)
      stop.abort()
    })
  }
  return stop.signal
}

/** The agent's command line; its usage names the command that the person used. */
export const program = new Command(commandName().replace(/^sudo /, ''))
  .description('The Haltless edge agent.')
  .version(AGENT_VERSION)
const command = (name: string, description: string) =>
  program
    .command(name)
    .description(description)
    .option('-c, --config <file>', 'the settings of the agent', process.env.HALTLESS_AGENT_CONFIG || 'agent.yaml')

program
  .command('enroll')
  .description('enrol this agent at a hub with an enrolment key, after testing every transport')
  .option('-c, --config <file>', 'the settings to write', process.env.HALTLESS_AGENT_CONFIG || 'agent.yaml')
  .requiredOption('--hub <url>', 'the address of the hub')
  .option(
    '--key <key>',
    `the enrolment key, or - for standard input; without it ${KEY_VARIABLE}, or a prompt (sudo logs the key of this option)`,
  )
  .option('--agent-id <id>', 'the name of this agent (default: that of the key, of the settings, or of this computer)')
  .option('--ca <file>', 'certificate authorities (PEM) to trust beside the usual ones')
  .option('--proxy <url>', 'the HTTP proxy on the way to the hub: http://[user:password@]host:port')
  .option('--data-dir <folder>', 'the folder of the buffer, when the settings do not name it')
  .option('--force', 'enrol an agent that is enrolled, after an admin has released it')
  .action(async (options: EnrollOptions & { key?: string }) => {
    // The list of processes shows the arguments, and one of them may be the key.
    process.title = 'haltless-agent enroll'
    const { enroll, formatStep } = await import('./commands/enroll.ts')
    const { afterEnrolment } = await import('./commands/after-enrolment.ts')
    const key = await readKey(options.key, process.env, process.stdin, process.stderr)
    await enroll(options, key, { clock: systemClock, report: (found) => print(formatStep(found)), env: process.env })
    print(await afterEnrolment(resolve(options.config)))
  })

command('run', 'collect and send until stopped').action(async (options: Options) => {
  const { runGuarded } = await import('./commands/run-guarded.ts')
  const { loadConfig } = await import('./settings/config.ts')
  const { createLogger } = await import('./support/logger.ts')
  const config = await load(options)
  const deps = { clock: systemClock, logger: createLogger(config.logLevel) }
  const reload = {
    onRequest: (request: () => void) => void process.on('SIGHUP', request),
    load: () => loadConfig(options.config, process.env),
  }
  await runGuarded(config, deps, stopSignal(), reload)
})

command('check', 'test the configuration: hub, transports, every collector').action(async (options: Options) => {
  const { probe } = await import('./collectors/registry.ts')
  const { check } = await import('./commands/check.ts')
  const findings = await check(await load(options), { ...(await quiet()), probe })
  print(formatFindings(findings))
  if (findings.some(({ result }) => result === 'FAIL')) process.exitCode = 1
})

command('doctor', 'test everything that check does, and the state of this computer')
  .option(
    '--bundle <file>',
    'also write a file for whoever helps: states and counts, no names, addresses or secrets of the plant',
  )
  .option('--json', 'for programs')
  .action(async (options: Options) => {
    const { probe } = await import('./collectors/registry.ts')
    const { doctor } = await import('./commands/doctor.ts')
    const { readStatus } = await import('./commands/status.ts')
    const { bundleFile, supportBundle, writeBundle } = await import('./commands/support-bundle.ts')
    const config = await load(options)
    const file = options.bundle === undefined ? null : bundleFile(options.bundle)
    const findings = await doctor(config, { ...(await quiet()), probe })
    print(options.json ? JSON.stringify(findings, null, 2) : formatFindings(findings))
    if (file) {
      writeBundle(file, supportBundle(config, findings, readStatus(config), systemClock.now()))
      process.stderr.write(`\nWritten for whoever helps: ${file}. Read it before you send it.\n`)
    }
    if (findings.some(({ result }) => result === 'FAIL')) process.exitCode = 1
  })

command('status', 'show the state of the agent')
  .option('--json', 'for programs')
  .option('--watch', 'go on, with the newest value of each tag')
  .action(async (options: Options) => {
    const config = await load(options)
    if (options.watch) return watch(config, stopSignal())
    const { formatStatus, readStatus } = await import('./commands/status.ts')
    const report = readStatus(config)
    print(options.json ? JSON.stringify(report, null, 2) : formatStatus(report, systemClock.now()))
    if (!report.is_running) process.exitCode = 1
  })

command('trust', 'show the certificates of OPC UA servers, or trust one by its thumbprint')
  .argument('[thumbprint]', 'as shown; its first 8 digits are enough')
  .action(async (thumbprint: string | undefined, options: Options) => {
    const { pkiDir, trustAdvice } = await import('./agent-paths.ts')
    const { formatCertificates, trustCertificate } = await import('./commands/trust.ts')
    const { pushedCollectorSources } = await import('./sources/sources-file.ts')
    const { agentCommand } = await import('./support/agent-command.ts')
    const config = await load(options)
    const dir = pkiDir(config.dataDir)
    if (thumbprint) return print(await trustCertificate(thumbprint, dir))
    const { resolveHost } = config.remote
    const deps = { ...(await quiet()), pkiDir: dir, trustAdvice: trustAdvice(config), ...(resolveHost && { resolveHost }) }
    const sources = [...config.collectors, ...pushedCollectorSources(config, deps.logger)]
    print(await formatCertificates(sources, deps, (found) => agentCommand(config.file, 'trust', found)))
  })

const namespaces = command(
  'namespaces',
  'show which namespaces the node ids of OPC UA collectors mean, and what their servers have now',
)
  .option('--json', 'for programs')
  .action(async (options: Options) => {
    const { formatNamespaces } = await import('./commands/namespaces.ts')
    const { KnownNamespaces } = await import('./sources/known-namespaces.ts')
    const { agentCommand } = await import('./support/agent-command.ts')
    const config = await load(options)
    const known = new KnownNamespaces(config.dataDir, (await quiet()).logger).list()
    const accept = (collector: string) => agentCommand(config.file, 'namespaces', 'accept', collector)
    print(options.json ? JSON.stringify(Object.fromEntries(known), null, 2) : formatNamespaces(known, accept))
  })
namespaces
  .command('accept')
  .description(
    'from now on the node ids of a collector mean the namespaces that its server has now; a running agent obeys at once',
  )
  .argument('<collector>', 'its name, as shown')
  .action(async (collector: string) => {
    const { acceptNamespaces } = await import('./commands/namespaces.ts')
    const { dataDir } = await load(namespaces.opts())
    print(await acceptNamespaces(dataDir, collector, (await quiet()).logger))
  })

command('dead-letters', 'list the newest readings that the hub rejected, and why, or send them again')
  .option('--limit <count>', 'at most this many', wholeNumber, 50)
  .option('--requeue', 'send all of them again, after the cause was corrected')
  .option('--json', 'for programs')
  .action(async (options: Options) => {
    const { formatDeadLetters, formatRequeue, readDeadLetters, requeueDeadLetters } = await import('./commands/dead-letters.ts')
    const config = await load(options)
    if (options.requeue) {
      const { isRunning } = await import('./commands/status.ts')
      const result = requeueDeadLetters(config, systemClock.now)
      return print(options.json ? JSON.stringify(result) : formatRequeue(result, isRunning(config.dataDir)))
    }
    const letters = readDeadLetters(config, options.limit ?? 50)
    print(options.json ? JSON.stringify(letters, null, 2) : formatDeadLetters(letters))
  })

addDeviceCommands(program, stopSignal)
addLocalCommands(command, load, stopSignal)
addFileCommands(command, load)
