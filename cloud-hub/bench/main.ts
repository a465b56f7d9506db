import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { AREAS, FILES } from './areas.ts'

/**
 * `npm run bench [-- --short] [--cmapss DIR] [ROW...]`: runs each file in a separate process, one after the other, and prints one JSON line per row.
 * docs/bench.md explains the rows. With --short the processes run beside each other.
 */
const root = path.resolve(import.meta.dirname, '../..')
const SHORT_AT_A_TIME = 3

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean' },
    cmapss: { type: 'string' },
    help: { type: 'boolean' },
    version: { type: 'boolean' },
  },
})
if (options.help) {
  const areas = FILES.map(({ area, rows }) => `  ${area}: ${rows.join(', ')}\n`)
  process.stdout.write(`Usage: npm run bench -- [--short] [--cmapss DIR] [AREA|ROW...]
Measures each row and prints one JSON line per row. Without a name it measures all rows.
Areas and their rows:
${areas.join('')}`)
  process.exit(0)
}
if (options.version) {
  process.stdout.write(`${packageJson.version}\n`)
  process.exit(0)
}
const known = FILES.flatMap(({ area, rows }) => [area, ...rows])
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  const rows = FILES.flatMap((file) => file.rows)
  process.stderr.write(
    `There is no row ${unknown.join(', ')}. Rows: ${rows.join(', ')}; or all of ${Object.keys(AREAS).join(', ')}.\n`,
  )
  process.exit(1)
}
const cluster = options.short ? await readyCluster() : null
const children = new Set<ChildProcess>()
let stopped = 0

/** Measures the rows of one file in a separate process. @returns its exit code */
async function measure({ file, names }: { file: string; names: readonly string[] }): Promise<number> {
  const child = spawn(process.execPath, [path.join(root, file), ...names], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(cluster && { BENCH_SHORT: '1', BENCH_CLUSTER: cluster }),
      ...(options.cmapss && { BENCH_CMAPSS: path.resolve(options.cmapss) }),
    },
  })
  children.add(child)
  const code = await exitCode(child)
  children.delete(child)
  return code
}

// Ctrl-C in a terminal signals all processes. A child stops its own processes, and this one waits for it.
process.on('SIGINT', () => {
  stopped = 128 + constants.signals.SIGINT
})
process.on('SIGTERM', () => {
  stopped = 128 + constants.signals.SIGTERM
  for (const child of children) child.kill('SIGTERM')
})
const waiting = FILES.flatMap(({ area, file, rows }) => {
  const names = wanted.includes(area) || wanted.length === 0 ? rows : rows.filter((row) => wanted.includes(row))
  return names.length > 0 ? [{ file, names }] : []
})
let failed = 0
// figures of a short run mean nothing, so its files run beside each other
await Promise.all(
  Array.from({ length: options.short ? SHORT_AT_A_TIME : 1 }, async () => {
    for (let next = waiting.shift(); next && stopped === 0; next = waiting.shift()) {
      const code = await measure(next)
      if (code > 128) stopped = code
      else if (code !== 0) failed++
    }
  }),
)
if (cluster) rmSync(path.dirname(cluster), { recursive: true, force: true })
process.exit(stopped || (failed > 0 ? 1 : 0))

/** Creates one database cluster that every hub of a short run starts with a copy of: creating one takes 3 seconds of CPU. */
async function readyCluster(): Promise<string> {
  const dir = mkdtempSync(path.join(tmpdir(), 'haltless-bench-cluster-'))
  chmodSync(dir, 0o755)
  const cluster = path.join(dir, 'ready')
  const code = await exitCode(spawn(process.execPath, [path.join(import.meta.dirname, 'ready-cluster.ts'), cluster]))
  if (code === 0) return cluster
  rmSync(dir, { recursive: true, force: true })
  throw new Error(`The database cluster could not be created (${code}).`)
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((done) =>
    child.once('exit', (status, signal) => done(status ?? 128 + constants.signals[signal as NodeJS.Signals])),
  )
}
