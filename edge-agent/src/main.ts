import { resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { pkiDir, trustAdvice } from './agent.ts'
import { createCollector, probe } from './collectors/index.ts'
import { afterEnrolment } from './commands/after-enrolment.ts'
import { check } from './commands/check.ts'
import { formatDeadLetters, formatRequeue, readDeadLetters, requeueDeadLetters } from './commands/dead-letters.ts'
import { addDeviceCommands } from './commands/device-commands.ts'
import { doctor } from './commands/doctor.ts'
import { type EnrollOptions, enroll, formatStep } from './commands/enroll.ts'
import { addFileCommands } from './commands/file-commands.ts'
import { formatFindings } from './commands/findings.ts'
import { addLocalCommands, watch } from './commands/local-commands.ts'
import { run } from './commands/run.ts'
import { formatStatus, isRunning, readStatus } from './commands/status.ts'
import { bundleFile, supportBundle, writeBundle } from './commands/support-bundle.ts'
import { formatCertificates, trustCertificate } from './commands/trust.ts'
import { loadConfig } from './config.ts'
import type { AgentConfig } from './config-schema.ts'
import { KEY_VARIABLE, readKey } from './enrolment/read-key.ts'
import { pushedCollectorSources } from './sources/sources-file.ts'
import { agentCommand } from './support/agent-command.ts'
import { systemClock } from './support/clock.ts'
import { createLogger } from './support/logger.ts'
import { shortError } from './support/short-error.ts'
import { AGENT_VERSION } from './support/version.ts'

interface Options {
  config: string
  json?: boolean
  limit?: number
  requeue?: boolean
  watch?: boolean
  bundle?: string
}

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const load = ({ config }: Options): AgentConfig => loadConfig(config, process.env)
/** What a command for people logs goes nowhere: its findings say the same in words. */
const quiet = () => ({ clock: systemClock, logger: createLogger('silent') })

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

const program = new Command('agent').description('The Haltless edge agent.').version(AGENT_VERSION)
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
    const key = await readKey(options.key, process.env, process.stdin, process.stderr)
    await enroll(options, key, { clock: systemClock, report: (found) => print(formatStep(found)), env: process.env })
    print(await afterEnrolment(resolve(options.config)))
  })

command('run', 'collect and send until stopped').action(async (options: Options) => {
  const config = load(options)
  const deps = { clock: systemClock, logger: createLogger(config.logLevel), createCollector }
  const reload = { onRequest: (request: () => void) => void process.on('SIGHUP', request), load: () => load(options) }
  await run(config, deps, stopSignal(), reload)
})

command('check', 'test the configuration: hub, transports, every collector').action(async (options: Options) => {
  const findings = await check(load(options), { ...quiet(), probe })
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
    const config = load(options)
    const file = options.bundle === undefined ? null : bundleFile(options.bundle)
    const findings = await doctor(config, { ...quiet(), probe })
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
  .action((options: Options) => {
    if (options.watch) return watch(load(options), stopSignal())
    const report = readStatus(load(options))
    print(options.json ? JSON.stringify(report, null, 2) : formatStatus(report, systemClock.now()))
    if (!report.is_running) process.exitCode = 1
  })

command('trust', 'show the certificates of OPC UA servers, or trust one by its thumbprint')
  .argument('[thumbprint]', 'as shown; its first 8 digits are enough')
  .action(async (thumbprint: string | undefined, options: Options) => {
    const config = load(options)
    const dir = pkiDir(config.dataDir)
    if (thumbprint) return print(await trustCertificate(thumbprint, dir))
    const { resolveHost } = config.remote
    const deps = { ...quiet(), pkiDir: dir, trustAdvice: trustAdvice(config), ...(resolveHost && { resolveHost }) }
    const sources = [...config.collectors, ...pushedCollectorSources(config, deps.logger)]
    print(await formatCertificates(sources, deps, (found) => agentCommand(config.file, 'trust', found)))
  })

command('dead-letters', 'list the newest readings that the hub rejected, and why, or send them again')
  .option('--limit <count>', 'at most this many', wholeNumber, 50)
  .option('--requeue', 'send all of them again, after the cause was corrected')
  .option('--json', 'for programs')
  .action((options: Options) => {
    if (options.requeue) {
      const config = load(options)
      const result = requeueDeadLetters(config, systemClock.now)
      return print(options.json ? JSON.stringify(result) : formatRequeue(result, isRunning(config.dataDir)))
    }
    const letters = readDeadLetters(load(options), options.limit ?? 50)
    print(options.json ? JSON.stringify(letters, null, 2) : formatDeadLetters(letters))
  })

addDeviceCommands(program, stopSignal)
addLocalCommands(command, load, stopSignal)
addFileCommands(command, load)

// The reader of our output, such as `head`, may close it early.
process.stdout.on('error', () => process.exit())
program.parseAsync().then(
  // Libraries of the field bus leave timers behind; a command for people ends when its words are out.
  () => process.stdout.write('', () => process.exit()),
  (error: unknown) => {
    process.stderr.write(`${shortError(error)}\n`)
    process.exit(1)
  },
)
