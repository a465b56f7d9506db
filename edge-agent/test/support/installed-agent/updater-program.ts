import { execFile } from 'node:child_process'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readStatusFile } from '../../../src/status-file.ts'
import { Installation } from '../../../src/updates/installation.ts'
import { incomingFolder } from '../../../src/updates/request.ts'
import { Updater } from '../../../src/updates/updater.ts'
import { Unflushed, type UnflushedNames } from './unflushed.ts'

/**
 * The updater of an installed agent of a test: `updater.mjs ROOT DATA_DIR CONFIRM_WITHIN_MS POLL_INTERVAL_MS SETTLED_MS`. What it asks of systemd it asks of the
 * supervisor that started it. It kills itself after the step `UPDATER_DIES_AFTER`; with `UPDATER_NAMES` (`arrived` or `lost`) it takes with it
 * what it did not flush.
 */
const [root, dataDir, confirmWithinMs, pollIntervalMs, settledMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]

const { UPDATER_DIES_AFTER, UPDATER_NAMES } = process.env
const unflushed = UPDATER_NAMES ? new Unflushed(root) : null

const ask = (question: 'restart' | 'restarts') =>
  new Promise<number>((resolve) => {
    process.once('message', (answer) => resolve(Number(answer)))
    process.send?.(question)
  })

// answers of the supervisor are waited for
process.channel?.ref()
process.umask(0o022)
await new Updater({
  installation: new Installation(root),
  incoming: incomingFolder(dataDir),
  confirmWithinMs: Number(confirmWithinMs),
  pollIntervalMs: Number(pollIntervalMs),
  settledMs: Number(settledMs),
  host: {
    now: Date.now,
    sleep: (ms) => setTimeout(ms),
    restartAgent: async () => void (await ask('restart')),
    agentRestarts: () => ask('restarts'),
    async versionOf(folder) {
      const args = [path.join(folder, 'app/lib/agent.mjs'), '--version']
      const { stdout } = await promisify(execFile)(path.join(folder, 'bin/node'), args, { env: {}, cwd: '/', timeout: 30_000 })
      return stdout.trim()
    },
    status: () => readStatusFile(dataDir),
    log: (text) => process.stdout.write(`${text}\n`),
    onStep: (step) => {
      process.send?.({ step })
      if (step !== UPDATER_DIES_AFTER) return
      unflushed?.lose(UPDATER_NAMES as UnflushedNames)
      process.kill(process.pid, 'SIGKILL')
    },
  },
}).run()
process.exit()
