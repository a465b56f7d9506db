import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { root } from '../test/processes.ts'
import { NotRun, type RowContext } from './row.ts'

/** The commit from which hubs are upgraded: that of the newest migration that needs all hubs stopped (`0012_standard_names`). */
const COMMIT = 'b41eb853'
/** The packages of this repository, which the old version has of its own. */
const OWN_SCOPE = '@haltless'

/**
 * Extracts that version from the history. Its packages are those of the present checkout, which has all that it needs.
 * @returns the path of its program
 * @throws NotRun where the history lacks it
 */
export function oldHub(context: RowContext): string {
  const dir = path.join(context.dir, 'old')
  const modules = path.join(dir, 'node_modules')
  mkdirSync(path.join(modules, OWN_SCOPE), { recursive: true })
  try {
    const archive = execFileSync('git', ['archive', COMMIT], {
      cwd: root,
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    execFileSync('tar', ['-x', '-C', dir], { input: archive })
  } catch {
    throw new NotRun(`the history of this checkout lacks commit ${COMMIT}`)
  }
  const present = path.join(root, 'node_modules')
  for (const name of readdirSync(present)) if (name !== OWN_SCOPE) symlinkSync(path.join(present, name), path.join(modules, name))
  for (const name of ['cloud-hub', 'edge-agent', 'protocol']) {
    symlinkSync(path.join(dir, name), path.join(modules, OWN_SCOPE, name))
    // packages whose version differs from that of another workspace
    const own = path.join(root, name, 'node_modules')
    if (existsSync(own)) symlinkSync(own, path.join(dir, name, 'node_modules'))
  }
  return path.join(dir, 'cloud-hub/src/main.ts')
}
