import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isAlive } from './is-alive.ts'

/** The process that must stop the server of a data directory: a file inside it, valid while that process lives. */
const ownerFile = (dataDir: string) => path.join(dataDir, 'haltless-owner')

/** Process id and, where available, start time, because ids are reused. */
function identity(pid: number): string {
  if (process.platform !== 'linux') return String(pid)
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 22, counted after the name in parentheses, which may contain spaces. Source: proc_pid_stat(5)
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return String(pid)
  }
}

/** Whether the process that a file names is alive. */
export function isNamedAlive(file: string): boolean {
  try {
    const named = readFileSync(file, 'utf8')
    const pid = Number(named.split(' ')[0])
    return isAlive(pid) && identity(pid) === named
  } catch {
    return false
  }
}

/** Creates a file that names this process, unless a live process is named there. */
export function claimFile(file: string): boolean {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      writeFileSync(file, identity(process.pid), { mode: 0o644, flag: 'wx' })
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (isNamedAlive(file)) return false
    rmSync(file, { force: true })
  }
  return false
}

export function claimOwnership(dataDir: string): void {
  rmSync(ownerFile(dataDir), { force: true })
  writeFileSync(ownerFile(dataDir), identity(process.pid), { mode: 0o644, flag: 'wx' })
}

/** Whether a live process owns the server. */
export const isOwned = (dataDir: string): boolean => isNamedAlive(ownerFile(dataDir))

export function releaseOwnership(dataDir: string): void {
  rmSync(ownerFile(dataDir), { force: true })
}
