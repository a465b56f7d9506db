import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { processesWith, until } from '../test/processes.ts'
import { NotRun, type RowContext } from './row.ts'

/** Mounts a tmpfs of this size. @returns its folder @throws NotRun where mounting is not permitted */
export function mountSmallDisk(context: RowContext, megabytes: number): string {
  const dir = path.join(context.dir, 'disk')
  mkdirSync(dir)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    throw new NotRun('needs root to mount a small file system')
  }
  context.defer(async () => {
    await until('nothing runs on the small disk', () => processesWith(dir).length === 0)
    execFileSync('umount', [dir])
  })
  chmodSync(dir, 0o755)
  return dir
}
