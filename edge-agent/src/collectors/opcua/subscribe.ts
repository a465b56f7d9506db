import { fault, type ReadingColumns } from '@haltless/protocol'
import type { ClientMonitoredItemBase, ClientSubscription, DataValue } from 'node-opcua'
import type { Clock } from '../../support/clock.ts'
import { FaultError } from '../../support/fault-error.ts'
import type { OpcUaSource } from '../collector.ts'
import { PendingReadings } from '../pending-readings.ts'
import type { PollSchedule } from '../poll-schedule.ts'
import type { Tag } from '../tag.ts'
import { CLOSE_TIMEOUT_MS, within } from './client.ts'
import type { ServerConnection } from './connection.ts'
import { statusFault } from './connection-errors.ts'
import type { Node } from './nodes.ts'
import type { ValueConverter } from './values.ts'

/** Values of one node that the server keeps between two publishings. */
const QUEUE_SIZE = 10
/** The server closes a subscription that got no publish request for this long. */
const LIFETIME_MS = 60_000
/** A keepalive comes at least this often, if the publishing interval allows. */
const KEEP_ALIVE_MS = 1_000
/** Nodes that the server would not monitor are offered to it again. */
const RETRY_MS = 60_000

/** Server-side deadbands are for analog items only; the deadband is applied here too, so that such nodes lose nothing. */
const NO_FILTER = /BadFilterNotAllowed|BadMonitoredItemFilter|BadDeadbandFilterInvalid/

export interface SubscribeOptions {
  schedule: PollSchedule
  /** aborts when the connection is lost or the collector stops */
  ended: AbortSignal
  handOn: (readings: ReadingColumns) => Promise<void>
  /** called after each interval that the subscription was alive */
  onAlive: () => void
  /** called once, an interval after the first values were requested */
  onFirst: () => void
  /** called before each interval; may ask the server something. @throws Error of the connection */
  onInterval: () => Promise<void>
}

/**
 * Watches nodes: the server samples at the poll interval and tells of changes only. What did not change is handed on
 * again at every poll instant, as long as the subscription shows signs of life. Ends when `ended` aborts.
 * @throws Error in plain words: the subscription is silent
 */
export async function runSubscription(
  connection: ServerConnection,
  source: OpcUaSource,
  nodes: readonly Node[],
  tags: readonly Tag[],
  values: ValueConverter,
  clock: Clock,
  { schedule, ended, handOn, onAlive, onFirst, onInterval }: SubscribeOptions,
): Promise<void> {
  const intervalMs = source.pollIntervalSeconds * 1_000
  const pending = new PendingReadings(tags, handOn)
  let heardAt = clock.monotonic()
  let retryAt = 0

  const onChange = (index: number, dataValue: DataValue) => {
    if (ended.aborted) return
    const now = clock.now()
    values.take(index, dataValue, now, now, pending.out)
    if (pending.isOverflowing) connection.lose(fault('readings_too_fast'))
    else setImmediate(pending.flush)
  }

  const subscription = await subscribe(connection, intervalMs)
  subscription.on('raw_notification', () => {
    heardAt = clock.monotonic()
  })
  subscription.on('terminated', () => {
    if (!ended.aborted) connection.lose(fault('opcua_subscription_ended'))
  })
  const silenceMs = longestSilenceMs(source, subscription)
  let refused = await monitor(connection, subscription, nodes, values, source, onChange)
  onAlive()

  let since = clock.now()
  let dueAt = clock.monotonic() + schedule.msToNext()
  for (let isFirst = true; ; ) {
    await clock.sleep(Math.min(dueAt, heardAt + silenceMs) - clock.monotonic(), ended)
    // Notifications may have come while this program was held up.
    if (clock.monotonic() - heardAt >= silenceMs) await clock.sleep(0)
    if (ended.aborted) break
    const now = clock.monotonic()
    if (now - heardAt >= silenceMs) throw new FaultError(fault('opcua_subscription_silent'))
    if (now < dueAt - 1) continue
    await onInterval()
    if (ended.aborted) break
    schedule.begin()
    dueAt = clock.monotonic() + schedule.msToNext()
    const at = clock.now()
    for (const { index } of nodes) values.repeat(index, since, at, pending.out)
    since = at
    onAlive()
    await pending.flush()
    if (isFirst) onFirst()
    isFirst = false
    if (refused.length > 0 && now >= retryAt) {
      refused = await monitor(connection, subscription, refused, values, source, onChange)
      retryAt = now + RETRY_MS
    }
  }
  // The session may go on for other collectors.
  if (!connection.gone.aborted) await within(CLOSE_TIMEOUT_MS, subscription.terminate())
}

/** A subscription that is silent for longer is dead: two intervals, or 5 s if that is longer, and nearly two keepalive times. */
function longestSilenceMs({ config, pollIntervalSeconds }: OpcUaSource, subscription: ClientSubscription): number {
  const keepAliveMs = subscription.publishingInterval * subscription.maxKeepAliveCount
  return Math.max(config.timeout_ms ?? 0, 0.9 * Math.max(2_000 * pollIntervalSeconds, 5_000), 1.8 * keepAliveMs)
}

function subscribe(connection: ServerConnection, intervalMs: number): Promise<ClientSubscription> {
  // Some servers send keepalives at every second publishing only: four publishings in an interval tell of a hang within two.
  const publishingMs = Math.min(intervalMs, Math.max(KEEP_ALIVE_MS, intervalMs / 4))
  const keepAliveCount = Math.max(1, Math.round(KEEP_ALIVE_MS / publishingMs))
  const options = {
    requestedPublishingInterval: publishingMs,
    requestedMaxKeepAliveCount: keepAliveCount,
    requestedLifetimeCount: Math.max(10 * keepAliveCount, Math.ceil(LIFETIME_MS / publishingMs)),
    maxNotificationsPerPublish: 0,
    publishingEnabled: true,
    priority: 1,
  }
  return connection.paced(() => connection.session.createSubscription2(options))
}

/** @param isFiltered whether the server applies deadbands @returns the nodes that the server will not monitor */
async function monitor(
  connection: ServerConnection,
  subscription: ClientSubscription,
  nodes: readonly Node[],
  values: ValueConverter,
  source: OpcUaSource,
  onChange: (index: number, dataValue: DataValue) => void,
  isFiltered = true,
): Promise<Node[]> {
  const { config, pollIntervalSeconds } = source
  const refused: Node[] = []
  const unfiltered: Node[] = []
  /** in raw units, 0 for none */
  const deadbandOf = (index: number) => {
    const { deadband = 0, scale = 1 } = config.nodes[index] ?? {}
    return isFiltered && scale !== 0 ? deadband / Math.abs(scale) : 0
  }
  for (const [deadband, alike] of Map.groupBy(nodes, ({ index }) => deadbandOf(index))) {
    for (let i = 0; i < alike.length; i += connection.itemsPerCall) {
      const some = alike.slice(i, i + connection.itemsPerCall)
      const items = await createItems(connection, subscription, some, deadband, pollIntervalSeconds * 1_000, values, onChange)
      for (const [n, item] of items.entries()) {
        const node = some[n] as Node
        if (item.statusCode.isGood()) continue
        if (deadband > 0 && NO_FILTER.test(item.statusCode.name)) unfiltered.push(node)
        else {
          values.refuse(node.index, statusFault(item.statusCode))
          refused.push(node)
        }
      }
    }
  }
  if (unfiltered.length === 0) return refused
  const more = await monitor(connection, subscription, unfiltered, values, source, onChange, false)
  return [...refused, ...more]
}

async function createItems(
  connection: ServerConnection,
  subscription: ClientSubscription,
  nodes: readonly Node[],
  deadband: number,
  samplingInterval: number,
  values: ValueConverter,
  onChange: (index: number, dataValue: DataValue) => void,
): Promise<readonly ClientMonitoredItemBase[]> {
  const { opcua } = connection
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
  const group = await connection.paced(() =>
    subscription.monitorItems(
      nodes.map(({ read }) => ({ nodeId: read.nodeId, attributeId: read.attributeId, indexRange: read.indexRange })),
      { samplingInterval, queueSize: QUEUE_SIZE, discardOldest: true, filter },
      values.isServerTime ? opcua.TimestampsToReturn.Server : opcua.TimestampsToReturn.Source,
    ),
  )
  group.on('changed', (_item, dataValue, n) => onChange((nodes[n] as Node).index, dataValue))
  return group.monitoredItems
}
