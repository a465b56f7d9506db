import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Sql } from '../src/db/pools.ts'
import { DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import type { PagingAlert } from '../src/features/delivery/notifications/paging-alert.ts'
import { createLogger } from '../src/support/logger.ts'
import { createGuardedClient } from '../src/support/net/guarded-client.ts'
import { uuidv7 } from '../src/support/uuid.ts'
import { plant, TestClock, useHub } from './harness.ts'
import { soon } from './soon.ts'
import { useReceiver } from './support/receiver.ts'

const allow = ['127.0.0.0/8']
const hub = useHub({ OUTBOUND_ALLOW: allow.join() })
const receiver = useReceiver()
const http = createGuardedClient({ allow })
/** the worker's own: moving it on does not end anybody's session */
const clock = new TestClock()
let worker: DeliveryWorker | undefined
afterEach(() => worker?.stop())
afterAll(() => http.close())

async function begin() {
  const { pools, box, mailer } = hub.deps
  worker = await DeliveryWorker.start({
    allTenants: pools.system,
    listen: pools.listen,
    box,
    http,
    mailer,
    publicUrl: 'https://hub.example.com',
    vapid: null,
    clock,
    logger: createLogger('silent'),
    observe: () => {},
  })
  return worker
}

/** Tenants with so many webhooks each. */
async function tenants(count: number, webhooks: number): Promise<string[]> {
  const made = await hub.owner<
    { id: string }[]
  >`insert into tenants (name) select 'Tenant ' || i from generate_series(1, ${count}::int) i returning id`
  await hub.owner`
    insert into notification_channels (tenant_id, name, channel_type, masked_config, sealed_config, created_by, audience, follows_alert)
    select t, 'Hook ' || i, 'webhook', '{}', 'sealed', t, 'program', false from unnest(${made.map(({ id }) => id)}::uuid[]) t, generate_series(1, ${webhooks}::int) i`
  return made.map(({ id }) => id)
}

const alertOf = (tenantId: string): PagingAlert => ({
  id: uuidv7(Date.now()),
  tenantId,
  message: 'Pump 2: vibration is 7.4 mm/s.',
  severity: 'critical',
  metric: 'vibration',
  triggerValue: 7.4,
  threshold: 7.1,
  unit: 'mm/s',
  triggeredAt: Date.now(),
  createdAt: new Date(),
  machine: { id: uuidv7(Date.now()), name: 'Pump 2', identifier: 'pump-2', location: null },
})

describe('the inline deliveries of a worker', () => {
  it('stay below the limit of parallel deliveries, however many tenants a flush has', async () => {
    const worker = await begin()
    const alerts = (await tenants(40, 8)).map(alertOf)
    const flush = Promise.withResolvers<void>()
    // the first only tells which channels there are
    worker.lease(alerts, Promise.resolve())
    const { leased } = await soon(() => {
      const found = worker.lease(alerts, flush.promise)
      expect(found.leased.length).toBeGreaterThan(0)
      return found
    })
    const further = worker.lease(alerts, flush.promise).leased
    flush.reject(new Error('nothing was stored'))
    expect(leased).toHaveLength(256)
    expect(further).toEqual([])
  })
})

/** The ingest pool, where a flush hears of its commit only after `then`. */
function hearing(pool: Sql, then: () => Promise<unknown>): Sql {
  return new Proxy(pool, {
    get(target, name) {
      const own = Reflect.get(target, name)
      if (name !== 'begin' && name !== 'pipeline') return own
      return async (...given: unknown[]) => {
        const answer = await own.apply(target, given)
        // null: it was not written yet
        if (answer !== null) await then()
        return answer
      }
    },
  })
}

describe('an inline delivery', () => {
  /** A tenant whose webhook the worker remembers, and whose next reading raises an alert. */
  async function remembered() {
    hub.flushDeps.worker = await begin()
    const { admin, key, identifier } = await plant(hub)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    const path = `/${admin.tenantId}`
    const given = { name: 'Hook', channel_type: 'webhook', config: { url: `${receiver.url}${path}` } }
    const { id } = (await admin.call('POST', 'notification-channels', given)).body
    const rows = () => hub.owner`select status, attempts from deliveries where channel_id = ${id} order by created_at, id`
    const leased = () => hub.owner`select id from deliveries where channel_id = ${id} and status = 'waiting' and attempts = 1`
    const arrived = () => receiver.at(path)
    const machines = await Promise.all(Array.from({ length: 3 }, () => hub.machine(admin)))
    for (const [i, machine] of machines.entries()) {
      await hub.send(key, [{ machine: machine.machine_identifier, value: 85 }])
      await soon(async () =>
        expect(await rows()).toEqual(Array.from({ length: i + 1 }, () => ({ status: 'delivered', attempts: 1 }))),
      )
    }
    await hub.send(key, [{ machine: identifier, value: 50, ago: 1 }])
    const at = hub.clock.now()
    const raise = () => hub.send(key, [{ machine: identifier, value: 85, at }])
    return { admin, arrived, rows, leased, raise, before: machines.length }
  }
  async function hearingOf<T>(then: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
    const pool = hub.flushDeps.ingest
    hub.flushDeps.ingest = hearing(pool, then)
    try {
      return await work()
    } finally {
      hub.flushDeps.ingest = pool
    }
  }

  it('is sent once after its lease when the answer to the commit is lost, and a repeated batch raises no second alert', async () => {
    const { admin, arrived, rows, leased, raise, before } = await remembered()
    const lost = () => Promise.reject(Object.assign(new Error('the connection is gone'), { code: 'CONNECTION_CLOSED' }))
    expect((await hearingOf(lost, raise)).status).toBe(503)
    expect(await leased()).toHaveLength(1)
    // sent again, as nobody said that it is stored
    expect((await raise()).body).toMatchObject({ accepted_count: 1 })
    clock.advance(55)
    await hub.owner.notify('haltless_deliveries', '')
    expect(arrived()).toHaveLength(before)
    clock.advance(6)
    await hub.owner.notify('haltless_deliveries', '')
    await soon(async () => expect((await rows()).at(-1)).toEqual({ status: 'delivered', attempts: 2 }))
    expect(arrived()).toHaveLength(before + 1)
    expect((await admin.call('GET', 'alerts')).body.items).toHaveLength(before + 1)
  })

  it('is sent before its worker has stopped', async () => {
    const { arrived, rows, leased, raise, before } = await remembered()
    const heard = Promise.withResolvers<void>()
    const sent = hearingOf(() => heard.promise, raise)
    onTestFinished(() => heard.resolve())
    await soon(async () => expect(await leased()).toHaveLength(1))
    const stopped = worker?.stop()
    expect(arrived()).toHaveLength(before)
    heard.resolve()
    await Promise.all([sent, stopped])
    expect(arrived()).toHaveLength(before + 1)
    expect((await rows()).at(-1)).toEqual({ status: 'delivered', attempts: 1 })
  })
})
