import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import path from 'node:path'
import packageJson from '../package.json' with { type: 'json' }

/**
 * `npm run bench [ROW...]`: runs each file in a separate process, one after the other, and prints one JSON line per row.
 * docs/bench.md explains the rows.
 */
const root = path.resolve(import.meta.dirname, '../..')
const AREAS: Record<string, { file: string; rows: readonly string[] }> = {
  codec: { file: 'protocol/bench/codec.ts', rows: ['codec.bytes', 'codec.cpu'] },
  buffer: { file: 'edge-agent/bench/buffer.ts', rows: ['buffer.append', 'buffer.drain'] },
  collect: { file: 'edge-agent/bench/collect.ts', rows: ['collect.modbus', 'collect.opcua'] },
  ingest: { file: 'cloud-hub/bench/ingest.ts', rows: ['ingest.json', 'ingest.mqtt', 'ingest.growth'] },
  alert: {
    file: 'cloud-hub/bench/alert.ts',
    rows: ['alert.webhook.p50', 'alert.webhook.p99', 'alert.busy.p50', 'alert.busy.p99'],
  },
  api: { file: 'cloud-hub/bench/api.ts', rows: ['api.latest', 'api.machines'] },
  readings: { file: 'cloud-hub/bench/readings.ts', rows: ['readings.hours', 'readings.raw'] },
  machines: { file: 'cloud-hub/bench/machines.ts', rows: ['machines.list'] },
  unread: { file: 'cloud-hub/bench/unread.ts', rows: ['unread.memory', 'unread.p99'] },
  limit: { file: 'cloud-hub/bench/limit.ts', rows: ['limit.cost'] },
}

const wanted = process.argv.slice(2)
if (wanted.includes('--version')) {
  process.stdout.write(`${packageJson.version}\n`)
  process.exit(0)
}
const known = Object.entries(AREAS).flatMap(([area, { rows }]) => [area, ...rows])
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  const rows = Object.values(AREAS).flatMap((area) => area.rows)
  process.stderr.write(
    `There is no row ${unknown.join(', ')}. Rows: ${rows.join(', ')}; or all of ${Object.keys(AREAS).join(', ')}.\n`,
  )
  process.exit(1)
}
let failed = 0
for (const [area, { file, rows }] of Object.entries(AREAS)) {
  const names = wanted.includes(area) || wanted.length === 0 ? rows : rows.filter((row) => wanted.includes(row))
  if (names.length === 0) continue
  const child = spawn(process.execPath, [path.join(root, file), ...names], { stdio: 'inherit' })
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
