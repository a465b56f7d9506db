import { spawn } from 'node:child_process'
import path from 'node:path'

/** `npm run bench [ROW...]`: each file in a process of its own, one after the other, one JSON line a row. docs/bench.md explains the rows. */
const root = path.resolve(import.meta.dirname, '../..')
const FILES: Record<string, string> = {
  codec: 'protocol/bench/codec.ts',
  buffer: 'edge-agent/bench/buffer.ts',
  collect: 'edge-agent/bench/collect.ts',
  ingest: 'cloud-hub/bench/ingest.ts',
  alert: 'cloud-hub/bench/alert.ts',
  api: 'cloud-hub/bench/api.ts',
  readings: 'cloud-hub/bench/readings.ts',
  machines: 'cloud-hub/bench/machines.ts',
  limit: 'cloud-hub/bench/limit.ts',
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((row) => !((row.split('.')[0] as string) in FILES))
if (unknown.length > 0) {
  process.stderr.write(`There is no row ${unknown.join(', ')}. Rows begin with ${Object.keys(FILES).join(', ')}.\n`)
  process.exit(1)
}
for (const [area, file] of Object.entries(FILES)) {
  const rows = wanted.filter((row) => row.split('.')[0] === area)
  if (wanted.length > 0 && rows.length === 0) continue
  // `npm run bench ingest` runs all rows of the area
  const names = rows.includes(area) ? [] : rows
  const code = await new Promise((done) =>
    spawn(process.execPath, [path.join(root, file), ...names], { stdio: 'inherit' }).once('exit', done),
  )
  if (code !== 0) process.exit(1)
}
