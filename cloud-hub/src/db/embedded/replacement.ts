import { existsSync, renameSync, rmSync } from 'node:fs'
import { isNamedAlive } from './owner.ts'

/** Beside a data directory: one that is being recovered, one that is recovered, and the process that does it. */
export const recoveringDir = (dataDir: string): string => `${dataDir}.recovering`
export const recoveredDir = (dataDir: string): string => `${dataDir}.recovered`
export const lockFile = (dataDir: string): string => `${dataDir}.restore-lock`

/** Free for a data directory that is kept. */
function keptDir(dataDir: string): string {
  const stem = `${dataDir}.before-restore-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  for (let n = 1; ; n++) {
    const name = n === 1 ? stem : `${stem}-${n}`
    if (!existsSync(name)) return name
  }
}

/**
 * Puts a recovered data directory in the place of the present one, which is kept. Each step is a rename, so that after a kill the
 * next call does the rest.
 * @returns where the one before is; null: there was none
 */
export function placeRecovered(dataDir: string): string | null {
  const kept = existsSync(dataDir) ? keptDir(dataDir) : null
  if (kept) renameSync(dataDir, kept)
  renameSync(recoveredDir(dataDir), dataDir)
  return kept
}

/**
 * Before a server starts: completes a restore that was killed after its recovery had succeeded.
 * @throws while a restore is running
 */
export async function completeReplacement(dataDir: string, log: (line: string) => void): Promise<void> {
  if (isNamedAlive(lockFile(dataDir)))
    throw new Error('A restore is replacing this database: wait for its end, then start again.')
  if (!existsSync(recoveredDir(dataDir))) return
  const kept = placeRecovered(dataDir)
  rmSync(lockFile(dataDir), { force: true })
  log(`A restore that was interrupted is complete now.${kept ? ` The database before it is at ${kept}.` : ''}`)
}
