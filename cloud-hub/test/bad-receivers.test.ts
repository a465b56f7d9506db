import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import postgres from '../src/db/driver.ts'
import type { Sql } from '../src/db/pools.ts'
import { claimDue } from '../src/features/delivery/notifications/claim.ts'
import { type DeliveryDeps, DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import { createLogger } from '../src/support/logger.ts'
import type { Mailer } from '../src/support/mail.ts'
import { createGuardedClient, type GuardedClient } from '../src/support/net/guarded-client.ts'
import { plant, TestClock, type TestUser, useHub } from './harness.ts'
import { keptPort } from './processes.ts'
import { soon } from './soon.ts'

const allow = ['127.0.0.0/8']
const hub = useHub({ OUTBOUND_ALLOW: allow.join() })
const clock = new TestClock()

/** What a path's first part makes of a call. */
const MANNERS: Record<string, (response: ServerResponse) => unknown> = {
  good: (response) => response.writeHead(200).end(),
  hang: () => {},
  slow: (response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('.'), 100)
    response.on('close', () => clearInterval(drip))
  },
  redirect: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  huge: (response) => {
    response.writeHead(500)
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
      response.once('drain', more)
    }
    more()
  },
  broken: (response) => response.destroy(),
}
let [isMended, server, url]: [boolean, Server, string] = [false, undefined as unknown as Server, '']
const arrived: { path: string; alert: string }[] = []
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const path = request.url ?? ''
    arrived.push({ path, alert: JSON.parse(text).alert_id })
    MANNERS[isMended ? 'good' : (path.split('/')[1] ?? '')]?.(response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

let http: GuardedClient | undefined
let stop: (() => Promise<void>) | undefined
async function begin(values: Partial<DeliveryDeps> = {}) {
  const { pools, box, mailer } = hub.deps
  // a receiver that hangs does so for the whole test: only its places can be given to others
  http = createGuardedClient({ allow, timeoutMs: 300_000 })
  const worker = await DeliveryWorker.start({
    allTenants: pools.system,
    listen: pools.listen,
    box,
    mailer,
    publicUrl: 'https://hub.example.com',
    vapid: null,
    http,
    clock,
    logger: createLogger('silent'),
    observe: () => {},
    ...values,
  })
  stop = () => worker.stop()
}
afterEach(async () => {
  http?.close()
  await stop?.()
  await hub.owner`delete from deliveries`
  isMended = false
  arrived.length = 0
})

/** A tenant with a rule and channels at these paths; so many of its machines may cross. */
async function tenant(machines: number, ...paths: string[]) {
  const made = await plant(hub)
  const { admin, key } = made
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const ids: string[] = []
  for (const path of paths) ids.push(await channel(admin, 'webhook', { url: path.startsWith('http') ? path : `${url}${path}` }))
  const rows = await hub.owner<{ name: string }[]>`
    insert into machines (tenant_id, name, machine_identifier, protocol)
    select ${admin.tenantId}, 'Machine ' || i, 's-' || i, 'opc_ua' from generate_series(1, ${machines}::int) i returning machine_identifier as name`
  const cross = () =>
    hub.send(
      key,
      rows.map(({ name }) => ({ machine: name, value: 85 })),
    )
  const standing = async (id: string) => {
    const found = await hub.owner<{ status: string; n: number }[]>`
      select status, count(*)::int as n from deliveries where channel_id = ${id} group by 1`
    return Object.fromEntries(found.map(({ status, n }) => [status, n]))
  }
  return { ...made, ids, cross, standing }
}
const channel = async (admin: TestUser, type: string, config: Record<string, unknown>) => {
  const answer = await admin.call('POST', 'notification-channels', { name: type, channel_type: type, config })
  expect(answer.status).toBe(201)
  return answer.body.id as string
}
/** Rows of deliveries and entries of their indexes that `work` reads, on a connection of its own. */
async function rowsRead(work: (system: Sql) => Promise<void>): Promise<number> {
  const system = postgres(hub.url, { max: 1, onnotice: () => {} })
  const total = async () => {
    await system`select pg_stat_force_next_flush()`
    const [found] = await system<{ n: string }[]>`
      select (select seq_tup_read from pg_stat_user_tables where relname = 'deliveries')
        + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'deliveries') as n`
    return Number(found?.n)
  }
  try {
    const before = await total()
    await system`set role haltless_system`
    await work(system)
    await system`reset role`
    return (await total()) - before
  } finally {
    await system.end()
  }
}
const at = (path: string) => arrived.filter((one) => one.path === path)

describe('receivers that hang, drip, redirect, answer without end, break off or are dead', () => {
  const BAD = ['hang', 'slow', 'redirect', 'huge', 'broken']

  it('delay neither another channel of their tenant nor another tenant, and lose no delivery', async () => {
    await begin()
    const dead = await keptPort()
    const paths = [...BAD.map((manner) => `/${manner}`), `http://127.0.0.1:${dead}/`, '/good/mine']
    const [one, other] = [await tenant(12, ...paths), await tenant(3, '/good/other')]
    await one.cross()
    await other.cross()
    await soon(() => expect([at('/good/mine').length, at('/good/other').length]).toEqual([12, 3]))
    isMended = true
    server.closeAllConnections()
    // the dead one comes back too
    const revived = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(204).end())
    })
    await new Promise<void>((done) => revived.listen(dead, '127.0.0.1', done))
    try {
      await soon(async () => {
        clock.advance(700)
        await hub.owner.notify('haltless_deliveries', '')
        for (const id of one.ids) expect(await one.standing(id)).toEqual({ delivered: 12 })
      })
    } finally {
      revived.closeAllConnections()
      await new Promise((done) => revived.close(done))
    }
    for (const manner of BAD) expect(new Set(at(`/${manner}`).map(({ alert }) => alert)).size).toBe(12)
    expect([at('/good/mine').length, at('/good/other').length]).toEqual([12, 3])
    expect(arrived.some(({ path }) => path === '/elsewhere')).toBe(false)
  })

  it('that occupy all slots of their tenant release them after two seconds', async () => {
    await begin()
    const { cross, admin } = await tenant(4, ...Array.from({ length: 6 }, (_, i) => `/hang/${i}`))
    await cross()
    await soon(() => expect(arrived.length).toBeGreaterThanOrEqual(16))
    await channel(admin, 'webhook', { url: `${url}/good` })
    const [alert] = await hub.owner`select id, machine_id from alerts where tenant_id = ${admin.tenantId} limit 1`
    await hub.owner`
      insert into deliveries (tenant_id, channel_id, alert_id) select tenant_id, id, ${alert?.id} from notification_channels
      where tenant_id = ${admin.tenantId} order by created_at desc limit 1`
    await soon(() => expect(at('/good')).toHaveLength(1))
  })

  it('of many tenants do not delay the rest of the hub', async () => {
    await begin()
    const noisy = []
    for (let i = 0; i < 24; i++) noisy.push(await tenant(4, ...Array.from({ length: 4 }, () => '/hang')))
    const quiet = await tenant(1, '/good')
    for (const { cross } of noisy) await cross()
    await soon(() => expect(arrived.length).toBeGreaterThanOrEqual(256))
    await quiet.cross()
    await soon(() => expect(at('/good')).toHaveLength(1))
  })
})

describe('a delivery', () => {
  it('among 10,000 waiting ones is claimed with few rows read, also before ANALYZE has run', async () => {
    const { admin, key, identifier } = await plant(hub)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 85 }])
    const given = { name: 'Tool', channel_type: 'incident_a', config: { routing_key: 'key' } }
    const { id } = (await admin.call('POST', 'notification-channels', given)).body
    await hub.owner`
      insert into deliveries (tenant_id, channel_id, alert_id, subject)
      select tenant_id, ${id}, id, n::text from alerts, generate_series(1, 10000) n where tenant_id = ${admin.tenantId}`
    const limits = { deliveries: 256, mails: 8, perChannel: 4, perTenant: 16, except: { channels: [], tenants: [] } }
    const read = await rowsRead(async (system) => {
      expect((await claimDue(system, new Date(Date.now() + 1_000), limits)).claimed).toHaveLength(4)
    })
    // a plan that compares each with each reads 100 million
    expect(read).toBeLessThan(500_000)
  })

  it('waits behind an earlier one of the same subject, deferred so that polls do not read it each time', async () => {
    const { admin, key, identifier } = await plant(hub)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 85 }])
    const given = { name: 'Tool', channel_type: 'incident_a', config: { routing_key: 'key' } }
    const { id } = (await admin.call('POST', 'notification-channels', given)).body
    const now = new Date()
    const retried = new Date(now.getTime() + 600_000)
    await hub.owner`
      insert into deliveries (tenant_id, channel_id, alert_id, subject, attempts, due_at)
      select tenant_id, ${id}, id, 'dead', (n = 1)::int, case when n = 1 then ${retried}::timestamptz else ${now}::timestamptz end
      from alerts, generate_series(1, 700) n where tenant_id = ${admin.tenantId}`
    const limits = { deliveries: 256, mails: 8, perChannel: 4, perTenant: 16, except: { channels: [], tenants: [] } }
    const looks = []
    for (let i = 0; i < 3; i++) looks.push(await claimDue(hub.deps.pools.system, now, limits))
    expect(looks).toEqual([500, 199, 0].map((deferred) => ({ claimed: [], deferred })))
    expect((await claimDue(hub.deps.pools.system, new Date(now.getTime() + 59_000), limits)).deferred).toBe(0)
    expect((await claimDue(hub.deps.pools.system, new Date(now.getTime() + 60_000), limits)).deferred).toBe(500)
    // however many of the others are due before it
    const due = new Date(retried.getTime() + 1)
    expect((await claimDue(hub.deps.pools.system, due, limits)).deferred).toBe(500)
    expect((await claimDue(hub.deps.pools.system, due, limits)).claimed.map(({ attempts }) => attempts)).toEqual([2])
  })

  it('is claimed while another transaction locks others, and defers none that another worker has claimed', async () => {
    const { admin, key, identifier } = await plant(hub)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 85 }])
    const tool = { name: 'Tool', channel_type: 'incident_a', config: { routing_key: 'key' } }
    const { id } = (await admin.call('POST', 'notification-channels', tool)).body
    const now = new Date()
    const leased = new Date(now.getTime() + 60_000)
    // of one subject the first is being made, and the second waits for its turn; the third is of another
    const [first, second, third] = await hub.owner<{ id: string }[]>`
      insert into deliveries (tenant_id, channel_id, alert_id, subject, attempts, due_at)
      select tenant_id, ${id}, id, case when n < 3 then 'same' else 'other' end, (n = 1)::int,
        case when n = 1 then ${leased}::timestamptz else ${now}::timestamptz end
      from alerts, generate_series(1, 3) n where tenant_id = ${admin.tenantId} returning id`
    const limits = { deliveries: 256, mails: 8, perChannel: 4, perTenant: 16, except: { channels: [], tenants: [] } }
    const look = () => claimDue(hub.deps.pools.system, now, limits)
    const whileLocked = await hub.owner.begin(async (tx) => {
      // another worker has seen the first end, and takes the second
      await tx`update deliveries set status = 'delivered' where id = ${first?.id ?? ''}`
      await tx`update deliveries set attempts = 1, due_at = ${leased} where id = ${second?.id ?? ''}`
      return look()
    })
    expect(whileLocked).toMatchObject({ claimed: [{ id: third?.id }], deferred: 0 })
    const [row] = await hub.owner`select due_at from deliveries where id = ${second?.id ?? ''}`
    expect(row?.due_at).toEqual(leased)
  })
})

describe('a human-facing channel whose deletion takes long', () => {
  it('delays its own messages and no other tenant’s', async () => {
    await begin()
    const slow = await tenant(1, '/good')
    const mails = await channel(slow.admin, 'email', { to_email: 'night@example.com' })
    await slow.cross()
    await soon(async () => expect(await slow.standing(mails)).not.toHaveProperty('pending_digest'))
    const other = await tenant(1, '/good')
    const due = new Date(clock.now().getTime() + 1_000)
    await hub.owner`update deliveries set status = 'pending_digest', due_at = ${due} where channel_id = ${mails}`
    await hub.owner.begin(async (tx) => {
      await tx`delete from notification_channels where id = ${mails}`
      clock.advance(1)
      await other.cross()
      await soon(() => expect(at('/good')).toHaveLength(2))
    })
  })
})

describe('a mail server that hangs', () => {
  it('receives eight mails at once, in order of their due time, and delays no webhook', async () => {
    let [now, most, isUp] = [0, 0, false]
    const sent: string[] = []
    const waiting: (() => void)[] = []
    const mailer: Mailer = {
      close: () => {},
      send: async (mail) => {
        most = Math.max(most, ++now)
        if (!isUp) await new Promise<void>((done) => waiting.push(done))
        now--
        sent.push(String(mail.messageId))
        return { ok: true }
      },
    }
    onTestFinished(() => {
      isUp = true
      for (const done of waiting.splice(0)) done()
    })
    await begin({ mailer })
    const tenants = await Promise.all(Array.from({ length: 4 }, () => tenant(3)))
    for (const { admin } of tenants) await channel(admin, 'email', { to_email: 'night@example.com' })
    for (const { cross } of tenants) await cross()
    await soon(() => expect(now).toBe(8))
    const quiet = await tenant(2, '/good')
    await quiet.cross()
    await soon(() => expect(at('/good')).toHaveLength(2))
    expect(sent).toEqual([])
    isUp = true
    for (const done of waiting.splice(0)) done()
    await soon(() => expect(sent).toHaveLength(12))
    expect([most, new Set(sent).size]).toEqual([8, 12])
  })
})
