import { fault } from '@haltless/protocol'
import { Backoff } from '../../support/backoff.ts'
import type { Clock } from '../../support/clock.ts'
import { FaultError } from '../../support/fault-error.ts'
import type { Collector, CollectorDeps, OpcUaSource } from '../collector.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import type { PollSchedule } from '../poll-schedule.ts'
import { type CollectorRun, runCollector } from '../runner.ts'
import { StatusBoard } from '../status-board.ts'
import { type Tag, tagOf } from '../tag.ts'
import { CLOSE_TIMEOUT_MS, untilAborted, within } from './client.ts'
import type { ServerConnection } from './connection.ts'
import { connectionFault, isServiceFault, NoAnswer, OperatorActionRequired } from './connection-errors.ts'
import { HistoryFiller } from './history.ts'
import { Namespaces } from './namespaces.ts'
import { nodesOf } from './nodes.ts'
import { NodeReader } from './poll.ts'
import { ServerClock } from './server-clock.ts'
import { acquireSession, type SharedSession } from './shared-session.ts'
import { runSubscription } from './subscribe.ts'
import { ValueConverter } from './values.ts'

export const tagsOf = ({ config, machine }: OpcUaSource): Tag[] =>
  config.nodes.map((node) => {
    const { node_id, index_range } = node
    return tagOf(node, index_range === undefined ? node_id : `${node_id}[${index_range}]`, machine)
  })

/** A server that takes too long for its first poll is asked for half as many nodes at once, down to these. */
const MIN_PORTION = 10
/** While the server lacks the namespace of a tag, it is asked so often whether it has it now. */
const NAMESPACES_RETRY_MS = 60_000

/** Polls or watches nodes of one OPC UA server. Collectors of one server, security and user share a session. */
export function createOpcUaCollector(source: OpcUaSource, deps: CollectorDeps): Collector {
  const { clock } = deps
  const tags = tagsOf(source)
  const serverClock = new ServerClock(source, deps, requestTimeoutMs(source))
  const namespaces = new Namespaces(deps.namespaces)
  const board = new StatusBoard(tags, deps, { sourceClock: () => serverClock.status(), note: () => namespaces.note })
  let polling: Promise<void> = Promise.resolve()
  let release = async () => {}
  return runCollector(
    source.name,
    deps,
    board,
    async (run) => {
      const { signal } = run
      await release()
      if (signal.aborted) return
      const shared = acquireSession(source, deps)
      release = shared.release
      const { session } = shared
      const backoff = new Backoff({ firstMs: 500, maxMs: 30_000, random: deps.random })
      const values = new ValueConverter(source.config, tags, board, deps.clock, serverClock)
      const portions = { size: Number.POSITIVE_INFINITY }
      const history = new HistoryFiller(source, tags, values, serverClock, deps)
      const schedule = board.schedule(source.pollIntervalSeconds * 1_000)
      const kept = { serverClock, namespaces, values, history, portions }
      const onAlive = () => {
        backoff.reset()
        session.confirm()
        schedule.answered()
        board.reached(clock.now())
      }
      while (!signal.aborted) {
        schedule.begin()
        polling = runSession(source, tags, deps, session, kept, schedule, run, onAlive)
        try {
          await polling
        } catch (error) {
          history.end()
          if (signal.aborted) return
          const found = connectionFault(error)
          deps.logger.debug({ err: error }, 'opc ua session ended')
          board.set(found instanceof OperatorActionRequired ? 'failing' : 'reconnecting', found.fault)
          // The shared session paces connection attempts; a collector that the server refuses on a live session paces itself.
          await clock.sleep(session.retryInMs > 0 ? session.retryInMs : backoff.next(), signal)
        }
      }
    },
    async () => {
      await release()
      await within(CLOSE_TIMEOUT_MS, polling)
    },
  )
}

/** What a collector keeps from one connection to the next. */
interface Kept {
  serverClock: ServerClock
  namespaces: Namespaces
  values: ValueConverter
  history: HistoryFiller
  portions: { size: number }
}

/** Polls or watches on one connection until it is lost. Ends by throwing, or when the collector stops. */
async function runSession(
  source: OpcUaSource,
  tags: readonly Tag[],
  { clock, logger }: CollectorDeps,
  session: SharedSession,
  { serverClock, namespaces, values, history, portions }: Kept,
  schedule: PollSchedule,
  { signal, handOn }: CollectorRun,
  onAlive: () => void,
): Promise<void> {
  const connecting = session.connect()
  await untilAborted(connecting, signal)
  if (signal.aborted) return
  const connection = await connecting
  const size = Math.min(portions.size, connection.nodesPerRead, Math.max(1, source.config.nodes.length))
  let isProven = source.config.mode === 'subscribe'
  const ended = AbortSignal.any([signal, connection.gone])
  try {
    values.forget()
    await serverClock.read(connection)
    const { note } = namespaces
    const { nodes, isNamespaceMissing } = await nodesOf(connection, source.config, values, namespaces, true)
    if (namespaces.note && namespaces.note.detail !== note?.detail) logger.warn({}, namespaces.note.detail)
    if (isNamespaceMissing) void reconnectWhenNamespacesChange(connection, clock, ended)
    const fillGap = history.begin(connection, nodes)
    const onFirst = () => void fillGap(handOn, ended)
    if (source.config.mode === 'subscribe') {
      const onInterval = () => serverClock.readWhenDue(connection)
      const options = { schedule, ended, handOn, onAlive, onFirst, onInterval }
      await runSubscription(connection, source, nodes, tags, values, clock, options)
    }
    const timeoutMs = requestTimeoutMs(source)
    const reader = new NodeReader(connection, nodes, values, clock, timeoutMs, size)
    for (let isFirst = true; !ended.aborted; isFirst = false) {
      schedule.begin()
      await serverClock.readWhenDue(connection)
      const readings = new ColumnsBuilder(tags)
      await reader.readAll(clock.now(), readings)
      isProven = true
      onAlive()
      await handOn(readings.columns())
      if (isFirst) onFirst()
      const waitMs = schedule.msToNext()
      if (waitMs > 0) await clock.sleep(waitMs, ended)
    }
    if (!signal.aborted) throw new FaultError(connection.reason)
  } catch (error) {
    if (!isProven && error instanceof NoAnswer) portions.size = Math.max(MIN_PORTION, Math.ceil(size / 2))
    // After a loss the reason says more than what the request got.
    if (connection.gone.aborted) throw new FaultError(connection.reason)
    // What the server answered concerns this request only; without an answer the connection is of no more use.
    if (!signal.aborted && !isServiceFault(error)) connection.lose(connectionFault(error).fault)
    throw error
  }
}

/** Ends the connection once the server has other namespaces than at its beginning: the next session finds the tags in them. */
async function reconnectWhenNamespacesChange(connection: ServerConnection, clock: Clock, ended: AbortSignal): Promise<void> {
  const before = JSON.stringify(await connection.namespaces())
  while (!ended.aborted) {
    await clock.sleep(NAMESPACES_RETRY_MS, ended)
    if (ended.aborted) return
    const now = await connection.readNamespaces().catch(() => null)
    if (now && JSON.stringify(now) !== before) connection.lose(fault('opcua_namespaces_changed'))
  }
}

/** Without this setting a server that stops answering is noticed within two polls, or 5 s if that is longer. */
export function requestTimeoutMs({ config, pollIntervalSeconds }: OpcUaSource): number {
  const intervalMs = pollIntervalSeconds * 1_000
  // The server may fall silent just after an answer, and the next request comes an interval later. A tenth is for this computer.
  return config.timeout_ms ?? Math.round(0.9 * Math.min(10_000, Math.max(intervalMs, 5_000 - intervalMs)))
}
