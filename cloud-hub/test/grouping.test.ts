import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openPools } from '../src/db/pools.ts'
import { escalateDue } from '../src/features/alerting/escalation/index.ts'
import { DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import { createLogger } from '../src/support/logger.ts'
import { createGuardedClient } from '../src/support/net/guarded-client.ts'
import { plant, TestClock, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'
import { useVendor } from './support/vendor.ts'

const allow = ['127.0.0.0/8']
const hub = useHub({ OUTBOUND_ALLOW: allow.join() })
const clock = new TestClock()
const http = createGuardedClient({ allow, timeoutMs: 5_000 })
let status = 200
/** a chat below /chat, a webhook below /hook */
const vendor = useVendor(({ path }) => ({ status: path.startsWith('/chat') ? status : 200 }))
const stops: (() => Promise<unknown>)[] = []

async function begin(allTenants = hub.deps.pools.system, listen = hub.deps.pools.listen) {
  const { box, mailer } = hub.deps
  const publicUrl = 'https://hub.example.com'
  const logger = createLogger('silent')
  const worker = await DeliveryWorker.start({
    allTenants,
    listen,
    box,
    mailer,
    publicUrl,
    vapid: null,
    http,
    clock,
    logger,
    observe: () => {},
  })
  stops.push(() => worker.stop())
  return worker
}
beforeAll(async () => {
  hub.flushDeps.worker = await begin()
})
beforeEach(() => {
  status = 200
  vendor.calls.length = 0
})
afterAll(async () => {
  for (const stop of stops) await stop()
  http.close()
})

/** A tenant whose alerts go to a chat and to a webhook. */
async function alarmed() {
  const made = await plant(hub)
  const { admin, key } = made
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const path = made.machine.id
  const channel = async (type: string, config: Record<string, unknown>) =>
    (await admin.call('POST', 'notification-channels', { name: type, channel_type: type, config })).body.id as string
  const chat = await channel('chat_a', { webhook_url: `${vendor.url}/chat/${path}` })
  const hook = await channel('webhook', { url: `${vendor.url}/hook/${path}` })
  /** so many machines cross at once; every third is critical */
  const storm = async (n: number) => {
    const machines = await Promise.all(Array.from({ length: n }, (_, i) => hub.machine(admin, { name: `Machine ${i}` })))
    await hub.send(
      key,
      machines.map((m, i) => ({ machine: m.machine_identifier, value: i % 3 === 0 ? 95 : 85 })),
    )
    return machines.map((m) => m.id)
  }
  const at = (kind: string) => vendor.calls.filter((call) => call.path === `/${kind}/${path}`)
  return {
    ...made,
    chat,
    hook,
    storm,
    messages: () => at('chat').map(({ body }) => body.text as string),
    posts: () => at('hook'),
  }
}
const later = async (seconds: number) => {
  clock.advance(seconds)
  await hub.owner.notify('haltless_deliveries', '')
}
const attempts = async (admin: TestUser, id: string) =>
  (await admin.call('GET', `notification-channels/${id}/deliveries?page_size=100`)).body.items
/** how many deliveries the worker has examined and kept for the next digest */
const heldBack = async (id: string) =>
  (await hub.owner`select from deliveries where channel_id = ${id} and status = 'pending_digest' and due_at > created_at`).length
const standing = async (id: string) => {
  const rows = await hub.owner<
    { status: string; n: number }[]
  >`select status, count(*)::int as n from deliveries where channel_id = ${id} group by 1`
  return Object.fromEntries(rows.map((row) => [row.status, row.n]))
}

describe('alerts for people', () => {
  it('are sent individually up to three', async () => {
    const { chat, storm, messages } = await alarmed()
    await storm(3)
    await soon(() => expect(messages()).toHaveLength(3))
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 3 }))
    expect(messages().every((text) => text.includes('temperature is'))).toBe(true)
  })

  it('of a storm are sent as three messages and, after 30 seconds, one digest, while a webhook receives each', async () => {
    const { admin, chat, storm, messages, posts } = await alarmed()
    const machines = await storm(40)
    await soon(() => expect([messages().length, posts().length]).toEqual([3, 40]))
    expect(new Set(posts().map(({ body }) => body.machine_id))).toEqual(new Set(machines))
    await later(25)
    expect(await standing(chat)).toEqual({ delivered: 3, pending_digest: 37 })
    await later(6)
    await soon(() => expect(messages()).toHaveLength(4))
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 40 }))
    const counts = /^\[critical\] 37 alerts: (\d+) critical, (\d+) warning\.$/.exec(messages()[3] ?? '')
    expect(Number(counts?.[1]) + Number(counts?.[2])).toBe(37)
    const { blocks } = vendor.calls.find(({ body }) => /37 alerts/.test(body.text))?.body ?? {}
    expect(blocks[1].fields).toHaveLength(10)
    expect(blocks[1].fields[0].text).toMatch(/^CRITICAL\nMachine \d+: temperature is 95/)
    expect(blocks[1].fields[9].text).toBe('More\n28 further alerts')
    expect(blocks[2].elements[0].text).toBe('<https://hub.example.com/alerts|Open in Haltless>')
    // every alert has its attempt on record
    const recorded = await attempts(admin, chat)
    expect(new Set(recorded.map((a: { alert_id: string }) => a.alert_id)).size).toBe(40)
    expect(recorded.every((a: { status: string }) => a.status === 'delivered')).toBe(true)
  })

  it('are counted but not listed in a digest when they were acknowledged or cleared before it is sent', async () => {
    const { admin, storm, messages } = await alarmed()
    await storm(13)
    await soon(() => expect(messages()).toHaveLength(3))
    const waiting = await hub.owner<{ id: string }[]>`
      select alert_id as id from deliveries where tenant_id = ${admin.tenantId} and status = 'pending_digest' order by id`
    const ids = waiting.map(({ id }) => id)
    await admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids: ids.slice(0, 4) })
    await hub.owner`update alerts set cleared_at = now() where id = any(${ids.slice(4, 7)}::uuid[])`
    await later(31)
    await soon(() => expect(messages()).toHaveLength(4))
    expect(messages()[3]).toMatch(/3 alerts: .*\. 7 more were acknowledged or cleared meanwhile\.$/)
    const { blocks } = vendor.calls.find(({ body }) => /3 alerts/.test(body.text))?.body ?? {}
    expect(blocks[1].fields).toHaveLength(3)
  })

  it('yield a digest that reports so when all were acknowledged meanwhile', async () => {
    const { admin, storm, messages } = await alarmed()
    await storm(6)
    await soon(() => expect(messages()).toHaveLength(3))
    const open = (await admin.call('GET', 'alerts?is_acknowledged=false&page_size=100')).body.items as { id: string }[]
    await admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids: open.map(({ id }) => id) })
    await later(31)
    await soon(() => expect(messages()).toHaveLength(4))
    expect(messages()[3]).toMatch(/\[info\] 3 alerts, acknowledged or cleared meanwhile\.$/)
  })

  it('of 1,000 machines reach a webhook once each, and a person in three messages and a digest every 30 seconds', async () => {
    const { admin, key, chat, hook, messages, posts } = await alarmed()
    const machines = await hub.owner<{ id: string; name: string }[]>`
      insert into machines (tenant_id, name, machine_identifier, protocol)
      select ${admin.tenantId}, 'Machine ' || i, 's-' || i, 'opc_ua' from generate_series(1, 1000) i returning id, machine_identifier as name`
    await hub.send(
      key,
      machines.map(({ name }) => ({ machine: name, value: 85 })),
    )
    const began = clock.now().getTime()
    await vi.waitFor(() => expect(posts()).toHaveLength(1_000), { timeout: 120_000, interval: 100 })
    await later(31)
    await soon(async () =>
      expect([await standing(chat), await standing(hook)]).toEqual([{ delivered: 1_000 }, { delivered: 1_000 }]),
    )
    const digests = messages().flatMap((text) => /(\d+) alerts: \1 warning\.$/.exec(text)?.[1] ?? [])
    expect(messages()).toHaveLength(3 + digests.length)
    expect(digests.reduce((sum, n) => sum + Number(n), 0)).toBe(997)
    // a busy machine may need more than 30 seconds for the posts, and then a digest is due meanwhile
    expect(digests.length).toBeLessThanOrEqual((clock.now().getTime() - began) / 30_000)
    expect(new Set(posts().map(({ body }) => body.machine_id)).size).toBe(1_000)
  })

  it('are one digest per 30 seconds during a storm, and are sent at once again after it', async () => {
    const { chat, storm, messages } = await alarmed()
    await storm(5)
    await soon(() => expect(messages()).toHaveLength(3))
    await later(31)
    await soon(() => expect(messages()).toHaveLength(4))
    await storm(2)
    await soon(async () => expect(await heldBack(chat)).toBe(2))
    await later(20)
    expect(messages()).toHaveLength(4)
    await later(11)
    await soon(() => expect(messages()).toHaveLength(5))
    expect([messages()[3], messages()[4]]).toEqual([expect.stringContaining('2 alerts: '), expect.stringContaining('2 alerts: ')])
    await later(31)
    await storm(1)
    await soon(() => expect(messages()).toHaveLength(6))
  })

  it('are sent as ordinary messages when a digest has only one', async () => {
    const { storm, messages } = await alarmed()
    await storm(4)
    await soon(() => expect(messages()).toHaveLength(3))
    await later(31)
    await soon(() => expect(messages()).toHaveLength(4))
    expect(messages()[3]).toMatch(/temperature is/)
  })

  it('of a digest are retried as one delivery when the receiver fails', async () => {
    const { admin, chat, storm, messages } = await alarmed()
    await storm(8)
    await soon(() => expect(messages()).toHaveLength(3))
    status = 503
    await later(31)
    await soon(async () => expect(await attempts(admin, chat)).toHaveLength(8))
    expect(await standing(chat)).toEqual({ delivered: 3, waiting: 1, in_digest: 4 })
    status = 200
    await later(7)
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 8 }))
    expect(messages().slice(3)).toEqual([expect.stringContaining('5 alerts'), expect.stringContaining('5 alerts')])
    expect(await attempts(admin, chat)).toHaveLength(13)
  })

  it('of a digest are all refused when the receiver refuses permanently', async () => {
    const { chat, storm, messages } = await alarmed()
    await storm(6)
    await soon(() => expect(messages()).toHaveLength(3))
    status = 403
    await later(31)
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 3, refused: 3 }))
  })

  it('of one tenant do not delay another’s', async () => {
    const [noisy, quiet] = [await alarmed(), await alarmed()]
    await noisy.storm(10)
    await soon(() => expect(noisy.messages()).toHaveLength(3))
    await quiet.storm(2)
    await soon(() => expect(quiet.messages()).toHaveLength(2))
  })

  it('belong to one digest up to the end of its 30 seconds, and to the next one afterwards', async () => {
    const { admin, chat, storm } = await alarmed()
    await hub.flushDeps.worker?.stop()
    hub.flushDeps.worker = null
    await storm(1)
    const begun = clock.now().getTime() + 3_600_000
    const at = (seconds: number) => new Date(begun + seconds * 1_000)
    await hub.owner`delete from deliveries where tenant_id = ${admin.tenantId}`
    const come = (seconds: number, n = 1) => hub.owner`
      insert into deliveries (tenant_id, channel_id, alert_id, status, due_at, created_at)
      select tenant_id, ${chat}, id, 'pending_digest', ${at(seconds)}, ${at(seconds)} from alerts, generate_series(1, ${n}::int) where tenant_id = ${admin.tenantId}`
    const groups = async () =>
      (
        await hub.owner<{ n: number }[]>`
          select group_size as n from deliveries where tenant_id = ${admin.tenantId} and status = 'waiting' order by created_at, id`
      ).map(({ n }) => n)
    const freed = async (seconds: number) => {
      const before = (await groups()).length
      await hub.owner`select release_digests(${at(seconds)}, 3, interval '30 s')`
      return (await groups()).length - before
    }
    await come(0, 4)
    expect(await freed(0)).toBe(3)
    await come(29.999)
    expect(await freed(29.999)).toBe(0)
    // a replica that took the time a moment earlier, or whose clock is slower
    expect([await freed(-0.001), await freed(-25)]).toEqual([0, 0])
    expect([await freed(30), (await groups()).at(-1)]).toEqual([1, 2])
    await come(30.001)
    expect([await freed(30.001), await freed(59.999), await freed(60)]).toEqual([0, 0, 1])
    // nothing came for a whole span: again three at once
    await come(90, 3)
    expect(await freed(90)).toBe(3)
    expect(await standing(chat)).toEqual({ waiting: 8, in_digest: 1 })
    await hub.owner`delete from deliveries where tenant_id = ${admin.tenantId}`
    hub.flushDeps.worker = await begin()
  })

  it('of an unsent digest are sent by another hub when theirs dies', async () => {
    const { chat, storm, messages } = await alarmed()
    await storm(7)
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 3, pending_digest: 4 }))
    const first = hub.flushDeps.worker
    await first?.stop()
    await later(31)
    expect(await standing(chat)).toEqual({ delivered: 3, pending_digest: 4 })
    hub.flushDeps.worker = await begin()
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 7 }))
    expect([messages().length, messages()[3]]).toEqual([4, expect.stringContaining('4 alerts: ')])
  })

  it('that were queued while the clock was an hour ahead do not wait for that hour', async () => {
    const { key, admin, chat, hook, messages } = await alarmed()
    const machines = await Promise.all(Array.from({ length: 10 }, () => hub.machine(admin)))
    const cross = (from: number, to: number) =>
      hub.send(
        key,
        machines.slice(from, to).map((m) => ({ machine: m.machine_identifier, value: 85 })),
      )
    const move = (seconds: number) => {
      clock.advance(seconds)
      hub.clock.advance(seconds)
    }
    move(3_600)
    await cross(0, 5)
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 3, pending_digest: 2 }))
    const worker = hub.flushDeps.worker
    await worker?.stop()
    hub.flushDeps.worker = null
    await cross(5, 8)
    move(-3_600)
    hub.flushDeps.worker = await begin()
    await soon(async () => expect(await standing(hook)).toEqual({ delivered: 8 }))
    await later(31)
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 8 }))
    const told = messages().length
    await later(31)
    await cross(8, 10)
    await soon(() => expect(messages()).toHaveLength(told + 2))
  })

  it('that escalate at once form a digest as well, and a webhook receives each', async () => {
    const { admin, chat, hook, storm, messages, posts } = await alarmed()
    for (const id of [chat, hook]) {
      await admin.call('PUT', `notification-channels/${id}`, { notify_on_alert: false })
      for (const severity of ['warning', 'critical'])
        await admin.call('POST', 'escalation-policies', { name: 'Unseen', severity, wait_minutes: 1, channel_id: id })
    }
    await storm(12)
    clock.advance(61)
    expect(await escalateDue(hub.deps.pools.system, clock.now())).toBe(24)
    await soon(() => expect(posts()).toHaveLength(12))
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 3, pending_digest: 9 }))
    await later(31)
    await soon(async () => expect(await standing(chat)).toEqual({ delivered: 12 }))
    expect([messages().length, messages()[3]]).toEqual([4, expect.stringContaining('9 alerts: ')])
  })

  it('share one limit over all replicas', async () => {
    const pools = openPools(hub.logins)
    const second = await begin(pools.system, pools.listen)
    try {
      const { admin, key, chat, messages } = await alarmed()
      const machines = await Promise.all(Array.from({ length: 12 }, () => hub.machine(admin)))
      // in seconds, or the first digest would leave before the last alert
      await Promise.all(machines.map((m) => hub.send(key, [{ machine: m.machine_identifier, value: 85 }])))
      await soon(async () => expect(await standing(chat)).toEqual({ delivered: 3, pending_digest: 9 }))
      await later(31)
      await soon(async () => expect(await standing(chat)).toEqual({ delivered: 12 }))
      expect(messages()).toHaveLength(4)
    } finally {
      await second.stop()
      await pools.close()
    }
  })
})
