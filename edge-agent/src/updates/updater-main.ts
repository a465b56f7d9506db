import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Installation } from './installation.ts'
import { readReportedStatus } from './reported-status.ts'
import { incomingFolder } from './request.ts'
import { awaitTurn } from './start-limit.ts'
import { Updater, type UpdaterHost } from './updater.ts'

/**
 * The program of `haltless-agent-update.service`. It takes no arguments: where things lie is the package's.
 */
const DATA_DIR = '/var/lib/haltless-agent'
const UNIT = 'haltless-agent.service'
/** The new program is only asked for its version. */
const ANSWER_MS = 30_000

const runFile = promisify(execFile)
const systemctl = async (...args: string[]): Promise<string> => (await runFile('systemctl', args)).stdout.trim()

async function isFailed(): Promise<boolean> {
  return (await systemctl('show', '--property=ActiveState', '--value', UNIT)) === 'failed'
}

/** As the user of the data folder: the archive is signed, and yet its program gets no rights here. */
async function versionOf(folder: string): Promise<string> {
  const { uid, gid } = statSync(DATA_DIR)
  const args = [path.join(folder, 'app/lib/agent.mjs'), '--version']
  const options = { uid, gid, env: {}, cwd: '/', timeout: ANSWER_MS }
  const { stdout } = await runFile(path.join(folder, 'bin/node'), args, options)
  return stdout.trim()
}

const host: UpdaterHost = {
  now: Date.now,
  sleep: (ms) => setTimeout(ms),
  async restartAgent() {
    // What an admin stopped stays stopped.
    await systemctl('try-restart', UNIT)
    if (await isFailed()) await systemctl('restart', UNIT)
  },
  async agentRestarts() {
    return Number(await systemctl('show', '--property=NRestarts', '--value', UNIT)) || 0
  },
  versionOf,
  status: () => readReportedStatus(path.join(DATA_DIR, 'status.json')),
  log: (text) => process.stdout.write(`${text}\n`),
}

if (process.argv.includes('--help')) {
  process.stdout.write(`Usage: node updater.mjs
Installs the signed update that the agent has downloaded. haltless-agent-update.service runs it; it takes no arguments.
`)
  process.exit(0)
}

// files of a program are readable for everybody, whatever the umask of the service is
process.umask(0o022)
const installation = new Installation()
await awaitTurn(installation, host)
await new Updater({ installation, incoming: incomingFolder(DATA_DIR), host }).run()
