import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root, surroundings } from '../../test/processes.ts'
import { FOLDER, type RowReport } from '../row.ts'
import { allRows } from '../rows.ts'
import { applyMutant, MUTANTS, type Mutant, PROMISES, pathOf } from './table.ts'

const PACKAGES = ['protocol', 'edge-agent', 'cloud-hub']

/** Copies the sources to a temporary folder and links the installed packages. Our own packages are those of the copy. */
function copySources(): string {
  const copy = mkdtempSync(path.join(os.tmpdir(), `${FOLDER}${process.pid}-mutants-`))
  const names = [...PACKAGES, 'install', 'package.json', 'package-lock.json', 'tsconfig.json']
  for (const name of names)
    cpSync(path.join(root, name), path.join(copy, name), {
      recursive: true,
      filter: (from) => path.basename(from) !== 'node_modules',
    })
  // rows with an old hub take it from the history
  if (existsSync(path.join(root, '.git'))) symlinkSync(path.join(root, '.git'), path.join(copy, '.git'))
  for (const owner of ['', ...PACKAGES]) linkPackages(path.join(root, owner), path.join(copy, owner))
  return copy
}

function linkPackages(from: string, to: string): void {
  const [installed, linked] = [path.join(from, 'node_modules'), path.join(to, 'node_modules')]
  const names = namesIn(installed).filter((name) => name !== '@haltless' && name !== '.cache')
  if (names.length === 0) return
  mkdirSync(linked)
  for (const name of names) symlinkSync(path.join(installed, name), path.join(linked, name))
  if (!namesIn(installed).includes('@haltless')) return
  mkdirSync(path.join(linked, '@haltless'))
  for (const name of PACKAGES) symlinkSync(path.join(to, name), path.join(linked, '@haltless', name))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Runs a row on the sources of the copy. @throws Error when it gave no report */
function runRowOf(copy: string, name: string, needsFullForm: boolean, seed: number, signal: AbortSignal): Promise<RowReport> {
  const area = allRows.find((row) => row.name === name)?.area ?? 'all'
  const args = ['cloud-hub/faults/main.ts', area, name, '--json', '--seed', String(seed), ...(needsFullForm ? [] : ['--short'])]
  const child = spawn(path.join(copy, 'install/nodew'), args, {
    cwd: copy,
    env: surroundings(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // the row cleans up and ends
  const stop = () => child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err = (err + text).slice(-2_000)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      signal.removeEventListener('abort', stop)
      try {
        resolve(JSON.parse(out))
      } catch {
        reject(new Error(signal.aborted ? 'it was stopped' : `the row ${name} gave no report: ${err.trim()}`))
      }
    })
  })
}

const LINE = [49, 48, 18] as const
const line = (...cells: readonly string[]) =>
  `${cells
    .map((cell, i) => cell.padEnd(LINE[i] ?? 0))
    .join('  ')
    .trimEnd()}\n`

/**
 * Applies one mutant after another to a copy of the sources, and runs the row that must detect it. Each row must pass on the
 * unchanged sources first: a row that fails anyway detects nothing.
 * @param names rows whose mutants run; all when empty
 * @returns whether every mutant was detected
 */
export async function runMutants(names: readonly string[], seed: number, signal: AbortSignal): Promise<boolean> {
  const chosen = MUTANTS.filter(({ row }) => names.length === 0 || names.includes(row))
  const copy = copySources()
  let areAllDetected = true
  try {
    process.stdout.write(line('promise', 'mutant', 'row', 'detected'))
    const unmutated = new Map<string, RowReport>()
    for (const mutant of chosen) {
      if (signal.aborted) return false
      const key = `${mutant.row} ${mutant.needsFullForm}`
      const before = unmutated.get(key) ?? (await runRowOf(copy, mutant.row, mutant.needsFullForm ?? false, seed, signal))
      unmutated.set(key, before)
      const seen = before.passed
        ? await isDetected(copy, mutant, seed, signal)
        : `NO: ${mutant.row} does not pass without the mutant: ${before.notRun ?? before.failures[0]}`
      if (!seen.startsWith('yes')) areAllDetected = false
      const row = mutant.needsFullForm ? `${mutant.row} (full)` : mutant.row
      process.stdout.write(line(`${mutant.promise} ${PROMISES[mutant.promise]}`, mutant.name, row, seen))
    }
  } finally {
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
  }
  return areAllDetected && !signal.aborted
}

async function isDetected(copy: string, mutant: Mutant, seed: number, signal: AbortSignal): Promise<string> {
  const file = path.join(copy, pathOf(mutant))
  const source = readFileSync(file, 'utf8')
  writeFileSync(file, applyMutant(mutant, source))
  try {
    const report = await runRowOf(copy, mutant.row, mutant.needsFullForm ?? false, seed, signal)
    const { passed, notRun, failures } = report
    if (notRun) return `NO: the row did not run: ${notRun}`
    if (passed) return 'NO: the mutant survives'
    return mutant.isDetected(report) ? 'yes' : `NO: the row failed for another reason: ${failures[0] ?? 'its numbers'}`
  } finally {
    writeFileSync(file, source)
  }
}
