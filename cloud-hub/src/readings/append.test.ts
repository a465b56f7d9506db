import { expect, it } from 'vitest'
import type { TransactionSql } from '../db/pools.ts'
import { appendLive } from './append.ts'
import { emptyBody, emptyEntries } from './latest/entries.ts'
import type { SortedReadings } from './sorted-readings.ts'

/** A transaction that notes the table of each statement when it is sent. */
function noting() {
  const sent: string[] = []
  const statement = (strings: TemplateStringsArray) => {
    const send = () => sent.push(/insert into (\w+)/.exec(strings.join('?'))?.[1] ?? 'another')
    const execute = () => {
      send()
    }
    // biome-ignore lint/suspicious/noThenProperty: the driver sends a statement when `then` is called
    return { execute, then: (done: (rows: object[]) => void) => Promise.resolve(send()).then(() => done([{ writer: '7' }])) }
  }
  return { sent, tx: Object.assign(statement, { typed: (value: unknown) => value }) as unknown as TransactionSql }
}

it('locks the newest readings before everything else that a live flush writes', async () => {
  const { sent, tx } = noting()
  const row = {
    tenantId: 't',
    machineId: 'm',
    chunk: 0,
    seen: 5,
    written: 5,
    body: Buffer.concat([emptyBody(), emptyEntries([30])]),
    tags: null,
    tagBytes: Buffer.alloc(0),
    sharedUntil: 0,
    tenantBytes: Buffer.alloc(16),
    machineBytes: Buffer.alloc(16),
  }
  const span = { slot: 0, seriesId: 30, from: 0, to: 1, latest: { row, index: 0 }, newestAt: 0, needsNewest: false }
  const readings: SortedReadings = { spans: [span], timestamps: Float64Array.of(1), values: Float64Array.of(2), rawTags: [null] }
  const inserts = { hints: { appended: () => {}, arrived: () => {} }, sharedFrom: () => 4 }
  for (const isRepeated of [false, true]) await appendLive(tx, readings, isRepeated, inserts).written
  expect(sent).toEqual(['machine_latest', 'reading_tail', 'another', 'reading_tail'])
})
