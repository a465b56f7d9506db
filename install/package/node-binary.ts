import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Platform } from './platforms.ts'
import { PackagingError, root, run } from './run.ts'

/**
 * Fetches Node's program for a platform, also for another than this machine's, and unpacks it as it was published: not stripped.
 * @returns its version
 * @throws PackagingError when what came differs from the checksum in package-lock.json
 */
export function unpackNode({ node }: Platform, programDir: string, workDir: string): string {
  const name = `node-linux-${node}`
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>
  }
  const locked = lock.packages[`node_modules/${name}`]
  if (!locked) throw new PackagingError(`package-lock.json does not name ${name}.`)
  const dir = mkdtempSync(path.join(workDir, 'node-'))
  run('npm', ['pack', `${name}@${locked.version}`, '--pack-destination', dir, '--prefer-offline', '--silent'])
  const file = path.join(dir, `${name}-${locked.version}.tgz`)
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (integrity !== locked.integrity)
    throw new PackagingError(`${name} ${locked.version} has another checksum than package-lock.json: ${integrity}.`)
  run('tar', ['-x', '-z', '-f', file, '-C', programDir, '--strip-components=1', 'package/bin/node', 'package/LICENSE'])
  renameSync(path.join(programDir, 'LICENSE'), path.join(programDir, 'LICENSE.node'))
  rmSync(dir, { recursive: true })
  return locked.version
}
