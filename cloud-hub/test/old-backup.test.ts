import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openBackup, restoreBackup } from '../src/db/backup/index.ts'
import { DirectoryStore } from '../src/features/work/attachments/storage/directory.ts'
import { until } from './processes.ts'
import { useRunningHubs } from './running-hub.ts'
import { unpackedPartitions } from './support/moved-readings.ts'
import { newDatabase } from './support/old-database.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless-old-backup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string) => path.join(import.meta.dirname, 'old-readings', name)
type Points = { timestamp: string; value: number }[]
const old = JSON.parse(readFileSync(file('readings-of-c79cc08.json'), 'utf8')) as {
  from: number
  until: number
  expected: { machine: string; metric: string; raw: string; bytes: number; hours: Points }[]
}
// the readings are of November 2026: no retention may remove them
const hubs = useRunningHubs({
  SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  DATA_DIR: folder,
  RAW_RETENTION_DAYS: '0',
  MINUTE_RETENTION_DAYS: '0',
  HOUR_RETENTION_DAYS: '0',
})

it('a backup of a hub that stored readings as rows is restored, and its readings are answered as that hub answered, before and after packing', async (test) => {
  const { url, sql: owner } = await newDatabase(test)
  const backup = await openBackup(file('readings-of-c79cc08.backup'))
  const store = new DirectoryStore(path.join(folder, 'attachments'))
  await restoreBackup(url, backup, { store, folder }, () => {})
  backup.close()
  expect(await unpackedPartitions(owner)).toBeGreaterThan(0)

  /** Compares every series with what the old hub answered. */
  const compare = async (hub: string) => {
    const login = await fetch(`${hub}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'Correct-horse-7' }),
    })
    const { access_token } = (await login.json()) as { access_token: string }
    const get = async (route: string) => {
      const answer = await fetch(`${hub}/api/v1/${route}`, { headers: { authorization: `Bearer ${access_token}` } })
      expect(answer.status).toBe(200)
      return answer.text()
    }
    const { items } = JSON.parse(await get('machines')) as { items: { id: string; name: string }[] }
    const range = `start=${new Date(old.from).toISOString()}&end=${new Date(old.until).toISOString()}`
    for (const { machine, metric, raw, bytes, hours } of old.expected) {
      const route = `machines/${items.find(({ name }) => name === machine)?.id}/readings?${range}&metric=${metric}`
      const text = await get(route)
      expect([machine, metric, text.length, createHash('sha256').update(text).digest('hex')]).toEqual([
        machine,
        metric,
        bytes,
        raw,
      ])
      const [means] = JSON.parse(await get(`${route}&interval=1h`)) as { data_points: Points }[]
      const rounded = (points: Points | undefined) => points?.map(({ timestamp, value }) => [timestamp, value.toPrecision(12)])
      expect(rounded(means?.data_points)).toEqual(rounded(hours))
    }
  }
  // without the role that packs, and without a broker: it only reads
  const reader = await hubs.start({ DATABASE_URL: url, HUB_ROLES: 'api', MQTT_URL: 'mqtt://127.0.0.1:1' })
  await compare(reader.url)
  await reader.stop()
  const packer = await hubs.start({ DATABASE_URL: url })
  await until('the rows are packed', async () => (await unpackedPartitions(owner)) === 0)
  await compare(packer.url)
  await packer.stop()
})
