import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { JudgedStatus } from '../../src/updates/health.ts'
import { Installation } from '../../src/updates/installation.ts'
import { Updater } from '../../src/updates/updater.ts'
import { behaviourOf } from '../support/release.ts'

/**
 * The updater on a simulated computer, as a process that kills itself after a step:
 * `updater-process.ts ROOT DATA_DIR [KILL_AFTER_STEP]`. The agent is simulated by its status file.
 */
const [root, dataDir, killAfter] = process.argv.slice(2) as [string, string, string?]
const installation = new Installation(root)
const statusFile = path.join(dataDir, 'status.json')
const steps = path.join(root, 'steps')
let restarts = 0

/** What the program that `current` leads to would write. */
export function statusOf(version: string, behaviour: string, startedAt: number): JudgedStatus {
  const now = Date.now()
  const isSilent = behaviour === 'silent'
  const collector = { state: 'running', detail: isSilent ? 'connection refused' : '', lastReadAt: isSilent ? null : now }
  return {
    pid: 100,
    version,
    startedAt,
    writtenAt: now,
    readingClock: { now, offsetMs: 0, wallOffsetMs: 0 },
    uplink: { state: 'sending', detail: '', lastReceiptAt: now, liveStoredTotal: behaviour === 'unsent' ? 0 : 5 },
    hub: { lastAnswerAt: now, detail: '', directives: null },
    collectors: { press: collector },
  } as unknown as JudgedStatus
}

const updater = new Updater({
  installation,
  incoming: path.join(dataDir, 'incoming'),
  confirmWithinMs: 200,
  lookMs: 10,
  settledMs: 50,
  host: {
    now: Date.now,
    sleep: (ms) => setTimeout(ms),
    async restartAgent() {
      restarts = 0
      const version = installation.linked('current') as string
      const behaviour = behaviourOf(installation.folderOf(version))
      if (behaviour === 'crashes') restarts = 5
      else writeFileSync(statusFile, JSON.stringify(statusOf(version, behaviour, performance.timeOrigin + performance.now())))
    },
    agentRestarts: async () => restarts,
    versionOf: async (folder) => readFileSync(path.join(folder, 'app/lib/version'), 'utf8'),
    status: () => {
      try {
        return JSON.parse(readFileSync(statusFile, 'utf8'))
      } catch {
        return null
      }
    },
    log: (text) => process.stdout.write(`${text}\n`),
    onStep: (step) => {
      writeFileSync(steps, `${step}\n`, { flag: 'a' })
      if (step === killAfter) process.kill(process.pid, 'SIGKILL')
    },
  },
})
await updater.run()
