import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesWith, until } from '../test/processes.ts'
import { type Chance, chance } from './chance.ts'
import { type Comparison, NOTHING } from './compare.ts'

/** One fault: what is done to the system, and what must be true afterwards. docs/faults.md explains the rows. */
export interface FaultRow {
  name: string
  area: 'hub' | 'edge'
  /** a sentence about what is done to the system */
  what: string
  /** it hardly works: the command runs it beside the others */
  mostlyWaits?: boolean
  /** it takes away the sender's room, so that readings may be dropped as long as that is told; nowhere else may any be */
  mayDrop?: boolean
  run(context: RowContext): Promise<RowOutcome>
}

/** What a row says it found. It holds when the four numbers agree and it has no complaint. */
export interface RowOutcome {
  counts: Comparison
  /** readings that the sender said it had dropped: what may be lost, and no more */
  declared?: number
  /** measurements worth reading, such as times to recover */
  note?: string
}

export interface RowContext {
  short: boolean
  chance: Chance
  /** a folder of the row's own, gone afterwards; PostgreSQL's user may enter it */
  dir: string
  /** `full` times in the full run, `short` times in `npm test` */
  times(full: number, short: number): number
  /** what is happening now, for the line on the screen */
  say(what: string): void
  /** a promise of the row's own that did not hold */
  complain(what: string): void
  /** run at the end, last one first, however the row ends */
  defer(undo: () => unknown): void
  sleep(ms: number): Promise<void>
}

export interface RowReport extends Comparison {
  row: string
  seed: number
  held: boolean
  declared: number
  seconds: number
  note: string
  complaints: string[]
  /** set where this machine cannot do what the row needs: it does not claim to hold */
  notRun?: string
}

/** Thrown by a row that cannot run on this machine; `message` says what it needs. */
export class NotRun extends Error {}

/** Folders of a process are named so, with its id: what a dead one left is found by that. */
export const FOLDER = 'haltless-faults-'

/** Runs one row in a folder of its own, and leaves nothing behind: no process, no folder. */
export async function runRow(
  row: FaultRow,
  options: { short: boolean; seed: number; say?: (what: string) => void; signal?: AbortSignal },
): Promise<RowReport> {
  const dir = mkdtempSync(path.join(os.tmpdir(), `${FOLDER}${process.pid}-`))
  chmodSync(dir, 0o755)
  const undo: (() => unknown)[] = []
  const complaints: string[] = []
  // a row that was stopped may be in the middle of starting something
  let isOver = false
  const say = options.say ?? (() => {})
  const context: RowContext = {
    short: options.short,
    chance: chance(options.seed, row.name),
    dir,
    times: (full, short) => (options.short ? short : full),
    say,
    complain: (what) => complaints.push(what),
    defer: (step) => (isOver ? void undone([step]) : undo.push(step)),
    sleep: (ms) => sleep(ms, undefined, { signal: options.signal }),
  }
  const started = performance.now()
  const report = (counts: Comparison, rest: Partial<RowReport> = {}): RowReport => ({
    row: row.name,
    seed: options.seed,
    held: false,
    ...counts,
    examples: rest.held ? [] : counts.examples,
    declared: 0,
    seconds: (performance.now() - started) / 1000,
    note: '',
    // what was declared dropped is an example of nothing
    complaints: rest.held ? [] : [...complaints, ...counts.examples],
    ...rest,
  })
  const stopped = new Promise<never>((_, reject) => {
    options.signal?.addEventListener('abort', () => reject(new Error('it was stopped')), { once: true })
  })
  stopped.catch(() => {})
  const outcome = async (): Promise<RowReport> => {
    try {
      const { counts, declared = 0, note = '' } = await Promise.race([row.run(context), stopped])
      if (counts.readings === 0) complaints.push('nothing was sent, so nothing is proven')
      if (declared > 0 && !row.mayDrop) complaints.push(`the agent dropped ${declared} readings although its disk suffices`)
      if (counts.falseYes > 0) complaints.push(`${counts.falseYes} readings were answered with a yes and are not there`)
      const held = complaints.length === 0 && counts.lost === declared && counts.invented + counts.altered + counts.doubled === 0
      return report(counts, { held, declared, note })
    } catch (error) {
      if (error instanceof NotRun) return report(NOTHING, { notRun: error.message })
      complaints.push(`it could not go on: ${(error as Error).message}`)
      return report(NOTHING)
    }
  }
  const found = await outcome()
  say('cleaning up')
  isOver = true
  await undone(undo.reverse())
  try {
    // PostgreSQL follows its hub a moment later
    await until('nothing runs on the folder', () => processesWith(dir).length === 0, 60_000)
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    return found
  } catch (error) {
    return { ...found, held: false, complaints: [...found.complaints, `it left something behind: ${(error as Error).message}`] }
  }
}

async function undone(steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) await (async () => step())().catch(() => {})
}

/** What runs left behind that were killed before they could clean up: folders, programs that work in them, file systems mounted there. */
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
