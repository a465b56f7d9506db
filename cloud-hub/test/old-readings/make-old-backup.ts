import '../../src/db/driver-patches.ts'
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { oldHub } from '../../faults/old-hub.ts'
import type { RowContext } from '../../faults/row.ts'

/**
 * Wrote `readings-of-c79cc08.backup` and its `.json` once: a hub of the last commit that stores readings as rows received readings over
 * HTTP, answered, and made a backup. It needs that commit in the history: `./install/nodew cloud-hub/test/old-readings/make-old-backup.ts`.
 */
const FROM = Date.UTC(2026, 10, 18)
const [HOUR, DAY] = [3_600_000, 86_400_000]
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
const PORT = 18_431
const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-old-'))
const script = oldHub({ dir } as RowContext)
const env = {
  ...{
    PATH: process.env.PATH,
    DATA_DIR: path.join(dir, 'data'),
    SECRET_KEY,
    PORT: String(PORT),
    MQTT_PORT: '0',
    HOST: '127.0.0.1',
  },
  LOG_LEVEL: 'warn',
}
const hub = spawn(process.execPath, [script, 'serve'], { env, stdio: 'inherit' })
const url = `http://127.0.0.1:${PORT}`
while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) await setTimeout(200)

let token = ''
async function call<T>(method: string, route: string, body?: unknown, as: 'json' | 'text' = 'json', key?: string): Promise<T> {
  const answer = await fetch(`${url}/api/v1/${route}`, {
    method,
    headers: { 'content-type': 'application/json', ...(key ? { 'x-api-key': key } : { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${route} answered ${answer.status}: ${await answer.text()}`)
  return (await (as === 'json' ? answer.json() : answer.text())) as T
}
const account = { email: 'ada@example.com', password: 'Correct-horse-7', full_name: 'Ada', tenant_name: 'Mill' }
token = (await call<{ access_token: string }>('POST', 'auth/register', account)).access_token
const { key } = await call<{ key: string }>('POST', 'api-keys', { name: 'line' })

/** Value and distance of the readings of each series: decimals, counters, states, doubles with all digits, irregular times. */
const SERIES: Record<string, { stepMs: (i: number) => number; value: (i: number) => number }> = {
  temperature: { stepMs: () => 10_000, value: (i) => Math.round(600 + 100 * Math.sin(i / 300)) / 10 },
  parts: { stepMs: () => 30_000, value: (i) => Math.floor(i / 3) },
  state: { stepMs: () => 60_000, value: (i) => Math.floor(i / 97) % 4 },
  vibration: { stepMs: (i) => 20_000 + ((i * 7_919) % 9_001), value: (i) => Math.sin(i) / 3 },
}
const machines: { id: string; name: string }[] = []
for (const name of ['saw', 'press']) {
  const { id } = await call<{ id: string }>('POST', 'machines', { name, machine_identifier: name, protocol: 'json' })
  machines.push({ id, name })
  for (const [metric, { stepMs, value }] of Object.entries(SERIES)) {
    const readings: object[] = []
    for (let at = FROM, i = 0; at < FROM + 2 * DAY; at += stepMs(i), i++)
      readings.push({
        machine_identifier: name,
        metric_name: metric,
        value: value(i),
        unit: 'bar',
        timestamp: new Date(at).toISOString(),
      })
    // every fifth portion arrives late
    const portions = Array.from({ length: Math.ceil(readings.length / 1_000) }, (_, p) =>
      readings.slice(1_000 * p, 1_000 * (p + 1)),
    )
    const late = portions.filter((_, p) => p % 5 === 2)
    for (const portion of [...portions.filter((_, p) => p % 5 !== 2), ...late])
      await call('POST', 'ingest', { readings: portion }, 'json', key)
  }
}
await setTimeout(5_000)
const range = `start=${new Date(FROM).toISOString()}&end=${new Date(FROM + 2 * DAY).toISOString()}`
const expected = []
for (const { id, name } of machines)
  for (const metric of Object.keys(SERIES)) {
    const get = (query: string) =>
      call<string>('GET', `machines/${id}/readings?${range}&metric=${metric}${query}`, undefined, 'text')
    const raw = await get('')
    const hours = JSON.parse(await get('&interval=1h'))
    expected.push({
      machine: name,
      metric,
      raw: createHash('sha256').update(raw).digest('hex'),
      bytes: raw.length,
      hours: hours[0]?.data_points,
    })
  }
const file = path.join(import.meta.dirname, 'readings-of-c79cc08')
rmSync(`${file}.backup`, { force: true })
process.stdout.write(execFileSync(process.execPath, [script, 'backup', `${file}.backup`], { env }))
writeFileSync(`${file}.json`, `${JSON.stringify({ from: FROM, until: FROM + 2 * DAY, hourMs: HOUR, expected })}\n`)
hub.kill('SIGTERM')
await new Promise((done) => hub.once('exit', done))
rmSync(dir, { recursive: true, force: true })
