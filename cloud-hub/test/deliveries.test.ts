import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPools } from '../src/db/pools.ts'
import { type DeliveryDeps, DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import { createLogger } from '../src/support/logger.ts'
import { createGuardedClient } from '../src/support/net/guarded-client.ts'
import { plant, TestClock, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'
import { useReceiver } from './support/receiver.ts'
import { refuseReadings } from './support/stored-readings.ts'

const allow = ['127.0.0.0/8']
const hub = useHub({ OUTBOUND_ALLOW: allow.join() })
const receiver = useReceiver()
/** the worker's own: moving it on does not end anybody's session */
const clock = new TestClock()
const http = createGuardedClient({ allow, timeoutMs: 2_500 })
let stop: () => Promise<void>

const workerDeps = (values: Partial<DeliveryDeps> = {}): DeliveryDeps => ({
  allTenants: hub.deps.pools.system,
  listen: hub.deps.pools.listen,
  box: hub.deps.box,
  mailer: hub.deps.mailer,
  publicUrl: 'https://hub.example.com',
  vapid: null,
  http,
  clock,
  logger: createLogger('silent'),
  observe: () => {},
  ...values,
})

/** Starts a worker; flushes lease inline deliveries to it when `isInline`. */
async function begin(isInline: boolean, values: Partial<DeliveryDeps> = {}) {
  const worker = await DeliveryWorker.start(workerDeps(values))
  hub.flushDeps.worker = isInline ? worker : null
  stop = () => worker.stop()
}
beforeAll(() => {
  hub.deps.http.close()
  hub.deps.http = createGuardedClient({ allow, timeoutMs: 2_500 })
})
afterAll(() => http.close())

/** Advances the worker's clock and wakes it. */
async function later(seconds: number) {
  clock.advance(seconds)
  await hub.owner.notify('haltless_deliveries', '')
}

async function webhook(admin: TestUser, path = `/${randomUUID()}`, values: Record<string, unknown> = {}) {
  const { config, ...rest } = values as { config?: Record<string, unknown> }
  const given = { name: 'Hook', channel_type: 'webhook', config: { url: `${receiver.url}${path}`, ...config }, ...rest }
  const answer = await admin.call('POST', 'notification-channels', given)
  expect(answer.status).toBe(201)
  return { id: answer.body.id as string, path }
}

/** A tenant with a rule (80 and 90), a machine, and a webhook channel. */
async function alarmed(values: Record<string, unknown> = {}) {
  const made = await plant(hub)
  await made.admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const channel = await webhook(made.admin, undefined, values)
  const raise = (value = 85, ago = 0) => hub.send(made.key, [{ machine: made.identifier, value, ago }])
  return { ...made, channel, raise, arrived: () => receiver.at(channel.path) }
}
const attemptsOf = async (admin: TestUser, channelId: string, query = '') =>
  (await admin.call('GET', `notification-channels/${channelId}/deliveries${query}`)).body
const queued = (channelId: string) =>
  hub.owner<
    { id: string; status: string; attempts: number; due_at: Date; alert_id: string }[]
  >`select * from deliveries where channel_id = ${channelId} order by created_at`
/** Waits until a channel has this many attempts on record. */
const recorded = (admin: TestUser, channelId: string, n: number) =>
  soon(async () => {
    const page = await attemptsOf(admin, channelId)
    expect(page.items).toHaveLength(n)
    return page.items
  })

describe.each([
  ['taken from the outbox', false],
  ['delivered inline with its flush', true],
])('a delivery %s:', (_way, isInline) => {
  beforeAll(() => begin(isInline))
  afterAll(() => stop())

  describe('an alert', () => {
    it('reaches a webhook with the specified fields, the channel’s headers and a signature that holds', async () => {
      const secret = 'a-secret-of-some-length'
      const config = { headers: { Authorization: 'Bearer abc', 'X-Plant': 'North' }, signing_secret: secret }
      const { admin, machine, channel, raise, arrived } = await alarmed({ config })
      await raise(95.5)
      await soon(() => expect(arrived()).toHaveLength(1))
      const [alert] = (await admin.call('GET', 'alerts')).body.items
      const { method, headers, text } = arrived()[0] as NonNullable<ReturnType<typeof arrived>[0]>
      expect(method).toBe('POST')
      expect(JSON.parse(text)).toEqual({
        type: 'alert',
        message: 'Press 1: temperature is 95.5 celsius, above the critical threshold of 90 celsius.',
        severity: 'critical',
        metric_name: 'temperature',
        trigger_value: 95.5,
        threshold_value: 90,
        machine_id: machine.id,
        machine_name: 'Press 1',
        machine_identifier: machine.machine_identifier,
        alert_id: alert.id,
        unit: 'celsius',
        triggered_at: alert.triggered_at,
        created_at: alert.created_at,
      })
      expect(headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer abc', 'x-plant': 'North' })
      const [id, timestamp] = [headers['webhook-id'] as string, headers['webhook-timestamp'] as string]
      const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.${text}`).digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${expected}`)
      expect(Math.abs(Number(timestamp) - clock.now().getTime() / 1000)).toBeLessThan(10)
      const [attempt] = await recorded(admin, channel.id, 1)
      expect(attempt).toMatchObject({ alert_id: alert.id, attempt: 1, status: 'delivered', response_status: 200, error: null })
    })

    it('is signed with the bytes of a secret written whsec_, and not signed without one', async () => {
      const key = Buffer.from('0123456789abcdef0123456789abcdef')
      const { admin, raise, arrived } = await alarmed({ config: { signing_secret: `whsec_${key.toString('base64')}` } })
      const plain = await webhook(admin)
      await raise()
      await soon(() => expect([...arrived(), ...receiver.at(plain.path)]).toHaveLength(2))
      const { headers, text } = arrived()[0] as NonNullable<ReturnType<typeof arrived>[0]>
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
      const unsigned = receiver.at(plain.path)[0]?.headers
      expect(unsigned).toHaveProperty('webhook-id')
      expect(unsigned).not.toHaveProperty('webhook-signature')
    })

    it('goes to every active channel that wants alerts and to no other, nor to another tenant’s', async () => {
      const { admin, channel, raise, arrived } = await alarmed()
      const second = await webhook(admin)
      const silent = [
        await webhook(admin, undefined, { is_active: false }),
        await webhook(admin, undefined, { notify_on_alert: false }),
      ]
      const other = await alarmed()
      await raise()
      await soon(() => expect([arrived().length, receiver.at(second.path).length]).toEqual([1, 1]))
      for (const id of [...silent.map((c) => c.id), other.channel.id]) expect(await queued(id)).toHaveLength(0)
      expect(await queued(channel.id)).toHaveLength(1)
    })

    it('of late readings is not delivered', async () => {
      const { admin, channel, raise, arrived } = await alarmed()
      await raise(85, 16 * 60)
      expect((await admin.call('GET', 'alerts')).body.items).toMatchObject([{ is_too_old_to_notify: true }])
      await raise(95, 0)
      await soon(() => expect(arrived()).toHaveLength(1))
      expect(JSON.parse(arrived()[0]?.text ?? '')).toMatchObject({ severity: 'critical' })
      expect(await queued(channel.id)).toHaveLength(1)
    })

    it('is delivered once per channel when many are raised in one request', async () => {
      const { admin, key, channel, arrived } = await alarmed()
      const second = await webhook(admin)
      const machines = await Promise.all(Array.from({ length: 30 }, () => hub.machine(admin)))
      await hub.send(
        key,
        machines.map((m) => ({ machine: m.machine_identifier, value: 85 })),
      )
      await soon(() => expect([arrived().length, receiver.at(second.path).length]).toEqual([30, 30]))
      expect(new Set(arrived().map(({ text }) => JSON.parse(text).machine_id))).toEqual(new Set(machines.map((m) => m.id)))
      expect(new Set([...arrived(), ...receiver.at(second.path)].map(({ headers }) => headers['webhook-id'])).size).toBe(60)
      expect(await queued(channel.id)).toHaveLength(30)
    })

    it('is delivered to the current address of its channel, not to an earlier one', async () => {
      const { admin, key, channel, arrived } = await alarmed()
      const elsewhere = `/${randomUUID()}`
      const machines = await Promise.all(Array.from({ length: 3 }, () => hub.machine(admin)))
      const raise = async (i: number) => hub.send(key, [{ machine: machines[i]?.machine_identifier as string, value: 85 }])
      await raise(0)
      await soon(() => expect(arrived()).toHaveLength(1))
      await admin.call('PUT', `notification-channels/${channel.id}`, { config: { url: `${receiver.url}${elsewhere}` } })
      await raise(1)
      await soon(() => expect(receiver.at(elsewhere)).toHaveLength(1))
      await admin.call('PUT', `notification-channels/${channel.id}`, { is_active: false })
      await raise(2)
      await recorded(admin, channel.id, 2)
      expect([arrived().length, receiver.at(elsewhere).length]).toEqual([1, 1])
    })

    it('is not delivered when the transaction of its readings fails', async () => {
      const { admin, key, identifier, channel, raise, arrived } = await alarmed()
      const at = hub.clock.now()
      const endRefusal = await refuseReadings(hub.owner, { at: [at] }, '22003')
      try {
        const answer = await hub.send(key, [{ machine: identifier, value: 666.5, at }])
        expect(answer.body).toMatchObject({ accepted_count: 0, errors: [{ code: 'refused_by_storage' }] })
      } finally {
        await endRefusal()
      }
      await raise(85)
      await soon(() => expect(arrived()).toHaveLength(1))
      expect(JSON.parse(arrived()[0]?.text ?? '')).toMatchObject({ trigger_value: 85 })
      expect(await queued(channel.id)).toHaveLength(1)
      expect((await admin.call('GET', 'alerts')).body.items).toHaveLength(1)
    })

    it('wakes the worker: eight alerts in sequence take far less than eight polls of a second', async () => {
      const { admin, key, arrived } = await alarmed()
      const machines = await Promise.all(Array.from({ length: 8 }, () => hub.machine(admin)))
      const started = performance.now()
      for (const [i, m] of machines.entries()) {
        await hub.send(key, [{ machine: m.machine_identifier, value: 85 }])
        await soon(() => expect(arrived()).toHaveLength(i + 1))
      }
      expect(performance.now() - started).toBeLessThan(7_000)
    })
  })

  describe('a receiver that fails', () => {
    it('receives a retry under the same id, after about five seconds', async () => {
      const { admin, channel, raise, arrived } = await alarmed()
      receiver.script(channel.path, 500, 200)
      await raise()
      await recorded(admin, channel.id, 1)
      const [row] = await queued(channel.id)
      const wait = ((row?.due_at.getTime() ?? 0) - clock.now().getTime()) / 1000
      expect(row?.status).toBe('waiting')
      expect(wait).toBeGreaterThan(2)
      expect(wait).toBeLessThan(6.1)
      await later(6.1)
      const [second, first] = await recorded(admin, channel.id, 2)
      expect(first).toMatchObject({ attempt: 1, status: 'failed', response_status: 500, error: 'the receiver answered 500' })
      expect(first).toMatchObject({ fault: { code: 'receiver_answered', params: { status: 500 } } })
      expect(second).toMatchObject({ attempt: 2, status: 'delivered', response_status: 200 })
      const ids = arrived().map(({ headers }) => headers['webhook-id'])
      expect(ids).toEqual([row?.id, row?.id])
      expect(arrived()[0]?.text).toBe(arrived()[1]?.text)
      expect(await queued(channel.id)).toMatchObject([{ status: 'delivered' }])
    })

    it('receives eight attempts over about six hours, and the API lists every attempt, in pages', async () => {
      const { admin, channel, raise, arrived } = await alarmed()
      receiver.script(channel.path, 503)
      await raise()
      const begun = clock.now().getTime()
      for (let attempt = 1; attempt <= 8; attempt++) {
        await recorded(admin, channel.id, attempt)
        const [row] = await queued(channel.id)
        expect(row?.status).toBe(attempt === 8 ? 'refused' : 'waiting')
        if (attempt < 8) await later(((row?.due_at.getTime() ?? 0) - clock.now().getTime()) / 1000 + 0.01)
      }
      const hours = (clock.now().getTime() - begun) / 3_600_000
      expect(hours).toBeGreaterThan(4.5)
      expect(hours).toBeLessThan(7.5)
      await later(86_400)
      const page = await attemptsOf(admin, channel.id, '?page=2&page_size=3')
      expect(page.pagination).toEqual({ total: 8, page: 2, page_size: 3 })
      expect(page.items.map((a: { attempt: number }) => a.attempt)).toEqual([5, 4, 3])
      expect((await attemptsOf(admin, channel.id, '?page=4&page_size=3')).items).toEqual([])
      expect(arrived()).toHaveLength(8)
    })

    it.each([
      [400, 'refused'],
      [401, 'refused'],
      [404, 'refused'],
      [410, 'refused'],
      [408, 'waiting'],
      [429, 'waiting'],
      [500, 'waiting'],
      [503, 'waiting'],
    ])('with %i is %s', async (status, standing) => {
      const { admin, channel, raise } = await alarmed()
      receiver.script(channel.path, status)
      await raise()
      expect(await recorded(admin, channel.id, 1)).toMatchObject([{ status: 'failed', response_status: status }])
      expect(await queued(channel.id)).toMatchObject([{ status: standing, attempts: 1 }])
    })

    it.each([
      ['120', 120],
      ['9999999', 6 * 3_600],
    ])('and asks with Retry-After %s is left alone for %i s', async (text, seconds) => {
      const { admin, channel, raise } = await alarmed()
      receiver.script(channel.path, { status: 503, headers: { 'retry-after': text } }, 200)
      await raise()
      const before = clock.now().getTime()
      await recorded(admin, channel.id, 1)
      const [row] = await queued(channel.id)
      const wait = ((row?.due_at.getTime() ?? 0) - before) / 1000
      expect(Math.abs(wait - seconds)).toBeLessThan(60)
    })

    it('receives no request at the target of its redirect', async () => {
      const { admin, channel, raise } = await alarmed()
      const elsewhere = `/${randomUUID()}`
      receiver.script(channel.path, { status: 307, headers: { location: `${receiver.url}${elsewhere}` } })
      await raise()
      const [attempt] = await recorded(admin, channel.id, 1)
      expect(attempt).toMatchObject({ response_status: 307, error: expect.stringContaining('redirects are not followed') })
      expect(receiver.at(elsewhere)).toHaveLength(0)
    })

    it('receives a retry after the time limit when it does not answer', async () => {
      const { admin, channel, raise } = await alarmed()
      receiver.script(channel.path, 'hang')
      await raise()
      const [attempt] = await recorded(admin, channel.id, 1)
      expect(attempt).toMatchObject({ status: 'failed', response_status: null, error: expect.stringContaining('time limit') })
      expect(await queued(channel.id)).toMatchObject([{ status: 'waiting' }])
    })

    it('delays nobody else: one tenant’s hundred hanging receivers leave another’s alert as fast as ever', async () => {
      const noisy = await alarmed()
      receiver.script(noisy.channel.path, 'hang')
      for (let i = 0; i < 99; i++) await webhook(noisy.admin, noisy.channel.path)
      const quiet = await alarmed()
      await noisy.raise()
      await soon(() => expect(noisy.arrived().length).toBeGreaterThan(10))
      await quiet.raise()
      await soon(() => expect(quiet.arrived()).toHaveLength(1))
      const [row] = await hub.owner`select count(*)::int as n from delivery_attempts where tenant_id = ${noisy.admin.tenantId}`
      expect(row?.n).toBe(0)
    })

    it('receives no retry once its channel is inactive', async () => {
      const { admin, channel, raise, arrived } = await alarmed()
      receiver.script(channel.path, 500, 200)
      await raise()
      await recorded(admin, channel.id, 1)
      await admin.call('PUT', `notification-channels/${channel.id}`, { is_active: false })
      await later(7)
      const [attempt] = await recorded(admin, channel.id, 2)
      expect(attempt).toMatchObject({ status: 'failed', error: 'the channel was switched off', fault: { code: 'channel_off' } })
      expect(arrived()).toHaveLength(1)
      expect(await queued(channel.id)).toMatchObject([{ status: 'refused' }])
    })
  })

  it('a channel that is deleted during a delivery loses its deliveries, and no error is logged', async () => {
    const faults: unknown[] = []
    const logger = { ...createLogger('silent'), error: (...args: unknown[]) => faults.push(args) } as never
    await stop()
    await begin(isInline, { logger })
    const { admin, channel, raise, arrived } = await alarmed()
    receiver.script(channel.path, 'hang')
    await raise()
    await soon(() => expect(arrived()).toHaveLength(1))
    expect((await admin.call('DELETE', `notification-channels/${channel.id}`)).status).toBe(204)
    expect(await queued(channel.id)).toHaveLength(0)
    // waits for what is under way
    await stop()
    await begin(isInline)
    expect(faults).toEqual([])
  })

  describe('several workers', () => {
    it('never attempt the same delivery at the same time', async () => {
      const pools = openPools(hub.logins)
      const second = await DeliveryWorker.start(workerDeps({ allTenants: pools.system, listen: pools.listen }))
      try {
        const { admin, key, arrived } = await alarmed()
        const machines = await Promise.all(Array.from({ length: 60 }, () => hub.machine(admin)))
        await hub.send(
          key,
          machines.map((m) => ({ machine: m.machine_identifier, value: 85 })),
        )
        await soon(() => expect(arrived()).toHaveLength(60))
        expect(new Set(arrived().map(({ headers }) => headers['webhook-id'])).size).toBe(60)
      } finally {
        await second.stop()
        await pools.close()
      }
    })

    it('repeat a delivery under the same id when its worker died before recording it and its lease has expired', async () => {
      await stop()
      // dies in the moment of recording
      const dying = new Proxy(hub.deps.pools.system, {
        apply: (target, self, given: [TemplateStringsArray]) =>
          given[0].join().includes('delivery_attempts')
            ? Promise.reject(new Error('killed'))
            : Reflect.apply(target, self, given),
      })
      await begin(isInline, { allTenants: dying })
      const { admin, channel, raise, arrived } = await alarmed()
      await raise()
      await soon(() => expect(arrived()).toHaveLength(1))
      await stop()
      await begin(isInline)
      await later(55)
      expect(await queued(channel.id)).toMatchObject([{ status: 'waiting', attempts: 1 }])
      await later(6)
      await recorded(admin, channel.id, 1)
      const [row] = await queued(channel.id)
      expect(row).toMatchObject({ status: 'delivered', attempts: 2 })
      expect(arrived().map(({ headers }) => headers['webhook-id'])).toEqual([row?.id, row?.id])
    })

    it('do not overwrite the outcome of another worker when their own attempt ends later', async () => {
      const { admin, channel, raise, arrived } = await alarmed()
      receiver.script(channel.path, 'hang', 200)
      await raise()
      await soon(() => expect(arrived()).toHaveLength(1))
      // the lease runs out while the first attempt still hangs
      await later(61)
      await recorded(admin, channel.id, 2)
      expect(await queued(channel.id)).toMatchObject([{ status: 'delivered', attempts: 2 }])
      await later(86_400)
      expect(arrived()).toHaveLength(2)
    })
  })
})

describe('GET /notification-channels/{channel_id}/deliveries', () => {
  beforeAll(() => begin(true))
  afterAll(() => stop())

  it("filters by alert, event and status, and never shows another tenant's attempts", async () => {
    const [one, other] = [await alarmed(), await alarmed()]
    receiver.script(one.channel.path, 404, 200)
    await one.raise(85)
    await recorded(one.admin, one.channel.id, 1)
    await one.raise(95)
    await recorded(one.admin, one.channel.id, 2)
    const [critical, warning] = (await one.admin.call('GET', 'alerts')).body.items
    const found = async (query: string) =>
      (await attemptsOf(one.admin, one.channel.id, query)).items?.map((a: { alert_id: string }) => a.alert_id)
    expect(await found('?status=failed')).toEqual([warning.id])
    expect(await found('?status=delivered')).toEqual([critical.id])
    expect(await found(`?alert_id=${warning.id}&event=raised`)).toEqual([warning.id])
    expect(await found(`?alert_id=${warning.id}&status=delivered`)).toEqual([])
    expect(await found('?event=cleared')).toEqual([])
    expect(await found(`?alert_id=${randomUUID()}`)).toEqual([])
    for (const query of ['?status=waiting', '?alert_id=x', '?event='])
      expect((await one.admin.call('GET', `notification-channels/${one.channel.id}/deliveries${query}`)).status).toBe(422)
    const theirs = await other.admin.call('GET', `notification-channels/${one.channel.id}/deliveries?alert_id=${warning.id}`)
    expect([theirs.status, theirs.body.code]).toEqual([404, 'channel_not_found'])
    expect(await attemptsOf(other.admin, other.channel.id, `?alert_id=${warning.id}`)).toMatchObject({ items: [] })
  })
})

describe('POST /notification-channels/{channel_id}/test', () => {
  const test = (admin: TestUser, id: string) => admin.call('POST', `notification-channels/${id}/test`)

  it('sends exactly the specified body, with the channel’s headers, and records the attempt', async () => {
    const { admin, channel, arrived } = await alarmed({
      config: { headers: { 'X-Plant': 'North' }, signing_secret: 'x'.repeat(16) },
    })
    expect(await test(admin, channel.id)).toMatchObject({ status: 200, body: { success: true } })
    const [{ headers, text }] = arrived() as [ReturnType<typeof arrived>[0] & object]
    expect(JSON.parse(text)).toEqual({
      type: 'test',
      message: expect.any(String),
      severity: 'info',
      metric_name: 'test_metric',
      trigger_value: 0,
      threshold_value: 0,
    })
    expect(headers).toMatchObject({ 'x-plant': 'North', 'webhook-signature': expect.stringMatching(/^v1,/) })
    expect((await attemptsOf(admin, channel.id)).items).toMatchObject([{ alert_id: null, attempt: 1, status: 'delivered' }])
  })

  it('sends one message to an inactive channel too', async () => {
    const { admin, channel, arrived } = await alarmed({ is_active: false })
    expect((await test(admin, channel.id)).body.success).toBe(true)
    expect(arrived()).toHaveLength(1)
  })

  it.each([
    [404, /^The test failed: the receiver answered 404\.$/],
    [500, /answered 500\.$/],
    [302, /redirects are not followed\.$/],
    ['hang' as const, /[^.]\.$/],
  ])('says that it failed, and why, when the receiver answers %s', async (reply, message) => {
    const { admin, channel, arrived } = await alarmed()
    receiver.script(channel.path, reply)
    const answer = await test(admin, channel.id)
    expect(answer).toMatchObject({ status: 200, body: { success: false, message: expect.stringMatching(message) } })
    expect(arrived()).toHaveLength(1)
  })

  it('reports a connection that is refused', async () => {
    const { admin } = await plant(hub)
    const given = { name: 'Nobody', channel_type: 'webhook', config: { url: 'http://127.0.0.1:9/' } }
    const { body } = await admin.call('POST', 'notification-channels', given)
    const answer = await test(admin, body.id)
    expect(answer).toMatchObject({
      status: 200,
      body: { success: false, message: expect.stringMatching(/The connection was refused: no server listens on this port\.$/) },
    })
  })
})
