import { randomUUID } from 'node:crypto'
import type { BatchDictionary, ReadingBatch } from '@haltless/protocol'
import { fullOrShort, type Side } from '@haltless/protocol/bench'
import { assertStored } from '../test/support/reading-storage.ts'
import { addMachines, addRules, type BenchHub, type BenchTenant, startBenchHub } from './environment.ts'
import { batchOf, jsonOf, METRICS, plantValue } from './plant-data.ts'
import { ingestUrl, mqttAgent, numberedMessage, post } from './senders.ts'

/** Live traffic: a batch is one instant of 100 machines of 10 metrics, now, and no instant of a machine comes twice. */
export const LIVE_SIZE = 1_000
const SENDERS = 8
const TENANTS = 4
/** Seconds of a round; the rounds that count are a minute. */
const ROUND_SECONDS = fullOrShort(12, 1)
/** Values that a group sends one after another. */
const VARIANTS = 3

/** Machines whose readings come in one batch. */
export interface LiveGroup {
  tenant: BenchTenant
  machines: number[]
  /** Unix ms of its last instant */
  lastAt: number
  variant: number
}

/**
 * A hub with groups of machines of four tenants, and a rule for each machine.
 * @param together machines of a group
 * @param onEmpty runs before there are machines
 */
export async function liveHub(
  count: number,
  together = 100,
  onEmpty: (hub: BenchHub) => PromiseLike<unknown> = async () => {},
): Promise<{ hub: BenchHub; groups: LiveGroup[] }> {
  const hub = await startBenchHub({ tenants: TENANTS, keys: 400 }, { LOG_LEVEL: 'info' })
  await onEmpty(hub)
  const groups: LiveGroup[] = []
  for (let i = 0; i < count; i++) {
    const tenant = hub.tenants[i % hub.tenants.length] as BenchTenant
    await addMachines(hub, i * together, (i + 1) * together, tenant)
    await addRules(hub, i * together, (i + 1) * together, tenant)
    groups.push({ tenant, machines: Array.from({ length: together }, (_, m) => i * together + m), lastAt: 0, variant: 0 })
  }
  return { hub, groups }
}

const sizeOf = ({ machines }: LiveGroup): number => machines.length * METRICS.length

/** The next instant of a group, Unix ms. */
function nextInstant(group: LiveGroup): number {
  group.lastAt = Math.max(group.lastAt + 1, Date.now())
  return group.lastAt
}

const batchAt = (group: LiveGroup, at: number, second: number): ReadingBatch =>
  batchOf({
    machines: group.machines,
    metrics: METRICS.map((_, i) => i),
    second,
    times: [at],
    valueAt: plantValue,
  })

/** Sends the next instant of a group over HTTP. Bodies are made once, and get their timestamps as they are sent. */
export function httpLive(hub: BenchHub): (group: LiveGroup) => Promise<void> {
  const url = ingestUrl(hub)
  const stamp = '"timestamp":"'
  const bodies = new Map<LiveGroup, { body: Buffer; stamps: number[] }[]>()
  const prepare = (group: LiveGroup) =>
    Array.from({ length: VARIANTS }, (_, i) => {
      const body = jsonOf(batchAt(group, 0, i * 60))
      const stamps: number[] = []
      for (let at = body.indexOf(stamp); at >= 0; at = body.indexOf(stamp, at + 1)) stamps.push(at + stamp.length)
      return { body, stamps }
    })
  let sent = 0
  return async (group) => {
    if (!bodies.has(group)) bodies.set(group, prepare(group))
    const { body, stamps } = (bodies.get(group) as { body: Buffer; stamps: number[] }[])[group.variant++ % VARIANTS] as {
      body: Buffer
      stamps: number[]
    }
    const own = Buffer.from(body)
    const at = new Date(nextInstant(group)).toISOString()
    for (const offset of stamps) own.write(at, offset, 'latin1')
    await post(url, group.tenant.keys[sent++ % group.tenant.keys.length] as string, own, sizeOf(group))
  }
}

/**
 * Sends the next instant of a group over MQTT, from an agent of each sender and tenant. Each announces the names of a group once, as agents do.
 * Values are made once; batches get their timestamps and are encoded as they are sent.
 */
export async function mqttLive(hub: BenchHub) {
  const agents = new Map<string, Awaited<ReturnType<typeof mqttAgent>>>()
  const dictionaries = new Map<string, BatchDictionary>()
  const variants = new Map<LiveGroup, ReadingBatch[]>()
  for (const tenant of hub.tenants)
    for (let i = 0; i < SENDERS; i++) agents.set(`${tenant.tenantId} ${i}`, await mqttAgent(hub, tenant, `agent-${i}`))
  return {
    send: async (group: LiveGroup, worker: number) => {
      const made = variants.get(group) ?? Array.from({ length: VARIANTS }, (_, i) => batchAt(group, 0, i * 60))
      variants.set(group, made)
      const prepared = made[group.variant++ % VARIANTS] as ReadingBatch
      const timestamps = new Float64Array(sizeOf(group)).fill(nextInstant(group))
      const batch = { ...prepared, batchId: randomUUID(), timestamps }
      const agent = agents.get(`${group.tenant.tenantId} ${worker}`) as Awaited<ReturnType<typeof mqttAgent>>
      const name = `${group.tenant.tenantId} ${worker} ${group.machines[0]}`
      const dictionary = dictionaries.get(name) ?? (await agent.announce(batch.series))
      dictionaries.set(name, dictionary)
      await agent.send(numberedMessage(batch, dictionary))
    },
    close: () => Promise.all([...agents.values()].map((agent) => agent.close())),
  }
}

/**
 * A round: eight senders send the groups one after another for some seconds. A group waits for its answer before its next instant, so that
 * nothing is late. @returns readings per second
 * @param before readings that are stored already
 */
export function liveSide(
  hub: BenchHub,
  groups: readonly LiveGroup[],
  send: (group: LiveGroup, worker: number) => Promise<void>,
  before = 0,
): Side {
  let stored = before
  const free = [...groups]
  return async () => {
    const started = performance.now()
    let readings = 0
    await Promise.all(
      Array.from({ length: SENDERS }, async (_, worker) => {
        while (performance.now() - started < ROUND_SECONDS * 1_000) {
          const group = free.shift() as LiveGroup
          await send(group, worker)
          free.push(group)
          readings += sizeOf(group)
        }
      }),
    )
    const took = (performance.now() - started) / 1_000
    stored += readings
    await assertStored(hub.owner, stored)
    return readings / took
  }
}
