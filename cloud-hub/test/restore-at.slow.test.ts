import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import postgres from '../src/db/driver.ts'
import { startEmbeddedPostgres } from '../src/db/embedded/index.ts'
import { archiving } from '../src/db/recovery/index.ts'
import { PASSWORD } from './harness.ts'
import { endAll, keptPort, type Program, processesWith, run, until } from './processes.ts'
import { copyReadyCluster } from './support/ready-cluster.ts'

/** Restores to an instant as whoever runs a hub types them. */
const MAIN = 'cloud-hub/src/main.ts'
let root: string
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'haltless-restore-at-'))
  chmodSync(root, 0o755)
})
afterEach(() => endAll())
afterAll(async () => {
  await until('nothing runs on the data', () => processesWith(root).length === 0)
  rmSync(root, { recursive: true, force: true })
})

type Env = Record<string, string>
const started = (env: Env, args: string[]) => run(MAIN, args, { LOG_LEVEL: 'silent', ...env })
async function command(env: Env, args: string[]) {
  const program = started(env, args)
  const code = await program.ended
  return { code, text: program.out() + program.err(), json: () => JSON.parse(program.out()) }
}
async function serve(env: Env): Promise<Program & { url: string }> {
  const ports = { PORT: String(await keptPort()), MQTT_PORT: String(await keptPort()), HOST: '127.0.0.1' }
  const program = started({ ...env, ...ports }, ['serve'])
  const url = `http://127.0.0.1:${ports.PORT}`
  await until('the hub is ready', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok)
  return Object.assign(program, { url: `${url}/api/v1` })
}
async function call(url: string, method: string, route: string, body?: unknown, token?: string) {
  const isForm = body instanceof FormData
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(!isForm && { 'content-type': 'application/json' }) }
  const answer = await fetch(`${url}/${route}`, { method, headers, body: isForm ? body : JSON.stringify(body) })
  return { status: answer.status, text: await answer.text() }
}
async function register(url: string, tenant: string): Promise<string> {
  const login = { email: `${tenant}@example.com`, password: PASSWORD }
  const { status } = await call(url, 'POST', 'auth/register', { ...login, full_name: 'Ada', tenant_name: tenant })
  expect(status).toBe(201)
  return JSON.parse((await call(url, 'POST', 'auth/login', login)).text).access_token
}
async function attach(url: string, token: string, order: string, text: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([text]), 'note.txt')
  const { status, text: answer } = await call(url, 'POST', `attachments?work_order_id=${order}`, form, token)
  expect(status).toBe(201)
  return JSON.parse(answer).id
}
/** An instant between what was committed before and what will be. */
async function between(): Promise<string> {
  await sleep(50)
  const now = new Date().toISOString()
  await sleep(50)
  return now
}
const tenants = async (env: Env) =>
  (await command(env, ['tenants', 'list', '--json']))
    .json()
    .map(({ name }: { name: string }) => name)
    .sort()

describe('the embedded PostgreSQL', () => {
  it('goes back to an instant between two tenants, with the files of attachments, whatever was killed on the way', async () => {
    const place = path.join(root, 'embedded')
    mkdirSync(place, { mode: 0o755 })
    const env = { DATA_DIR: copyReadyCluster(path.join(place, 'data')), WAL_ARCHIVE: path.join(place, 'archive') }
    const hub = await serve(env)
    const token = await register(hub.url, 'first')
    const machine = await call(
      hub.url,
      'POST',
      'machines',
      { name: 'Press', machine_identifier: 'press', protocol: 'opc_ua' },
      token,
    )
    const order = await call(hub.url, 'POST', 'work-orders', { machine_id: JSON.parse(machine.text).id, title: 'Oil' }, token)
    const orderId = JSON.parse(order.text).id

    // a base backup that is killed leaves nothing that counts
    const base = path.join(env.WAL_ARCHIVE, 'base')
    const killed = started(env, ['base-backup'])
    await until('the base backup has begun', () => existsSync(base) && readdirSync(base).some((name) => name.endsWith('.part')))
    await killed.end('SIGKILL')
    expect((await command(env, ['base-backups', '--json'])).json()).toEqual([])
    const made = await command(env, ['base-backup', '--keep', '2', '--json'])
    expect([made.code, readdirSync(base).sort()]).toEqual([0, [made.json().label, `${made.json().label}.json`]])

    const deleted = await attach(hub.url, token, orderId, 'deleted later')
    const at = await between()
    expect((await call(hub.url, 'DELETE', `attachments/${deleted}`, undefined, token)).status).toBe(204)
    const later = await attach(hub.url, token, orderId, 'uploaded later')
    await register(hub.url, 'second')
    const running = await command(env, ['restore', '--at', at])
    expect([running.code, running.text]).toEqual([1, expect.stringContaining('stop it first')])
    await hub.end('SIGTERM')

    // a restore that is killed changes nothing
    const draft = path.join(env.DATA_DIR, 'postgres.recovering')
    const cut = started(env, ['restore', '--at', at])
    await until('the recovery has begun', () => existsSync(path.join(draft, 'recovery.signal')))
    // it would complete while a busy machine starts the other one
    process.kill(cut.pid, 'SIGSTOP')
    const other = await command(env, ['restore', '--at', at])
    expect(other.text).toContain('Another restore')
    await cut.end('SIGKILL')
    await until('its PostgreSQL has ended', () => processesWith(draft).length === 0)
    expect(await tenants(env)).toEqual(['first', 'second'])

    // a trial changes nothing of the store, and reads the WAL of the archive that it names
    const trial = { DATA_DIR: path.join(place, 'trial'), ATTACHMENT_STORE: path.join(env.DATA_DIR, 'attachments') }
    const commands = { WAL_ARCHIVE: path.join(place, 'other'), WAL_RESTORE_COMMAND: 'exit 1; : %f %p' }
    const tried = await command({ ...trial, ...commands }, ['restore', '--at', at, '--from', env.WAL_ARCHIVE])
    expect([tried.code, tried.text]).toEqual([0, expect.stringContaining('They stay, because another hub may use them')])
    const ofTrial = (await command(trial, ['doctor', 'attachments', '--json'])).json()
    expect([ofTrial.faulty, ofTrial.orphans.length]).toEqual([[], 1])

    const restored = await command(env, ['restore', '--at', at, '--json'])
    expect([restored.code, restored.text]).toEqual([0, expect.stringContaining(made.json().label)])
    const { kept_before, files } = restored.json()
    expect(existsSync(path.join(kept_before, 'PG_VERSION'))).toBe(true)
    expect([files.count, files.faulty, files.orphans.length]).toEqual([1, [], 1])
    expect(existsSync(draft)).toBe(false)

    const again = await serve(env)
    const signIn = { email: 'first@example.com', password: PASSWORD }
    const { access_token } = JSON.parse((await call(again.url, 'POST', 'auth/login', signIn)).text)
    const read = (id: string) => call(again.url, 'GET', `attachments/${id}/download`, undefined, access_token)
    expect(await read(deleted)).toEqual({ status: 200, text: 'deleted later' })
    expect((await read(later)).status).toBe(404)
    expect((await call(again.url, 'POST', 'auth/login', { ...signIn, email: 'second@example.com' })).status).toBe(401)
    const doctor = (await command(env, ['doctor', '--json'])).json() as { check: string; state: string }[]
    expect(doctor.filter(({ check }) => ['WAL_ARCHIVE', 'base backups'].includes(check)).map(({ state }) => state)).toEqual([
      'ok',
      'ok',
    ])
    // what was uploaded later is queued, and stays while a base backup may need it
    expect((await command(env, ['doctor', 'attachments', '--json'])).json()).toMatchObject({ count: 1, faulty: [], orphans: [] })
    await again.end('SIGTERM')
  }, 300_000)
})

describe('a PostgreSQL that others run', () => {
  it('gets a data directory that it recovers by itself', async () => {
    const place = path.join(root, 'external')
    mkdirSync(place, { mode: 0o755 })
    copyReadyCluster(place)
    const dataDir = path.join(place, 'postgres')
    const archive = { folder: path.join(place, 'archive'), archiveCommand: undefined, restoreCommand: undefined }
    const first = await startEmbeddedPostgres({ dataDir, archive: archiving(archive), restart: false })
    const secret = {
      SECRET_KEY: 'a key of more than thirty-two characters',
      WAL_ARCHIVE: archive.folder,
      DATA_DIR: path.join(place, 'hub'),
    }
    const env = { ...secret, DATABASE_URL: first.url() }
    expect((await command(env, ['migrate'])).code).toBe(0)
    expect((await command(env, ['base-backup'])).text).toContain('Every instant from')
    await command(env, ['tenants', 'create', 'first', 'first@example.com'])
    const at = await between()
    await command(env, ['tenants', 'create', 'second', 'second@example.com'])
    await first.stop()

    const to = path.join(place, 'restored')
    expect((await command(env, ['restore', '--at', at])).text).toContain('--to DIR')
    const otherKey = await command({ ...env, SECRET_KEY: 'another key of more than thirty-two characters' }, [
      'restore',
      '--at',
      at,
      '--to',
      to,
    ])
    expect([otherKey.code, otherKey.text]).toEqual([1, expect.stringContaining('another SECRET_KEY')])
    const prepared = await command(env, ['restore', '--at', at, '--to', to])
    expect([prepared.code, prepared.text]).toEqual([0, expect.stringContaining('finish-restore')])

    execFileSync('chown', ['-R', '--reference', dataDir, to])
    renameSync(dataDir, `${dataDir}.old`)
    renameSync(to, dataDir)
    const second = await startEmbeddedPostgres({ dataDir, archive: archiving(archive), restart: false })
    const url = { ...secret, DATABASE_URL: second.url() }
    expect((await command(url, ['finish-restore'])).text).toContain('0 files of attachments are all there')
    expect(await tenants(url)).toEqual(['first'])
    const sql = postgres(second.url(), { max: 1, onnotice: () => {} })
    const [row] =
      await sql`select current_setting('recovery_target_time') as target, (select timeline_id from pg_control_checkpoint()) as timeline`
    await sql.end()
    expect(row).toMatchObject({ timeline: 2 })
    await second.stop()
  }, 300_000)
})
