import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error it has no types: decrypt(body, { version, privateKey: ECDH, authSecret: base64url }): Buffer
import { decrypt } from 'http_ece'
import { importJWK, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import { loadVapidKey } from '../src/features/delivery/notifications/index.ts'
import { createLogger } from '../src/support/logger.ts'
import { createGuardedClient } from '../src/support/net/guarded-client.ts'
import { plant, TestClock, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'

const allow = ['127.0.0.0/8']
const hub = useHub({ OUTBOUND_ALLOW: allow.join() })
const withoutPush = useHub({ WEB_PUSH: 'off' })
const clock = new TestClock()
const http = createGuardedClient({ allow, timeoutMs: 5_000 })

/** A push service: messages by endpoint, and what an endpoint answers. */
const messages: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
const answers = new Map<string, number>()
let service: Server
let url: string
let stop: () => Promise<void>

beforeAll(async () => {
  service = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = request.url as string
    messages.push({ path, headers: request.headers, body: Buffer.concat(chunks) })
    response.writeHead(answers.get(path) ?? 201).end()
  })
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const { pools, box, mailer, vapid } = hub.deps
  const publicUrl = 'https://hub.example.com'
  const logger = createLogger('silent')
  const deps = {
    allTenants: pools.system,
    listen: pools.listen,
    box,
    mailer,
    publicUrl,
    vapid,
    http,
    clock,
    logger,
    observe: () => {},
  }
  const worker = await DeliveryWorker.start(deps)
  hub.flushDeps.worker = worker
  stop = () => worker.stop()
})
afterAll(async () => {
  await stop?.()
  http.close()
  service.closeAllConnections()
  await new Promise((done) => service.close(done))
})

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** A browser, which subscribes and reads as RFC 8291 says. */
function browser() {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const auth = randomBytes(16)
  const path = `/${randomUUID()}`
  const subscription = {
    endpoint: `${url}${path}`,
    keys: { p256dh: b64(keys.getPublicKey()), auth: b64(auth) },
    user_agent: 'Test/1',
  }
  const read = (body: Buffer) =>
    JSON.parse(decrypt(body, { version: 'aes128gcm', privateKey: keys, authSecret: b64(auth) }).toString())
  return { subscription, path, read, received: () => messages.filter((message) => message.path === path) }
}
const subscribe = (user: TestUser, subscription: unknown) => user.call('POST', 'push/subscribe', subscription)
const unsubscribe = (user: TestUser, endpoint: string) => user.call('DELETE', 'push/subscribe', { endpoint })
const subscriptions = async (user: TestUser) =>
  (await hub.owner<{ n: number }[]>`select count(*)::int as n from notification_channels where tenant_id = ${user.tenantId}`)[0]
    ?.n

/** A tenant with a rule and a browser that is subscribed. */
async function alarmed() {
  const made = await plant(hub)
  await made.admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const mine = browser()
  const answer = await subscribe(made.admin, mine.subscription)
  expect([answer.status, answer.body]).toEqual([201, { subscribed: true }])
  const raise = (value = 95) => hub.send(made.key, [{ machine: made.identifier, value }])
  return { ...made, ...mine, raise }
}

describe('web push', () => {
  it('sends a test to the browser of its user only, and forgets a browser that the service no longer knows', async () => {
    const { admin, subscription, path, received, read } = await alarmed()
    const test = (user: TestUser) => user.call('POST', 'push/test', { endpoint: subscription.endpoint })
    const { status, body } = await test(admin)
    expect([status, body.success, body.message]).toEqual([200, true, 'The receiver accepted the test.'])
    expect(read((received()[0] as ReturnType<typeof received>[0]).body)).toMatchObject({ title: 'Haltless: info', machine: null })
    const colleague = await hub.colleague(admin, 'viewer')
    expect((await test(colleague)).status).toBe(404)
    answers.set(path, 410)
    expect((await test(admin)).body.success).toBe(false)
    expect((await test(admin)).status).toBe(404)
    expect(await subscriptions(admin)).toBe(0)
  })

  it('brings an alert that the browser can read, from a hub that the service can verify', async () => {
    const { admin, machine, raise, received, read } = await alarmed()
    await raise()
    await soon(() => expect(received()).toHaveLength(1))
    const [alert] = (await admin.call('GET', 'alerts')).body.items
    const { headers, body } = received()[0] as ReturnType<typeof received>[0]
    const [delivery] = await hub.owner`select id from deliveries where tenant_id = ${admin.tenantId}`
    expect(read(body)).toEqual({
      title: 'Press 1: critical',
      body: alert.message,
      severity: 'critical',
      machine: { id: machine.id, name: 'Press 1' },
      work_order_id: null,
      maintenance_event_id: null,
      alert_id: alert.id,
      link: `https://hub.example.com/alerts/${alert.id}`,
      tag: delivery?.id,
    })
    expect(headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      ttl: '86400',
      urgency: 'high',
      topic: expect.stringMatching(/^[\w-]{32}$/),
    })
    const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? []
    const { public_key, enabled } = (await admin.call('GET', 'push/vapid-public-key')).body
    expect([key, enabled]).toEqual([public_key, true])
    const point = Buffer.from(public_key, 'base64url')
    expect([point.length, point[0]]).toEqual([65, 4])
    const jwk = { kty: 'EC', crv: 'P-256', x: b64(point.subarray(1, 33)), y: b64(point.subarray(33)) }
    const { payload } = await jwtVerify(token, await importJWK(jwk, 'ES256'), { audience: url })
    expect(payload.sub).toBe('mailto:ops@example.com')
    expect((payload.exp ?? 0) - Date.now() / 1000).toBeLessThan(24 * 3_600)
  })

  it('sends a storm as a digest like all human-facing channels', async () => {
    const { admin, key, received, read } = await alarmed()
    const machines = await Promise.all(Array.from({ length: 20 }, () => hub.machine(admin)))
    await hub.send(
      key,
      machines.map((m) => ({ machine: m.machine_identifier, value: 95 })),
    )
    await soon(() => expect(received()).toHaveLength(3))
    clock.advance(31)
    await hub.owner.notify('haltless_deliveries', '')
    await soon(() => expect(received()).toHaveLength(4))
    const told = read((received()[3] as { body: Buffer }).body)
    expect(told).toMatchObject({
      title: 'Haltless: critical',
      machine: null,
      alert_id: null,
      link: 'https://hub.example.com/alerts',
    })
    expect(told.body).toMatch(/^17 alerts: 17 critical\.\n/)
  })

  it('holds texts of any length in one record', async () => {
    const { admin, machine, raise, received, read } = await alarmed()
    await admin.call('PATCH', `machines/${machine.id}`, { name: '🏭'.repeat(255) })
    await raise()
    await soon(() => expect(received()).toHaveLength(1))
    const { body } = received()[0] as { body: Buffer }
    expect(body.length).toBeLessThanOrEqual(4_096)
    expect(read(body).title).toMatch(/critical$/)
  })

  it.each([404, 410])('deletes a subscription that the push service reports as gone (%i)', async (status) => {
    const { admin, path, raise, received, subscription } = await alarmed()
    answers.set(path, status)
    await raise()
    await soon(async () => expect(await subscriptions(admin)).toBe(0))
    expect(received()).toHaveLength(1)
    expect((await unsubscribe(admin, subscription.endpoint)).status).toBe(404)
  })

  it.each([401, 403])(
    'deletes a subscription that the push service has refused for a day (%i), and no earlier',
    async (status) => {
      const { admin, key, path, received } = await alarmed()
      const again = async () => {
        const { machine_identifier: machine } = await hub.machine(admin)
        await hub.send(key, [{ machine, value: 95 }])
      }
      const attempt = async (answer: number) => {
        answers.set(path, answer)
        const before = received().length
        await again()
        await soon(() => expect(received()).toHaveLength(before + 1))
        await soon(async () => {
          const rows =
            await hub.owner`select from deliveries where tenant_id = ${admin.tenantId} and status in ('waiting', 'pending_digest')`
          expect(rows).toHaveLength(0)
        })
      }
      await attempt(status)
      clock.advance(80_000)
      // what it accepts meanwhile begins the day anew
      await attempt(201)
      await attempt(status)
      clock.advance(86_300)
      await attempt(status)
      expect(await subscriptions(admin)).toBe(1)
      clock.advance(300)
      await again()
      await soon(async () => expect(await subscriptions(admin)).toBe(0))
    },
  )

  it('tries again when the service is away', async () => {
    const { admin, path, raise, received } = await alarmed()
    answers.set(path, 503)
    await raise()
    await soon(() => expect(received()).toHaveLength(1))
    await soon(async () =>
      expect((await hub.owner`select 1 from delivery_attempts where tenant_id = ${admin.tenantId}`).length).toBe(1),
    )
    answers.set(path, 201)
    clock.advance(7)
    await hub.owner.notify('haltless_deliveries', '')
    await soon(() => expect(received()).toHaveLength(2))
    expect(received()[1]?.headers.topic).toBe(received()[0]?.headers.topic)
  })

  it('ends when the browser unsubscribes, once', async () => {
    const { admin, subscription, raise, received } = await alarmed()
    const other = browser()
    await subscribe(admin, other.subscription)
    expect((await unsubscribe(admin, subscription.endpoint)).status).toBe(204)
    expect((await unsubscribe(admin, subscription.endpoint)).body.code).toBe('subscription_not_found')
    await raise()
    await soon(() => expect(other.received()).toHaveLength(1))
    expect(received()).toHaveLength(0)
  })

  it('ends for the browsers of a member who is deactivated', async () => {
    const { admin, raise, received } = await alarmed()
    const leaver = await hub.colleague(admin, 'viewer')
    const theirs = browser()
    await subscribe(leaver, theirs.subscription)
    expect(await subscriptions(admin)).toBe(2)
    expect((await admin.call('DELETE', `users/${leaver.userId}`)).status).toBe(204)
    await raise()
    await soon(() => expect(received()).toHaveLength(1))
    expect([await subscriptions(admin), theirs.received().length]).toEqual([1, 0])
  })

  it('is ended by the user who subscribed and by no colleague; a colleague who subscribes there takes it over', async () => {
    const { admin, subscription, raise, received } = await alarmed()
    const colleague = await hub.colleague(admin, 'viewer')
    expect((await unsubscribe(colleague, subscription.endpoint)).body.code).toBe('subscription_not_found')
    await raise()
    await soon(() => expect(received()).toHaveLength(1))
    // as a browser writes it, with a field that we have no use for
    expect((await subscribe(colleague, { ...subscription, expirationTime: null })).status).toBe(201)
    expect((await unsubscribe(admin, subscription.endpoint)).status).toBe(404)
    expect((await unsubscribe(colleague, subscription.endpoint)).status).toBe(204)
    expect(await subscriptions(admin)).toBe(0)
  })

  it('has one subscription for a browser that subscribes again, with its new keys, and 20 for a person', async () => {
    const { admin, subscription, raise } = await alarmed()
    const again = { ...browser(), subscription: { ...browser().subscription, endpoint: subscription.endpoint } }
    expect((await subscribe(admin, again.subscription)).status).toBe(201)
    expect(await subscriptions(admin)).toBe(1)
    await raise()
    const more = Array.from({ length: 20 }, () => browser())
    for (const one of more) await subscribe(admin, one.subscription)
    expect(await subscriptions(admin)).toBe(20)
    expect((await unsubscribe(admin, subscription.endpoint)).status).toBe(404)
  })

  it('is a channel that the API neither lists, changes, tests nor deletes, and another tenant cannot end it', async () => {
    const { admin, subscription } = await alarmed()
    expect((await admin.call('GET', 'notification-channels')).body).toEqual([])
    const [row] = await hub.owner`select * from notification_channels where tenant_id = ${admin.tenantId}`
    const at = `notification-channels/${row?.id}`
    const statuses = [
      await admin.call('PUT', at, { name: 'Mine' }),
      await admin.call('DELETE', at),
      await admin.call('POST', `${at}/test`),
      await admin.call('GET', `${at}/deliveries`),
      await unsubscribe(await hub.admin(), subscription.endpoint),
    ].map(({ status }) => status)
    expect(statuses).toEqual([404, 404, 404, 404, 404])
    const given = await admin.call('POST', 'notification-channels', { name: 'Push', channel_type: 'push', config: {} })
    expect(given.status).toBe(422)
    // what would let others write to the browser is sealed
    expect(JSON.stringify(row)).not.toContain(subscription.keys.auth)
    expect(JSON.stringify(row)).not.toContain(new URL(subscription.endpoint).pathname)
  })

  it.each([
    ['a private endpoint', { endpoint: 'https://10.0.0.1/x' }, 'body.endpoint'],
    ['an endpoint without TLS', { endpoint: 'http://8.8.8.8/x' }, 'body.endpoint'],
    ['no endpoint', { endpoint: undefined }, 'body.endpoint'],
    ['no keys', { keys: undefined }, 'body.keys'],
    ['a key that is no point', { keys: { p256dh: b64(Buffer.alloc(65, 4)), auth: b64(Buffer.alloc(16)) } }, 'body.keys.p256dh'],
    ['a short secret', { keys: { ...browser().subscription.keys, auth: b64(Buffer.alloc(15)) } }, 'body.keys.auth'],
  ])('with %s is refused', async (_name, values, path) => {
    const admin = await hub.admin()
    const answer = await subscribe(admin, { ...browser().subscription, ...values })
    expect([answer.status, answer.body.errors?.[0].path, await subscriptions(admin)]).toEqual([422, path, 0])
  })

  it('is refused with 503 where the hub has it switched off', async () => {
    const admin = await withoutPush.admin()
    expect((await admin.call('GET', 'push/vapid-public-key')).body).toEqual({ public_key: null, enabled: false })
    const answer = await subscribe(admin, browser().subscription)
    expect([answer.status, answer.body.code]).toEqual([503, 'web_push_disabled'])
    expect((await unsubscribe(admin, 'https://push.example.com/x')).status).toBe(404)
  })

  it('keeps its key over restarts, sealed', async () => {
    const { pools, box, vapid } = hub.deps
    expect((await loadVapidKey(pools.system, box, 'mailto:a@example.com')).publicKey).toBe(vapid?.publicKey)
    const [row] = await hub.owner`select * from hub_keys where name = 'vapid'`
    expect(row?.sealed_private_key).not.toMatch(/"d"/)
  })
})
