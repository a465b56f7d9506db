import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../src/app.ts'
import { tenantScope } from '../src/db/scope.ts'
import { createGroupGate } from '../src/features/plant/machine-groups/index.ts'
import { Live, purgeDeletions } from '../src/features/stream/index.ts'
import { createLogger } from '../src/support/logger.ts'
import { openStream, readStream, type StreamClient } from './event-stream.ts'
import { limitOf, PASSWORD, plant, type TestUser, useHub } from './harness.ts'
import { useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'

const hub = useHub()
const FAST = { pollMs: 50, heartbeatMs: 15_000, stuckMs: 30_000 }

const liveDeps = () => {
  const { pools, keys, clock } = hub.deps
  return { system: pools.system, keys, groups: createGroupGate({ pools }), clock, logger: createLogger('silent') }
}

/** Another replica on the same database; `stop` ends its streams as a restart would. */
function replica(times = FAST) {
  const live = new Live(liveDeps(), times)
  onTestFinished(() => live.stop())
  return { app: createApp({ ...hub.deps, live }, { checkAnswers: true }).app, stop: () => live.stop() }
}
const values = (data: { readings: { metric_name: string; value: number }[] }) =>
  data.readings.map((r) => [r.metric_name, r.value]).sort()
const told = (client: StreamClient) => client.events.filter((event) => event.name !== 'ready')

async function ruledPlant() {
  const made = await plant(hub)
  const rule = { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 }
  await made.admin.call('POST', 'alert-rules', rule)
  const send = async (value: number, ago = 0, metric = 'temperature') => {
    const answer = await hub.send(made.key, [{ machine: made.identifier, value, ago, metric }])
    expect(answer).toMatchObject({ status: 207, body: { accepted_count: 1 } })
  }
  return { ...made, send }
}

describe('a live stream', () => {
  it('tells latest values, machine status and alerts as they change', async () => {
    const { admin, machine, send } = await ruledPlant()
    const client = await openStream(replica().app, admin)
    expect(client.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await client.next('ready')).toEqual({ resumed: false })
    await send(50, 10)
    expect(await client.next('status')).toEqual({
      machine_id: machine.id,
      machine_identifier: machine.machine_identifier,
      name: 'Press 1',
      status: 'healthy',
      is_active: true,
    })
    expect(await client.next('readings')).toEqual({
      machine_id: machine.id,
      readings: [{ metric_name: 'temperature', unit: 'celsius', timestamp: expect.any(String), value: 50, raw_tag: null }],
    })
    await send(95, 5)
    const alert = await client.next('alert')
    expect(alert).toEqual((await admin.call('GET', `alerts/${alert.id}`)).body)
    await admin.call('POST', `alerts/${alert.id}/acknowledge`)
    expect(await client.next('alert')).toMatchObject({ id: alert.id, is_acknowledged: true, cleared_at: null })
    await send(50, 4)
    await send(50, 3)
    expect(await client.next('alert')).toMatchObject({ id: alert.id, cleared_at: expect.any(String) })
  })

  it('sends each change once, independently of concurrent writes', async () => {
    const { admin, send } = await ruledPlant()
    const client = await openStream(replica({ ...FAST, pollMs: 5 }).app, admin)
    await client.next('ready')
    const sent: number[] = []
    for (let round = 0; round < 10; round++)
      await Promise.all(
        Array.from({ length: 8 }, (_, i) => {
          sent.push(round * 8 + i)
          return send(1, 0, `metric${round * 8 + i}`)
        }),
      )
    await send(2, 0, 'last')
    const seen = () => client.events.filter((e) => e.name === 'readings').flatMap((e) => values(e.data).map(([name]) => name))
    await soon(() => expect(seen()).toContain('last'))
    expect(
      seen()
        .filter((name) => name !== 'last')
        .sort(),
    ).toEqual(sent.map((n) => `metric${n}`).sort())
  })

  it('filtered by machines sends only their changes, and none of another tenant', async () => {
    const [mine, theirs] = [await ruledPlant(), await ruledPlant()]
    const [second, third] = [await hub.machine(mine.admin), await hub.machine(mine.admin)]
    const { app } = replica()
    const query = `?machine_id=${second.id}&machine_id=${third.id},${theirs.machine.id}`
    const [some, all] = [await openStream(app, mine.admin, { query }), await openStream(app, mine.admin)]
    for (const client of [some, all]) await client.next('ready')
    await theirs.send(95)
    await mine.send(95)
    for (const { machine_identifier: machine } of [second, third]) await hub.send(mine.key, [{ machine, value: 95, ago: 1 }])
    const machinesOf = (client: StreamClient) => new Set(told(client).map((event) => event.data.machine_id))
    await soon(() => expect(machinesOf(all).size).toBe(3))
    await soon(() => expect(machinesOf(some).size).toBe(2))
    expect(machinesOf(all)).toEqual(new Set([mine.machine.id, second.id, third.id]))
    expect(machinesOf(some)).toEqual(new Set([second.id, third.id]))
  })

  it('filtered by a group sends only changes of its machines and of those below it', async () => {
    const { admin, machine, identifier, key } = await plant(hub)
    const [nested, outside] = [await hub.machine(admin), await hub.machine(admin)]
    const make = async (values: object) => (await admin.call('POST', 'machine-groups', { name: 'G', ...values })).body.id
    const site = await make({ group_type: 'site', machine_ids: [machine.id] })
    await make({ parent_id: site, machine_ids: [nested.id] })
    const { app } = replica()
    const [some, all] = [await openStream(app, admin, { query: `?group_id=${site}` }), await openStream(app, admin)]
    for (const client of [some, all]) await client.next('ready')
    for (const of of [identifier, nested.machine_identifier, outside.machine_identifier])
      await hub.send(key, [{ machine: of, value: 1, ago: 1 }])
    await admin.call('POST', 'work-orders', { machine_id: nested.id, title: 'Bearing' })
    await admin.call('POST', 'work-orders', { machine_id: outside.id, title: 'Bearing' })
    const machinesOf = (client: StreamClient, name: string) =>
      [...new Set(client.events.filter((event) => event.name === name).map((event) => event.data.machine_id))].sort()
    await soon(() => expect(machinesOf(all, 'readings').length).toBe(3))
    await soon(() => expect(machinesOf(all, 'work_order').length).toBe(2))
    await soon(() => expect(machinesOf(some, 'work_order')).toEqual([nested.id]))
    expect(machinesOf(some, 'readings')).toEqual([machine.id, nested.id].sort())
    const theirs = await openStream(app, await hub.admin(), { query: `?group_id=${site}` })
    await theirs.next('ready')
    await hub.send(key, [{ machine: identifier, value: 2 }])
    await all.next('readings', ({ readings }) => readings[0].value === 2)
    expect(told(theirs)).toEqual([])
  })

  it('sends readings only of the machines that readings_of names, and all other events', async () => {
    const { admin, machine, identifier, key } = await plant(hub)
    const other = await hub.machine(admin)
    const { app } = replica()
    const open = (query: string) => openStream(app, admin, { query })
    const clients = { one: await open(`?readings_of=${machine.id}`), none: await open('?readings_of=none'), all: await open('') }
    for (const client of Object.values(clients)) await client.next('ready')
    for (const of of [identifier, other.machine_identifier]) await hub.send(key, [{ machine: of, value: 1, ago: 1 }])
    await admin.call('POST', 'work-orders', { machine_id: other.id, title: 'Bearing' })
    const readingsOf = ({ events }: StreamClient) =>
      events.filter(({ name }) => name === 'readings').map(({ data }) => data.machine_id)
    await soon(() => expect(readingsOf(clients.all).sort()).toEqual([machine.id, other.id].sort()))
    for (const client of Object.values(clients)) {
      await client.next('work_order')
      const states = () => new Set(client.events.filter(({ name }) => name === 'status').map(({ data }) => data.machine_id))
      await soon(() => expect(states()).toEqual(new Set([machine.id, other.id])))
    }
    await soon(() => expect(readingsOf(clients.one)).toEqual([machine.id]))
    expect(readingsOf(clients.none)).toEqual([])
  })

  it('sends readings in rounds of readings_interval, and all other events at once', async () => {
    const { admin, send } = await ruledPlant()
    const { app } = replica()
    const slow = await openStream(app, admin, { query: '?readings_interval=60' })
    await slow.next('ready')
    // both streams share their polls
    const quick = await openStream(app, admin)
    await quick.next('ready')
    const quickHas = (value: number) => quick.next('readings', ({ readings }) => readings[0].value === value)
    // the slow one had its first round with this poll or an earlier one
    await send(50, 9)
    await quickHas(50)
    await send(51, 8)
    await quickHas(51)
    await send(95, 7)
    const { id } = await slow.next('alert')
    await quickHas(95)
    const slowValues = () => slow.events.filter((e) => e.name === 'readings').map((e) => e.data.readings[0].value)
    expect(slowValues().filter((value) => value > 50)).toEqual([])

    const resumed = await openStream(app, admin, { query: '?readings_interval=60', lastId: slow.lastId })
    expect(await resumed.next('alert')).toMatchObject({ id })
    expect(values(await resumed.next('readings'))).toEqual([['temperature', 95]])

    hub.clock.advance(60)
    expect(values(await slow.next('readings', ({ readings }) => readings[0].value > 50))).toEqual([['temperature', 95]])
    await admin.call('POST', `alerts/${id}/acknowledge`)
    await slow.next('alert', (alert) => alert.is_acknowledged)
    expect(slowValues().filter((value) => value > 50)).toEqual([95])
    for (const wrong of ['0', '61', 'x'])
      expect((await openStream(app, admin, { query: `?readings_interval=${wrong}` })).status).toBe(422)
  })

  it('resets the readings only of streams that get them', async () => {
    const { admin, machine, identifier, key } = await plant(hub)
    const app = replica({ ...FAST, pollMs: 500 }).app
    const clients = { none: await openStream(app, admin, { query: '?readings_of=none' }), all: await openStream(app, admin) }
    for (const client of Object.values(clients)) await client.next('ready')
    for (let batch = 0; batch < 6; batch++) {
      const readings = Array.from({ length: 1_000 }, (_, n) => ({
        machine: identifier,
        metric: `m${batch}-${n}`,
        value: n,
        ago: 1,
      }))
      await hub.send(key, readings)
    }
    await admin.call('PATCH', `machines/${machine.id}`, { name: 'Renamed' })
    for (const client of Object.values(clients)) await client.next('status', ({ name }) => name === 'Renamed')
    expect(clients.none.events.filter(({ name }) => ['readings', 'reset'].includes(name))).toEqual([])
  })

  it.each([
    ['?group_id=nonsense', 422],
    ['?readings_of=nonsense', 422],
    [`?readings_of=${Array.from({ length: 201 }, () => crypto.randomUUID()).join()}`, 422],
    [`?readings_of=${Array.from({ length: 200 }, () => crypto.randomUUID()).join()}`, 200],
    ['?readings_of=none', 200],
    ['?machine_id=nonsense', 422],
    [`?machine_id=${Array.from({ length: 101 }, () => crypto.randomUUID()).join()}`, 422],
    [`?machine_id=${crypto.randomUUID()}`, 200],
  ])('checks what it is asked: %.40s', async (query, status) => {
    const admin = await hub.admin()
    expect((await openStream(hub.app, admin, { query })).status).toBe(status)
  })

  it('keeps quiet connections open with comments, which move what was seen on', async () => {
    const { admin } = await plant(hub)
    const client = await openStream(replica({ ...FAST, heartbeatMs: 100 }).app, admin)
    await client.next('ready')
    const first = client.lastId
    await hub.owner`select pg_current_xact_id()`
    await soon(() => expect(client.comments.length).toBeGreaterThan(2))
    expect(client.lastId).not.toBe(first)
    expect(told(client)).toEqual([])
  })

  it('is not held open by a HEAD', async () => {
    const admin = await hub.admin()
    const { app } = replica()
    for (let i = 0; i < 12; i++) expect((await openStream(app, admin, { method: 'HEAD' })).status).toBe(200)
  })
})

describe('a client that comes back', () => {
  it('receives the changes that it missed once, also after a restart and from another replica', async () => {
    const { admin, send } = await ruledPlant()
    const before = replica()
    const client = await openStream(before.app, admin)
    await client.next('ready')
    await send(50, 60)
    await client.next('readings')
    await before.stop()
    expect(await client.next('end')).toEqual({ reason: 'hub_stopping' })
    await soon(() => expect(client.isOver).toBe(true))
    await send(60, 50, 'other')
    await send(95, 40)
    await send(96, 30)
    const back = await openStream(replica().app, admin, { lastId: client.lastId })
    expect(await back.next('ready')).toEqual({ resumed: true })
    expect(await back.next('alert')).toMatchObject({ trigger_value: 95 })
    expect(values(await back.next('readings'))).toEqual([
      ['other', 60],
      ['temperature', 96],
    ])
    await send(97, 20)
    expect(values(await back.next('readings'))).toEqual([['temperature', 97]])
    expect(back.events.filter((event) => event.name === 'alert')).toHaveLength(1)
  })

  it('misses nothing of a transaction that was under way when it disconnected', async () => {
    const { admin, machine } = await plant(hub)
    const { app } = replica()
    const [begun, underWay] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const change = hub.owner.begin(async (sql) => {
      await sql`update machines set name = 'Press 7' where id = ${machine.id}`
      begun.resolve()
      await underWay.promise
    })
    await begun.promise
    // a later one has ended by then
    await hub.machine(admin)
    const client = await openStream(app, admin)
    await client.next('ready')
    await client.leave()
    underWay.resolve()
    await change
    const back = await openStream(app, admin, { lastId: client.lastId })
    expect(await back.next('status')).toMatchObject({ machine_id: machine.id, name: 'Press 7' })
    expect(told(back)).toHaveLength(1)
  })

  it('with an unknown event id receives a reset event', async () => {
    const { admin } = await plant(hub)
    const { app } = replica()
    const now = hub.clock.now().getTime()
    const odd = [
      'nonsense',
      '',
      `${now}-1:2`,
      `${now}-1:999999999999:`,
      `${now - 25 * 3_600_000}-1:2:`,
      `${now + 120_000}-1:2:`,
      'x'.repeat(9_000),
    ]
    for (const lastId of odd) {
      const client = await openStream(app, admin, { lastId })
      expect([lastId, await client.next('ready')]).toEqual([lastId, { resumed: false }])
      await client.leave()
    }
  })
})

describe('a stream ends with its credential', () => {
  const ends = async (client: StreamClient, reason: string) => {
    const started = Date.now()
    expect(await client.next('end')).toEqual({ reason })
    expect(Date.now() - started).toBeLessThan(15_000)
    await soon(() => expect(client.isOver).toBe(true))
  }
  const opened = async (user: TestUser) => {
    const client = await openStream(replica().app, user)
    await client.next('ready')
    return client
  }

  it('when its user signs out', async () => {
    const user = await hub.admin()
    const client = await opened(user)
    await user.call('POST', 'auth/logout')
    await ends(client, 'signed_out')
  })

  it('when he is deactivated, and when his role changes; his colleagues go on', async () => {
    const admin = await hub.admin()
    const [one, two] = [await hub.colleague(admin, 'viewer'), await hub.colleague(admin, 'operator')]
    const clients = [await opened(one), await opened(two), await opened(admin)] as const
    expect((await admin.call('PATCH', `users/${one.userId}`, { is_active: false })).status).toBeLessThan(300)
    await ends(clients[0], 'signed_out')
    await hub.owner`update users set role = 'viewer' where id = ${two.userId}`
    await ends(clients[1], 'role_changed')
    expect(clients[2].isOver).toBe(false)
  })

  it('when the company requires two-factor sign-in, which its user has not set up', async () => {
    const admin = await hub.admin()
    const client = await opened(await hub.colleague(admin, 'viewer'))
    expect((await admin.call('PATCH', 'settings/security', { require_mfa: true })).status).toBe(200)
    await ends(client, 'signed_out')
  })

  it('when its token runs out', async () => {
    const client = await opened(await hub.admin())
    hub.clock.advance(15 * 60 + 1)
    await ends(client, 'token_expired')
  })
})

describe('a hub that stops', () => {
  const hubs = useRunningHubs()
  it('notifies its streams, and does not wait for them', async () => {
    const running = await hubs.start()
    const given = { email: 'a@example.com', password: PASSWORD, full_name: 'Ada', tenant_name: 'Acme' }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(given) }
    const registered = await fetch(`${running.url}/api/v1/auth/register`, init)
    const { access_token } = (await registered.json()) as { access_token: string }
    const headers = { authorization: `Bearer ${access_token}` }
    const client = readStream(await fetch(`${running.url}/api/v1/stream`, { headers }))
    expect(await client.next('ready')).toEqual({ resumed: false })
    const started = Date.now()
    await running.stop()
    expect(Date.now() - started).toBeLessThan(15_000)
    expect(await client.next('end')).toEqual({ reason: 'hub_stopping' })
  })
})

describe('streams are bounded', () => {
  it('by user: the eleventh is refused until another ends', async () => {
    const admin = await hub.admin()
    const { app } = replica()
    const clients = []
    for (let i = 0; i < 10; i++) clients.push(await openStream(app, admin))
    const refused = await openStream(app, admin)
    expect([refused.status, refused.body.code, refused.headers.has('retry-after')]).toEqual([429, 'too_many_streams', true])
    expect(limitOf(refused.headers)).toEqual([10, 0])
    await clients[0]?.leave()
    expect((await openStream(app, admin)).status).toBe(200)
  })

  it('by access token: neither the streams of its tokens nor those of all tokens of the tenant leave a person without one', async () => {
    const admin = await hub.admin()
    const { app } = replica()
    const tokens: string[] = []
    for (let n = 0; n < 6; n++) {
      const { body } = await admin.call('POST', 'tokens', { name: `t${n}`, scopes: ['stream:read'] })
      tokens.push(body.token)
    }
    const open = async (n: number) => openStream(app, { token: tokens[n] as string })
    for (let i = 0; i < 10; i++) expect((await open(0)).status).toBe(200)
    expect((await open(0)).body).toMatchObject({ code: 'too_many_streams', detail: expect.stringMatching(/^An access token/) })
    for (let n = 1; n < 5; n++) for (let i = 0; i < 10; i++) expect((await open(n)).status).toBe(200)
    expect((await open(5)).body).toMatchObject({ code: 'too_many_streams', detail: expect.stringMatching(/^The access tokens/) })
    expect((await openStream(app, admin)).status).toBe(200)
  })

  it('by tenant and by hub', async () => {
    const live = new Live(liveDeps(), FAST)
    onTestFinished(() => live.stop())
    const open = (tenantId: string, id: string) => {
      const actor = { kind: 'user', id, role: 'viewer', sessionId: id, name: '', ip: null, requestId: null } as const
      const held = {
        tenantId,
        by: 'session',
        id,
        keyId: '',
        groupIds: null,
        role: 'viewer',
        expiresAt: Number.MAX_VALUE,
      } as const
      const scope = tenantScope(hub.deps.pools, hub.clock, tenantId, actor)
      return live.open({
        scope,
        held,
        wanted: { machineIds: null, groupId: undefined },
        readingsOf: null,
        readingsInterval: 1,
        lastEventId: null,
        destroySocket: () => {},
      })
    }
    const user = () => crypto.randomUUID()
    const tenant = user()
    // all at once, so that none is ended for want of a session meanwhile
    const opened = await Promise.allSettled(Array.from({ length: 101 }, () => open(tenant, user())))
    expect(opened.filter((o) => o.status === 'rejected').map((o) => (o as PromiseRejectedResult).reason)).toMatchObject([
      { status: 429, code: 'too_many_streams' },
    ])
    await live.stop()
    await expect(open(tenant, user())).rejects.toMatchObject({ status: 503 })
  })

  it('by hub: a newcomer takes the place of the oldest stream of the tenant with most, until all have as many', async () => {
    // Nobody looks at the sessions, which do not exist.
    const live = new Live({ ...liveDeps(), system: (() => new Promise(() => {})) as never }, FAST, 4)
    onTestFinished(() => live.stop())
    const [large, small] = [crypto.randomUUID(), crypto.randomUUID()]
    const open = async (tenantId: string) => {
      const id = crypto.randomUUID()
      const actor = { kind: 'user', id, role: 'viewer', sessionId: id, name: '', ip: null, requestId: null } as const
      const held = {
        tenantId,
        by: 'session',
        id,
        keyId: '',
        groupIds: null,
        role: 'viewer',
        expiresAt: Number.MAX_VALUE,
      } as const
      const scope = tenantScope(hub.deps.pools, hub.clock, tenantId, actor)
      return live.open({
        scope,
        held,
        wanted: { machineIds: null, groupId: undefined },
        readingsOf: null,
        readingsInterval: 1,
        lastEventId: null,
        destroySocket: () => {},
      })
    }
    const [oldest] = [await open(large), await open(large), await open(large), await open(large)]
    await open(small)
    expect(await new Response(oldest).text()).toContain('"reason":"hub_full"')
    await open(small)
    await expect(open(small)).rejects.toMatchObject({ status: 503, code: 'streams_full' })
    await expect(open(large)).rejects.toMatchObject({ status: 503, code: 'streams_full' })
  })

  it('for a client that reads slowly: it is told later what has become of things, and one that takes nothing is cut', async () => {
    const { admin, key, identifier } = await plant(hub)
    const { app } = replica({ ...FAST, stuckMs: 1_500 })
    let cut = false
    const socket = { remoteAddress: '10.8.8.8', destroy: () => (cut = true) }
    const answer = await app.request(
      '/api/v1/stream',
      { headers: { authorization: `Bearer ${admin.token}` } },
      { incoming: { socket } },
    )
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    onTestFinished(() => reader.cancel())
    const flood = (value: number) =>
      hub.send(
        key,
        Array.from({ length: 800 }, (_, i) => ({ machine: identifier, metric: `metric${i}`, value })),
      )
    for (let value = 0; value < 20; value++) await flood(value)
    await soon(() => expect(cut).toBe(true))
    let bytes = 0
    let text = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.byteLength
      text += new TextDecoder().decode(part.value)
    }
    // what waited for it: some looks, and not twenty
    expect(bytes).toBeLessThan(3 * 65_536 + 200_000)
    expect(text).toContain('too_slow')
  })

  it('by credentials, and a stream that is opened while these are looked up is not ended for want of an answer', async () => {
    const tenantId = crypto.randomUUID()
    const ids: string[] = []
    const open = () => {
      const id = crypto.randomUUID()
      const actor = { kind: 'user', id, role: 'viewer', sessionId: id, name: '', ip: null, requestId: null } as const
      const held = {
        tenantId,
        by: 'token',
        id,
        keyId: undefined,
        groupIds: null,
        role: 'viewer',
        expiresAt: Number.MAX_VALUE,
      } as const
      ids.push(id)
      return live.open({
        scope: tenantScope(hub.deps.pools, hub.clock, tenantId, actor),
        held,
        wanted: { machineIds: null, groupId: undefined },
        readingsOf: null,
        readingsInterval: 1,
        lastEventId: null,
        destroySocket: () => {},
      })
    }
    let checks = 0
    let late: ReadableStream<Uint8Array> | undefined
    const system = async () => {
      checks++
      const known = ids.map((id) => ({ id, role: 'viewer' }))
      late ??= await open()
      return known
    }
    const live = new Live({ ...liveDeps(), system: system as never }, FAST)
    onTestFinished(() => live.stop())
    await open()
    await soon(() => expect(checks).toBeGreaterThan(1))
    await live.stop()
    expect(await new Response(late).text()).toContain('"reason":"hub_stopping"')
  })

  it('by running no queries without a client', async () => {
    const { admin, key, identifier } = await plant(hub)
    let reads = 0
    const pools = new Proxy(hub.deps.pools, {
      get(target, name) {
        if (name === 'app' || name === 'system') reads++
        return Reflect.get(target, name)
      },
    })
    const live = new Live({ ...liveDeps(), system: pools.system }, FAST)
    onTestFinished(() => live.stop())
    const { app } = createApp({ ...hub.deps, pools, live })
    const client = await openStream(app, admin)
    await client.next('ready')
    await hub.send(key, [{ machine: identifier, value: 1 }])
    await client.next('readings')
    const before = reads
    await soon(() => expect(reads).toBeGreaterThan(before + 2))
    await client.leave()
    // polls of another replica are the measure of time
    const other = await openStream(replica().app, admin)
    await other.next('ready')
    let sent = 0
    const otherPolls = async (count: number) => {
      for (const until = sent + count; sent < until; sent++) {
        await hub.send(key, [{ machine: identifier, value: sent, ago: -sent }])
        await other.next('readings')
      }
    }
    await otherPolls(3)
    const after = reads
    await otherPolls(8)
    expect(reads).toBe(after)
  })
})

describe('a live stream of work', () => {
  it('tells work orders and maintenance as they are created and changed, and what was deleted', async () => {
    const { admin, machine } = await ruledPlant()
    const client = await openStream(replica().app, admin)
    await client.next('ready')
    const order = (await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing' })).body
    expect(await client.next('work_order')).toEqual(order)
    const assigned = (await admin.call('PATCH', `work-orders/${order.id}`, { assignee_ids: [admin.userId] })).body
    expect(assigned.assignee_ids).toEqual([admin.userId])
    expect(await client.next('work_order')).toEqual(assigned)
    const times = { scheduled_start: '2030-01-01T08:00Z', scheduled_end: '2030-01-01T09:00Z' }
    const event = (await admin.call('POST', 'maintenance', { machine_id: machine.id, title: 'Oil', ...times })).body
    expect(await client.next('maintenance')).toEqual(event)
    const started = (await admin.call('PUT', `maintenance/${event.id}`, { status: 'in_progress' })).body
    expect(await client.next('maintenance')).toEqual(started)
    await admin.call('DELETE', `maintenance/${event.id}`)
    expect(await client.next('deleted')).toEqual({ kind: 'maintenance', id: event.id, machine_id: machine.id })
    await admin.call('DELETE', `work-orders/${order.id}`)
    expect(await client.next('deleted')).toEqual({ kind: 'work_order', id: order.id, machine_id: machine.id })
  })

  it('tells a work order anew when it is signed', async () => {
    const { admin, machine } = await ruledPlant()
    const { id } = (await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing' })).body
    await admin.call('PATCH', `work-orders/${id}`, { status: 'completed' })
    const client = await openStream(replica().app, admin)
    await client.next('ready')
    expect((await admin.call('POST', `work-orders/${id}/signoffs`, { password: PASSWORD })).status).toBe(201)
    const told = await client.next('work_order')
    expect(told).toMatchObject({ id, signoff_count: 1 })
    expect(told).toEqual((await admin.call('GET', `work-orders/${id}`)).body)
    expect((await admin.call('GET', `work-orders/${id}/signoffs`)).body).toMatchObject([{ work_order_id: id }])
  })

  it('sends after a restart what was changed and deleted meanwhile, each once, and nothing of other machines', async () => {
    const { admin, machine } = await ruledPlant()
    const other = await hub.machine(admin)
    const plan = async (title: string, machine_id = machine.id) => {
      const times = { scheduled_start: '2030-01-01T08:00Z', scheduled_end: '2030-01-01T09:00Z' }
      return (await admin.call('POST', 'maintenance', { machine_id, title, ...times })).body
    }
    const [kept, gone] = [await plan('Oil'), await plan('Belt')]
    const first = replica()
    const before = await openStream(first.app, admin, { query: `?machine_id=${machine.id}` })
    await before.next('ready')
    await first.stop()
    await admin.call('PUT', `maintenance/${kept.id}`, { title: 'Oil and filter' })
    await admin.call('DELETE', `maintenance/${gone.id}`)
    await plan('Elsewhere', other.id)
    const after = await openStream(replica().app, admin, { query: `?machine_id=${machine.id}`, lastId: before.lastId })
    expect(await after.next('ready')).toEqual({ resumed: true })
    expect(await after.next('maintenance')).toMatchObject({ id: kept.id, title: 'Oil and filter' })
    expect(await after.next('deleted')).toMatchObject({ id: gone.id })
    await admin.call('PUT', `maintenance/${kept.id}`, { title: 'Oil' })
    await after.next('maintenance')
    const told = after.events.filter(({ name }) => name === 'maintenance' || name === 'deleted')
    expect(told.map(({ data }) => data.title ?? data.kind)).not.toContain('Elsewhere')
  })

  it('reports more changes than it sends as a reset', async () => {
    const { admin, machine } = await ruledPlant()
    const client = await openStream(replica().app, admin)
    await client.next('ready')
    await hub.owner`
      insert into maintenance_events (tenant_id, machine_id, title, scheduled_start, scheduled_end, created_by, updated_at)
      select ${admin.tenantId}, ${machine.id}, 'x', now(), now() + interval '1 h', ${admin.userId}, ${hub.clock.now()} from generate_series(1, 1001) n`
    expect(await client.next('reset')).toEqual({ of: 'maintenance' })
    await hub.owner`delete from maintenance_events where tenant_id = ${admin.tenantId}`
    expect(await client.next('reset')).toEqual({ of: 'deleted' })
  })

  it('forgets deletions after two days', async () => {
    const { admin, machine } = await ruledPlant()
    const { id } = (await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing' })).body
    await admin.call('DELETE', `work-orders/${id}`)
    const left = () => hub.owner`select from deleted_resources where id = ${id}`
    await purgeDeletions(hub.deps.pools.system, new Date(Date.now() + 47 * 3_600_000))
    expect(await left()).toHaveLength(1)
    await purgeDeletions(hub.deps.pools.system, new Date(Date.now() + 49 * 3_600_000))
    expect(await left()).toHaveLength(0)
  })

  it('finds changes by an index, however many work orders and events there are', async () => {
    const plans = await hub.owner.begin(async (sql) => {
      await sql`set local enable_seqscan = off`
      return Promise.all(
        ['work_orders', 'maintenance_events'].map(
          (table) =>
            sql`explain select * from ${sql(table)} where tenant_id = uuidv7() and updated_at >= now() - interval '1 min'`,
        ),
      )
    })
    expect(JSON.stringify(plans)).toContain('work_orders_updated_idx')
    expect(JSON.stringify(plans)).toContain('maintenance_events_updated_idx')
  })
})

describe('GET /bootstrap', () => {
  it('answers what the operations answer that it stands for, of a site if it is asked for one', async () => {
    const { admin, machine, send } = await ruledPlant()
    const site = await admin.call('POST', 'machine-groups', { name: 'Ulm', group_type: 'site', machine_ids: [machine.id] })
    await admin.call('POST', 'machine-groups', { name: 'Line 1', group_type: 'line' })
    const other = (await admin.call('POST', 'machines', { name: 'Oven', machine_identifier: 'oven', protocol: 'opc_ua' })).body
    const due_date = new Date(hub.deps.clock.now().getTime() - 60_000).toISOString()
    for (const machine_id of [machine.id, other.id])
      await admin.call('POST', 'work-orders', { machine_id, title: 'Late', due_date })
    await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Without a date' })
    await send(95)
    const get = async (path: string) => (await admin.call('GET', path)).body
    for (const groupId of [undefined, site.body.id as string]) {
      const of = groupId ? `?group_id=${groupId}` : ''
      expect(await get(`bootstrap${of}`)).toEqual({
        user: await get('auth/me'),
        company: {
          stream_position: expect.stringMatching(/^\d{13}-\d+:\d+:/),
          units: await get('settings/units'),
          time_zone: (await get('settings/plant')).time_zone,
          sites: await get('machine-groups?group_type=site'),
          alerts: await get(`alerts/stats${of}`),
          overdue_work_orders: (await get(`work-orders?overdue=true${of.replace('?', '&')}`)).total,
        },
      })
    }
    expect((await get('bootstrap')).company.overdue_work_orders).toBe(2)
    expect((await get(`bootstrap?group_id=${site.body.id}`)).company.overdue_work_orders).toBe(1)
  })

  it('a stream that begins at its position sends what changed since, and nothing that was there before', async () => {
    const { admin, machine } = await ruledPlant()
    const order = async (title: string) => (await admin.call('POST', 'work-orders', { machine_id: machine.id, title })).body.id
    await order('before')
    const { company } = (await admin.call('GET', 'bootstrap')).body
    const after = await order('after')
    const client = await openStream(replica().app, admin, { lastId: company.stream_position })
    expect(await client.next('ready')).toEqual({ resumed: true })
    expect(await client.next('work_order')).toMatchObject({ id: after })
    const last = await order('last')
    await client.next('work_order', ({ id }) => id === last)
    expect(told(client).map(({ data }) => data.title)).toEqual(['after', 'last'])
  })
})
