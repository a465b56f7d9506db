import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Installation } from '../../src/updates/installation.ts'
import { type ReportedStatus, readReportedStatus } from '../../src/updates/reported-status.ts'
import { Updater } from '../../src/updates/updater.ts'
import { behaviourOf } from '../support/release.ts'

/** What the program that `current` leads to would write. */
function statusOf(version: string, behaviour: string, startedAt: number): ReportedStatus {
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
  } as unknown as ReportedStatus
}

/**
 * The updater on a simulated computer, whose agent is simulated by its status file.
 * @param killAfter the step after which this process kills itself
 */
export function simulatedUpdater(root: string, dataDir: string, killAfter = ''): Updater {
  const installation = new Installation(root)
  const statusFile = path.join(dataDir, 'status.json')
  const steps = path.join(root, 'steps')
  let restarts = 0
  return new Updater({
    installation,
    incoming: path.join(dataDir, 'incoming'),
    confirmWithinMs: 200,
    pollIntervalMs: 10,
    settledMs: 50,
    host: {
      now: Date.now,
      sleep: (ms) => setTimeout(ms),
      async restartAgent() {
        restarts = 0
        const version = installation.linked('current') as string
        const behaviour = behaviourOf(installation.folderOf(version))
        if (behaviour === 'crashes') restarts = 5
        else {
          const status = statusOf(version, behaviour, performance.timeOrigin + performance.now())
          writeFileSync(`${statusFile}.new`, JSON.stringify(status))
          renameSync(`${statusFile}.new`, statusFile)
        }
      },
      agentRestarts: async () => restarts,
      versionOf: async (folder) => readFileSync(path.join(folder, 'app/lib/version'), 'utf8'),
      status: () => readReportedStatus(statusFile),
      log: () => {},
      onStep: (step) => {
        writeFileSync(steps, `${step}\n`, { flag: 'a' })
        if (step === killAfter) process.kill(process.pid, 'SIGKILL')
      },
    },
  })
}
