import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from './harness.ts'
import { endAll, keptPort, type Program, processesWith, run, until } from './processes.ts'
import { soon } from './soon.ts'
import { copyReadyCluster } from './support/ready-cluster.ts'

/** The command line as whoever runs a hub types it, on embedded databases of its own. */
const MAIN = 'cloud-hub/src/main.ts'
let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'haltless-cli-'))
  // as root, PostgreSQL runs as somebody else, who must be able to enter
  chmodSync(folder, 0o755)
})
afterEach(() => endAll())
afterAll(async () => {
  await until('nothing runs on the data', () => processesWith(folder).length === 0)
  rmSync(folder, { recursive: true, force: true })
})

/** A DATA_DIR whose database has its tables, for what is not about the first start. */
const readyDir = (name: string) => copyReadyCluster(path.join(folder, name))

/** Beside the output stands progress alone, on a busy machine. */
const PROGRESS = expect.stringMatching(/^(?:\d+ of \d+: .*\n)*$/)

interface Ran {
  code: number | string
  out: string
  err: string
  // biome-ignore lint/suspicious/noExplicitAny: output of every shape
  json(): any
}
async function command(dataDir: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const program = run(MAIN, args, { DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env })
  const code = await program.ended
  return { code, out: program.out(), err: program.err(), json: () => JSON.parse(program.out()) }
}

interface Hub extends Program {
  url: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  call(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<{ status: number; body: any }>
}
async function serve(dataDir: string, env: Record<string, string> = {}): Promise<Hub> {
  const [port, mqttPort] = [await keptPort(), await keptPort()]
  const ports = { PORT: String(port), MQTT_PORT: String(mqttPort), HOST: '127.0.0.1' }
  const program = run(MAIN, ['serve'], { DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...ports, ...env })
  const url = `http://127.0.0.1:${port}`
  await until('the hub is ready', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok)
  const call: Hub['call'] = async (method, route, body, headers = {}) => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } }
    const answer = await fetch(`${url}/api/v1/${route}`, body === undefined ? init : { ...init, body: JSON.stringify(body) })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
  }
  return Object.assign(program, { url, call })
}
const email = 'ada@example.com'
const signIn = async (hub: Hub, password = PASSWORD) => {
  const { status, body } = await hub.call('POST', 'auth/login', { email, password })
  return { status, headers: { authorization: `Bearer ${body.access_token}` }, pending: body.mfa_required as boolean }
}

describe('a backup', () => {
  it('taken while the hub runs and restored into an empty one gives the same answers, and agents go on without doubling', async () => {
    const [first, second] = [readyDir('first'), path.join(folder, 'second')]
    const file = path.join(folder, 'hub.backup')
    const hub = await serve(first)
    const given = { email, password: PASSWORD, full_name: 'Ada', tenant_name: 'Acme' }
    expect((await hub.call('POST', 'auth/register', given)).status).toBe(201)
    const { headers } = await signIn(hub)
    const { key } = (await hub.call('POST', 'api-keys', { name: 'plant' }, headers)).body
    await hub.call('POST', 'machines', { name: 'Press', machine_identifier: 'press', protocol: 'opc_ua' }, headers)
    const rule = { metric_name: 'temperature', warning_threshold: 50, critical_threshold: 90 }
    await hub.call('POST', 'alert-rules', rule, headers)
    const config = { url: 'https://example.com/hook', signing_secret: 'whsec_dGhpcyBpcyBhIHNlY3JldCBmb3IgdGVzdHM=' }
    await hub.call('POST', 'notification-channels', { name: 'hook', channel_type: 'webhook', config }, headers)
    const now = Date.now()
    const reading = (i: number) => ({
      machine_identifier: 'press',
      timestamp: new Date(now - i * 86_400_000 * 37).toISOString(),
      metric_name: 'temperature',
      value: 20 + i * 10,
      unit: 'celsius',
    })
    // over two years, so that partitions of every width come along
    const readings = Array.from({ length: 30 }, (_, i) => reading(i))
    const ingest = (to: Hub) => to.call('POST', 'ingest', { readings }, { 'x-api-key': key })
    expect((await ingest(hub)).body.accepted_count).toBe(30)

    const made = await command(first, ['backup', file])
    expect([made.code, made.err]).toEqual([0, PROGRESS])
    expect(made.out).toContain('Protect it like a password.')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await command(first, ['backup', file])).err).toBe(`${file} exists already; use --force to overwrite it.\n`)

    const looks = async (at: Hub, as: Record<string, string>) => {
      const machine = (await at.call('GET', 'machines', undefined, as)).body.items[0].id
      const paths = [
        'auth/me',
        'machines',
        'alerts',
        'alert-rules',
        'notification-channels',
        'push/vapid-public-key',
        'api-keys',
        'users',
        'settings/roles',
        'audit-log?action=machine.',
      ]
      const readingsPaths = [
        `machines/${machine}/readings/latest`,
        `machines/${machine}/readings?start=${new Date(now - 86_400_000 * 80).toISOString()}`,
      ]
      return Promise.all(
        [...paths, ...readingsPaths].map(async (route) => [route, (await at.call('GET', route, undefined, as)).body]),
      )
    }
    const before = await looks(hub, headers)
    await hub.end('SIGTERM')

    const restored = await command(second, ['restore', file, '--json'])
    expect([restored.code, restored.err]).toEqual([0, PROGRESS])
    expect(restored.json().rows).toMatchObject({
      tenants: 1,
      users: 1,
      series: expect.any(Number),
      reading_tail: expect.any(Number),
    })
    const again = await serve(second)
    // the access token still holds: keys and sessions came along
    expect(await looks(again, headers)).toEqual(before)
    expect((await ingest(again)).body).toMatchObject({ accepted_count: 30, rejected_count: 0 })
    const tenant = (await command(second, ['tenants', 'list', '--json'])).json()[0]
    expect((await command(second, ['tenants', 'show', tenant.id, '--json'])).json()).toMatchObject({
      series: 1,
      machines: 1,
      // counted before the backup
      limits: { series: { used: 1 }, machines: { used: 1 }, users: { used: 1 } },
    })
    // a tenant that is restored over a limit stays usable
    await command(second, ['tenants', 'limits', tenant.id, '--series', '1', '--machines', '0'])
    expect((await looks(again, headers)).at(-1)).toEqual(before.at(-1))
    expect((await signIn(again)).status).toBe(200)
    // new rows do not meet old numbers
    const other = { ...reading(0), metric_name: 'pressure', unit: 'bar' }
    const send = async () => (await again.call('POST', 'ingest', { readings: [other] }, { 'x-api-key': key })).body
    expect((await send()).errors[0].code).toBe('series_limit')
    expect((await command(second, ['tenants', 'limits', tenant.id, '--series', 'default'])).code).toBe(0)
    await soon(async () => expect((await send()).accepted_count).toBe(1))

    expect((await command(second, ['restore', file])).err).toMatch(/not empty/)
    await again.end('SIGTERM')
  })

  it('that is damaged, cut off or something else changes nothing and says so', async () => {
    const [source, target] = [readyDir('third'), readyDir('fourth')]
    const file = path.join(folder, 'cut.backup')
    expect((await command(source, ['backup', file])).code).toBe(0)
    truncateSync(file, statSync(file).size - 20)
    const cut = await command(target, ['restore', file])
    expect([cut.code, cut.err]).toEqual([1, expect.stringMatching(/^This backup is damaged: it .*restore an older backup\.\n$/)])
    writeFileSync(file, 'not a backup at all')
    expect((await command(target, ['restore', file])).err).toMatch(/^This backup is damaged: .*or it is not a backup of a hub\./)
    expect((await command(target, ['restore', path.join(folder, 'nothing')])).err).toMatch(/^There is no file/)
    expect((await command(target, ['tenants', 'list'])).out).toBe('There are no tenants yet.\n')
  })

  it('of a hub with a SECRET_KEY of its own holds no key, and asks for it again', async () => {
    const [source, target] = [readyDir('fifth'), readyDir('sixth')]
    const file = path.join(folder, 'keyed.backup')
    const env = { SECRET_KEY: 'k'.repeat(40) }
    const made = await command(source, ['backup', file, '--json'], env)
    expect(made.json().holds_secret_key).toBe(false)
    expect((await command(target, ['restore', file])).err).toMatch(/SECRET_KEY/)
    expect((await command(target, ['restore', file], { SECRET_KEY: 'x'.repeat(40) })).err).toMatch(/SECRET_KEY/)
    expect((await command(target, ['restore', file], env)).code).toBe(0)
    expect(existsSync(path.join(target, 'secret-key'))).toBe(false)
  })
})

describe('the commands for people and keys', () => {
  it('list, reset, and rotate on a running hub', async () => {
    const dataDir = readyDir('seventh')
    const hub = await serve(dataDir)
    await hub.call('POST', 'auth/register', { email, password: PASSWORD, full_name: 'Ada', tenant_name: 'Acme' })
    const { headers } = await signIn(hub)
    expect((await command(dataDir, ['users', 'list', '--json'])).json()).toMatchObject([
      { email, role: 'admin', status: 'active', mfa: false },
    ])
    expect((await command(dataDir, ['users', 'list'])).out).toMatch(/^id +tenant id +email +role +status +mfa +last login at\n/)

    const [{ id }] = (await command(dataDir, ['tenants', 'list', '--json'])).json()
    const kept = await command(dataDir, ['tenants', 'set-retention', id, '--raw', '30', '--minutes', 'forever'])
    expect(kept.out).toMatch(/^Acme: readings 30 days, minutes for ever, hours for ever \(default\)\.\n/)
    const back = await command(dataDir, ['tenants', 'set-retention', id, '--raw', 'default', '--json'])
    expect(back.json()).toMatchObject({ raw: null, minutes: 0, hours: null })

    const limited = await command(dataDir, [
      'tenants',
      'limits',
      id,
      '--machines',
      '500',
      '--channels',
      'unlimited',
      '--users',
      '1',
    ])
    expect(limited.out).toMatch(/^kind +used +limit +share +set\nmachines +0 +500 +0 % +for this tenant\n/)
    expect(limited.out).toMatch(/\nchannels +0 +unlimited +for this tenant\nusers +1 +1 +100 % +for this tenant\n/)
    expect((await command(dataDir, ['tenants', 'limits', id, '--users', '0'])).out).toMatch(
      /Of users the tenant has more than the limit: nothing is deleted, new ones are refused\.\n$/,
    )
    expect((await command(dataDir, ['tenants', 'list', '--json'])).json()[0].fullest_limit).toBe('users over')
    expect((await command(dataDir, ['tenants', 'show', id, '--json'])).json().limits.machines).toEqual({ used: 0, limit: 500 })
    const findings = (await command(dataDir, ['doctor', '--json'])).json() as { check: string; state: string; detail: string }[]
    expect(findings.find(({ check }) => check === 'limits')).toEqual({
      check: 'limits',
      state: 'warn',
      detail: `Acme (${id}) uses 1 of 0 users and gets no more: \`tenants limits TENANT\` shows and changes them`,
    })
    const changes = (await hub.call('GET', 'audit-log?action=tenant.updated', undefined, headers)).body.items
    expect(changes[0]).toMatchObject({
      actor: { kind: 'operator' },
      before: { limits: { users: 1 } },
      after: { limits: { users: 0 } },
    })
    const usual = await command(dataDir, ['tenants', 'limits', id, '--machines', 'default', '--users', 'default', '--json'])
    expect(usual.json()[0]).toEqual({ kind: 'machines', used: 0, limit: 20_000, is_own: false })
    expect((await command(dataDir, ['tenants', 'limits', id, '--machines', 'many'])).err).toMatch(
      /^many is not valid: use a number/,
    )
    expect((await command(dataDir, ['tenants', 'limits', 'nobody'])).err).toMatch(/^There is no tenant nobody\./)

    const made = await hub.call('POST', 'tokens', { name: 'x', scopes: ['machines:read'] }, headers)
    expect(made.status).toBe(201)
    const set = await command(dataDir, ['users', 'set-password', email.toUpperCase(), '--json'])
    const { password } = set.json()
    expect((await hub.call('GET', 'auth/me', undefined, headers)).status).toBe(401)
    const program = await hub.call('GET', 'machines', undefined, { authorization: `Bearer ${made.body.token}` })
    expect(program.body.code).toBe('token_revoked')
    expect([(await signIn(hub)).status, (await signIn(hub, password)).status]).toEqual([401, 200])
    expect((await command(dataDir, ['users', 'set-password', 'nobody@example.com'])).err).toMatch(/^No user has/)

    const fresh = (await signIn(hub, password)).headers
    const { secret } = (await hub.call('POST', 'auth/mfa/setup', undefined, fresh)).body
    const { generate } = await import('otplib')
    await hub.call('POST', 'auth/mfa/verify-setup', { code: await generate({ secret }) }, fresh)
    expect((await signIn(hub, password)).pending).toBe(true)
    const begun = (await hub.call('POST', 'auth/login', { email, password })).body.access_token
    expect((await command(dataDir, ['users', 'reset-mfa', email])).out).toBe(`${email} now signs in with the password alone.\n`)
    const verify = await hub.call('POST', 'auth/mfa/verify', { mfa_token: begun, code: '123456' })
    expect(verify.body.code).toBe('mfa_token_invalid')
    const signedIn = await signIn(hub, password)
    expect(signedIn.pending).toBe(false)

    // tokens of the old keys hold, those of the new ones too; both are published
    expect((await command(dataDir, ['keys', 'rotate'])).code).toBe(0)
    expect((await hub.call('GET', 'auth/me', undefined, signedIn.headers)).status).toBe(200)
    await until(
      'the hub signs with the new keys',
      async () => ((await (await fetch(`${hub.url}/.well-known/jwks.json`)).json()) as { keys: unknown[] }).keys.length === 4,
    )
    const newer = (await signIn(hub, password)).headers
    expect((await hub.call('GET', 'auth/me', undefined, newer)).status).toBe(200)
    expect((await command(dataDir, ['keys', 'rotate', '--discard-old'])).out).toContain('no longer valid')
    await until('tokens of the old keys end', async () => (await hub.call('GET', 'auth/me', undefined, newer)).status === 401)

    // the hub generated its key: it finds the next one when it restarts
    const keyFile = path.join(dataDir, 'secret-key')
    const key = readFileSync(keyFile, 'utf8')
    expect((await command(dataDir, ['keys', 'rotate-secret'])).err).toMatch(/^Restart the hub: it reads the next key/)
    expect(readFileSync(keyFile, 'utf8')).toBe(key)
    expect((await command(dataDir, ['keys', 'rotate-secret', '--undo'])).out).toMatch(
      /^Nothing to do: .* no change is under way\.\n$/,
    )
    expect(existsSync(`${keyFile}.next`)).toBe(false)

    const trail = (await hub.call('GET', 'audit-log?action=user.updated', undefined, (await signIn(hub, password)).headers)).body
      .items
    expect(trail[0]).toMatchObject({ actor: { kind: 'operator' }, before: { mfa_enabled: true }, after: { mfa_enabled: false } })

    const doctor = await command(dataDir, ['doctor', '--json'], { PORT: new URL(hub.url).port })
    expect(doctor.code).toBe(0)
    const state = Object.fromEntries(doctor.json().map((f: { check: string; state: string }) => [f.check, f.state]))
    expect(state).toMatchObject({
      settings: 'ok',
      'embedded database': 'ok',
      'data checksums': 'ok',
      SECRET_KEY: 'ok',
      PORT: 'ok',
      SMTP_URL: 'warn',
      'job: purge_readings': 'ok',
    })
    await hub.end('SIGTERM')

    const rotated = await command(dataDir, ['keys', 'rotate-secret'])
    expect([rotated.code, rotated.out]).toEqual([0, expect.stringContaining('The file secret-key holds the new key.')])
    const next = readFileSync(keyFile, 'utf8')
    expect(next).not.toBe(key)
    const former = readdirSync(dataDir).filter((name) => /^secret-key\.[0-9a-f]{8}$/.test(name))
    expect(former.map((name) => readFileSync(path.join(dataDir, name), 'utf8'))).toContain(key)

    // killed after the database had the new key, and before its file had its name: no way loses a key
    const killed = () => {
      writeFileSync(keyFile, key, { mode: 0o600 })
      writeFileSync(`${keyFile}.next`, next, { mode: 0o600 })
    }
    killed()
    expect((await command(dataDir, ['keys', 'rotate-secret', '--undo'])).out).toMatch(
      /^It is too late to undo: the database belongs to the key/,
    )
    expect([readFileSync(keyFile, 'utf8'), existsSync(`${keyFile}.next`)]).toEqual([next, false])
    killed()
    expect((await command(dataDir, ['keys', 'rotate-secret'])).out).toMatch(/^Nothing to do/)
    expect([readFileSync(keyFile, 'utf8'), existsSync(`${keyFile}.next`)]).toEqual([next, false])
    killed()
    const again = await serve(dataDir)
    expect((await signIn(again, password)).status).toBe(200)
    expect(readFileSync(keyFile, 'utf8')).toBe(next)
    await again.end('SIGTERM')
  })

  it('create a tenant on a closed hub, whose admin comes in by the printed link; and approve the domain of its single sign-on', async () => {
    const dataDir = readyDir('closed')
    const hub = await serve(dataDir, { REGISTRATION: 'closed' })
    const given = { email, password: PASSWORD, full_name: 'Ada', tenant_name: 'Acme' }
    expect(await hub.call('POST', 'auth/register', given)).toMatchObject({ status: 403, body: { code: 'registration_closed' } })
    const made = await command(dataDir, ['tenants', 'create', 'Acme & Co', email])
    expect([made.code, made.err]).toEqual([
      0,
      expect.stringMatching(
        /^PUBLIC_URL is not set, so the link leads to http:\/\/localhost:\d+\. Set it to the address that people use\.\n$/,
      ),
    ])
    const [, token] = /\n {2}http\S+\/invite\?token=([\w-]{43})\n$/.exec(made.out) ?? []
    expect((await hub.call('POST', 'auth/invitations/accept', { token, password: PASSWORD })).status).toBe(204)
    const { headers } = await signIn(hub)
    expect((await hub.call('GET', 'auth/me', undefined, headers)).body).toMatchObject({ role: 'admin', email })
    expect((await command(dataDir, ['tenants', 'create', 'Again', email])).err).toMatch(/has an account already/)
    expect((await command(dataDir, ['tenants', 'create', 'Again', ` ${email.toUpperCase()} `])).err).toMatch(
      /has an account already/,
    )
    const jürgen = await command(dataDir, ['tenants', 'create', 'Müller', ' JÜRGEN@Müller.example', '--json'])
    expect(jürgen.json().email).toBe('jürgen@xn--mller-kva.example')
    expect((await command(dataDir, ['users', 'set-password', 'Jürgen@MÜLLER.example', '--json'])).json().email).toBe(
      'jürgen@xn--mller-kva.example',
    )
    expect((await command(dataDir, ['tenants', 'create', 'Again', 'nobody'])).err).toBe('nobody is not an e-mail address.\n')

    const config = {
      provider_name: 'ID',
      client_id: 'hub',
      client_secret: 's',
      discovery_url: 'https://id.example.com/',
      domain: 'acme.example',
    }
    expect((await hub.call('POST', 'auth/sso/config', config, headers)).body.domain_verified).toBe(false)
    expect((await command(dataDir, ['tenants', 'release-domain', 'acme.example'])).err).toMatch(/^No tenant signs in/)
    expect((await command(dataDir, ['tenants', 'approve-domain', 'other.example'])).err).toMatch(/^No tenant claims the domain/)
    expect((await command(dataDir, ['tenants', 'approve-domain', 'ACME.example'])).out).toBe(
      'Acme & Co signs in with ACME.example from now on.\n',
    )
    expect((await hub.call('GET', 'auth/sso/config', undefined, headers)).body.domain_verified).toBe(true)
    expect((await command(dataDir, ['tenants', 'release-domain', 'acme.example'])).code).toBe(0)
    await hub.end('SIGTERM')
  })

  it('ask again for what is not there, without a stack trace', async () => {
    const dataDir = readyDir('eighth')
    const id = '00000000-0000-0000-0000-000000000000'
    expect(await command(dataDir, ['tenants', 'show', id])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^There is no tenant/),
    })
    expect((await command(dataDir, ['tenants', 'set-subscription', id, 'happy'])).err).toMatch(/^The status happy is not known/)
    expect((await command(dataDir, ['tenants', 'set-retention', id, '--raw', '-3'])).err).toMatch(
      /^-3 is not valid: use a number of days/,
    )
    expect((await command(dataDir, ['tenants', 'set-retention', id, '--hours', '60'])).err).toMatch(
      /^Keep hours at least as long as/,
    )
    expect((await command(dataDir, ['tenants', 'set-retention', id])).err).toMatch(/^Give at least one of --raw/)
    expect((await command(dataDir, ['tenants', 'release-domain', 'x.example'])).err).toMatch(/^No tenant signs in/)
    const broken = await command(dataDir, ['doctor'], { PORT: 'abc', MQTT_PORT: '99999' })
    expect([broken.code, broken.out.match(/^fail {2}settings {2}.*$/gm)?.length]).toEqual([1, 2])
  })

  it('migrate applies what is missing once, and says so', async () => {
    const dataDir = path.join(folder, 'tenth')
    const first = await command(dataDir, ['migrate', '--json'])
    expect([first.code, first.json().applied.length]).toEqual([0, first.json().migrations])
    expect((await command(dataDir, ['migrate'])).out).toMatch(/^Nothing to do: all \d+ migrations are applied\.\n$/)
  })

  it('tell a SECRET_KEY that does not open what is stored', async () => {
    const dataDir = readyDir('ninth')
    const hub = await serve(dataDir)
    await hub.end('SIGTERM')
    const doctor = await command(dataDir, ['doctor'], { SECRET_KEY: 'z'.repeat(40) })
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/^fail {2}SECRET_KEY .*another SECRET_KEY/m)])
    expect(readFileSync(path.join(dataDir, 'secret-key'), 'utf8').length).toBeGreaterThan(30)
    for (const args of [['serve'], ['tenants', 'list'], ['backup', path.join(folder, 'wrong.backup')]]) {
      const refused = await command(dataDir, args, { SECRET_KEY: 'z'.repeat(40), HOST: '127.0.0.1', PORT: '0', MQTT_PORT: '0' })
      expect([args[0], refused.code, refused.err]).toEqual([args[0], 1, expect.stringMatching(/^This database belongs to .*\n$/)])
    }
  })
})
