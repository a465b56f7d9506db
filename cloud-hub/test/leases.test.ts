import { afterEach, describe, expect, it, vi } from 'vitest'
import { type DeliveryWorker, startDelivering } from '../src/features/notifications/deliver.ts'
import type { PagingAlert } from '../src/features/notifications/enqueue.ts'
import { createLogger } from '../src/support/logger.ts'
import { uuidv7 } from '../src/support/uuid.ts'
import { useHub } from './harness.ts'

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let worker: DeliveryWorker | undefined
afterEach(() => worker?.stop())

async function begin() {
  const { pools, box, http, mailer } = hub.deps
  worker = await startDelivering({
    allTenants: pools.system,
    listen: pools.listen,
    box,
    http,
    mailer,
    publicUrl: 'https://hub.example.com',
    vapid: null,
    clock: hub.clock,
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
    insert into notification_channels (tenant_id, name, channel_type, masked_config, sealed_config, created_by)
    select t, 'Hook ' || i, 'webhook', '{}', 'sealed', t from unnest(${made.map(({ id }) => id)}::uuid[]) t, generate_series(1, ${webhooks}::int) i`
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

describe('what a worker takes along with a flush', () => {
  it('of however many tenants is no more than it makes at once', async () => {
    const { lease } = await begin()
    const alerts = (await tenants(40, 8)).map(alertOf)
    const flush = Promise.withResolvers<void>()
    // the first only tells which channels there are
    lease(alerts, Promise.resolve())
    const { leased } = await vi.waitFor(() => {
      const found = lease(alerts, flush.promise)
      expect(found.leased.length).toBeGreaterThan(0)
      return found
    })
    const further = lease(alerts, flush.promise).leased
    flush.reject(new Error('nothing was stored'))
    expect(leased).toHaveLength(256)
    expect(further).toEqual([])
  })
})
