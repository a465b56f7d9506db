import { execFileSync } from 'node:child_process'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../..')

/** A fault that the person who packages can mend; the message says how. */
export class PackagingError extends Error {
  override name = 'PackagingError'
}

/** Runs a program, with settings that do not depend on the machine. @throws PackagingError with what the program wrote */
export function run(program: string, args: readonly string[], options: { cwd?: string; input?: Buffer } = {}): Buffer {
  try {
    return execFileSync(program, args, {
      cwd: options.cwd ?? root,
      ...(options.input && { input: options.input }),
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 1 << 30,
    })
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer }
    if (code === 'ENOENT') throw new PackagingError(`The program ${program} is missing: install it.`)
    throw new PackagingError(`${program} ${args[0] ?? ''} failed:\n${stderr?.toString().trim() ?? ''}`)
  }
}
