import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tenantLockKey } from '../src/db/advisory-locks.ts'
import { fullLimits, type LimitKind, standardsOf } from '../src/features/people/limits/index.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'
import { upload } from './upload.ts'

const hub = useHub()

/** Sets limits as the operator does; a limit of null is none. */
const limit = (of: TestUser, limits: Partial<Record<LimitKind, number | null>>) =>
  hub.owner`update tenants set limits = ${hub.owner.json(limits)} where id = ${of.tenantId}`
const usedOf = async (of: TestUser): Promise<Record<string, number>> => {
  const { body } = await of.call('GET', 'settings/limits')
  return Object.fromEntries(body.limits.map(({ kind, used }: { kind: string; used: number }) => [kind, used]))
}
const machine = (n: number) => ({ name: `Press ${n}`, machine_identifier: `limited-${n}`, protocol: 'json' })
const rule = (n: number) => ({ metric_name: `metric_${n}`, warning_threshold: 1, critical_threshold: 2 })
const channel = (n: number) => ({ name: `hook ${n}`, channel_type: 'webhook', config: { url: `https://example.com/${n}` } })
const member = (n: number | string) => ({
  email: `m${n}-${randomBytes(4).toString('hex')}@example.com`,
  full_name: 'M',
  role: 'viewer',
})
const refused = (kind: string, limit: number) => ({ status: 409, body: { code: 'tenant_limit', params: { kind, limit } } })

/** Sends ten creations at once. @returns their sorted statuses */
const tenAtOnce = async (create: (n: number) => Promise<{ status: number }>) =>
  (await Promise.all(Array.from({ length: 10 }, (_, n) => create(n)))).map(({ status }) => status).sort()
const ONE_OF_TEN = [201, ...Array(9).fill(409)]

describe('the last place of a tenant', () => {
  it('goes to exactly one of ten machines that come at once; a deactivated one frees its place', async () => {
    const admin = await hub.admin()
    await limit(admin, { machines: 2 })
    const first = await hub.machine(admin)
    expect(await tenAtOnce((n) => admin.call('POST', 'machines', machine(n)))).toEqual(ONE_OF_TEN)
    expect(await admin.call('POST', 'machines', machine(20))).toMatchObject(refused('machines', 2))
    await admin.call('DELETE', `machines/${first.id}`)
    expect((await admin.call('POST', 'machines', machine(21))).status).toBe(201)
    expect(await admin.call('PATCH', `machines/${first.id}`, { is_active: true })).toMatchObject(refused('machines', 2))
    expect((await admin.call('PATCH', `machines/${first.id}`, { name: 'Still there' })).status).toBe(200)
    expect(await usedOf(admin)).toMatchObject({ machines: 2 })
    await limit(admin, { machines: 3 })
    expect((await admin.call('PATCH', `machines/${first.id}`, { is_active: true })).status).toBe(200)
    expect(await usedOf(admin)).toMatchObject({ machines: 3 })
  })

  it('goes to one of ten rules, of both kinds', async () => {
    const { admin, machine } = await plant(hub)
    const before = (await usedOf(admin)).rules ?? 0
    await limit(admin, { rules: before + 1 })
    const composite = (n: number) => ({
      machine_id: machine.id,
      name: `rule ${n}`,
      severity: 'warning',
      expression: { operator: 'AND', conditions: [{ metric: 'speed', op: '>', value: n }] },
    })
    expect(
      await tenAtOnce((n) =>
        n % 2 === 0 ? admin.call('POST', 'alert-rules', rule(n)) : admin.call('POST', 'composite-rules', composite(n)),
      ),
    ).toEqual(ONE_OF_TEN)
    expect(await admin.call('POST', 'alert-rules', rule(20))).toMatchObject(refused('rules', before + 1))
    expect(await admin.call('POST', 'composite-rules', composite(20))).toMatchObject(refused('rules', before + 1))
  })

  it('goes to one of ten channels; one that is deleted frees its place', async () => {
    const admin = await hub.admin()
    await limit(admin, { channels: 1 })
    expect(await tenAtOnce((n) => admin.call('POST', 'notification-channels', channel(n)))).toEqual(ONE_OF_TEN)
    const [made] = (await admin.call('GET', 'notification-channels')).body
    await admin.call('DELETE', `notification-channels/${made.id}`)
    expect((await admin.call('POST', 'notification-channels', channel(20))).status).toBe(201)
  })

  it('goes to one of ten users, invited or added; a deactivated one frees its place', async () => {
    const admin = await hub.admin()
    await limit(admin, { users: 2 })
    const password = 'Correct-horse-8'
    expect(
      await tenAtOnce((n) =>
        n % 2 === 0 ? admin.call('POST', 'users', { ...member(n), password }) : admin.call('POST', 'users/invite', member(n)),
      ),
    ).toEqual(ONE_OF_TEN)
    const made = (await admin.call('GET', 'users')).body.at(-1)
    await admin.call('PATCH', `users/${made.id}`, { is_active: false })
    const invited = member('again')
    expect((await admin.call('POST', 'users/invite', invited)).status).toBe(201)
    hub.clock.advance(61)
    expect((await admin.call('POST', 'users/invite', invited)).status, 'a repeated invitation').toBe(201)
    expect(await admin.call('PATCH', `users/${made.id}`, { is_active: true })).toMatchObject(refused('users', 2))
    expect(await admin.call('POST', 'users', { ...member('over'), password })).toMatchObject(refused('users', 2))
  })
})

describe('a lock of a limit that somebody holds longer than the database waits', () => {
  it('refuses what asks for a place with 503, and nothing is left unhandled; afterwards it works', async () => {
    const { admin, machine: known } = await plant(hub)
    const { key } = await hub.apiKey(admin)
    const unhandled: unknown[] = []
    const note = (error: unknown) => void unhandled.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const reading = { machine: known.machine_identifier, metric: 'fresh', value: 1 }
    const asked = () =>
      Promise.all([
        admin.call('POST', 'machines', machine(1)),
        admin.call('POST', 'alert-rules', rule(1)),
        admin.call('POST', 'notification-channels', channel(1)),
        admin.call('POST', 'users/invite', member(1)),
        hub.send(key, [reading]),
      ])
    await hub.owner.begin(async (sql) => {
      for (const name of ['limit machines', 'limit rules', 'limit channels', 'limit users', 'series'] as const)
        await sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey(name, admin)}, 0))`
      for (const { status, body } of await asked()) expect([status, body.code]).toEqual([503, 'database_busy'])
    })
    await new Promise((turn) => setImmediate(turn))
    expect(unhandled).toEqual([])
    // readings of a tenant whose rows were locked are refused for a while
    const stored = async () => expect((await hub.send(key, [reading])).body).toMatchObject({ accepted_count: 1 })
    await vi.waitFor(stored, { timeout: 30_000, interval: 500 })
    expect((await asked()).map(({ status }) => status)).toEqual([201, 201, 201, 201, 207])
  })
})

describe('an import of machines at the limit', () => {
  it('creates the first rows, reports the others, and a dry run says the same', async () => {
    const admin = await hub.admin()
    await limit(admin, { machines: 3 })
    const known = await hub.machine(admin)
    const rows = [known.machine_identifier, 'in-1', 'in-2', 'in-3', 'in-4'].map((identifier) => `Machine,${identifier},json`)
    const file = Buffer.from(['name,machine_identifier,protocol', ...rows].join('\n'))
    const send = async (query: string) => {
      const form = new FormData()
      form.set('file', new Blob([file]), 'machines.csv')
      const answer = await hub.app.request(`/api/v1/machines/import${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.token}` },
        body: form,
      })
      return (await answer.json()) as {
        success_count: number
        errors: { row: number; faults: { code: string; params: object }[] }[]
      }
    }
    for (const query of ['?dry_run=true', '']) {
      const { success_count, errors } = await send(query)
      const faults = errors.map(({ row, faults: [fault] }) => [row, fault?.code])
      expect([success_count, faults]).toEqual([
        2,
        [
          [2, 'machine_exists'],
          [5, 'no_place_for_machine'],
          [6, 'no_place_for_machine'],
        ],
      ])
      expect(errors[1]?.faults[0]?.params).toEqual({ limit: 3 })
    }
    expect(await usedOf(admin)).toMatchObject({ machines: 3 })
  })
})

describe('readings of new series at the limit', () => {
  const reading = (machine: string, metric: string, value = 1) => ({ machine, metric, value, unit: 'bar' })

  it('are rejected one by one with a code, the others are stored, and none is lost when the limit is raised', async () => {
    const { admin, machine } = await plant(hub)
    const { key } = await hub.apiKey(admin)
    const it = machine.machine_identifier
    const before = (await usedOf(admin)).series ?? 0
    await limit(admin, { series: before + 2 })
    const sent = ['one', 'two', 'three', 'four'].map((metric) => reading(it, metric))
    const { status, body } = await hub.send(key, [...sent, reading('unknown', 'one')])
    expect([status, body.accepted_count, body.rejected_count]).toEqual([207, 2, 3])
    expect(body.errors.map(({ index, code }: { index: number; code: string }) => [index, code])).toEqual([
      [2, 'series_limit'],
      [3, 'series_limit'],
      [4, 'unknown_machine'],
    ])
    expect(body.errors[0].error).toContain(String(before + 2))
    const again = await hub.send(key, [reading(it, 'one', 2), reading(it, 'three', 2)])
    expect([again.body.accepted_count, again.body.errors.map((error: { code: string }) => error.code)]).toEqual([
      1,
      ['series_limit'],
    ])
    expect(await usedOf(admin)).toMatchObject({ series: before + 2 })
    await limit(admin, {})
    await soon(async () => expect((await hub.send(key, sent)).body).toMatchObject({ accepted_count: 4, rejected_count: 0 }))
    const stored = await hub.owner`select 1 from series where tenant_id = ${admin.tenantId} and unit = 'bar'`
    expect(stored).toHaveLength(4)
  })

  it('get the places that are left once, also when several batches come at the same time', async () => {
    const { admin, machine } = await plant(hub)
    const { key } = await hub.apiKey(admin)
    const before = (await usedOf(admin)).series ?? 0
    await limit(admin, { series: before + 5 })
    const batches = Array.from({ length: 8 }, (_, n) =>
      hub.send(
        key,
        Array.from({ length: 4 }, (_, i) => reading(machine.machine_identifier, `metric_${n}_${i}`)),
      ),
    )
    const accepted = (await Promise.all(batches)).map(({ body }) => body.accepted_count as number)
    expect(accepted.reduce((sum, count) => sum + count)).toBe(5)
    expect(await usedOf(admin)).toMatchObject({ series: before + 5 })
  })

  it('with rules and tag mappings do not disturb the series that exist', async () => {
    const { admin, machine } = await plant(hub)
    const { key } = await hub.apiKey(admin)
    const it = machine.machine_identifier
    await hub.send(key, [reading(it, 'known')])
    await limit(admin, { series: (await usedOf(admin)).series ?? 0 })
    await admin.call('POST', 'alert-rules', { metric_name: 'fresh', warning_threshold: 5, critical_threshold: 9 })
    await admin.call('POST', 'alert-rules', { metric_name: 'known', warning_threshold: 5, critical_threshold: 9 })
    const { body } = await hub.send(key, [reading(it, 'fresh', 10), reading(it, 'known', 10)])
    expect([body.accepted_count, body.errors.map((error: { code: string }) => error.code)]).toEqual([1, ['series_limit']])
    expect((await admin.call('GET', 'alerts')).body.items.map((alert: { metric_name: string }) => alert.metric_name)).toEqual([
      'known',
    ])
  })

  it('of one tenant do not affect another tenant of the same flush', async () => {
    const [full, other] = [await plant(hub), await plant(hub)]
    const [fullKey, otherKey] = [await hub.apiKey(full.admin), await hub.apiKey(other.admin)]
    await limit(full.admin, { series: 0 })
    const [mine, theirs] = await Promise.all([
      hub.send(fullKey.key, [reading(full.machine.machine_identifier, 'm')]),
      hub.send(otherKey.key, [reading(other.machine.machine_identifier, 'm')]),
    ])
    expect([mine?.body.accepted_count, theirs?.body.accepted_count]).toEqual([0, 1])
  })
})

describe('the limits of a tenant', () => {
  it('are shown to its admins with their use, and to nobody else', async () => {
    const admin = await hub.admin()
    await limit(admin, { machines: 10, channels: null, users: 1 })
    for (let n = 0; n < 9; n++) await hub.machine(admin)
    const { body } = await admin.call('GET', 'settings/limits')
    expect(body.limits).toEqual([
      { kind: 'machines', used: 9, limit: 10, is_near: true },
      { kind: 'series', used: 0, limit: 2_000_000, is_near: false },
      { kind: 'rules', used: 0, limit: 100_000, is_near: false },
      { kind: 'channels', used: 0, limit: null, is_near: false },
      { kind: 'users', used: 1, limit: 1, is_near: true },
      { kind: 'tokens', used: 0, limit: 1_000, is_near: false },
      { kind: 'attachment_bytes', used: 0, limit: 10_737_418_240, is_near: false },
      { kind: 'idempotency_keys', used: 0, limit: 100_000, is_near: false },
    ])
    const full = await fullLimits(hub.deps.pools.system, standardsOf(hub.config.attachments.tenantBytes))
    expect(
      full.filter(({ tenantId }) => tenantId === admin.tenantId).map(({ kind, used, limit }) => [kind, used, limit]),
    ).toEqual([
      ['users', 1, 1],
      ['machines', 9, 10],
    ])
  })

  it('below the use delete nothing and refuse new ones', async () => {
    const admin = await hub.admin()
    for (let n = 0; n < 3; n++) await hub.machine(admin)
    await limit(admin, { machines: 1, users: 0 })
    expect((await admin.call('GET', 'machines')).body.pagination.total).toBe(3)
    expect(await admin.call('POST', 'machines', machine(1))).toMatchObject(refused('machines', 1))
    expect((await admin.call('GET', 'auth/me')).status).toBe(200)
    expect((await admin.call('GET', 'settings/limits')).body.limits[0]).toEqual({
      kind: 'machines',
      used: 3,
      limit: 1,
      is_near: true,
    })
  })

  it('replace the setting of attachments for one tenant', async () => {
    const { admin, machine } = await plant(hub)
    await limit(admin, { attachment_bytes: 1_000 })
    const { body: order } = await admin.call('POST', 'work-orders', { title: 'Order', machine_id: machine.id })
    const send = (bytes: number) => upload(hub, admin, `work_order_id=${order.id}`, { bytes: randomBytes(bytes) })
    expect((await send(900)).status).toBe(201)
    expect(await send(101)).toMatchObject({ status: 409, body: { code: 'attachment_quota', params: { bytes: 1_000 } } })
    expect(await usedOf(admin)).toMatchObject({ attachment_bytes: 900 })
    expect((await send(100)).status).toBe(201)
  })

  it('count what exists, whatever has happened', async () => {
    const counted = await hub.owner`select tenant_id, kind, used::int from tenant_usage where used <> 0 order by 1, 2`
    const existing = await hub.owner`
      select tenant_id, kind, sum(used)::int as used from (
        select tenant_id, 'machines' as kind, count(*) as used from machines where is_active group by 1
        union all select tenant_id, 'series', count(*) from series group by 1
        union all select tenant_id, 'rules', count(*) from threshold_rules group by 1
        union all select tenant_id, 'rules', count(*) from composite_rules group by 1
        union all select tenant_id, 'channels', count(*) from notification_channels where channel_type <> 'push' group by 1
        union all select tenant_id, 'users', count(*) from users where is_active group by 1
        union all select tenant_id, 'attachment_bytes', sum(size_bytes) from attachments group by 1
      ) rows group by 1, 2 order by 1, 2`
    expect(counted.length).toBeGreaterThan(20)
    expect([...counted]).toEqual([...existing])
    // the migration counts the same
    const migration = readFileSync(path.join(import.meta.dirname, '../migrations/0021_limits_per_tenant.sql'), 'utf8')
    const counting = migration.split('--> statement-breakpoint').at(-1) as string
    await hub.owner.begin(async (sql) => {
      await sql`delete from tenant_usage`
      await sql.unsafe(counting)
      expect([...(await sql`select tenant_id, kind, used::int from tenant_usage where used <> 0 order by 1, 2`)]).toEqual([
        ...existing,
      ])
    })
  })

  it('and counts go with their tenant', async () => {
    const { admin, machine } = await plant(hub)
    const { key } = await hub.apiKey(admin)
    await hub.send(key, [{ machine: machine.machine_identifier, value: 1 }])
    await hub.owner`delete from tenants where id = ${admin.tenantId}`
    expect(await hub.owner`select 1 from tenant_usage where tenant_id = ${admin.tenantId}`).toHaveLength(0)
  })
})
