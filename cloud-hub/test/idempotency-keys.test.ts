import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { Flusher, IngestQueue } from '../src/features/telemetry/ingest/index.ts'
import { submissionFromJson } from '../src/features/telemetry/ingest/json-submission.ts'
import { purgeKeys, sealKeys } from '../src/readings/index.ts'
import { plant, useHub } from './harness.ts'
import { countStored } from './support/stored-readings.ts'

const hub = useHub()
const DAY = 86_400_000
type Plant = Awaited<ReturnType<typeof plant>>

/** Another hub on the same database: a queue, a context cache and a cache of keys of its own. */
const replica = () => new IngestQueue(new Flusher(hub.flushDeps), hub.deps.logger)
const replicas: IngestQueue[] = []
beforeAll(() => {
  replicas.push(replica(), replica())
})

interface Sent {
  metric?: string
  machine?: string
  to?: IngestQueue
}

/** Each reading has an instant of its own. */
let instant = Date.now() - 2 * DAY

/** Sends a reading for each key to a replica. @returns the number of accepted readings */
async function send({ admin, identifier }: Plant, keys: readonly (string | null)[], sent: Sent = {}): Promise<number> {
  const { metric = 'temperature', machine = identifier, to = replicas[0] as IngestQueue } = sent
  const items = keys.map((key) => ({
    machine_identifier: machine,
    timestamp: new Date(++instant).toISOString(),
    metric_name: metric,
    value: 1,
    unit: 'celsius',
    idempotency_key: key,
  }))
  return (await to.acceptReadings(admin.tenantId, submissionFromJson(admin.tenantId, items, hub.clock.now().getTime())))
    .accepted_count
}
const stored = ({ machine }: Plant) => countStored(hub.owner, { machineId: machine.id })
const seal = (options = {}) => sealKeys(hub.deps.pools.system, hub.clock.now(), options)
const keysOf = (n: number) => Array.from({ length: n }, () => randomUUID())

/** Runs at an instant of the hub's clock, which returns afterwards. */
async function after<T>(ms: number, work: () => Promise<T>): Promise<T> {
  hub.clock.advance(ms / 1_000)
  try {
    return await work()
  } finally {
    hub.clock.advance(-ms / 1_000)
  }
}
/** From now to a moment of the UTC day, days later. */
const untilDay = (days: number, ms: number) => {
  const now = hub.clock.now().getTime()
  return Math.floor(now / DAY) * DAY + days * DAY + ms - now
}

describe('an idempotency key', () => {
  it('stores one reading within a request, across requests and across replicas; the others count as accepted', async () => {
    const site = await plant(hub)
    const [key = '', other = ''] = keysOf(2)
    expect(await send(site, [key, key])).toBe(2)
    expect(await stored(site)).toBe(1)
    expect(await send(site, [key, other, null])).toBe(3)
    expect(await stored(site)).toBe(3)
    expect(await send(site, [other], { metric: 'oil', to: replicas[1] })).toBe(1)
    expect(await stored(site)).toBe(3)
  })

  it('belongs to one tenant', async () => {
    const [a, b] = [await plant(hub), await plant(hub)]
    const keys = keysOf(1)
    for (const site of [a, b, a, b]) await send(site, keys)
    expect([await stored(a), await stored(b)]).toEqual([1, 1])
  })

  it('is not spent by a reading that is rejected', async () => {
    const site = await plant(hub)
    const keys = keysOf(1)
    expect(await send(site, keys, { machine: 'nobody' })).toBe(0)
    expect(await send(site, keys)).toBe(1)
    expect(await stored(site)).toBe(1)
  })

  it('that arrives at two replicas at once with two different readings stores exactly one of them', async () => {
    const site = await plant(hub)
    for (let round = 1; round <= 50; round++) {
      const keys = keysOf(20)
      const metric = round % 2 === 0 ? 'oil' : 'temperature'
      const both = [send(site, keys, { to: replicas[0] }), send(site, keys.toReversed(), { to: replicas[1], metric })]
      expect(await Promise.all(both)).toEqual([20, 20])
      expect(await stored(site)).toBe(round * 20)
    }
  })

  it('in flushes that several tenants share stores one reading of each tenant, without a deadlock', async () => {
    const sites = await Promise.all(Array.from({ length: 3 }, () => plant(hub)))
    for (let round = 0; round < 20; round++) {
      const keys = keysOf(1)
      await Promise.all(
        replicas.flatMap((to, r) => (r === 0 ? sites : sites.toReversed()).map((site) => send(site, keys, { to }))),
      )
    }
    for (const site of sites) expect(await stored(site)).toBe(20)
  })

  it('is recognised while and after keys are sealed, by hubs that know them and by one that starts later', async () => {
    const site = await plant(hub)
    const keys = keysOf(1_000)
    for (let i = 0; i < 1_000; i += 100) await send(site, keys.slice(i, i + 100))
    expect(await stored(site)).toBe(1_000)
    // a new run each 100 keys, and one filter for eight of them
    await Promise.all([seal({ runKeys: 100 }), send(site, keys, { to: replicas[1] })])
    await seal({ runKeys: 100 })
    const { tenantId } = site.admin
    expect(await hub.owner`select from reading_key_tail where tenant_id = ${tenantId}`).toHaveLength(0)
    const filters = await hub.owner`select n from reading_key_filters where tenant_id = ${tenantId}`
    expect(filters.length).toBeLessThan(8)
    expect(filters.reduce((sum, { n }) => sum + Number(n), 0)).toBe(1_000)
    for (const to of [...replicas, replica()]) expect(await send(site, keys, { to })).toBe(1_000)
    expect(await stored(site)).toBe(1_000)
    await send(site, keysOf(500))
    expect(await stored(site)).toBe(1_500)
  })

  it('of a small request shares its row with those of others', async () => {
    const site = await plant(hub)
    const keys = keysOf(300)
    for (const key of keys) await send(site, [key])
    await seal()
    expect(await hub.owner`select from reading_key_tail where tenant_id = ${site.admin.tenantId}`).toHaveLength(1)
    for (const to of [...replicas, replica()]) await send(site, keys, { to })
    expect(await stored(site)).toBe(300)
  })

  it.each([false, true])('holds for 7 days, and for the rest of that UTC day (sealed: %s)', async (isSealed) => {
    const site = await plant(hub)
    const [early = '', late = ''] = keysOf(2)
    await after(untilDay(0, 1_000), () => send(site, [early]))
    await after(untilDay(0, DAY - 1_000), () => send(site, [late]))
    const keep = async () => {
      if (isSealed) await seal()
      await purgeKeys(hub.deps.pools.system, hub.clock.now())
      for (const to of [...replicas, replica()]) await send(site, [early, late], { to })
    }
    await after(untilDay(1, 0), keep)
    await after(untilDay(7, DAY - 2_000), keep)
    expect(await stored(site)).toBe(2)
    await after(untilDay(8, 0), async () => {
      for (const to of [...replicas, replica()]) await send(site, [early, late], { to })
    })
    expect(await stored(site)).toBe(4)
  })

  it('that is too old is deleted, with the partition of its day', async () => {
    const site = await plant(hub)
    await send(site, keysOf(200))
    const partitions = () => hub.owner`select name from store_partitions where parent = 'reading_key_pages' order by name`
    await after(untilDay(1, 0), () => seal())
    const today = `reading_key_pages_${hub.clock.now().toISOString().slice(0, 10).replaceAll('-', '')}_day`
    expect((await partitions()).map(({ name }) => name)).toContain(today)
    await after(untilDay(8, 0), async () => {
      await Promise.all([1, 2].map(() => purgeKeys(hub.deps.pools.system, hub.clock.now())))
      expect((await partitions()).map(({ name }) => name)).not.toContain(today)
      for (const table of ['reading_key_tail', 'reading_key_filters', 'reading_key_pages'])
        expect(await hub.owner`select from ${hub.owner(table)} where tenant_id = ${site.admin.tenantId}`).toHaveLength(0)
    })
  })
})
