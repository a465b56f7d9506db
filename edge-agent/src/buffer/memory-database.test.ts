import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeBatch, type Reading, type Receipt, toColumns, toReadings } from '@haltless/protocol'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../support/clock.ts'
import { inflate } from '../support/compression.ts'
import { createLogger } from '../support/logger.ts'
import { type BufferOptions, type ClaimedBatch, ReadingBuffer } from './buffer.ts'

const AT = 1_790_000_000_000
let folder: string
let file: string
let time: number
/** whether the file system fails */
let isBroken: boolean
let db: Database.Database
let open: ReadingBuffer[]
let lines: string[]
const clock: Clock = { now: () => AT + time, monotonic: () => time, sleep: () => Promise.resolve() }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'memory-'))
  file = join(folder, 'buffer.sqlite')
  time = 0
  isBroken = false
  open = []
  lines = []
})
afterEach(() => {
  for (const buffer of open) buffer.close()
  rmSync(folder, { recursive: true })
})

const onOpen = (opened: Database.Database): void => {
  if (isBroken) throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_WRITE')
  db = opened
}

function openBuffer(options: Partial<BufferOptions> = {}): ReadingBuffer {
  const logger = createLogger('debug', { write: (line: string) => void lines.push(line) })
  const buffer = new ReadingBuffer({ file, maxBytes: 1e9, maxAgeMs: null, clock, logger, onOpen, ...options })
  open.push(buffer)
  return buffer
}

function close(buffer: ReadingBuffer): void {
  buffer.close()
  open = open.filter((other) => other !== buffer)
}

const readings = (count: number, from = 0): Reading[] =>
  Array.from({ length: count }, (_, i) => ({
    machine: 'press-01',
    metric: (from + i) % 2 === 0 ? 'temperature' : 'pressure',
    unit: 'one',
    rawTag: null,
    timestamp: AT + (from + i) * 1_000,
    value: from + i,
  }))
const append = (buffer: ReadingBuffer, some: readonly Reading[]) => buffer.append([toColumns(some)])
const accept = ({ batchId, count }: ClaimedBatch): Receipt => ({
  batch_id: batchId,
  accepted_count: count,
  rejected_count: 0,
  errors: [],
})
/** What it sends, by time. */
function sent(buffer: ReadingBuffer): Reading[] {
  const all: Reading[] = []
  for (const which of ['backlog', 'live'] as const)
    for (let batch = buffer.claim(1_000, which); batch; batch = buffer.claim(1_000, which)) {
      all.push(...toReadings(decodeBatch(batch.named(), inflate)))
      buffer.settle(accept(batch))
    }
  return all.toSorted((a, b) => a.timestamp - b.timestamp)
}
const values = (some: readonly Reading[]) => some.map(({ value }) => value)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)
const logged = (text: string) => lines.filter((line) => line.includes(text)).length

describe('a disk that cannot be used', () => {
  it('when the agent starts: readings are kept in memory and sent, and reach the disk once it can be used', () => {
    const before = openBuffer()
    append(before, readings(10))
    close(before)
    isBroken = true
    const buffer = openBuffer()
    append(buffer, readings(10, 10))
    expect(buffer.fault).toEqual({ reason: 'disk I/O error', lostReadings: 0, isKeptInMemory: true })
    expect(buffer.stats()).toMatchObject({ buffered: 10, dropped: 0 })
    expect(values(sent(buffer))).toEqual(upTo(20).slice(10))
    append(buffer, readings(10, 20))
    time = 9_999
    isBroken = false
    append(buffer, readings(10, 30))
    expect(buffer.fault).not.toBeNull()
    time = 10_000
    append(buffer, readings(10, 40))
    expect(buffer.fault).toBeNull()
    expect(buffer.stats()).toMatchObject({ buffered: 40, dropped: 0 })
    expect([logged('the disk cannot be used'), logged('readings that were kept in memory are on it')]).toEqual([1, 1])
    close(buffer)
    expect(values(sent(openBuffer()))).toEqual([...upTo(10), ...upTo(50).slice(20)])
  })

  it('while the agent runs: what it has read is kept in memory, and what lies on disk is sent later', () => {
    const buffer = openBuffer()
    append(buffer, readings(10))
    const claimed = buffer.claim(1_000, 'live') as ClaimedBatch
    isBroken = true
    db.pragma('query_only = 1')
    append(buffer, readings(10, 10))
    expect(buffer.fault).toEqual({ reason: expect.stringMatching(/readonly/), lostReadings: 0, isKeptInMemory: true })
    expect(buffer.settle(accept(claimed))).toBe('unknown')
    expect(values(sent(buffer))).toEqual(upTo(20).slice(10))
    append(buffer, readings(10, 20))
    isBroken = false
    time = 10_000
    append(buffer, readings(10, 30))
    expect(buffer.fault).toBeNull()
    // The hub has the first ten already, and stores them once.
    expect(values(sent(buffer))).toEqual([...upTo(10), ...upTo(40).slice(20)])
    expect(buffer.stats()).toMatchObject({ buffered: 0, dropped: 0 })
  })

  it('for a moment, with the disk away again when the readings return to it: they stay in memory', () => {
    isBroken = true
    const buffer = openBuffer()
    append(buffer, readings(10))
    isBroken = false
    const failing = openBuffer({
      file: join(folder, 'other.sqlite'),
      onOpen: (opened) => {
        if (time < 20_000) opened.pragma('max_page_count = 1')
      },
    })
    append(failing, readings(10))
    for (time = 10_000; time <= 20_000; time += 5_000) append(failing, readings(10, 10 + time / 500))
    expect(failing.fault).toBeNull()
    expect(failing.stats()).toMatchObject({ buffered: 40, dropped: 0 })
    append(buffer, readings(10, 10))
    expect(buffer.stats()).toMatchObject({ buffered: 20, dropped: 0 })
  })

  it('missed polls that went on in the run before become gaps when the disk can be used again', () => {
    const before = openBuffer()
    const gap = { collector: 'plc', key: 'all', machine: 'press-01', metric: null, unit: '', reason: 'no_answer' } as const
    before.noteMissedPolls([{ ...gap, fromAt: AT, toAt: AT, count: 3, isOver: false, stepMs: 0 }])
    append(before, readings(1))
    close(before)
    isBroken = true
    const buffer = openBuffer()
    buffer.noteMissedPolls([{ ...gap, fromAt: AT, toAt: AT, count: 2, isOver: false, stepMs: 0 }])
    append(buffer, readings(1, 1))
    isBroken = false
    time = 10_000
    append(buffer, readings(1, 2))
    expect(buffer.fault).toBeNull()
    expect(buffer.gapsToReport().missed.map(({ count }) => count)).toEqual([3])
    buffer.noteMissedPolls([{ ...gap, fromAt: AT, toAt: AT, count: 5, isOver: true, stepMs: 0 }])
    append(buffer, readings(1, 3))
    expect(
      buffer
        .gapsToReport()
        .missed.map(({ count }) => count)
        .toSorted(),
    ).toEqual([3, 5])
  })

  it('missed polls, dropped readings and rejected ones are on disk afterwards, with their numbers', () => {
    const before = openBuffer({ maxBytes: 1 })
    append(before, readings(4))
    close(before)
    isBroken = true
    const buffer = openBuffer({ maxBytes: 1 })
    append(buffer, readings(4, 4))
    buffer.noteMissedPolls([
      {
        collector: 'plc',
        key: 'all',
        machine: 'press-01',
        metric: null,
        unit: '',
        reason: 'no_answer',
        fromAt: AT,
        toAt: AT,
        count: 3,
        isOver: true,
        stepMs: 0,
      },
    ])
    append(buffer, [{ ...(readings(1)[0] as Reading), machine: '' }])
    expect(buffer.stats()).toMatchObject({ buffered: 0, dropped: 4, deadLetters: 1 })
    isBroken = false
    time = 10_000
    append(buffer, readings(2, 8))
    expect(buffer.stats()).toMatchObject({ buffered: 0, dropped: 10, deadLetters: 1 })
    close(buffer)
    const after = openBuffer()
    expect(after.deadLetters(10)).toHaveLength(1)
    const { dropped, missed } = after.gapsToReport()
    // those of the run before do not grow
    expect(dropped.map(({ metric_name, count }) => [metric_name, count])).toEqual([
      ['temperature', 2],
      ['pressure', 2],
      ['temperature', 3],
      ['pressure', 3],
    ])
    expect(missed).toMatchObject([{ count: 3 }])
  })

  it('readings of a wrong clock are corrected on their way to the disk, or later where the right time is not known yet', () => {
    const clockAnchor = { bootId: 'boot', anchorMs: AT }
    for (const isKnown of [true, false]) {
      isBroken = true
      const start = time
      const buffer = openBuffer({ file: join(folder, `${isKnown}.sqlite`), clockAnchor })
      append(buffer, readings(3))
      if (isKnown) buffer.settleClock({ bootId: 'boot', anchorMs: AT + 60_000, toleranceMs: 1 })
      isBroken = false
      time = start + 10_000
      append(buffer, readings(3, 3))
      buffer.settleClock({ bootId: 'boot', anchorMs: AT + 60_000, toleranceMs: 1 })
      expect(sent(buffer).map(({ timestamp }) => timestamp)).toEqual(readings(6).map(({ timestamp }) => timestamp + 60_000))
    }
  })

  it('a correction of the clock that cannot be written holds readings back: what is sent twice must have one time', () => {
    const clockAnchor = { bootId: 'boot', anchorMs: AT }
    const buffer = openBuffer({ clockAnchor })
    db.pragma('busy_timeout = 0')
    append(buffer, readings(3))
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    buffer.settleClock({ ...clockAnchor, anchorMs: AT + 60_000, toleranceMs: 1 })
    expect(sent(buffer)).toEqual([])
    other.exec('ROLLBACK')
    other.close()
    expect(sent(buffer).map(({ timestamp }) => timestamp)).toEqual(readings(3).map(({ timestamp }) => timestamp + 60_000))
  })

  it('a right clock needs no write before readings are sent', () => {
    const clockAnchor = { bootId: 'boot', anchorMs: AT }
    const buffer = openBuffer({ clockAnchor })
    db.pragma('busy_timeout = 0')
    append(buffer, readings(3))
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    buffer.settleClock({ ...clockAnchor, toleranceMs: 1 })
    expect(buffer.claim(10, 'live')?.count).toBe(3)
    other.close()
  })

  it('with a damaged buffer on it: what can be read of that is taken over once the disk can be used', () => {
    const before = openBuffer()
    for (let i = 0; i < 20; i++) append(before, readings(500, i * 500))
    close(before)
    const whole = new Database(file)
    whole.pragma('wal_checkpoint(TRUNCATE)')
    const page = whole.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'counters'").pluck().get() as number
    whole.close()
    const bytes = new Database(file).serialize()
    bytes.fill(0xee, 4_096 * (page - 1), 4_096 * page)
    writeFileSync(file, bytes)
    // The damaged file opens, and the new one does not.
    const buffer = openBuffer()
    isBroken = true
    append(buffer, readings(1, 10_000))
    expect(buffer.fault).toMatchObject({ isKeptInMemory: true })
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true)
    isBroken = false
    time = 10_000
    append(buffer, readings(1, 10_001))
    expect(buffer.fault).toBeNull()
    expect(values(sent(buffer))).toEqual(upTo(10_002))
  })

  it.skipIf(process.getuid?.() === 0)(
    'is told apart from a folder of another user, which is for the operator to set right',
    () => {
      const locked = join(folder, 'locked')
      mkdirSync(locked, { mode: 0o500 })
      expect(() => openBuffer({ file: join(locked, 'buffer.sqlite') })).toThrow(/unable to open database file/)
    },
  )
})
