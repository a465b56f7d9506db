import { expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/db/advisory-locks.ts'
import { type TenantScope, tenantScope } from '../src/db/scope.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'

const hub = useHub()

/** Holds the rules of a tenant as a flush does, while `meanwhile` runs. */
const duringFlush = (of: TestUser, meanwhile: (sql: typeof hub.owner) => Promise<void>) =>
  hub.owner.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.tenantRules}, hashtext(${of.tenantId}))`
    await meanwhile(tx as unknown as typeof hub.owner)
  })

/** Until this many calls wait for the rules. */
const untilWaiting = (sql: typeof hub.owner, callers: number) =>
  soon(async () => {
    const [row] = await sql`
      select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`
    expect(row?.n).toBe(callers)
  })

/** Until a statement waits for a row of another transaction. Inside that one the first snapshot of the activity would repeat. */
const untilBlocked = () =>
  soon(async () => {
    const [row] = await hub.owner`
      select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    expect(row?.n).toBe(1)
  })

it('the deactivation of a machine during a flush waits without a lock that the flush still needs', async () => {
  const { admin, machine } = await plant(hub)
  let answer: Promise<{ status: number }> | undefined
  await duringFlush(admin, async (sql) => {
    answer = admin.call('DELETE', `machines/${machine.id}`)
    await untilWaiting(sql, 1)
    const rows = await sql`select id from machines where id = ${machine.id} for no key update nowait`
    expect(rows).toHaveLength(1)
  })
  expect((await answer)?.status).toBe(204)
})

it('concurrent changes of different fields of a rule are both applied', async () => {
  const { admin } = await plant(hub)
  const given = { metric_name: 'x', warning_threshold: 80, critical_threshold: 90 }
  const { id } = (await admin.call('POST', 'alert-rules', given)).body
  let answers: Promise<{ status: number }>[] = []
  await duringFlush(admin, async (sql) => {
    answers = [{ warning_threshold: 70 }, { critical_threshold: 95 }].map((change) =>
      admin.call('PUT', `alert-rules/${id}`, change),
    )
    await untilWaiting(sql, 2)
  })
  expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([200, 200])
  const [rule] = (await admin.call('GET', 'alert-rules')).body
  expect(rule).toMatchObject({ warning_threshold: 70, critical_threshold: 95 })
})

it('two transactions in a deadlock both succeed, because the second is retried', async () => {
  const { admin, machine } = await plant(hub)
  const other = await hub.machine(admin)
  const actor = {
    kind: 'user',
    id: admin.userId,
    role: 'admin',
    sessionId: null,
    name: 'test',
    ip: null,
    requestId: null,
  } as const
  const scope: TenantScope = tenantScope(hub.deps.pools, hub.clock, admin.tenantId, actor)
  let first = 0
  let bothHoldOne: () => void
  const met = new Promise<void>((resolve) => {
    bothHoldOne = resolve
  })
  let runs = 0
  const rename = (ids: string[], name: string) =>
    scope.tx(async (sql) => {
      runs++
      for (const [i, id] of ids.entries()) {
        await sql`update machines set name = ${name} where id = ${id}`
        if (i > 0) continue
        if (++first === 2) bothHoldOne()
        await met
      }
    })
  await Promise.all([rename([machine.id, other.id], 'one'), rename([other.id, machine.id], 'two')])
  expect(runs).toBeGreaterThanOrEqual(3)
  const names = (await admin.call('GET', 'machines')).body.items.map((m: { name: string }) => m.name)
  expect(new Set(names).size).toBe(1)
})

it('the deletion of a channel during a flush that raises an alert for it loses no reading', async () => {
  const { admin, key, identifier } = await plant(hub)
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const config = { url: 'https://example.com/' }
  const { id } = (await admin.call('POST', 'notification-channels', { name: 'gone', channel_type: 'webhook', config })).body
  // the flush remembers all it has to know
  for (const ago of [3, 2]) await hub.send(key, [{ machine: identifier, value: 50, ago }])
  let answer: ReturnType<typeof hub.send> | undefined
  await hub.owner.begin(async (tx) => {
    await tx`delete from notification_channels where id = ${id}`
    answer = hub.send(key, [{ machine: identifier, value: 85, ago: 1 }])
    await untilBlocked()
  })
  expect((await answer)?.body).toMatchObject({ accepted_count: 1, rejected_count: 0 })
  expect((await admin.call('GET', 'alerts')).body.items).toHaveLength(1)
})
