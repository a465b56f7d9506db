import { Backoff } from '../../support/backoff.ts'
import type { Collector, CollectorDeps, OpcUaSource } from '../collector.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import type { PollSchedule } from '../poll-schedule.ts'
import { type CollectorRun, runCollector } from '../runner.ts'
import { StatusBoard } from '../status-board.ts'
import { type Tag, tagOf } from '../tag.ts'
import { ServerConnection } from './connection.ts'
import { connectionFault, LoginRejected, OperatorActionRequired } from './connection-errors.ts'
import { nodesOf } from './nodes.ts'
import { NodeReader } from './poll.ts'
import { runSubscription } from './subscribe.ts'
import { ValueConverter } from './values.ts'

/** A password that was refused is tried again once in five minutes. */
const LOGIN_RETRY_MS = 300_000

export const tagsOf = ({ config, machine }: OpcUaSource): Tag[] => config.nodes.map((node) => tagOf(node, node.node_id, machine))

/** Polls or watches the nodes of one OPC UA server. */
export function createOpcUaCollector(source: OpcUaSource, deps: CollectorDeps): Collector {
  const tags = tagsOf(source)
  const board = new StatusBoard(tags, deps)
  let session: Promise<void> = Promise.resolve()
  return runCollector(
    source.name,
    deps,
    board,
    async (run) => {
      const { signal } = run
      const backoff = new Backoff({ firstMs: 500, maxMs: 30_000, random: deps.random })
      const values = new ValueConverter(source.config, tags, board, deps.clock)
      const schedule = board.schedule(source.pollIntervalSeconds * 1_000)
      while (!signal.aborted) {
        schedule.begin()
        session = runSession(source, tags, deps, values, board, schedule, run, () => backoff.reset())
        try {
          await session
        } catch (error) {
          if (signal.aborted) return
          const fault = connectionFault(error)
          deps.logger.debug({ err: error }, 'opc ua session ended')
          board.set(fault instanceof OperatorActionRequired ? 'failing' : 'reconnecting', fault.message)
          const waitMs = Math.max(backoff.next(), fault instanceof LoginRejected ? LOGIN_RETRY_MS : 0)
          await deps.clock.sleep(waitMs, signal)
        }
      }
    },
    () => session.catch(() => {}),
  )
}

/** One session from connect to loss. Ends by throwing, or when the collector stops. */
async function runSession(
  source: OpcUaSource,
  tags: readonly Tag[],
  deps: CollectorDeps,
  values: ValueConverter,
  board: StatusBoard,
  schedule: PollSchedule,
  { signal, handOn }: CollectorRun,
  onSuccess: () => void,
): Promise<void> {
  const { clock } = deps
  const connection = await ServerConnection.open(source, deps, signal)
  const stop = () => connection.lose('stopped')
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const intervalMs = source.pollIntervalSeconds * 1_000
  const alive = () => {
    onSuccess()
    schedule.answered()
    board.reached(clock.now())
  }
  try {
    values.forget()
    const nodes = await nodesOf(connection, source.config, values)
    if (source.config.mode === 'subscribe') {
      const deadbandOf = (index: number) => {
        const { deadband = 0, scale = 1 } = source.config.nodes[index] ?? {}
        return scale === 0 ? 0 : deadband / Math.abs(scale)
      }
      await runSubscription(connection, nodes, tags, values, clock, {
        intervalMs,
        schedule,
        deadbandOf,
        handOn,
        onAlive: alive,
      })
    }
    const reader = new NodeReader(connection, nodes, values, clock)
    while (!connection.gone.aborted) {
      schedule.begin()
      const readings = new ColumnsBuilder(tags)
      await reader.readAll(clock.now(), readings)
      alive()
      await handOn(readings.columns())
      const waitMs = schedule.msToNext()
      if (waitMs > 0) await clock.sleep(waitMs, connection.gone)
    }
    throw new Error(connection.reason)
  } finally {
    signal.removeEventListener('abort', stop)
    await connection.close()
  }
}
