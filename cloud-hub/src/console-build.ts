import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { CONSOLE_DIR } from './console-files.ts'

const SOURCE_DIR = path.join(CONSOLE_DIR, '..')
const ROOT = path.join(SOURCE_DIR, '../..')
const VITE = path.join(ROOT, 'node_modules/vite/bin/vite.js')
const SOURCES = ['src', 'public', 'build', 'index.html', 'vite.config.ts', 'package.json']
/** Files outside of the console that its build contains. */
const SHARED = ['protocol/src/units.ts', 'package-lock.json']
const STAMP = 'built-from'

/**
 * Builds the console where its build is missing or older than its sources. Without sources, as in the hub's image, or without
 * Vite, as after `npm ci --omit=dev`, the hub serves the build that is there.
 * @param say prints a line for the person who waits
 */
export async function ensureConsole(say: (text: string) => void): Promise<void> {
  if (!existsSync(path.join(SOURCE_DIR, 'vite.config.ts')) || !existsSync(VITE)) return
  const hash = hashOfSources()
  if (readStamp() === hash) return
  say('Building the console ...')
  const draft = `${CONSOLE_DIR}.part-${process.pid}`
  try {
    await promisify(execFile)(process.execPath, [VITE, 'build', '--logLevel', 'error', SOURCE_DIR], {
      env: { ...process.env, CONSOLE_OUT_DIR: draft, NODE_ENV: 'production' },
    })
    await writeFile(path.join(draft, STAMP), hash)
    await replace(draft)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Of several builds at once the last one stays; all have the same sources. */
async function replace(draft: string): Promise<void> {
  const old = `${CONSOLE_DIR}.old-${process.pid}`
  await rename(CONSOLE_DIR, old).catch(() => {})
  // another process has put its build there meanwhile
  await rename(draft, CONSOLE_DIR).catch(() => {})
  await rm(old, { recursive: true, force: true })
}

const readStamp = (): string | null => {
  try {
    return readFileSync(path.join(CONSOLE_DIR, STAMP), 'utf8')
  } catch {
    return null
  }
}

function hashOfSources(): string {
  const files = SOURCES.flatMap((name) => filesBelow(path.join(SOURCE_DIR, name)))
  const hash = createHash('sha256')
  for (const file of [...files.sort(), ...SHARED.map((name) => path.join(ROOT, name))])
    hash.update(path.relative(ROOT, file)).update('\0').update(readFileSync(file))
  return hash.digest('hex')
}

const filesBelow = (file: string): string[] => {
  if (!statSync(file).isDirectory()) return [file]
  return readdirSync(file, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}
