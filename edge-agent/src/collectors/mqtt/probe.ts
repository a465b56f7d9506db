import { type Reading, toReadings } from '@haltless/protocol'
import { errorMessage } from '../../support/error-message.ts'
import type { ProbeDeps, ProbeResult } from '../collector.ts'
import { badTagSummary, valueLines } from '../messages.ts'
import { PendingReadings } from '../pending-readings.ts'
import type { SourceClocks } from '../source-clock.ts'
import type { StatusBoard } from '../status-board.ts'
import type { Tag } from '../tag.ts'
import { BrokerConnection, type BrokerSource } from './broker.ts'
import type { MessageHandler } from './broker-collector.ts'

/** How long messages are waited for. */
const LISTEN_MS = 3_000
const POLL_INTERVAL_MS = 50

/**
 * Connects, listens for a moment, disconnects.
 * @param isComplete whether there is nothing more to wait for
 * @param words about tags that had no message; a topic may be silent for hours
 */
export async function probeBroker(
  source: BrokerSource,
  label: string,
  tags: readonly Tag[],
  board: StatusBoard,
  clocks: SourceClocks,
  deps: ProbeDeps,
  signal: AbortSignal,
  handlerOf: (pending: PendingReadings) => { handler: MessageHandler; isComplete(): boolean; words(): string },
): Promise<ProbeResult> {
  const newest = new Map<string, Reading>()
  const pending = new PendingReadings(tags, async (columns) => {
    for (const reading of toReadings(columns)) newest.set(`${reading.rawTag} ${reading.metric}`, reading)
  })
  const { handler, isComplete, words } = handlerOf(pending)
  const where = `${label} at ${source.host}:${source.port}`
  // the broker ends the elder of two clients with one name, and the agent may be running
  const { client_id } = source.config
  const own = {
    ...source,
    name: `${source.name} check`,
    config: { ...source.config, client_id: client_id && `${client_id}-check` },
  }
  handler.reset()
  try {
    const { filters, qos } = handler
    const subscription = { filters, qos, isPersistent: false }
    const connection = await BrokerConnection.open(own, subscription, deps, handler.message.bind(handler), signal)
    try {
      handler.connected((topic, payload) => connection.publish(topic, payload))
      const until = deps.clock.monotonic() + LISTEN_MS
      while (!isComplete() && deps.clock.monotonic() < until && !connection.gone.aborted && !signal.aborted)
        await deps.clock.sleep(POLL_INTERVAL_MS, AbortSignal.any([signal, connection.gone]))
      handler.interval()
      await pending.flush()
      if (connection.gone.aborted) throw connection.failure
    } finally {
      await connection.close()
    }
  } catch (error) {
    const summary = `${where}: ${errorMessage(error)}`
    return { ok: false, answered: false, summary, lines: [], clockAheadMs: null, readings: [], badTags: board.badTags() }
  }
  const badTags = board.badTags()
  const readings = [...newest.values()]
  const problem = [badTagSummary(badTags.length, tags.length), words()].filter((part) => part !== '').join('; ')
  const isReadable = !source.config.tls && source.config.password !== undefined && !isLoopback(source.host)
  const lines = valueLines(tags, readings, badTags)
  const clock = clocks.status()
  if (isReadable) lines.push('the connection is not encrypted: its password can be read on the network (tls)')
  return {
    ok: badTags.length === 0,
    answered: true,
    summary: `${where} answers${problem && `, but ${problem}`}`,
    lines,
    // how late a value is says nothing about the clock
    clockAheadMs: clock?.isExact ? clock.aheadMs : null,
    readings,
    badTags,
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')
