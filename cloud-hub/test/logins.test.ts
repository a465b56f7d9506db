import { randomBytes } from 'node:crypto'
import { Secret } from '@haltless/edge-agent/secret'
import type { Row } from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { runDoctor } from '../src/cli/doctor.ts'
import { loadConfig } from '../src/config.ts'
import { checkConfiguredLogins, NotMigrated, UnsafeLogin } from '../src/db/configured-logins.ts'
import postgres from '../src/db/driver.ts'
import { SecretKeyMismatch } from '../src/db/identity.ts'
import { type Logins, withLogin } from '../src/db/login.ts'
import { migrateTables, prepareDatabase, prepareTables } from '../src/db/migrate.ts'
import { openPools } from '../src/db/pools.ts'
import { DB_ROLES, RolesMissing } from '../src/db/roles.ts'
import { startHub } from '../src/hub.ts'
import { createLogger } from '../src/support/logger.ts'
import { createSecretBox } from '../src/support/secrets/secret-box.ts'
import { useDatabase } from './harness.ts'

const admin = postgres(inject('pgUrl'), { max: 1, onnotice: () => {} })
afterAll(() => admin.end())

const key = () => new Secret(randomBytes(32).toString('base64'))
const nameOf = (logins: Logins) => logins.haltless_app.username as string
const whoIs = (logins: Logins) =>
  Promise.all(
    DB_ROLES.map((role) => withLogin(logins[role], async (sql) => (await sql`select session_user::text as name`)[0]?.name)),
  )

/** An empty database that belongs to a user who may log in and do as he likes there, but make no roles. */
function useManagedDatabase(): { url: string; name: string } {
  const name = `managed_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('pgUrl'))
  Object.assign(url, { username: name, password: name, pathname: `/${name}` })
  beforeAll(async () => {
    await admin.unsafe(`create role ${name} login password '${name}'`)
    await admin.unsafe(`create database ${name} owner ${name}`)
  })
  afterAll(async () => {
    await admin.unsafe(`drop database if exists ${name} with (force)`)
    await admin.unsafe(`drop role ${name}`)
  })
  return { url: url.href, name }
}

describe('the logins of a database', () => {
  const database = useDatabase()
  const other = useDatabase()
  const secretKey = key()

  it('are its own, are checked by password, and are members of one role that they cannot become', async () => {
    const [mine, theirs] = await Promise.all([
      prepareDatabase(database.url, [secretKey]),
      prepareDatabase(other.url, [secretKey]),
    ])
    const [place] = await admin`select oid from pg_database where datname = ${new URL(database.url).pathname.slice(1)}`
    const oid = place?.oid
    expect(await whoIs(mine)).toEqual(DB_ROLES.map((role) => `${role}_${oid}`))
    const passwords = [...Object.values(mine), ...Object.values(theirs)].map(({ password }) => password?.reveal())
    expect(new Set(passwords).size).toBe(6)
    const wrong = { ...mine.haltless_app, password: mine.haltless_system.password }
    await expect(withLogin(wrong as never, (sql) => sql`select 1`)).rejects.toMatchObject({ code: '28P01' })
    const members = await admin`
      select g.rolname as role, m.inherit_option as inherits, m.set_option as becomes, m.admin_option as gives
      from pg_auth_members m join pg_roles g on g.oid = m.roleid join pg_roles r on r.oid = m.member
      where r.rolname like ${`%\\_${oid}`} order by 1`
    expect(members).toEqual(DB_ROLES.map((role) => ({ role, inherits: true, becomes: false, gives: false })))
  })

  it('reach the server as SCRAM verifiers, never as passwords', async () => {
    const logins = await prepareDatabase(database.url, [secretKey])
    const stored = await admin`select rolpassword as verifier from pg_authid where rolname = ${nameOf(logins)}`
    expect(stored[0]?.verifier).toMatch(/^SCRAM-SHA-256\$4096:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=$/)
    expect(JSON.stringify(logins)).not.toContain(logins.haltless_app.password?.reveal())
  })

  it('stay the same over every start, also of several hubs at once', async () => {
    const before = await admin`select rolname, rolpassword, oid from pg_authid where rolname ~ '^haltless_' order by 1`
    const all = await Promise.all([1, 2, 3].map(() => prepareDatabase(database.url, [secretKey])))
    for (const logins of all) expect(logins).toEqual(all[0])
    const after = await admin`select rolname, rolpassword, oid from pg_authid where rolname ~ '^haltless_' order by 1`
    const mine = new RegExp(
      `_${nameOf(all[0] as Logins)
        .split('_')
        .at(-1)}$`,
    )
    const ofMine = (rows: readonly Row[]) => rows.filter(({ rolname }) => mine.test(rolname))
    expect(ofMine(after)).toEqual(ofMine(before))
  })

  it('are repaired by the next start when one changed its own password or settings, or was given more', async () => {
    const logins = await prepareDatabase(database.url, [secretKey])
    const name = nameOf(logins)
    const beside = openPools(logins)
    onTestFinished(() => beside.close())
    await beside.app`select 1`
    await withLogin(logins.haltless_app, (sql) => sql.unsafe(`alter role ${name} password 'mine'`))
    expect(await whoIs(await prepareDatabase(database.url, [secretKey]))).toContain(name)
    const changes = [
      `alter role ${name} set app.tenant_id = 'x'`,
      `alter role ${name} bypassrls`,
      `grant haltless_system to ${name}`,
      `grant haltless_app to ${name} with set true`,
      `alter role ${name} nologin`,
      `alter role ${name} in database ${new URL(database.url).pathname.slice(1)} set lock_timeout = 0`,
      `grant haltless_app to ${name} with admin true`,
      `revoke haltless_app from ${name}`,
    ]
    for (const change of changes) {
      await admin.unsafe(change)
      await prepareDatabase(database.url, [secretKey])
      const [role] = await admin`
        select rolcanlogin, rolbypassrls, rolconfig, (
          select array_agg(g.rolname || ' ' || m.set_option) from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid
        ) as roles from pg_roles r where rolname = ${name}`
      const right = { rolcanlogin: true, rolbypassrls: false, rolconfig: null, roles: ['haltless_app false'] }
      expect(role, change).toEqual(right)
    }
    // a hub that was logged in meanwhile goes on with the connection that it has
    expect(await beside.app`select count(*)::int as n from machines`).toEqual([{ n: 0 }])
  })

  it('of a database that is gone are dropped by the next start, those of others stay', async () => {
    const url = new URL(inject('pgUrl'))
    url.pathname = `/t_${randomBytes(6).toString('hex')}`
    const name = url.pathname.slice(1)
    await admin.unsafe(`create database ${name}`)
    onTestFinished(async () => {
      await admin.unsafe(`drop database if exists ${name} with (force)`)
    })
    const short = await prepareDatabase(url.href, [secretKey])
    const living = await prepareDatabase(other.url, [secretKey])
    await admin.unsafe(`drop database ${name} with (force)`)
    await prepareDatabase(database.url, [secretKey])
    const left = (await admin`select rolname from pg_roles where rolname ~ '^haltless_.*[0-9]$'`).map(({ rolname }) => rolname)
    expect(left).not.toContain(nameOf(short))
    expect(left).toContain(nameOf(living))
  })

  it('that another hub has in the same cluster are told by doctor while they can connect, with what shuts them out', async () => {
    await prepareDatabase(other.url, [secretKey])
    const told = async () => {
      const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey.reveal(), PORT: '0' }
      return (await runDoctor(env)).find(({ check }) => check === 'neighbours')
    }
    const found = await told()
    expect(found?.state).toBe('warn')
    const statements = /: (grant connect .*; revoke connect .*); then/.exec(found?.detail ?? '')?.[1] as string
    await admin.unsafe(statements)
    await prepareDatabase(database.url, [secretKey])
    expect(await told()).toBeUndefined()
    await withLogin((await prepareDatabase(database.url, [secretKey])).haltless_app, (sql) => sql`select 1`)
  })

  it('leave the roles as they were, so that a replica of the previous version, which starts as one of them, goes on beside', async () => {
    const previous = postgres(database.url, { max: 1, connection: { role: 'haltless_system' } as Record<string, string> })
    onTestFinished(() => previous.end())
    expect(await previous`select current_user::text as role, count(*)::int as tenants from tenants`).toEqual([
      { role: 'haltless_system', tenants: 0 },
    ])
  })

  it('work with a URL that names several hosts', async () => {
    const { host } = new URL(database.url)
    const url = database.url.replace(host, `${host},${host}`)
    expect(loadConfig({ DATABASE_URL: url, SECRET_KEY: secretKey.reveal() }).databaseUrl?.reveal()).toBe(url)
    const pools = openPools(await prepareDatabase(url, [secretKey]))
    onTestFinished(() => pools.close())
    expect(await pools.system`select count(*)::int as n from tenants`).toEqual([{ n: 0 }])
  })
})

describe('a hub with another SECRET_KEY', () => {
  const database = useDatabase()
  const earlier = useManagedDatabase()

  it('is refused, changes nothing, and finds no trace of the key in the database', async () => {
    const secretKey = key()
    const logins = await prepareDatabase(database.url, [secretKey])
    const refusal = await prepareDatabase(database.url, [key()]).catch((error) => error)
    expect(refusal).toBeInstanceOf(SecretKeyMismatch)
    expect(refusal.message).toContain('another SECRET_KEY')
    expect(await whoIs(logins)).toHaveLength(3)
    const owner = postgres(database.url, { max: 1 })
    onTestFinished(() => owner.end())
    const [row] = await owner`select secret_key_fingerprint as mark from hub_identity`
    expect(row?.mark).toMatch(/^[0-9a-f]{32}$/)
    expect(secretKey.reveal()).not.toContain(Buffer.from(row?.mark, 'hex').toString('base64').slice(0, 8))
  })

  it('is refused because it cannot decrypt the signing keys, where no fingerprint is stored', async () => {
    const url = new URL(inject('pgUrl'))
    url.pathname = `/${earlier.name}`
    await migrateTables(url.href)
    const secretKey = key()
    const owner = postgres(url.href, { max: 1 })
    onTestFinished(() => owner.end())
    const sealed = createSecretBox([secretKey]).seal('private', 'hub_keys/access_token')
    await owner`insert into hub_keys (name, public_key, sealed_private_key) values ('access_token', 'public', ${sealed})`
    await expect(prepareDatabase(url.href, [key()])).rejects.toThrow(SecretKeyMismatch)
    expect(await owner`select from hub_identity`).toHaveLength(0)
    expect(await whoIs(await prepareDatabase(url.href, [secretKey]))).toHaveLength(3)
  })
})

describe('a database whose owner may not create roles', () => {
  const managed = useManagedDatabase()
  const secretKey = key()

  it('gets its logins by the SQL that the hub prints, which holds verifiers and no password', async () => {
    const refused = await prepareDatabase(managed.url, [secretKey]).catch((error) => error)
    expect(refused).toBeInstanceOf(RolesMissing)
    const sql = refused.message.split('\n\n')[1] as string
    expect(sql.match(/SCRAM-SHA-256\$/g)).toHaveLength(3)
    await admin.unsafe(sql)
    const all = await Promise.all([1, 2, 3].map(() => prepareDatabase(managed.url, [secretKey])))
    for (const { password } of Object.values(all[0] as Logins)) expect(refused.message).not.toContain(password?.reveal())
    const pools = openPools(all[0] as Logins)
    onTestFinished(() => pools.close())
    expect(await pools.system`select count(*)::int as n from tenants`).toEqual([{ n: 0 }])
    await expect(pools.app`select secret_key_fingerprint from hub_identity`).rejects.toMatchObject({ code: '42501' })
  })
})

describe('logins that an administrator gave (DATABASE_APP_URL and its neighbours)', () => {
  const database = useDatabase()
  const managed = useManagedDatabase()
  const secretKey = key()
  const suffix = randomBytes(6).toString('hex')
  const names = { haltless_app: `app_${suffix}`, haltless_ingest: `ingest_${suffix}`, haltless_system: `system_${suffix}` }
  const urlOf = (base: string, name: string, password = 'given') => {
    const url = new URL(base)
    Object.assign(url, { username: name, password })
    return url.href
  }
  const settings = (base = database.url, change: Record<string, string> = {}) => ({
    DATABASE_APP_URL: urlOf(base, names.haltless_app),
    DATABASE_INGEST_URL: urlOf(base, names.haltless_ingest),
    DATABASE_SYSTEM_URL: urlOf(base, names.haltless_system),
    SECRET_KEY: secretKey.reveal(),
    ...change,
  })
  const check = (env: Record<string, string>) => {
    const config = loadConfig(env)
    return checkConfiguredLogins(config.databaseLogins as Logins, [config.secretKey as Secret])
  }
  beforeAll(async () => {
    for (const role of DB_ROLES) {
      await admin.unsafe(`create role ${names[role]} login password 'given'`)
      await admin.unsafe(`grant ${role} to ${names[role]} with inherit true, set false`)
    }
    await prepareDatabase(database.url, [secretKey])
  })
  afterAll(async () => {
    for (const role of DB_ROLES) await admin.unsafe(`drop role ${names[role]}`)
  })

  it("let a hub serve without the owner's credentials", async () => {
    const ports = { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: '0', HUB_ROLES: 'api,broker,worker' }
    const hub = await startHub(loadConfig({ ...settings(), ...ports }), createLogger('silent'))
    onTestFinished(() => hub.stop())
    expect((await fetch(`${hub.url}/readyz`)).status).toBe(200)
    const users = await admin`select distinct usename::text as name from pg_stat_activity where usename like ${`%${suffix}`}`
    expect(users.map(({ name }) => name)).toContain(names.haltless_system)
  })

  it('are only accepted all three together, and need SECRET_KEY', () => {
    const { DATABASE_APP_URL } = settings()
    expect(() => loadConfig({ DATABASE_APP_URL })).toThrow(
      /DATABASE_INGEST_URL: is required.*\n.*DATABASE_SYSTEM_URL.*\n.*SECRET_KEY/,
    )
  })

  it('are refused when one is the owner, a superuser, or a member of another or a predefined role', async () => {
    await expect(check(settings(undefined, { DATABASE_APP_URL: database.url }))).rejects.toThrow(
      /DATABASE_APP_URL: the login "postgres" is a superuser.*member of haltless_ingest.*owns the hub's tables/,
    )
    const swapped = { DATABASE_INGEST_URL: urlOf(database.url, names.haltless_app) }
    await expect(check(settings(undefined, swapped))).rejects.toThrow(UnsafeLogin)
    await admin.unsafe(`grant pg_read_all_data to ${names.haltless_app}`)
    await expect(check(settings())).rejects.toThrow(/member of a predefined role/)
    await admin.unsafe(`revoke pg_read_all_data from ${names.haltless_app}`)
    await expect(check(settings())).resolves.toBeUndefined()
  })

  it('are refused on a database that is not migrated, with the command that does it and makes no other logins', async () => {
    const url = new URL(inject('pgUrl'))
    url.pathname = `/${managed.name}`
    const refusal = await check(settings(url.href)).catch((error) => error)
    expect(refusal).toBeInstanceOf(NotMigrated)
    expect(refusal.message).toMatch(/lacks 0000_baseline.*npm run hub -- migrate/)
    await prepareTables(url.href, [secretKey])
    await expect(check(settings(url.href))).resolves.toBeUndefined()
    const [place] = await admin`select oid from pg_database where datname = ${managed.name}`
    expect(await admin`select rolname from pg_roles where rolname like ${`haltless%\\_${place?.oid}`}`).toEqual([])
  })

  it('are refused with another SECRET_KEY', async () => {
    await expect(check(settings(undefined, { SECRET_KEY: 'x'.repeat(32) }))).rejects.toThrow(SecretKeyMismatch)
  })
})
