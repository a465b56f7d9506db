import type { ReadingColumns } from '@haltless/protocol'
import type { ClientMonitoredItemBase, ClientSubscription, DataValue } from 'node-opcua'
import type { Clock } from '../../support/clock.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import type { PollSchedule } from '../poll-schedule.ts'
import type { Tag } from '../tag.ts'
import type { ServerConnection } from './connection.ts'
import { describeStatus } from './connection-errors.ts'
import type { Node } from './nodes.ts'
import type { ValueConverter } from './values.ts'

/** Values of one node that the server keeps between two publishings. */
const QUEUE_SIZE = 10
/** The server closes a subscription that got no publish request for this long. */
const LIFETIME_MS = 60_000
/** A keepalive comes at least this often, if the publishing interval allows. */
const KEEP_ALIVE_MS = 1_000
/** A subscription silent for three keepalive times, and for this long, is dead. */
const MIN_SILENCE_MS = 2_000
/** Nodes that the server would not monitor are offered to it again. */
const RETRY_MS = 60_000
/** Readings waiting to be stored; beyond this, our side has a fault. */
const MAX_PENDING = 100_000

/** Server-side deadbands are for analog items only; the deadband is applied here too, so that such nodes lose nothing. */
const NO_FILTER = /BadFilterNotAllowed|BadMonitoredItemFilter|BadDeadbandFilterInvalid/

export interface SubscribeOptions {
  intervalMs: number
  schedule: PollSchedule
  /** deadband in raw units, by tag; 0 for none */
  deadbandOf: (index: number) => number
  handOn: (readings: ReadingColumns) => Promise<void>
  /** called after each interval that the subscription was alive */
  onAlive: () => void
}

/**
 * Watches nodes: the server samples and publishes at the poll interval and tells of changes only. What did not change is handed on
 * again at every poll instant, as long as the subscription shows signs of life. Returns never; ends by throwing.
 * @throws Error in plain words: the connection is gone, the subscription is silent
 */
export async function runSubscription(
  connection: ServerConnection,
  nodes: readonly Node[],
  tags: readonly Tag[],
  values: ValueConverter,
  clock: Clock,
  options: SubscribeOptions,
): Promise<never> {
  const { intervalMs, schedule, handOn, onAlive } = options
  let pending = new ColumnsBuilder(tags)
  let handing = false
  let heardAt = clock.monotonic()
  let retryAt = 0

  const flush = async () => {
    if (handing) return
    handing = true
    while (pending.count > 0) {
      const batch = pending
      pending = new ColumnsBuilder(tags)
      await handOn(batch.columns())
    }
    handing = false
  }
  const onChange = (index: number, dataValue: DataValue) => {
    const now = clock.now()
    values.take(index, dataValue, now, now, pending)
    if (pending.count > MAX_PENDING) connection.lose('readings are not stored as fast as they come')
    else setImmediate(flush)
  }

  const subscription = await subscribe(connection, intervalMs)
  subscription.on('raw_notification', () => {
    heardAt = clock.monotonic()
  })
  subscription.on('terminated', () => connection.lose('the server ended the subscription'))
  const silenceMs = Math.max(MIN_SILENCE_MS, 3 * subscription.publishingInterval * subscription.maxKeepAliveCount)
  let refused = await monitor(connection, subscription, nodes, values, options, onChange)
  onAlive()

  for (let since = clock.now(); ; ) {
    await clock.sleep(schedule.msToNext(), connection.gone)
    if (connection.gone.aborted) throw new Error(connection.reason)
    schedule.begin()
    const now = clock.monotonic()
    if (now - heardAt > silenceMs) throw new Error('the subscription went silent')
    const at = clock.now()
    for (const { index } of nodes) values.repeat(index, since, at, pending)
    since = at
    onAlive()
    await flush()
    if (refused.length > 0 && now >= retryAt) {
      refused = await monitor(connection, subscription, refused, values, options, onChange)
      retryAt = now + RETRY_MS
    }
  }
}

function subscribe({ session }: ServerConnection, intervalMs: number): Promise<ClientSubscription> {
  const keepAliveCount = Math.max(1, Math.round(KEEP_ALIVE_MS / intervalMs))
  return session.createSubscription2({
    requestedPublishingInterval: intervalMs,
    requestedMaxKeepAliveCount: keepAliveCount,
    requestedLifetimeCount: Math.max(10 * keepAliveCount, Math.ceil(LIFETIME_MS / intervalMs)),
    maxNotificationsPerPublish: 0,
    publishingEnabled: true,
    priority: 1,
  })
}

/** @returns the nodes that the server will not monitor */
async function monitor(
  connection: ServerConnection,
  subscription: ClientSubscription,
  nodes: readonly Node[],
  values: ValueConverter,
  options: SubscribeOptions,
  onChange: (index: number, dataValue: DataValue) => void,
): Promise<Node[]> {
  const refused: Node[] = []
  const unfiltered: Node[] = []
  const byDeadband = Map.groupBy(nodes, (node) => options.deadbandOf(node.index))
  for (const [deadband, alike] of byDeadband) {
    for (let i = 0; i < alike.length; i += connection.itemsPerCall) {
      const some = alike.slice(i, i + connection.itemsPerCall)
      const items = await createItems(connection, subscription, some, deadband, options.intervalMs, onChange)
      for (const [n, item] of items.entries()) {
        const node = some[n] as Node
        if (item.statusCode.isGood()) continue
        if (deadband > 0 && NO_FILTER.test(item.statusCode.name)) unfiltered.push(node)
        else {
          values.refuse(node.index, describeStatus(item.statusCode))
          refused.push(node)
        }
      }
    }
  }
  if (unfiltered.length === 0) return refused
  const more = await monitor(connection, subscription, unfiltered, values, { ...options, deadbandOf: () => 0 }, onChange)
  return [...refused, ...more]
}

async function createItems(
  { opcua }: ServerConnection,
  subscription: ClientSubscription,
  nodes: readonly Node[],
  deadband: number,
  samplingInterval: number,
  onChange: (index: number, dataValue: DataValue) => void,
): Promise<readonly ClientMonitoredItemBase[]> {
  const filter =
    deadband > 0
      ? new opcua.DataChangeFilter({
          deadbandType: opcua.DeadbandType.Absolute,
          deadbandValue: deadband,
          trigger: opcua.DataChangeTrigger.StatusValue,
        })
      : new opcua.DataChangeFilter({
          deadbandType: opcua.DeadbandType.None,
          trigger: opcua.DataChangeTrigger.StatusValueTimestamp,
        })
  const group = await subscription.monitorItems(
    nodes.map(({ read }) => ({ nodeId: read.nodeId, attributeId: read.attributeId })),
    { samplingInterval, queueSize: QUEUE_SIZE, discardOldest: true, filter },
    opcua.TimestampsToReturn.Source,
  )
  group.on('changed', (_item, dataValue, n) => onChange((nodes[n] as Node).index, dataValue))
  return group.monitoredItems
}
