import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }

/**
 * `npm run bench [-- --short] [--cmapss DIR] [ROW...]`: runs each file in a separate process, one after the other, and prints one JSON line per row.
 * docs/bench.md explains the rows.
 */
const root = path.resolve(import.meta.dirname, '../..')
const AREAS: Record<string, Record<string, readonly string[]>> = {
  codec: { 'protocol/bench/codec.ts': ['codec.bytes', 'codec.cpu', 'wire.live', 'wire.live10'] },
  buffer: {
    'edge-agent/bench/buffer.ts': [
      'buffer.append',
      'buffer.drain',
      'buffer.live',
      'buffer.live10',
      'buffer.bytes',
      'buffer.bytes10',
      'buffer.wear',
      'buffer.wear10',
    ],
  },
  collect: {
    'edge-agent/bench/collect.ts': ['collect.modbus', 'collect.opcua'],
    'edge-agent/bench/node-red.ts': ['collect.node-red.cpu', 'collect.node-red.memory'],
  },
  ingest: {
    'cloud-hub/bench/ingest.ts': [
      'ingest.json.backlog',
      'ingest.json.live',
      'ingest.mqtt.backlog',
      'ingest.mqtt.live',
      'ingest.keys',
      'ingest.keys.bytes',
      'ingest.growth',
      'ingest.growth.live',
      'ingest.wide',
    ],
    'cloud-hub/bench/first-contact.ts': ['ingest.contact.slowest', 'ingest.contact.memory'],
    'cloud-hub/bench/late.ts': ['ingest.late'],
    'cloud-hub/bench/steady.ts': ['ingest.steady'],
    'cloud-hub/bench/soak.ts': ['ingest.soak.memory', 'ingest.soak.healthz'],
  },
  alert: { 'cloud-hub/bench/alert.ts': ['alert.webhook.p50', 'alert.webhook.p99', 'alert.busy.p50', 'alert.busy.p99'] },
  api: { 'cloud-hub/bench/api.ts': ['api.latest', 'api.machines'] },
  readings: {
    'cloud-hub/bench/readings.ts': ['readings.hours', 'readings.scan', 'readings.raw', 'readings.minutes'],
    'cloud-hub/bench/stored.ts': ['readings.stored', 'readings.stored.noisy', 'readings.stored.doubles'],
  },
  machines: { 'cloud-hub/bench/machines.ts': ['machines.list'] },
  shifts: { 'cloud-hub/bench/shifts.ts': ['shifts.comparison'] },
  fleet: { 'cloud-hub/bench/fleet.ts': ['fleet.status', 'fleet.sites.comparison', 'fleet.mttr-mtbf'] },
  jobs: { 'cloud-hub/bench/jobs.ts': ['jobs.idle', 'jobs.statement'] },
  unread: { 'cloud-hub/bench/unread.ts': ['unread.memory', 'unread.p99'] },
  limit: { 'cloud-hub/bench/limit.ts': ['limit.cost'] },
  tags: { 'cloud-hub/bench/tags.ts': ['tags.suggest'] },
  console: {
    'cloud-hub/bench/console.ts': [
      'console.load.bytes',
      'console.load.paint',
      'console.chart.90d',
      'console.chart.zoom',
      'console.alerts',
      'console.machines',
      'console.memory',
    ],
  },
  predictions: { 'cloud-hub/bench/predictions.ts': ['predictions.simulated', 'predictions.cmapss'] },
}
const FILES = Object.entries(AREAS).flatMap(([area, files]) =>
  Object.entries(files).map(([file, rows]) => ({ area, file, rows })),
)

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
Measures each row in a process of its own and prints one JSON line per row. Without a name it measures all rows.
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
let failed = 0
for (const { area, file, rows } of FILES) {
  const names = wanted.includes(area) || wanted.length === 0 ? rows : rows.filter((row) => wanted.includes(row))
  if (names.length === 0) continue
  const child = spawn(
    process.execPath,
    ['--import', path.join(root, 'cloud-hub/src/db/driver-patches.ts'), path.join(root, file), ...names],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        ...(options.short ? { BENCH_SHORT: '1' } : {}),
        ...(options.cmapss ? { BENCH_CMAPSS: path.resolve(options.cmapss) } : {}),
      },
    },
  )
  // Ctrl-C in a terminal signals both processes. The child stops its own processes, and this one waits for it.
  const [wait, stop] = [() => {}, () => child.kill('SIGTERM')]
  process.on('SIGINT', wait).on('SIGTERM', stop)
  const code = await new Promise<number>((done) =>
    child.once('exit', (status, signal) => done(status ?? 128 + constants.signals[signal as NodeJS.Signals])),
  )
  process.off('SIGINT', wait).off('SIGTERM', stop)
  if (code > 128) process.exit(code)
  if (code !== 0) failed++
}
process.exit(failed > 0 ? 1 : 0)
