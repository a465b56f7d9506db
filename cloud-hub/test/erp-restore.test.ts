import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, expect, it } from 'vitest'
import { openBackup, restoreBackup, writeBackup } from '../src/db/backup/index.ts'
import { DirectoryStore } from '../src/features/work/attachments/storage/directory.ts'
import { useDatabase } from './harness.ts'
import { endAll, run } from './processes.ts'
import { useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'
import { storeErpRun } from './support/erp-rows.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless-erp-restore-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => endAll())
const hubs = useRunningHubs({ DATA_DIR: folder, ERP_SYNC_TICK_SECONDS: '1' })
const target = useDatabase()

/** Runs a command of the operator on the restored database. */
async function command(...args: string[]) {
  const program = run('cloud-hub/src/main.ts', args, {
    DATABASE_URL: target.url,
    SECRET_KEY: hubs.secretKey,
    DATA_DIR: folder,
    LOG_LEVEL: 'silent',
  })
  return { code: await program.ended, out: program.out(), err: program.err() }
}

it('after a restore no connection runs automatically, and no interrupted run goes on, until the operator resumes', {
  timeout: 120_000,
}, async () => {
  const first = await hubs.start()
  const site = await hubs.site(first)
  const config = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
  const connect = async (name: string) =>
    (
      await site.call('POST', 'erp/connections', {
        provider: 'erp_c',
        name,
        config,
        is_active: false,
        auto_push_work_orders: true,
      })
    ).body.id
  const [one, two] = [await connect('Plant 1'), await connect('Plant 2')]
  await site.call('POST', 'work-orders', { machine_id: site.machineId, title: 'Bearing' })
  await first.stop()
  await hubs.owner`update erp_connections set is_active = true`
  await storeErpRun(hubs, site.tenantId, one, undefined, { run: { status: 'running', trigger: 'automatic', ended_at: null } })
  const file = path.join(folder, 'hub.backup')
  const store = new DirectoryStore(path.join(folder, 'attachments'))
  await writeBackup(hubs.databaseUrl, file, { hubVersion: 'test', keyMark: 'test', secretKey: null }, store, () => {})
  const backup = await openBackup(file)
  await restoreBackup(target.url, backup, { store, folder }, () => {})
  backup.close()

  const owner = postgres(target.url, { max: 1, onnotice: () => {} })
  try {
    const runs = () =>
      owner`select trigger, status, error_message, fault from erp_runs where connection_id = ${one} order by started_at`
    const interrupted = {
      trigger: 'automatic',
      status: 'partial',
      error_message: expect.stringMatching(/was restored from a backup/),
      fault: expect.objectContaining({ code: 'erp_run_restored' }),
    }
    expect(await runs()).toMatchObject([interrupted])
    const second = await hubs.start({ DATABASE_URL: target.url })
    const call = async (method: string, route: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${second.url}/api/v1/${route}`, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return answer.json()
    }
    const paused = async () =>
      ((await call('GET', 'erp/connections')) as { automatic_runs_paused: boolean }[]).map((c) => c.automatic_runs_paused)
    expect(await paused()).toEqual([true, true])
    // the job has run, because it has emptied the change queue
    await soon(async () => expect(await owner`select 1 from erp_changes`).toHaveLength(0))
    expect(await runs()).toMatchObject([interrupted])

    const listed = await command('erp', 'list')
    expect(listed.out.split('\n')[0]).toMatch(/^id {2,}tenant {2,}name {2,}provider {2,}automatic runs {2,}last sync/)
    expect(listed.out).toMatch(/Acme {2,}Plant 1 {2,}erp_c {2,}paused since a restore/)
    expect((await command('erp', 'resume', 'plant-1')).err).toMatch(/is not the id of a connection/)
    expect((await command('erp', 'resume', '01a2aaaa-0000-7000-8000-000000000000')).err).toMatch(/There is no connection/)
    expect(await paused()).toEqual([true, true])
    expect((await command('erp', 'resume', one)).out).toBe(`Plant 1 (Acme, ${one}) runs automatically again.\n`)
    expect(await paused()).toEqual([false, true])
    await soon(async () => expect(await runs()).toMatchObject([interrupted, { trigger: 'automatic' }]))
    const json = await command('erp', 'resume', '--json')
    expect(JSON.parse(json.out)).toEqual([{ id: two, tenant_id: site.tenantId, name: 'Plant 2' }])
    expect((await command('erp', 'resume')).out).toBe('No connection is paused.\n')
    const trail = await owner`select actor_kind, target_name from audit_log where action = 'erp_connection.resumed' order by id`
    expect(trail.map(({ actor_kind, target_name }) => `${actor_kind} ${target_name}`)).toEqual([
      'operator Plant 1',
      'operator Plant 2',
    ])
    await second.stop()
  } finally {
    await owner.end({ timeout: 1 })
  }
})
