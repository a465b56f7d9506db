import { OpcUaConfig, toReadings } from '@haltless/protocol'
import { beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../support/clock.ts'
import type { CollectorDeps, OpcUaSource } from '../collector.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import { StatusBoard } from '../status-board.ts'
import { tagsOf } from './collector.ts'
import type { ServerConnection } from './connection.ts'
import { HistoryFiller } from './history.ts'
import type { Node } from './nodes.ts'
import { ServerClock } from './server-clock.ts'
import { ValueConverter } from './values.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 0, 1, 12)
const source = (timestamps?: string): OpcUaSource => ({
  name: 'press',
  machine: 'press',
  protocol: 'opcua',
  host: '127.0.0.1',
  port: 1,
  pollIntervalSeconds: 1,
  config: OpcUaConfig.parse({ timestamps, nodes: [{ node_id: 'ns=1;s=A', metric_name: 'a', unit: 'u' }] }),
})
const nodes = [{ index: 0, read: {} }] as unknown as Node[]
let warnings: string[]
let now: number
beforeEach(() => {
  warnings = []
  now = NOON
})

/** A filler with the readings of a first session, whose clock was so far ahead. */
function fillerOf(aheadMs: number, timestamps?: string) {
  const line = (_: object, message: string) => void warnings.push(message)
  const logger = { debug: () => {}, info: () => {}, warn: line, error: line }
  const clock = { ...systemClock, now: () => now, offsetMs: 0 }
  const from = source(timestamps)
  const tags = tagsOf(from)
  const serverClock = new ServerClock(from, { clock, logger }, 1_000)
  const board = new StatusBoard(tags, { logger, clock })
  const values = new ValueConverter(from.config, tags, board, clock, serverClock)
  const history = new HistoryFiller(from, tags, values, serverClock, { clock, logger } as unknown as CollectorDeps)
  const out = new ColumnsBuilder(tags)
  const session = (aheadMs: number) => {
    values.forget()
    for (let i = 0; i < 3; i++) serverClock.measured(aheadMs)
    return history.begin({} as ServerConnection, nodes)
  }
  const live = (value: number) => {
    const dataValue = { value: { dataType: 11, arrayType: 0, value }, statusCode: { value: 0, name: 'Good' } }
    values.take(0, dataValue as never, now, now, out)
  }
  session(aheadMs)
  live(1)
  history.end()
  return { serverClock, history, session, live, stored: () => toReadings(out.columns()) }
}

/** Whether the history of a minute is read after a loss. @param fill what `begin` returned */
async function isRead(
  fill: (handOn: () => Promise<void>, ended: AbortSignal) => Promise<void>,
  live: () => void,
): Promise<boolean> {
  live()
  warnings = []
  // The connection of this test answers nothing, which is a warning.
  await fill(async () => {}, new AbortController().signal)
  return warnings.some((message) => message.includes('cannot be read'))
}

test.each([
  ['a clock that drifts over the limit', -29_500, -30_500, undefined, true],
  ['one that was wrong and is set', -3 * HOUR, 0, undefined, false],
  ['one that was right and is set', 0, -3 * HOUR, undefined, false],
  ['one that was set within the limit', -29_900, 900, undefined, true],
  ['one that is trusted and set', 0, -3 * HOUR, 'source', true],
  ['one that is not trusted and set', 0, -3 * HOUR, 'agent', false],
])('the history of %s, from %i to %i ms ahead (timestamps: %s), is read: %s', async (_, before, after, timestamps, read) => {
  const { session, live } = fillerOf(before, timestamps)
  now += 60_000
  expect(await isRead(session(after), () => live(2))).toBe(read)
})

test('a session that ends before its first values does not hide that the clock was set', async () => {
  const { serverClock, history, session, live } = fillerOf(-3 * HOUR)
  now += 60_000
  for (let i = 0; i < 3; i++) serverClock.measured(0)
  history.end()
  expect(await isRead(session(0), () => live(2))).toBe(false)
})
