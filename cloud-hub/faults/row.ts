import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesWith, until } from '../test/processes.ts'
import { type Comparison, EMPTY_COMPARISON } from './compare.ts'
import { type Random, seededRandom } from './random.ts'

/** One fault: what a row does to the system, and what must be true afterwards. docs/faults.md explains the rows. */
export interface FaultRow {
  name: string
  area: 'hub' | 'edge'
  /** describes what the row does to the system */
  what: string
  /** the row needs little CPU, so the command runs it beside the others */
  isMostlyIdle?: boolean
  /** the row limits the agent's buffer, so the agent may drop readings if it reports them; no other row may */
  mayDropReadings?: boolean
  run(context: RowContext): Promise<RowOutcome>
}

/** What a row found. It passes when lost equals declared, nothing else differs, and it reports no failure. */
export interface RowOutcome {
  counts: Comparison
  /** readings that the agent reported as dropped: exactly these may be lost */
  declared?: number
  /** measurements worth reading, such as times to recover */
  note?: string
}

export interface RowContext {
  short: boolean
  random: Random
  /** a temporary folder of the row, which PostgreSQL's user may enter */
  dir: string
  /** `full` in the full run, `short` in the tests */
  fullOrShort(full: number, short: number): number
  /** shows the progress of the row */
  say(what: string): void
  /** records that a promise was broken; the row goes on and does not pass */
  reportFailure(what: string): void
  /** registers clean-up, which always runs at the end of the row, in reverse order */
  defer(undo: () => unknown): void
  sleep(ms: number): Promise<void>
}

export interface RowReport extends Comparison {
  row: string
  seed: number
  passed: boolean
  declared: number
  seconds: number
  note: string
  failures: string[]
  /** why this machine cannot run the row, which then does not pass */
  notRun?: string
}

/** Thrown when this machine cannot run the row; `message` names the missing requirement. */
export class NotRun extends Error {}

/** Prefix of temporary folders. The process id follows, so that a later run finds those of a dead process. */
export const FOLDER = 'haltless-faults-'

/** Runs one row in a folder of its own and removes its processes and the folder afterwards. */
export async function runRow(
  row: FaultRow,
  options: { short: boolean; seed: number; say?: (what: string) => void; signal?: AbortSignal },
): Promise<RowReport> {
  const dir = mkdtempSync(path.join(os.tmpdir(), `${FOLDER}${process.pid}-`))
  chmodSync(dir, 0o755)
  const undo: (() => unknown)[] = []
  const failures: string[] = []
  // an aborted row may still be starting something
  let isOver = false
  const say = options.say ?? (() => {})
  const context: RowContext = {
    short: options.short,
    random: seededRandom(options.seed, row.name),
    dir,
    fullOrShort: (full, short) => (options.short ? short : full),
    say,
    reportFailure: (what) => failures.push(what),
    defer: (step) => (isOver ? void undone([step]) : undo.push(step)),
    sleep: (ms) => sleep(ms, undefined, { signal: options.signal }),
  }
  const started = performance.now()
  const report = (counts: Comparison, rest: Partial<RowReport> = {}): RowReport => ({
    row: row.name,
    seed: options.seed,
    passed: false,
    ...counts,
    examples: rest.passed ? [] : counts.examples,
    declared: 0,
    seconds: (performance.now() - started) / 1000,
    note: '',
    // a reading that was declared dropped is not a difference
    failures: rest.passed ? [] : [...failures, ...counts.examples],
    ...rest,
  })
  const stopped = new Promise<never>((_, reject) => {
    options.signal?.addEventListener('abort', () => reject(new Error('it was stopped')), { once: true })
  })
  stopped.catch(() => {})
  const outcome = async (): Promise<RowReport> => {
    try {
      const { counts, declared = 0, note = '' } = await Promise.race([row.run(context), stopped])
      if (counts.readings === 0) failures.push('nothing was sent, so the run proves nothing')
      if (declared > 0 && !row.mayDropReadings)
        failures.push(`the agent dropped ${declared} readings although its disk had space`)
      if (counts.falselyAccepted > 0) failures.push(`${counts.falselyAccepted} readings were confirmed and are not stored`)
      const passed = failures.length === 0 && counts.lost === declared && counts.invented + counts.altered + counts.doubled === 0
      return report(counts, { passed, declared, note })
    } catch (error) {
      if (error instanceof NotRun) return report(EMPTY_COMPARISON, { notRun: error.message })
      failures.push(`it failed: ${(error as Error).message}`)
      return report(EMPTY_COMPARISON)
    }
  }
  const found = await outcome()
  say('cleaning up')
  isOver = true
  await undone(undo.reverse())
  try {
    // PostgreSQL ends a moment after its hub
    await until('nothing runs on the folder', () => processesWith(dir).length === 0, 60_000)
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    return found
  } catch (error) {
    return { ...found, passed: false, failures: [...found.failures, `it left something behind: ${(error as Error).message}`] }
  }
}

async function undone(steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) await (async () => step())().catch(() => {})
}

/** Removes what killed runs left behind: folders, programs that work in them, file systems mounted there. */
export function removeLeftovers(): void {
  for (const name of readdirSync(os.tmpdir())) {
    const pid = new RegExp(`^${FOLDER}(\\d+)-`).exec(name)?.[1]
    if (!pid) continue
    try {
      process.kill(Number(pid), 0)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') continue
      const dir = path.join(os.tmpdir(), name)
      for (const left of processesWith(dir)) process.kill(left, 'SIGKILL')
      const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : []
      for (const place of mounts.map((line) => line.split(' ')[1] ?? '').filter((at) => at.startsWith(`${dir}/`)))
        execFileSync('umount', ['-l', place])
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
