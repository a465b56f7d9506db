import { describe, expect, it } from 'vitest'
import { tenantScope } from '../src/db/scope.ts'
import { plant, useHub } from './harness.ts'

const hub = useHub()

describe('the second wall', () => {
  it('shows a statement without a tenant condition only the rows of its own tenant', async () => {
    const [a] = [await plant(hub), await plant(hub)]
    const scope = tenantScope(hub.deps.pools, hub.clock, a.admin.tenantId, {
      kind: 'user',
      id: a.admin.userId,
      role: 'admin',
      sessionId: null,
      name: 'test',
      ip: null,
      requestId: null,
    })
    const seen = await scope.tx((sql) => sql<{ tenantId: string }[]>`select tenant_id as "tenantId" from machines`)
    expect(new Set(seen.map((row) => row.tenantId))).toEqual(new Set([a.admin.tenantId]))
    expect(await scope.tx((sql) => sql`select distinct tenant_id from series`)).toEqual([])
  })
  it('refuses a row of another tenant, and shows nothing without a tenant', async () => {
    const [a, b] = [await plant(hub), await plant(hub)]
    const scope = tenantScope(hub.deps.pools, hub.clock, a.admin.tenantId, {
      kind: 'user',
      id: a.admin.userId,
      role: 'admin',
      sessionId: null,
      name: 'test',
      ip: null,
      requestId: null,
    })
    const foreign = { tenant_id: b.admin.tenantId, name: 'x', machine_identifier: 'x', protocol: 'json' }
    await expect(scope.tx((sql) => sql`insert into machines ${sql(foreign)}`)).rejects.toMatchObject({ code: '42501' })
    expect(await hub.deps.pools.app`select 1 from machines`).toHaveLength(0)
  })
  it('protects every table with a tenant', async () => {
    const bare = await hub.owner`
      select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not (c.relrowsecurity and exists (select from pg_policies p where p.tablename = c.relname and p.policyname = 'tenant_wall'))`
    expect(bare.map((row) => row.relname)).toEqual([])
  })
  it('relies on roles that own nothing and bypass nothing', async () => {
    const roles =
      await hub.owner`select rolname, rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname like 'haltless%' order by 1`
    const groups = roles.filter(({ rolname }) => !/_\d+$/.test(rolname))
    expect(groups.map(({ rolname, rolcanlogin }) => [rolname, rolcanlogin])).toEqual([
      ['haltless_app', false],
      ['haltless_ingest', false],
      ['haltless_system', false],
    ])
    expect(roles.filter(({ rolsuper, rolbypassrls }) => rolsuper || rolbypassrls)).toEqual([])
    expect(
      await hub.owner`select relname from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname like 'haltless%'`,
    ).toHaveLength(0)
  })
  it.each(['app', 'ingest', 'system', 'listen'] as const)('the connections of %s cannot leave their role', async (name) => {
    const pool = hub.deps.pools[name]
    const role = { app: 'haltless_app', listen: 'haltless_system' }[name as 'app'] ?? `haltless_${name}`
    const who = "select current_user::text as current, session_user::text as session, current_setting('is_superuser') as super"
    const escapes = [
      'set role none',
      'reset role',
      'reset session authorization',
      'set session authorization default',
      'set session authorization postgres',
      "select set_config('role', 'none', false)",
      "select set_config('session_authorization', 'postgres', false)",
      ...['haltless_app', 'haltless_ingest', 'haltless_system', 'postgres'].map((other) => `set role ${other}`),
    ]
    const outcomes = await pool.begin(async (sql) => {
      const [before] = await sql.unsafe(who)
      expect(before).toEqual({
        current: expect.stringMatching(new RegExp(`^${role}_\\d+$`)),
        session: before?.current,
        super: 'off',
      })
      for (const attempt of escapes) {
        await sql.savepoint((inner) => inner.unsafe(attempt)).catch((error) => expect(error.code).toBe('42501'))
        expect(await sql.unsafe(who), attempt).toEqual([before])
      }
      return escapes.length
    })
    expect(outcomes).toBe(escapes.length)
  })

  it('lets only the listed roles execute functions that run as the owner', async () => {
    const open = await hub.owner<{ name: string }[]>`
      select proname as name from pg_proc
      where pronamespace = 'public'::regnamespace and prosecdef
        and (proacl is null or exists (select from aclexplode(proacl) granted where granted.grantee = 0))
      order by 1`
    expect(open.map(({ name }) => name)).toEqual([])
  })

  it('lets no login of the hub make temporary tables or large objects, which no policy protects', async () => {
    for (const name of ['app', 'ingest', 'system'] as const)
      for (const statement of [
        'create temporary table t (x int)',
        'select lo_create(0)',
        "select lo_from_bytea(0, 'x')",
        'select lo_unlink(1)',
      ])
        await expect(hub.deps.pools[name].unsafe(statement), `${name}: ${statement}`).rejects.toMatchObject({ code: '42501' })
  })

  it('lets functions that run as the owner act only for the tenant of the transaction', async () => {
    const [a, b] = [await plant(hub), await plant(hub)]
    const actor = { kind: 'user', id: a.admin.userId, name: 'test' }
    const event = (tenantId: string) =>
      `select note_event('${tenantId}', '${JSON.stringify(actor)}', 'user.signed_in', 'user', 'x', 'x')`
    const quota = (subject: string) => `select claim_sending('${subject}', now(), 10, '0')`
    const as = (tenantId: string | null, statement: string) =>
      hub.deps.pools.app.begin(async (sql) => {
        if (tenantId) await sql`select set_config('app.tenant_id', ${tenantId}, true)`
        await sql.unsafe(statement)
      })
    const own = a.admin.tenantId
    for (const statement of [event(own), quota(`tenant:${own}`), quota(`tenant-address:${own}:x`), quota('address:x')]) {
      await as(own, statement)
      await expect(as(null, statement), statement).rejects.toThrow(/of another tenant/)
    }
    const other = b.admin.tenantId
    for (const statement of [event(other), quota(`tenant:${other}`), quota(`tenant-address:${other}:x`)])
      await expect(as(own, statement), statement).rejects.toThrow(/of another tenant/)
    await hub.deps.pools.system.unsafe(event(own))
  })

  it('lets no tenant change its own subscription, and ingest read no secrets', async () => {
    const a = await plant(hub)
    const scope = tenantScope(hub.deps.pools, hub.clock, a.admin.tenantId, {
      kind: 'user',
      id: a.admin.userId,
      role: 'admin',
      sessionId: null,
      name: 'test',
      ip: null,
      requestId: null,
    })
    await expect(scope.tx((sql) => sql`update tenants set subscription_tier = 'enterprise'`)).rejects.toMatchObject({
      code: '42501',
    })
    for (const table of ['users', 'api_keys', 'hub_keys', 'sessions'])
      await expect(hub.deps.pools.ingest.unsafe(`select * from ${table}`)).rejects.toMatchObject({ code: '42501' })
    await expect(hub.deps.pools.ingest`select sealed_config from notification_channels`).rejects.toMatchObject({ code: '42501' })
  })
})
