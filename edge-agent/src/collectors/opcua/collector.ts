import { Backoff } from '../../support/backoff.ts'
import type { Collector, CollectorDeps, OpcUaSource } from '../collector.ts'
import { Gathering } from '../gathering.ts'
import { Grid } from '../grid.ts'
import { type Run, runCollector } from '../runner.ts'
import { StatusBoard } from '../status-board.ts'
import { type Tag, tagOf } from '../tag.ts'
import { Link } from './link.ts'
import { nodesOf } from './nodes.ts'
import { Reader } from './poll.ts'
import { watch } from './subscribe.ts'
import { Values } from './values.ts'
import { connectionFault, LoginRefused, NeedsPerson } from './words.ts'

/** A password that was refused is tried again once in five minutes. */
const LOGIN_RETRY_MS = 300_000

export const tagsOf = ({ config, machine }: OpcUaSource): Tag[] => config.nodes.map((node) => tagOf(node, node.node_id, machine))

/** Polls or watches the nodes of one OPC UA server. */
export function createOpcUaCollector(source: OpcUaSource, deps: CollectorDeps): Collector {
  const tags = tagsOf(source)
  const board = new StatusBoard(tags, deps.logger)
  let session: Promise<void> = Promise.resolve()
  return runCollector(
    source.name,
    deps,
    board,
    async (run) => {
      const { signal } = run
      const backoff = new Backoff({ firstMs: 500, maxMs: 30_000, random: deps.random })
      const values = new Values(source.config, tags, board)
      while (!signal.aborted) {
        session = runSession(source, tags, deps, values, board, run, () => backoff.reset())
        try {
          await session
        } catch (error) {
          if (signal.aborted) return
          const fault = connectionFault(error)
          deps.logger.debug({ err: error }, 'opc ua session ended')
          board.set(fault instanceof NeedsPerson ? 'failing' : 'reconnecting', fault.message)
          const waitMs = Math.max(backoff.next(), fault instanceof LoginRefused ? LOGIN_RETRY_MS : 0)
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
  values: Values,
  board: StatusBoard,
  { signal, handOn }: Run,
  onSuccess: () => void,
): Promise<void> {
  const { clock } = deps
  const link = await Link.open(source, deps, signal)
  const stop = () => link.lose('stopped')
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const intervalMs = source.pollIntervalSeconds * 1_000
  const alive = () => {
    onSuccess()
    board.reached(clock.now())
  }
  try {
    values.forget()
    const nodes = await nodesOf(link, source.config, values)
    if (source.config.mode === 'subscribe') {
      const deadbandOf = (index: number) => {
        const { deadband = 0, scale = 1 } = source.config.nodes[index] ?? {}
        return scale === 0 ? 0 : deadband / Math.abs(scale)
      }
      await watch(link, nodes, tags, values, clock, { intervalMs, deadbandOf, handOn, onAlive: alive })
    }
    const reader = new Reader(link, nodes, values, clock)
    const grid = new Grid(clock, intervalMs)
    while (!link.gone.aborted) {
      const readings = new Gathering(tags)
      await reader.readAll(clock.now(), readings)
      alive()
      await handOn(readings.columns())
      const waitMs = grid.msToNext()
      if (waitMs > 0) await clock.sleep(waitMs, link.gone)
    }
    throw new Error(link.reason)
  } finally {
    signal.removeEventListener('abort', stop)
    await link.close()
  }
}
