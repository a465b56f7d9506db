import { describe, expect, it, onTestFinished } from 'vitest'
import { openPool, type TransactionSql } from '../src/db/pools.ts'
import { createSharedReads } from '../src/features/people/accounts/shared-reads.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
const sessionOf = ({ token, tenantId }: TestUser) => {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as { sid: string }
  return { tenantId, id: claims.sid }
}
/** The machines that a transaction sees, with its id, for each request. */
const load = async (tx: TransactionSql, _tenantId: string, inputs: readonly unknown[]) => {
  const [row] = await tx<{ names: string[]; transaction: string }[]>`
    select array_agg(name) as names, pg_current_snapshot()::text || pg_backend_pid() || now() as transaction from machines`
  return inputs.map(() => row)
}
const input = { params: undefined, query: undefined }
const isWanted = () => true
const reads = () => createSharedReads(hub.deps.pools.app)

describe('requests that arrive together', () => {
  it('share a transaction with those of their tenant only, and see its rows only', async () => {
    const [one, other] = [await plant(hub), await plant(hub)]
    const colleague = await hub.colleague(one.admin, 'viewer')
    const read = reads()
    const all = await Promise.all(
      [one.admin, colleague, other.admin].map((user) => read({ session: sessionOf(user), load, input, isWanted })),
    )
    expect(all.map(({ user }) => user?.userId)).toEqual([one.admin.userId, colleague.userId, other.admin.userId])
    expect(all.map(({ user }) => user?.role)).toEqual(['admin', 'viewer', 'admin'])
    const [first, second, third] = all.map(({ found }) => found as { names: string[]; transaction: string })
    expect(first?.names).toHaveLength(1)
    expect(second).toEqual(first)
    expect(third?.names).toHaveLength(1)
    expect(third?.transaction).not.toBe(first?.transaction)
  })

  it('are each checked: an ended session and a deactivated user have no user, their colleagues do', async () => {
    const { admin } = await plant(hub)
    const [signedOut, deactivated] = [await hub.colleague(admin, 'viewer'), await hub.colleague(admin, 'viewer')]
    await signedOut.call('POST', 'auth/logout')
    expect((await admin.call('PATCH', `users/${deactivated.userId}`, { is_active: false })).status).toBe(200)
    const read = reads()
    const all = await Promise.all(
      [signedOut, admin, deactivated].map((user) => read({ session: sessionOf(user), load, input, isWanted })),
    )
    expect(all.map(({ user }) => user?.userId)).toEqual([undefined, admin.userId, undefined])
  })

  it('fail alone', async () => {
    const { admin } = await plant(hub)
    const read = reads()
    const divide = async (tx: TransactionSql, _tenantId: string, inputs: readonly { params: { by: number } }[]) => {
      const rows = await Promise.all(inputs.map(({ params }) => tx<{ is: number }[]>`select 6 / ${params.by}::int as is`))
      return rows.map(([row]) => row?.is)
    }
    const signedOut = await hub.colleague(admin, 'viewer')
    await signedOut.call('POST', 'auth/logout')
    const ask = (user: TestUser, by: number) =>
      read({ session: sessionOf(user), load: divide, input: { params: { by }, query: undefined }, isWanted })
    const all = await Promise.all([ask(admin, 1), ask(admin, 0), ask(signedOut, 0), ask(admin, 2)])
    expect(all.map(({ user }) => user?.userId)).toEqual([admin.userId, admin.userId, undefined, admin.userId])
    expect(all.map(({ found, fault }) => found ?? (fault as Error).message)).toEqual([
      6,
      'division by zero',
      'division by zero',
      3,
    ])
  })

  it('fail together, with their users known, when the database is at fault', async () => {
    const { admin } = await plant(hub)
    let loads = 0
    const locked = async (tx: TransactionSql) => {
      loads++
      return tx<never[]>`do $$ begin raise lock_not_available; end $$`
    }
    const read = reads()
    const all = await Promise.all([1, 2, 3].map(() => read({ session: sessionOf(admin), load: locked, input, isWanted })))
    expect(all).toMatchObject(Array(3).fill({ user: { userId: admin.userId }, fault: { code: '55P03' } }))
    expect(loads).toBe(1)
  })

  it('are checked only, when they are not wanted any more as their turn comes', async () => {
    const { admin } = await plant(hub)
    let turns = 0
    const once = () => turns++ === 0
    const read = reads()
    const all = await Promise.all([1, 2, 3].map(() => read({ session: sessionOf(admin), load, input, isWanted: once })))
    expect(all.map((answer) => [answer.user?.userId, 'found' in answer])).toEqual([
      [admin.userId, true],
      [admin.userId, false],
      [admin.userId, false],
    ])
  })

  it('more than 16 are read in several transactions, two at a time, and all are answered', async () => {
    const { admin } = await plant(hub)
    const sizes: number[] = []
    let [underWay, most] = [0, 0]
    const measured = async (tx: TransactionSql, tenantId: string, inputs: readonly unknown[]) => {
      sizes.push(inputs.length)
      most = Math.max(most, ++underWay)
      return load(tx, tenantId, inputs).finally(() => underWay--)
    }
    const read = reads()
    const all = await Promise.all(
      Array.from({ length: 40 }, () => read({ session: sessionOf(admin), load: measured, input, isWanted })),
    )
    expect(all.every(({ user, found }) => user && found)).toBe(true)
    expect(sizes).toEqual([16, 16, 8])
    expect(most).toBe(2)
  })
})

it('a request is read for after it has arrived, also while others of its tenant are being read for', async () => {
  const { admin } = await plant(hub)
  const pool = openPool(hub.logins.haltless_app, {
    name: 'test',
    max: 2,
    statementSeconds: 60,
    settings: { lock_timeout: '60s' },
  })
  onTestFinished(() => pool.end())
  const read = createSharedReads(pool)
  const slow = async (tx: TransactionSql, _tenantId: string, inputs: readonly unknown[]) => {
    const [, [row]] = await Promise.all([
      tx`select from tag_mappings limit 1`,
      tx<{ n: number }[]>`select count(*)::int as n from machines`,
    ])
    return inputs.map(() => row?.n)
  }
  const ask = () => read({ session: sessionOf(admin), load: slow, input, isWanted }).then(({ found }) => found)
  const held = await hub.owner.reserve()
  onTestFinished(() => held.release())
  await held`begin`
  await held`lock table tag_mappings in access exclusive mode`
  const underWay = [ask(), new Promise<void>((resolve) => setTimeout(resolve, 0)).then(ask)]
  await expect
    .poll(() =>
      hub.owner`select from pg_locks where relation = 'tag_mappings'::regclass and not granted`.then((rows) => rows.length),
    )
    .toBe(2)
  await hub.machine(admin)
  const third = ask()
  await held`commit`
  await Promise.all(underWay)
  expect(await third).toBe(2)
})

describe('an operation that shares its read', () => {
  it('answers 401 before what is wrong with the request', async () => {
    const admin = await hub.admin()
    await admin.call('POST', 'auth/logout')
    for (const path of [
      'machines',
      'machines?page=0',
      `machines/${crypto.randomUUID()}/readings/latest`,
      'machines/x/readings/latest',
    ])
      expect(await admin.call('GET', path)).toMatchObject({ status: 401, body: { code: 'token_invalid' } })
  })

  it('answers a signed-in user what is wrong with his request, and nothing of another tenant', async () => {
    const [admin, other] = [await hub.admin(), await plant(hub)]
    expect((await admin.call('GET', 'machines?page=0')).status).toBe(422)
    expect((await admin.call('GET', 'machines/x/readings/latest')).status).toBe(404)
    expect((await admin.call('GET', `machines/${other.machine.id}/readings/latest`)).status).toBe(404)
    expect((await admin.call('GET', 'machines')).body.pagination.total).toBe(0)
  })
})
