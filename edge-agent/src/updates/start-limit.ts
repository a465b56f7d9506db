import { mkdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { writeDurably } from '../support/durable-file.ts'
import type { Installation } from './installation.ts'
import type { UpdaterHost } from './updater.ts'

const StartsFile = z.object({
  /** starts that followed each other without a quiet hour */
  count: z.int().min(0),
  /** the newest one, Unix ms */
  at: z.number(),
})

const QUIET_MS = 3_600_000
/** As many as an update takes whose trial power cuts interrupt, and one more. */
const STARTS_AT_ONCE = 5
const FIRST_WAIT_MS = 10_000
/** With the trial that follows it fits into TimeoutStartSec of the unit. */
const WAIT_MAX_MS = 600_000
/** On a disk that accepts no count. */
const UNCOUNTED_WAIT_MS = 60_000

/**
 * Counts this start of the updater, and waits longer each time where starts follow each other: on a disk that fails, or when something
 * hands over requests again and again. The limit of systemd would end the path unit until a person starts it.
 */
export async function awaitTurn(installation: Installation, host: Pick<UpdaterHost, 'now' | 'sleep' | 'log'>): Promise<void> {
  const waitMs = countStart(installation, host.now())
  if (waitMs === 0) return
  host.log(`many starts follow each other: waiting for ${waitMs / 1_000} s`)
  await host.sleep(waitMs)
}

/** @returns how long to wait, ms */
function countStart(installation: Installation, now: number): number {
  const file = installation.updateFile('starts.json')
  const known = readStarts(file)
  const isQuiet = known === null || now - known.at >= QUIET_MS || now < known.at
  const count = isQuiet ? 1 : known.count + 1
  try {
    // the agent's user reads the other files of this folder
    mkdirSync(installation.updateFile('.'), { recursive: true, mode: 0o755 })
    writeDurably(file, JSON.stringify({ count, at: now }))
  } catch {
    return UNCOUNTED_WAIT_MS
  }
  return count <= STARTS_AT_ONCE ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (count - STARTS_AT_ONCE - 1), WAIT_MAX_MS)
}

function readStarts(file: string): z.infer<typeof StartsFile> | null {
  try {
    return StartsFile.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}
