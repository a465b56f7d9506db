import { createECDH, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Sql } from 'postgres'
import { afterAll, expect, it } from 'vitest'
import { openBackup, type RestoreProgress, restoreBackup, writeBackup } from '../src/db/backup/index.ts'
import postgres from '../src/db/driver.ts'
import { DirectoryStore } from '../src/features/work/attachments/storage/directory.ts'
import { removeExpired } from '../src/readings/seal/remove-expired.ts'
import { useDatabase } from './harness.ts'
import { useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'
import { fillErp } from './support/erp-rows.ts'
import { useReceiver } from './support/receiver.ts'
import { sealAll, storeReadings } from './support/stored-readings.ts'
import { fillWork } from './support/work-rows.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless-backup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const hubs = useRunningHubs({
  OUTBOUND_ALLOW: '127.0.0.0/8',
  ESCALATION_TICK_SECONDS: '1',
  ERP_SYNC_TICK_SECONDS: '3600',
  DATA_DIR: folder,
})
const target = useDatabase()
const receiver = useReceiver()

/** State of running hubs: not in a backup, because nobody needs it back. */
const NOT_KEPT = ['agent_connections', 'hub_replicas', 'rate_windows', 'source_pollers']
/** Of tenants, and without a row in the plant below. A new table gets one there, or stands here. */
const WITHOUT_ROWS = [
  'agent_connections',
  'agent_dictionaries',
  'agent_rollout_agents',
  'agent_rollouts',
  'agent_sources',
  'agents',
  'anomaly_events',
  'baselines',
  'data_gaps',
  'ingest_sources',
  'machine_predictions',
  'mfa_secrets',
  'oee_changes',
  'prediction_history',
  'prediction_series',
  'reading_key_filters',
  'reading_key_pages',
  'reading_key_tail',
  'recovery_codes',
  'signal_changes',
  'sso_configs',
  'sso_identities',
  'sso_logins',
  'tag_mappings',
]

/** Every table, how many rows it has, and what is in it. */
async function contentOf(sql: Sql): Promise<Map<string, { rows: number; content: string; isOfTenants: boolean }>> {
  const tables = await sql<{ name: string; isOfTenants: boolean }[]>`
    select c.relname as name, exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as "isOfTenants"
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`
  const found = new Map()
  for (const { name, isOfTenants } of tables) {
    // the transactions that newest readings name are those of their cluster
    const [row] =
      name === 'machine_latest'
        ? await sql`select count(*)::int as rows, md5(string_agg(machine_id::text || length(body), ',' order by machine_id)) as content from machine_latest`
        : await sql`select count(*)::int as rows, md5(string_agg(t::text, e'\\n' order by t::text)) as content from ${sql(name)} t`
    found.set(name, { ...row, isOfTenants })
  }
  return found
}

it('a backup has every table of tenants, and what stood before it goes on after it: cleared once, raised and escalated no second time', async () => {
  const first = await hubs.start()
  const site = await hubs.site(first)
  const made = async (route: string, body: unknown) => {
    const answer = await site.call('POST', route, body)
    expect([route, answer.status]).toEqual([route, 201])
    return answer.body
  }
  const webhook = (name: string, values: Record<string, unknown> = {}) =>
    made('notification-channels', {
      name,
      channel_type: 'webhook',
      config: { url: `${receiver.url}/${name}`, headers: { 'x-plant-secret': 'open sesame' } },
      ...values,
    })
  const channel = await webhook('alarm')
  const night = await webhook('night', { notify_on_alert: false })
  await made('enrolment-keys', { name: 'box in hall 3' })
  await made('tokens', { name: 'export', scopes: ['machines:read'] })
  await made('notification-channels', { name: 'mail', channel_type: 'email', config: { to_email: 'ada@example.com' } })
  const browser = createECDH('prime256v1')
  await made('push/subscribe', {
    endpoint: `${receiver.url}/browser`,
    keys: { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
  })
  await made('escalation-policies', { name: 'Wake', severity: 'critical', wait_minutes: 1, channel_id: night.id })
  await made('alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const conditions = [{ metric: 'noise', op: '>', value: 5 }]
  await made('composite-rules', { machine_id: site.machineId, name: 'Loud', expression: { conditions }, severity: 'warning' })
  await site.call('PATCH', 'settings/report-schedule', { report_schedule: 'daily', report_emails: ['boss@example.com'] })
  await hubs.owner`insert into report_turns (tenant_id, user_id, schedule, due_at) select tenant_id, id, 'daily', now() + interval '1 hour' from users`

  await made('users/invite', { email: 'viewer@example.com', full_name: 'Vi Viewer', role: 'viewer' })
  await made('machine-groups', { name: 'Hall 3', machine_ids: [site.machineId] })
  /** A request with a key. @returns the id of the group that it makes */
  const groupOnce = async (url: string): Promise<[id: string, replayed: string | null]> => {
    const answer = await fetch(`${url}/api/v1/machine-groups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json', 'idempotency-key': 'hall-4' },
      body: JSON.stringify({ name: 'Hall 4' }),
    })
    return [((await answer.json()) as { id: string }).id, answer.headers.get('idempotent-replayed')]
  }
  const [groupId] = await groupOnce(first.url)
  let seconds = 60
  const send = async (url: string, temperature: number, noise: number) => {
    const timestamp = new Date(hubs.clock.now().getTime() - --seconds * 1_000).toISOString()
    const readings = [
      { metric_name: 'temperature', value: temperature, unit: 'celsius' },
      { metric_name: 'noise', value: noise, unit: 'db' },
    ].map((reading) => ({ ...reading, timestamp, machine_identifier: site.identifier }))
    const headers = { 'content-type': 'application/json', 'x-api-key': site.key }
    const answer = await fetch(`${url}/api/v1/ingest`, { method: 'POST', headers, body: JSON.stringify({ readings }) })
    expect(await answer.json()).toMatchObject({ accepted_count: 2 })
  }
  await send(first.url, 95, 9)
  const { items } = (await site.call('GET', 'alerts')).body
  expect(items).toHaveLength(2)
  const critical = items.find((alert: { severity: string }) => alert.severity === 'critical').id
  const warning = items.find((alert: { severity: string }) => alert.severity === 'warning').id
  await made(`alerts/${critical}/comments`, { body: 'Lager prüfen' })
  await site.call('POST', `alerts/${warning}/snooze`, {
    snooze_until: new Date(hubs.clock.now().getTime() + 3_600_000).toISOString(),
  })
  await site.call('POST', `alerts/${warning}/acknowledge`)
  await hubs.owner`update alerts set created_at = created_at - interval '2 minutes', escalation_due_at = now() where id = ${critical}`
  const work = await fillWork(first.url, site, hubs.owner, critical)
  await soon(() => expect(receiver.at('/night')).toHaveLength(1))
  await soon(async () => expect(await hubs.owner`select from deliveries where status = 'waiting'`).toHaveLength(0))
  await fillErp(hubs.owner, site)
  await first.stop()
  // readings of which only statistics are left, sealed ones of a day, and others between the two
  const history = { machineId: site.machineId, metric: 'noise', unit: 'db' }
  const [old, recent] = [Date.now() - 100 * 86_400_000, Date.now() - 30 * 86_400_000]
  await storeReadings(hubs.owner, [{ ...history, times: [old, recent], values: [1, 2] }])
  await sealAll(hubs.owner)
  await removeExpired(hubs.owner, new Date(Date.now() + 20 * 86_400_000), { rawDays: 90, minuteDays: 365, hourDays: 0 })
  await storeReadings(hubs.owner, [{ ...history, times: [recent + 86_400_000], values: [3] }])
  await sealAll(hubs.owner, { areMerged: false })
  await storeReadings(hubs.owner, [{ ...history, times: [recent + 1_000], values: [4] }])
  await storeReadings(hubs.owner, [{ ...history, times: [recent + 2_000], values: [5] }], 1)

  const before = await contentOf(hubs.owner)
  const file = path.join(folder, 'hub.backup')
  const { rows, files } = await writeBackup(
    hubs.databaseUrl,
    file,
    { hubVersion: 'test', keyMark: 'test', secretKey: null },
    new DirectoryStore(path.join(folder, 'attachments')),
    () => {},
  )
  expect(files).toEqual({ count: 2, bytes: 2 * work.bytes.length, faulty: [] })
  expect([...before.keys()].filter((name) => !(name in rows))).toEqual(NOT_KEPT)
  const empty = [...before].filter(([, { rows, isOfTenants }]) => isOfTenants && rows === 0).map(([name]) => name)
  expect(empty).toEqual(WITHOUT_ROWS)

  const backup = await openBackup(file)
  const restored = path.join(folder, 'restored')
  const store = new DirectoryStore(path.join(restored, 'attachments'))
  mkdirSync(restored)
  const steps: string[] = []
  const progress = ({ step, steps: all, name }: RestoreProgress) => {
    if (steps.at(-1) !== `${step} of ${all}: ${name}`) steps.push(`${step} of ${all}: ${name}`)
  }
  expect((await restoreBackup(target.url, backup, { store, folder: restored }, progress)).files).toEqual(files)
  const names = [...backup.header.tables.map(({ name }) => name), 'files of attachments']
  expect(steps).toEqual(names.map((name, i) => `${i + 1} of ${names.length}: ${name}`))
  backup.close()
  const owner = postgres(target.url, { max: 1, onnotice: () => {} })
  try {
    const after = await contentOf(owner)
    for (const name of NOT_KEPT) for (const side of [before, after]) side.delete(name)
    expect(after).toEqual(before)

    const second = await hubs.start({ DATABASE_URL: target.url, DATA_DIR: restored })
    expect(await groupOnce(second.url)).toEqual([groupId, 'true'])
    const call = async (method: string, route: string) => {
      const answer = await fetch(`${second.url}/api/v1/${route}`, { method, headers: { authorization: `Bearer ${site.token}` } })
      return answer.json() as Promise<Record<string, unknown>>
    }
    const download = await fetch(`${second.url}/api/v1/attachments/${work.attachmentId}/download`, {
      headers: { authorization: `Bearer ${site.token}` },
    })
    expect(work.bytes.equals(Buffer.from(await download.arrayBuffer()))).toBe(true)
    expect(await call('GET', `work-orders/${work.orderId}/signoffs/${work.signoffId}/verify`)).toMatchObject({ is_valid: true })
    const clearedOf = async () =>
      ((await call('GET', 'alerts')).items as { cleared_at: unknown }[]).map((alert) => alert.cleared_at !== null)
    await send(second.url, 96, 9)
    expect(await clearedOf()).toEqual([false, false])
    await send(second.url, 20, 1)
    await send(second.url, 20, 1)
    expect(await clearedOf()).toEqual([true, true])
    await send(second.url, 95, 9)
    expect(await clearedOf()).toEqual([false, false, true, true])
    // the new alerts arrived, so the old ones would have too
    await soon(() => expect(receiver.at('/alarm')).toHaveLength(4))
    expect(receiver.at('/night')).toHaveLength(1)
    expect(await call('POST', `notification-channels/${channel.id}/test`)).toMatchObject({ success: true })
    expect(receiver.at('/alarm').map(({ headers }) => headers['x-plant-secret'])).toEqual(Array(5).fill('open sesame'))
    await second.stop()
  } finally {
    await owner.end({ timeout: 1 })
  }
})
