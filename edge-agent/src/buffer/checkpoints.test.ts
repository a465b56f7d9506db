import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Reading, toColumns, toReadings } from '@haltless/protocol'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Clock } from '../support/clock.ts'
import { createLogger } from '../support/logger.ts'
import { type BufferOptions, ReadingBuffer } from './buffer.ts'
import { readCheckpoints } from './checkpoints.ts'
import { migrate } from './migrations.ts'
import { salvage } from './salvage.ts'

const AT = 1_790_000_000_000
let folder: string
let file: string
let time: number
let isBroken: boolean
let open: ReadingBuffer[]
const clock: Clock = { now: () => AT + time, monotonic: () => time, sleep: () => Promise.resolve() }
const onOpen = () => {
  if (isBroken) throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_WRITE')
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'checkpoints-'))
  file = join(folder, 'buffer.sqlite')
  time = 0
  isBroken = false
  open = []
})
afterEach(() => {
  for (const buffer of open) buffer.close()
  rmSync(folder, { recursive: true })
})

function openBuffer(options: Partial<BufferOptions> = {}): ReadingBuffer {
  const buffer = new ReadingBuffer({
    file,
    maxBytes: 1e9,
    maxAgeMs: null,
    clock,
    logger: createLogger('silent'),
    onOpen,
    ...options,
  })
  open.push(buffer)
  return buffer
}
const reopened = (buffer: ReadingBuffer, options: Partial<BufferOptions> = {}): ReadingBuffer => {
  buffer.close()
  open = open.filter((one) => one !== buffer)
  return openBuffer(options)
}

const reading = (value: number, timestamp = AT + value): Reading => ({
  machine: 'm',
  metric: 'x',
  unit: 'u',
  rawTag: null,
  timestamp,
  value,
})
const append = (buffer: ReadingBuffer, values: number[], state: string | null, more: { hasOwnTime?: boolean } = {}) =>
  buffer.append(
    [],
    [
      {
        collector: 'log',
        readings: toColumns(values.map((value) => reading(value))),
        checkpoints: [{ key: '/x.csv', state }],
        hasOwnTime: true,
        ...more,
      },
    ],
  )
const stateOf = (buffer: ReadingBuffer) => buffer.checkpoints('log')?.get('/x.csv')
const contents = (buffer: ReadingBuffer) => {
  const batch = buffer.claim(1_000, 'backlog') ?? buffer.claim(1_000, 'live')
  return batch ? toReadings(batch.columns()) : []
}

it('a checkpoint is stored with its readings, replaced by the next one, and forgotten', () => {
  let buffer = openBuffer()
  expect(append(buffer, [1, 2], 'two')).toBe(true)
  expect(append(buffer, [3], 'three')).toBe(true)
  // lines that held no reading were read too
  expect(append(buffer, [], 'four')).toBe(true)
  buffer = reopened(buffer)
  expect([stateOf(buffer), buffer.stats().buffered]).toEqual(['four', 3])
  expect(buffer.checkpoints('other')?.size).toBe(0)
  append(buffer, [], null)
  expect(stateOf(buffer)).toBeUndefined()
})

it('timestamps of the source are right as they are, whatever the clock of the agent is off by', () => {
  const buffer = openBuffer({ clockAnchor: { bootId: 'boot', anchorMs: 0 } })
  append(buffer, [1], 'one')
  append(buffer, [2], 'two', { hasOwnTime: false })
  buffer.append([toColumns([reading(3)])])
  buffer.settleClock({ bootId: 'boot', anchorMs: 3_600_000, toleranceMs: 0 })
  expect(contents(buffer).map(({ value, timestamp }) => [value, timestamp - AT])).toEqual([
    [1, 1],
    [2, 3_600_002],
    [3, 3_600_003],
  ])
})

it('what cannot be written is no loss where it can be read again, and the checkpoint stays behind', () => {
  const buffer = openBuffer()
  append(buffer, [1], 'one')
  const blocker = new Database(file)
  blocker.exec('BEGIN IMMEDIATE')
  expect(append(buffer, [2], 'two')).toBe(false)
  blocker.exec('ROLLBACK')
  blocker.close()
  expect([stateOf(buffer), buffer.stats()]).toMatchObject(['one', { buffered: 1, dropped: 0 }])
  expect(append(buffer, [2], 'two')).toBe(true)
}, 30_000)

it('while the disk cannot be used checkpoints are kept with the readings in memory, and reach it with them', () => {
  const before = openBuffer()
  append(before, [1], 'one')
  before.close()
  open = []
  isBroken = true
  const buffer = openBuffer()
  // what the disk holds is not known: nothing may be read from the beginning
  expect(buffer.checkpoints('log')).toBeNull()
  append(buffer, [2], 'two')
  isBroken = false
  time = 10_000
  append(buffer, [3], 'three')
  expect([stateOf(buffer), buffer.stats().buffered]).toEqual(['three', 3])
})

it.each([
  ['', 'many'],
  ['UPDATE checkpoints SET state = NULL', undefined],
])('of a damaged buffer the checkpoints are taken over, all or none: %s', (damage, expected) => {
  const from = new Database(file)
  migrate(from)
  from.exec('DROP TABLE checkpoints; CREATE TABLE checkpoints (collector TEXT, key TEXT, state TEXT)')
  from.exec("INSERT INTO checkpoints VALUES ('log', '/x.csv', 'many')")
  from.exec(damage)
  from.close()
  const into = new Database(':memory:')
  migrate(into)
  salvage(file, into, AT)
  expect(readCheckpoints(into, 'log').get('/x.csv')).toBe(expected)
  into.close()
})
