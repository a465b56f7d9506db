import { createHash, randomUUID } from 'node:crypto'
import { Secret } from '@haltless/edge-agent/secret'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiDocument, createApp } from '../src/app.ts'
import { openPools, type Pools } from '../src/db/pools.ts'
import { tenantScope } from '../src/db/scope.ts'
import { purgeIdempotentRequests } from '../src/features/people/idempotency/index.ts'
import { contentOf, takesIdempotencyKey } from '../src/support/http/idempotency.ts'
import { createSecretBox } from '../src/support/secrets/secret-box.ts'
import { type Answer, PASSWORD, type TestHub, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'
import { makeEvent } from './upload.ts'

const hub = useHub()

const DAY = 86_400
/** What the storing of answers waits for, when a test wants that. */
const LOCK = 460_025
const keyed = (key: string) => ({ 'idempotency-key': key })
const group = (name: string) => ({ name, group_type: 'line' })
const machine = () => ({ name: 'Press', machine_identifier: `m-${randomUUID()}`, protocol: 'json' })
const refused = (status: number, code: string) => ({ status, body: { code } })
const machinesOf = async (of: TestUser): Promise<number> => (await of.call('GET', 'machines')).body.pagination.total
const isReplay = (answer: Answer) => answer.headers.get('idempotent-replayed') === 'true'
const rowsOf = (of: TestUser) => hub.owner<{ key: string; status: number | null; credential: string }[]>`
  select key, status, credential from idempotent_requests where tenant_id = ${of.tenantId} order by created_at, key`

/** Makes the storing of answers wait for a lock that the test holds. */
async function heldAnswers<T>(owner: TestHub['owner'], work: (release: () => Promise<void>) => Promise<T>): Promise<T> {
  await owner.unsafe(`create or replace function wait_for_test() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$;
    create trigger wait_for_test before update of status on idempotent_requests for each row execute function wait_for_test()`)
  const lock = await owner.reserve()
  await lock`select pg_advisory_lock(${LOCK})`
  let isHeld = true
  const release = async () => {
    if (isHeld) await lock`select pg_advisory_unlock(${LOCK})`
    isHeld = false
  }
  try {
    return await work(release)
  } finally {
    await release()
    lock.release()
    await owner.unsafe('drop trigger wait_for_test on idempotent_requests')
  }
}
const untilHeld = () =>
  soon(async () => {
    const waiting = await hub.owner`select 1 from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`
    expect(waiting.length).toBeGreaterThan(0)
  })

describe('a request that is sent again with its key', () => {
  it('gets the first answer, and is done once', async () => {
    const [admin, body, key] = [await hub.admin(), machine(), randomUUID()]
    const first = await admin.call('POST', 'machines', body, keyed(key))
    const again = await admin.call('POST', 'machines', body, keyed(key))
    expect([first.status, isReplay(first)]).toEqual([201, false])
    expect([again.status, again.body, isReplay(again)]).toEqual([201, first.body, true])
    expect(await machinesOf(admin)).toBe(1)
  })

  it('gets an answer without a body again, and one with another status than usual', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const end = () => admin.call('POST', 'settings/logout-other-sessions', undefined, keyed(key))
    const answers = [await end(), await end()]
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [204, ''],
      [204, ''],
    ])
    expect(answers.map(isReplay)).toEqual([false, true])
    const events = await hub.owner`
      select 1 from audit_log where tenant_id = ${admin.tenantId} and action = 'user.other_sessions_ended'`
    expect(events).toHaveLength(1)
  })

  it('is refused with another body, path or query, and leaves what was stored', async () => {
    const [admin, body, key] = [await hub.admin(), machine(), randomUUID()]
    await admin.call('POST', 'machines', body, keyed(key))
    const reused = refused(422, 'idempotency_key_reused')
    expect(await admin.call('POST', 'machines', { ...body, name: 'Other' }, keyed(key))).toMatchObject(reused)
    expect(await admin.call('POST', 'machines?x=1', body, keyed(key))).toMatchObject(reused)
    expect(await admin.call('POST', 'machine-groups', group('Line'), keyed(key))).toMatchObject(reused)
    expect(isReplay(await admin.call('POST', 'machines', body, keyed(key)))).toBe(true)
  })

  it('is the same whatever the order of its fields and parameters', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const send = (path: string, body: string) =>
      admin.call('POST', path, body, { ...keyed(key), 'content-type': 'application/json' })
    const first = await send('machine-groups?b=2&a=1', '{"name":"Line","group_type":"line","description":"x"}')
    const again = await send('machine-groups?a=1&b=2', '{ "description": "x", "group_type": "line", "name": "Line" }')
    expect([first.status, again.status, again.body, isReplay(again)]).toEqual([201, 201, first.body, true])
    expect(await send('machine-groups?a=1&b=2', '{"description":"line","group_type":"line","name":"x"}')).toMatchObject(
      refused(422, 'idempotency_key_reused'),
    )
  })

  it('is not repeated after it was refused: the key is free, and what is right now is done', async () => {
    const [admin, body, key] = [await hub.admin(), machine(), randomUUID()]
    const { body: taken } = await admin.call('POST', 'machines', body)
    expect((await admin.call('POST', 'machines', body, keyed(key))).status).toBe(409)
    expect(await rowsOf(admin)).toEqual([])
    await hub.owner`delete from machines where id = ${taken.id}`
    const now = await admin.call('POST', 'machines', body, keyed(key))
    expect([now.status, isReplay(now)]).toEqual([201, false])
  })

  it('takes keys of 1 to 255 visible characters', async () => {
    const admin = await hub.admin()
    const send = (key: string) => admin.call('POST', 'machine-groups', group(randomUUID()), keyed(key))
    expect((await send('k'.repeat(255))).status).toBe(201)
    for (const bad of ['k'.repeat(256), 'with blank', 'ö'])
      expect(await send(bad)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ path: 'header.idempotency-key' }] },
      })
  })

  it('is a new one after 24 hours, and no key is kept longer', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const send = () => admin.call('POST', 'machine-groups', group('Line'), keyed(key))
    const first = await send()
    hub.clock.advance(DAY - 60)
    // sessions last 15 minutes
    const later = await signedIn(admin)
    const again = () => later.call('POST', 'machine-groups', group('Line'), keyed(key))
    expect((await again()).body).toEqual(first.body)
    await purgeIdempotentRequests(hub.deps.pools.system, hub.clock.now())
    expect(await rowsOf(admin)).toHaveLength(1)
    hub.clock.advance(61)
    const second = await again()
    expect([second.status, isReplay(second), second.body.id === first.body.id]).toEqual([201, false, false])
    hub.clock.advance(DAY + 1)
    await purgeIdempotentRequests(hub.deps.pools.system, hub.clock.now())
    expect(await rowsOf(admin)).toEqual([])
  })
})

/** The same user with a token of now. */
async function signedIn(user: TestUser): Promise<TestUser> {
  const [row] = await hub.owner<{ email: string }[]>`select email from users where id = ${user.userId}`
  const { body } = await hub.call('POST', 'auth/login', { email: row?.email, password: PASSWORD })
  const token = body.access_token as string
  return {
    ...user,
    token,
    call: (method, path, content, headers = {}) =>
      hub.call(method, path, content, { authorization: `Bearer ${token}`, ...headers }),
  }
}

/** Sends a file in a form, with a boundary of its own. */
async function sendForm(by: TestUser, path: string, content: string, headers: Record<string, string>, name = 'file.csv') {
  const form = new FormData()
  form.append('file', new Blob([content]), name)
  const body = new Response(form)
  const type = { 'content-type': body.headers.get('content-type') as string }
  return by.call('POST', path, await body.text(), { ...type, ...headers })
}

describe('whose key it is', () => {
  it('belongs to the user: the same key of a colleague or of another tenant is another one', async () => {
    const [admin, stranger, key] = [await hub.admin(), await hub.admin(), randomUUID()]
    const colleague = await hub.colleague(admin, 'operator')
    const names = ['A', 'B', 'C']
    const users = [admin, colleague, stranger]
    const answers = await Promise.all(
      users.map((one, i) => one.call('POST', 'machine-groups', group(names[i] as string), keyed(key))),
    )
    expect(answers.map(({ status, body }) => [status, body.name])).toEqual(names.map((name) => [201, name]))
  })

  it('belongs to the token of a program: the same key of another token of the same user is another one', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const answers: Answer[] = []
    for (const name of ['A', 'B']) {
      const { body } = await admin.call('POST', 'tokens', { name, scopes: ['machines:write'] })
      const headers = { authorization: `Bearer ${body.token}`, ...keyed(key) }
      answers.push(await hub.call('POST', 'machine-groups', group(name), headers))
    }
    answers.push(await admin.call('POST', 'machine-groups', group('C'), keyed(key)))
    expect(answers.map(({ status, body }) => [status, body.name])).toEqual(['A', 'B', 'C'].map((name) => [201, name]))
  })

  it('checks rights again: who has lost the role is refused, and gets nothing of what was stored', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const operator = await hub.colleague(admin, 'operator')
    const send = () => operator.call('POST', 'machine-groups', group('Line'), keyed(key))
    expect((await send()).status).toBe(201)
    await hub.owner`update users set role = 'viewer' where id = ${operator.userId}`
    expect(await send()).toMatchObject(refused(403, 'role_insufficient'))
    await hub.owner`update users set role = 'operator' where id = ${operator.userId}`
    expect(isReplay(await send())).toBe(true)
    await admin.call('DELETE', `users/${operator.userId}`)
    expect((await send()).status).toBe(401)
  })

  it('is 404 when what the path names is gone', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const { id } = await hub.machine(admin)
    const stop = { started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T01:00:00Z', reason_type: 'unplanned' }
    const send = () => admin.call('POST', `machines/${id}/downtime`, stop, keyed(key))
    expect((await send()).status).toBe(201)
    await hub.owner`delete from machines where id = ${id}`
    expect(await send()).toMatchObject(refused(404, 'machine_not_found'))
  })
})

describe('two at once', () => {
  let second: ReturnType<typeof createApp>['app']
  let pools: Pools
  beforeAll(() => {
    pools = openPools(hub.logins)
    second = createApp({ ...hub.deps, pools }).app
  })
  afterAll(() => pools.close())

  it('do it once, whichever hubs they reach; the later one gets Retry-After', async () => {
    const [admin, body, key] = [await hub.admin(), machine(), randomUUID()]
    await heldAnswers(hub.owner, async (release) => {
      const first = admin.call('POST', 'machines', body, keyed(key))
      await untilHeld()
      const other = await second.request('/api/v1/machines', {
        method: 'POST',
        headers: { ...keyed(key), authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([409, 'idempotency_key_in_use'])
      expect(Number(other.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(await admin.call('POST', 'machines', { ...body, name: 'x' }, keyed(key))).toMatchObject(
        refused(422, 'idempotency_key_reused'),
      )
      // neither change nor answer can be seen without the other
      expect(await machinesOf(admin)).toBe(0)
      await release()
      expect((await first).status).toBe(201)
    })
    expect(isReplay(await admin.call('POST', 'machines', body, keyed(key)))).toBe(true)
    expect(await machinesOf(admin)).toBe(1)
  })

  it('do it once when fifty come at the same moment', async () => {
    const [admin, body, key] = [await hub.admin(), machine(), randomUUID()]
    const send = () => admin.call('POST', 'machines', body, keyed(key))
    const answers = await Promise.all(Array.from({ length: 50 }, send))
    const codes = new Set(answers.map(({ status, body: { code } }) => (status === 201 ? '201' : code)))
    expect(codes.has('201')).toBe(true)
    for (const code of codes) expect(['201', 'idempotency_key_in_use']).toContain(code)
    expect(answers.filter((answer) => answer.status === 201 && !isReplay(answer))).toHaveLength(1)
    expect(await machinesOf(admin)).toBe(1)
  })
})

describe('a hub that loses its database in the middle', () => {
  /** Ends the connection of a request whose answer is being stored. */
  const cut = async () => {
    await untilHeld()
    await hub.owner`
      select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`
  }

  it('has done nothing, and the repeated request does it once', async () => {
    const [admin, body, key] = [await hub.admin(), machine(), randomUUID()]
    await heldAnswers(hub.owner, async () => {
      const first = admin.call('POST', 'machines', body, keyed(key))
      await cut()
      expect((await first).status).toBe(503)
      expect(await machinesOf(admin)).toBe(0)
    })
    const again = await admin.call('POST', 'machines', body, keyed(key))
    expect([again.status, isReplay(again)]).toEqual([201, false])
    expect(await machinesOf(admin)).toBe(1)
  })
})

describe('a request whose hub is gone', () => {
  /** Leaves a claim behind, as a hub does that is killed. */
  const abandon = (of: TestUser, key: string) => hub.owner`
    update idempotent_requests set status = null, answer = null where tenant_id = ${of.tenantId} and key = ${key}`

  it('counts as running until its time limit; then the next attempt does it', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const send = () => admin.call('POST', 'machine-groups', group('Line'), keyed(key))
    const first = await send()
    await abandon(admin, key)
    await hub.owner`delete from machine_groups where id = ${first.body.id}`
    expect(await send()).toMatchObject(refused(409, 'idempotency_key_in_use'))
    hub.clock.advance(hub.config.requestTimeoutSeconds + 6)
    const again = await send()
    expect([again.status, isReplay(again)]).toEqual([201, false])
  })

  it('cannot commit after another attempt has claimed the key', async () => {
    const [admin, body, key] = [await hub.admin(), machine(), randomUUID()]
    const answers = await heldAnswers(hub.owner, async (release) => {
      const late = admin.call('POST', 'machines', body, keyed(key))
      await untilHeld()
      hub.clock.advance(hub.config.requestTimeoutSeconds + 6)
      // it still holds its row, so nobody takes the key from it
      const rival = await admin.call('POST', 'machines', body, keyed(key))
      await release()
      return [await late, rival]
    })
    expect(answers).toMatchObject([{ status: 201 }, refused(409, 'idempotency_key_in_use')])
    expect(await machinesOf(admin)).toBe(1)
  })

  it('is not done again where it calls other systems: nobody knows what happened there', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const config = { base_url: 'https://erp.invalid/api', username: 'h', password: 'secret-1' }
    const { body } = await admin.call('POST', 'erp/connections', { provider: 'erp_c', name: 'ERP', config })
    const what = { direction: 'outbound', entity_type: 'work_order' }
    const send = () => admin.call('POST', `erp/connections/${body.id}/sync`, what, keyed(key))
    expect((await send()).status).toBe(200)
    expect(isReplay(await send())).toBe(true)
    await abandon(admin, key)
    // a sync may take 85 seconds
    hub.clock.advance(85 + 6)
    expect(await send()).toMatchObject(refused(409, 'idempotency_outcome_unknown'))
  })
})

describe('what is stored', () => {
  it('is in the transaction of the change: rows have one transaction id, without savepoints, as streams need it', async () => {
    const admin = await hub.admin()
    const { body } = await admin.call('POST', 'machines', machine(), keyed(randomUUID()))
    const [row] = await hub.owner`
      select (select xmin::text from machines where id = ${body.id}) as effect, r.xmin::text as answer
      from idempotent_requests r where r.tenant_id = ${admin.tenantId}`
    expect(row?.effect).toBe(row?.answer)
  })

  it('has no hash by which somebody who reads it could guess a password of the body', async () => {
    const admin = await hub.admin()
    const account = { email: `${randomUUID()}@example.com`, full_name: 'A B', role: 'viewer', password: PASSWORD }
    expect((await admin.call('POST', 'users', account, keyed('one'))).status).toBe(201)
    const [row] = await hub.owner`select fingerprint from idempotent_requests where tenant_id = ${admin.tenantId}`
    const content = contentOf({ method: 'POST', url: 'http://localhost/api/v1/users' }, [account, undefined])
    const plain = createHash('sha256').update(content).digest('hex')
    const [{ box }, context] = [hub.deps, `idempotent-request:${admin.tenantId}:user:${admin.userId}:one`]
    expect([row?.fingerprint === plain, row?.fingerprint]).toEqual([false, box.mac(content, context)])
  })

  it('holds after a change of SECRET_KEY, and is refused where the former key is lost', async () => {
    const [admin, body, key] = [await hub.admin(), machine(), randomUUID()]
    const first = await admin.call('POST', 'machines', body, keyed(key))
    const send = async (formerKey: boolean) => {
      const box = createSecretBox([new Secret('b'.repeat(64))])
      if (formerKey) box.addMacKey(hub.deps.box.macKeyOf(hub.deps.box.fingerprint))
      const answer = await createApp({ ...hub.deps, box }).app.request('/api/v1/machines', {
        method: 'POST',
        headers: { ...keyed(key), authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: answer.status, body: await answer.json() }
    }
    expect(await send(true)).toEqual({ status: 201, body: first.body })
    expect(await send(false)).toMatchObject(refused(422, 'idempotency_key_reused'))
    expect(await machinesOf(admin)).toBe(1)
  })

  it('is bounded: a longer answer is given once, and the repeated request says that it was done', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const rows = (chars: number) => Array.from({ length: 500 }, (_, n) => `,${'p'.repeat(chars)}${n},none,`).join('\n')
    const send = (content: string) => sendForm(admin, 'machines/import?dry_run=true', content, keyed(key))
    const long = `name,machine_identifier,protocol,location\n${rows(150)}`
    const first = await send(long)
    expect([first.status, JSON.stringify(first.body).length > 65_536]).toEqual([200, true])
    expect(await send(long)).toMatchObject(refused(409, 'idempotency_answer_too_large'))
  })

  it('tells files by name and content, whatever the form around them', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const file = `name,machine_identifier,protocol,location\nPress,press-1,json,`
    const send = (content: string, name?: string) => sendForm(admin, 'machines/import', content, keyed(key), name)
    const first = await send(file)
    const again = await send(file)
    expect([first.status, again.body, isReplay(again)]).toEqual([200, first.body, true])
    expect(await send(file.replace('Press', 'Proof'))).toMatchObject(refused(422, 'idempotency_key_reused'))
    expect(await send(file, 'other.csv')).toMatchObject(refused(422, 'idempotency_key_reused'))
  })

  it('tells attachments by name and content too, and stores each once', async () => {
    const [admin, key] = [await hub.admin(), randomUUID()]
    const event = await makeEvent(hub, admin, (await hub.machine(admin)).id)
    const send = (content: string) => sendForm(admin, `attachments?maintenance_event_id=${event}`, content, keyed(key))
    const first = await send('hello')
    const again = await send('hello')
    expect([first.status, again.body, isReplay(again)]).toEqual([201, first.body, true])
    expect(await send('HELLO')).toMatchObject(refused(422, 'idempotency_key_reused'))
    expect((await admin.call('GET', `attachments/maintenance/${event}`)).body).toHaveLength(1)
  })

  it('has as many keys as the tenant may have, and frees them', async () => {
    const admin = await hub.admin()
    await hub.owner`update tenants set limits = '{"idempotency_keys": 2}' where id = ${admin.tenantId}`
    const send = (key: string) => admin.call('POST', 'machine-groups', group(key), keyed(key))
    expect([(await send('one')).status, (await send('two')).status]).toEqual([201, 201])
    expect(await send('three')).toMatchObject({
      status: 409,
      body: { code: 'tenant_limit', params: { kind: 'idempotency_keys', limit: 2 } },
    })
    expect(isReplay(await send('two'))).toBe(true)
    hub.clock.advance(DAY + 1)
    await purgeIdempotentRequests(hub.deps.pools.system, hub.clock.now())
    const later = await signedIn(admin)
    expect((await later.call('POST', 'machine-groups', group('three'), keyed('three'))).status).toBe(201)
  })

  it('leaves most keys of a tenant to others: a user may use a tenth, the tokens of the user another tenth, and beyond that it is 429', async () => {
    const admin = await hub.admin()
    const eager = await hub.colleague(admin, 'operator')
    await hub.owner`update tenants set limits = '{"idempotency_keys": 1010}' where id = ${admin.tenantId}`
    const fill = (credential: string, count: number, hoursAgo: number) => hub.owner`
      insert into idempotent_requests (tenant_id, credential, key, fingerprint, claim_id, claimed_until, status, created_at)
      select ${admin.tenantId}, ${credential}, gen_random_uuid(), '', gen_random_uuid(), now(), 204,
        ${new Date(hub.clock.now().getTime() - hoursAgo * 3_600_000)} from generate_series(1, ${count})`
    await fill(`user:${eager.userId}`, 50, 25)
    await fill(`user:${eager.userId}`, 1, 20)
    await fill(`user:${eager.userId}`, 99, 1)
    const send = (by: TestUser, key: string) => by.call('POST', 'machine-groups', group(key), keyed(key))
    expect((await send(eager, 'last')).status).toBe(201)
    const beyond = await send(eager, 'beyond')
    expect(beyond).toMatchObject({ status: 429, body: { code: 'too_many_idempotency_keys', params: { limit: 101 } } })
    expect([Number(beyond.headers.get('retry-after')), beyond.body.retry_after]).toEqual([4 * 3_600, 4 * 3_600])
    expect(isReplay(await send(eager, 'last'))).toBe(true)
    expect((await eager.call('POST', 'machine-groups', group('without'))).status).toBe(201)
    expect((await send(admin, 'other')).status).toBe(201)
    hub.clock.advance(4 * 3_600)
    expect((await send(await signedIn(eager), 'beyond')).status).toBe(201)
  })

  it('is counted over all tokens of a user', async () => {
    const admin = await hub.admin()
    await hub.owner`update tenants set limits = '{"idempotency_keys": 1000}' where id = ${admin.tenantId}`
    const tokens: string[] = []
    for (const name of ['A', 'B'])
      tokens.push((await admin.call('POST', 'tokens', { name, scopes: ['machines:write'] })).body.token)
    const send = (token: string, key: string) =>
      hub.call('POST', 'machine-groups', group(key), { authorization: `Bearer ${token}`, ...keyed(key) })
    expect((await send(tokens[0] as string, 'first')).status).toBe(201)
    await hub.owner`
      insert into idempotent_requests (tenant_id, credential, key, fingerprint, claim_id, claimed_until, status, created_at)
      select tenant_id, credential, gen_random_uuid(), '', gen_random_uuid(), claimed_until, 204, created_at
      from idempotent_requests, generate_series(1, 99) where tenant_id = ${admin.tenantId}`
    expect(await send(tokens[1] as string, 'second')).toMatchObject(refused(429, 'too_many_idempotency_keys'))
    expect((await admin.call('POST', 'machine-groups', group('person'), keyed('person'))).status).toBe(201)
  })

  it('is hidden from other tenants by row-level security', async () => {
    const [admin, stranger] = [await hub.admin(), await hub.admin()]
    await admin.call('POST', 'machine-groups', group('Line'), keyed(randomUUID()))
    const actor = { kind: 'user', role: 'admin', sessionId: null, name: 'x', ip: null, requestId: null } as const
    const scope = tenantScope(hub.deps.pools, hub.clock, stranger.tenantId, { ...actor, id: stranger.userId })
    expect(await scope.tx((sql) => sql`select 1 from idempotent_requests`)).toHaveLength(0)
  })
})

const SECRET = /^(key|.*token|.*secret|credential|.*password|recovery_codes)$/
/** Their secrets are answered as `***`; the `key` of a role is its name. */
const NO_SECRETS = ['createErpConnection', 'createIngestSource', 'createNotificationChannel', 'createRole']
const NOT_SIGNED_IN = [
  'acceptInvitation',
  'confirmPasswordReset',
  'enrollAgent',
  'exchangeSsoCode',
  'refreshToken',
  'registerTenant',
  'requestPasswordReset',
  'signIn',
  'verifyMfa',
]
const SECRET_ANSWERS = [
  'changePassword',
  'createApiKey',
  'createCalendarToken',
  'createEnrolmentKey',
  'createServiceAccountToken',
  'createToken',
  'rotateAgentCredential',
  'sendAgentHeartbeat',
  'setupMfa',
]

const TRIALS = [
  'answerAgentBrowse',
  'backtestAlertRule',
  'browseIngestSource',
  'checkAgent',
  'previewErpConnection',
  'testErpConnection',
  'testIngestSource',
  'testNotificationChannel',
  'testPush',
]

describe('the operations', () => {
  it('that take keys are all signed-in POSTs but ingest, trials and those that answer secrets', () => {
    const without = hub.routes
      .filter(({ spec }) => spec.method === 'post' && !takesIdempotencyKey(spec))
      .map(({ spec }) => spec.operation)
    expect(without.toSorted()).toEqual([...NOT_SIGNED_IN, ...SECRET_ANSWERS, ...TRIALS, 'ingestReadings'].toSorted())
  })

  it('that take keys answer nothing that is named like a secret, which would be stored', () => {
    const document = JSON.parse(JSON.stringify(apiDocument(hub.routes)))
    const namesIn = (schema: unknown, seen: readonly unknown[] = []): string[] => {
      if (typeof schema !== 'object' || schema === null || seen.includes(schema)) return []
      const { $ref, properties = {} } = schema as { $ref?: string; properties?: object }
      const target = $ref && document.components.schemas[$ref.split('/').at(-1) as string]
      const within = [...seen, schema]
      return [...Object.keys(properties), ...[target, ...Object.values(schema)].flatMap((part) => namesIn(part, within))]
    }
    const found = hub.routes
      .filter(({ spec }) => takesIdempotencyKey(spec))
      .flatMap(({ spec }) => {
        const { responses } = document.paths[`/api/v1${spec.path}`].post
        const names = [200, 201].flatMap((status) => namesIn(responses[status]?.content?.['application/json']?.schema))
        return names.filter((name) => SECRET.test(name)).map((name) => `${spec.operation}: ${name}`)
      })
    expect([...new Set(found.map((one) => one.split(':')[0]))].toSorted()).toEqual(NO_SECRETS)
  })
})
