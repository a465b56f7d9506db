import { randomUUID } from 'node:crypto'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import {
  decodeBatch,
  encodeBatch,
  type Reading,
  type ReadingColumns,
  type Receipt,
  toColumns,
  toReadings,
} from '@haltless/protocol'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../support/clock.ts'
import { deflate, inflate } from '../support/compression.ts'
import { createLogger } from '../support/logger.ts'
import { type BufferOptions, type ClaimedBatch, ReadingBuffer } from './buffer.ts'

const AT = 1_790_000_000_000
let folder: string
let file: string
let time: number
let open: ReadingBuffer[]
const clock: Clock = { now: () => AT + time, monotonic: () => time, sleep: () => Promise.resolve() }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'buffer-'))
  file = join(folder, 'buffer.sqlite')
  time = 0
  open = []
})
afterEach(() => {
  for (const buffer of open) buffer.close()
  rmSync(folder, { recursive: true })
})

function openBuffer(options: Partial<BufferOptions> = {}): ReadingBuffer {
  const buffer = new ReadingBuffer({ file, maxBytes: 1e9, maxAgeMs: null, clock, logger: createLogger('silent'), ...options })
  open.push(buffer)
  return buffer
}

const readings = (count: number, from = 0, metric = 'temperature'): Reading[] =>
  Array.from({ length: count }, (_, i) => ({
    machine: 'press-01',
    metric,
    unit: 'celsius',
    rawTag: 'ns=2;s=T',
    timestamp: AT + (from + i) * 1_000,
    value: (from + i) / 100,
  }))

/** As a collector whose tags are those of the readings. */
const append = (buffer: ReadingBuffer, some: readonly Reading[]) => buffer.append([toColumns(some)])

const accept = (batch: ClaimedBatch): Receipt => ({
  batch_id: batch.batchId,
  accepted_count: batch.count,
  rejected_count: 0,
  errors: [],
})
const contents = (batch: ClaimedBatch | null): Reading[] => (batch ? toReadings(decodeBatch(batch.named(), inflate)) : [])

/** Values that cannot be compressed, so that a chunk has a known size. */
const bulky = (from: number): Reading[] => readings(1_000, from).map((r, i) => ({ ...r, value: Math.sin(from + i) }))

describe('from append to settle', () => {
  it('what was appended is claimed as it was, and stays until a receipt settles it', () => {
    const buffer = openBuffer()
    append(buffer, readings(10))
    const batch = buffer.claim(1_000, 'live') as ClaimedBatch
    expect(contents(batch)).toEqual(readings(10))
    expect(toReadings(batch.columns())).toEqual(readings(10))
    expect(buffer.claim(1_000, 'live')).toBeNull()
    expect(buffer.stats()).toMatchObject({ buffered: 10, oldestAt: AT })
    expect(buffer.settle(accept(batch))).toBe('settled')
    expect(buffer.stats()).toMatchObject({ buffered: 0, oldestAt: null, deadLetters: 0, dropped: 0 })
  })

  it('a released batch is claimed again, and a receipt that comes after that lets nothing go', () => {
    const buffer = openBuffer()
    append(buffer, readings(3))
    append(buffer, readings(3, 3))
    const first = buffer.claim(1_000, 'live') as ClaimedBatch
    expect(first.count).toBe(6)
    buffer.release(first.batchId)
    const second = buffer.claim(1_000, 'live') as ClaimedBatch
    expect(contents(second)).toEqual(readings(6))
    expect(buffer.settle(accept(first))).toBe('unknown')
    expect(buffer.stats().buffered).toBe(6)
  })

  it('small appends travel as one batch of at most the limit, in order', () => {
    const buffer = openBuffer()
    for (let i = 0; i < 30; i++) append(buffer, readings(50, i * 50))
    const counts: number[] = []
    const all: Reading[] = []
    for (let batch = buffer.claim(1_000, 'live'); batch; batch = buffer.claim(1_000, 'live')) {
      counts.push(batch.count)
      all.push(...contents(batch))
    }
    expect(counts).toEqual([1_000, 500])
    expect(all).toEqual(readings(1_500))
  })

  it('an append of many readings is cut into batches of 1,000', () => {
    const buffer = openBuffer()
    append(buffer, readings(2_500))
    expect([0, 1, 2].map(() => buffer.claim(1_000, 'live')?.count)).toEqual([1_000, 1_000, 500])
  })

  it('batches whose names fill a packet are cut smaller', () => {
    const buffer = openBuffer()
    const noise = (seed: number) =>
      Array.from({ length: 900 }, (_, i) => String.fromCharCode(0x4e00 + ((seed * 7919 + i * i * 31) % 20_000))).join('')
    append(
      buffer,
      readings(1_000).map((r, i) => ({ ...r, rawTag: noise(i), metric: noise(i + 5_000) })),
    )
    let total = 0
    for (let batch = buffer.claim(1_000, 'live'); batch; batch = buffer.claim(1_000, 'live')) {
      expect(batch.named().length).toBeLessThan(1_048_576)
      total += batch.count
    }
    expect(total).toBe(1_000)
  })

  it('live readings are those of the last 30 seconds; the others are the backlog, oldest first', () => {
    const buffer = openBuffer()
    append(buffer, readings(1_000, 0))
    append(buffer, readings(1_000, 1_000))
    time = 31_000
    append(buffer, readings(1_000, 2_000))
    expect(contents(buffer.claim(1_000, 'live'))[0]).toEqual(readings(1, 2_000)[0])
    expect(buffer.claim(1_000, 'live')).toBeNull()
    expect(contents(buffer.claim(1_000, 'backlog'))[0]).toEqual(readings(1, 0)[0])
    expect(contents(buffer.claim(1_000, 'backlog'))[0]).toEqual(readings(1, 1_000)[0])
    expect(buffer.claim(1_000, 'backlog')).toBeNull()
  })

  it('after a restart everything is there, free, and backlog', () => {
    const before = openBuffer()
    append(before, readings(5))
    before.claim(1_000, 'live')
    before.close()
    open = []
    const buffer = openBuffer()
    expect(buffer.stats().buffered).toBe(5)
    expect(buffer.claim(1_000, 'live')).toBeNull()
    expect(contents(buffer.claim(1_000, 'backlog'))).toEqual(readings(5))
  })
})

describe('a long time without a hub', () => {
  const chunkCount = () => {
    const db = new Database(file, { readonly: true })
    const count = db.prepare('SELECT count(*) FROM chunks').pluck().get()
    db.close()
    return count as number
  }

  it('small appends are merged once they are no longer live: a tenth of the space, the same readings in the same order', () => {
    const buffer = openBuffer()
    for (let i = 0; i < 2_000; i++) {
      append(buffer, readings(10, i * 10))
      time += 1_000
    }
    expect(buffer.stats().buffered).toBe(20_000)
    expect(chunkCount()).toBeLessThan(2_000 / 10)
    time += 60_000
    const sent: Reading[] = []
    for (let batch = buffer.claim(1_000, 'backlog'); batch; batch = buffer.claim(1_000, 'backlog')) {
      sent.push(...contents(batch))
      expect(buffer.settle(accept(batch))).toBe('settled')
    }
    expect(sent).toEqual(readings(20_000))
    expect(buffer.stats()).toMatchObject({ buffered: 0, dropped: 0 })
  })

  it('what is being sent is not merged, and what was damaged hurts only itself', () => {
    const buffer = openBuffer()
    for (let i = 0; i < 100; i++) append(buffer, readings(10, i * 10))
    const claimed = buffer.claim(200, 'live') as ClaimedBatch
    const db = new Database(file)
    db.prepare('UPDATE chunks SET body = zeroblob(50) WHERE id = 50').run()
    db.close()
    time += 60_000
    for (let i = 100; i < 400; i++) append(buffer, readings(10, i * 10))
    expect(buffer.settle(accept(claimed))).toBe('settled')
    time += 60_000
    const sent: Reading[] = []
    for (let batch = buffer.claim(1_000, 'backlog'); batch; batch = buffer.claim(1_000, 'backlog')) sent.push(...contents(batch))
    expect(sent).toEqual([...readings(290, 200), ...readings(3_500, 500)])
    expect(buffer.stats()).toMatchObject({ buffered: 3_790, dropped: 10 })
  })

  it('a buffer that was left by an earlier start is merged too', () => {
    const before = openBuffer()
    for (let i = 0; i < 300; i++) append(before, readings(10, i * 10))
    before.close()
    open = []
    const buffer = openBuffer()
    for (let i = 300; i < 400; i++) append(buffer, readings(10, i * 10))
    // The newest 100 are live, and those before them wait for neighbours.
    expect(chunkCount()).toBe(2 + 100 + 100)
  })
})

describe('polls of many series', () => {
  /** As a collector hands them on: the same series table every time. */
  const TAGS = Array.from({ length: 2_500 }, (_, i) => ({
    machine: `press-${i % 50}`,
    metric: `metric_${i}`,
    unit: 'celsius',
    rawTag: i % 2 === 0 ? `holding:${i}` : null,
  }))
  const poll = (n: number): ReadingColumns => ({
    series: TAGS,
    seriesIndex: Uint32Array.from(TAGS, (_, i) => i),
    timestamps: new Float64Array(TAGS.length).fill(AT + n * 1_000),
    values: Float64Array.from(TAGS, (_, i) => n + i / 8),
  })
  const sorted = (some: Reading[]) => some.map((reading) => JSON.stringify(reading)).sort()
  const drain = (buffer: ReadingBuffer, which: 'live' | 'backlog') => {
    const sent: Reading[] = []
    for (let batch = buffer.claim(1_000, which); batch; batch = buffer.claim(1_000, which)) {
      expect(batch.count).toBeLessThanOrEqual(1_000)
      sent.push(...contents(batch))
      expect(buffer.settle(accept(batch))).toBe('settled')
    }
    return sent
  }
  const reopen = (options: Partial<BufferOptions> = {}) => {
    for (const buffer of open) buffer.close()
    open = []
    return openBuffer(options)
  }

  it('are sent as they were read, also after a restart', () => {
    const buffer = openBuffer()
    buffer.append([poll(0)])
    expect(sorted(drain(buffer, 'live'))).toEqual(sorted(toReadings(poll(0))))
    buffer.append([poll(1), poll(2)])
    expect(sorted(drain(reopen(), 'backlog'))).toEqual(sorted([poll(1), poll(2)].flatMap(toReadings)))
  })

  it('are packed together once they are no longer live, in a fraction of the space', () => {
    const buffer = openBuffer()
    for (let n = 0; n < 60; n++) {
      buffer.append([poll(n)])
      time += 1_000
    }
    const db = new Database(file, { readonly: true })
    const bytesOf = (condition: string) =>
      db.prepare(`SELECT sum(length(body)) * 1.0 / sum(count) FROM chunks WHERE ${condition}`).pluck().get() as number
    expect(bytesOf('id < 50')).toBeLessThan(bytesOf('id > 150') / 1.5)
    db.close()
    time += 60_000
    const all = Array.from({ length: 60 }, (_, n) => toReadings(poll(n))).flat()
    expect(sorted(drain(buffer, 'backlog'))).toEqual(sorted(all))
    expect(buffer.stats()).toMatchObject({ buffered: 0, dropped: 0 })
  })

  it('that were given no room leave nothing behind: what comes after them is not taken for them', () => {
    let db: Database.Database | undefined
    const buffer = openBuffer({
      onOpen: (opened) => {
        db = opened
        db.pragma('max_page_count = 40')
      },
    })
    const some = TAGS.slice(0, 100)
    const polls = Array.from({ length: 300 }, (_, n) =>
      Object.assign(toColumns(some.map((tag, i) => ({ ...tag, timestamp: AT + n, value: Math.sin(n + i) }))), { series: some }),
    )
    buffer.append(polls)
    expect(buffer.stats()).toMatchObject({ buffered: 0, dropped: 30_000 })
    db?.pragma('max_page_count = 1000000')
    append(buffer, readings(1, 0, 'a'))
    buffer.append(polls.slice(0, 1))
    expect(drain(buffer, 'live')).toEqual([...readings(1, 0, 'a'), ...toReadings(polls[0] as ReadingColumns)])
  })

  it('whose names got lost are dropped and counted, and their neighbours are sent', () => {
    const buffer = openBuffer()
    append(buffer, readings(1, 0, 'a'))
    append(buffer, readings(1, 0, 'b'))
    buffer.close()
    open = []
    const db = new Database(file)
    db.exec(`DELETE FROM series WHERE metric = 'a'`)
    db.close()
    expect(drain(reopen(), 'backlog')).toEqual(readings(1, 0, 'b'))
    expect(open[0]?.stats()).toMatchObject({ buffered: 0, dropped: 1 })
  })

  it('give their numbers up when nothing waits any more', () => {
    const buffer = openBuffer()
    buffer.append([poll(0)])
    drain(buffer, 'live')
    reopen()
    const db = new Database(file, { readonly: true })
    expect(db.prepare('SELECT count(*) FROM series').pluck().get()).toBe(0)
    db.close()
  })
})

describe('missed polls', () => {
  const gap = {
    collector: 'plc-1',
    key: 'all',
    machine: 'press',
    metric: null,
    unit: '',
    reason: 'no_answer',
    fromAt: AT,
    toAt: AT + 5_000,
    count: 6,
    isOver: true,
    stepMs: 0,
  } as const

  it('reach the hub by collector and tag, beside dropped readings and not among them, also after a restart', () => {
    const buffer = openBuffer()
    buffer.noteMissedPolls([gap, { ...gap, fromAt: AT + 6_000, toAt: AT + 9_000, count: 4 }])
    buffer.noteMissedPolls([{ ...gap, metric: 'speed', unit: 'rpm', reason: 'no_value', count: 1 }])
    buffer.noteMissedPolls([{ ...gap, collector: 'plc-2', reason: 'skipped', count: 2 }])
    expect(buffer.stats().dropped).toBe(0)
    buffer.close()
    open = []
    const again = openBuffer()
    const { dropped, missed } = again.gapsToReport()
    expect(dropped).toEqual([])
    const whole = { machine_identifier: 'press', metric_name: null, unit: null }
    expect(missed).toHaveLength(3)
    expect(missed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...whole,
          collector: 'plc-1',
          reason: 'no_answer',
          count: 10,
          from: new Date(AT).toISOString(),
          to: new Date(AT + 9_000).toISOString(),
        }),
        expect.objectContaining({ ...whole, collector: 'plc-2', reason: 'skipped', count: 2 }),
        expect.objectContaining({ collector: 'plc-1', metric_name: 'speed', unit: 'rpm', reason: 'no_value', count: 1 }),
      ]),
    )
    expect(again.gapsToReport().missed).toEqual(missed)
    again.gapsReported(missed.map(({ gap_id }) => gap_id))
    expect(again.gapsToReport()).toEqual({ dropped: [], missed: [] })
    expect(again.stats().dropped).toBe(0)
  })

  /** What the disk has at this moment, opened by the agent after a crash. */
  const afterCrash = (): ReadingBuffer => {
    const copy = join(folder, randomUUID())
    for (const suffix of ['', '-wal']) cpSync(file + suffix, copy + suffix)
    return openBuffer({ file: copy })
  }
  const missedOf = (buffer: ReadingBuffer) =>
    buffer
      .gapsToReport()
      .missed.map(({ from, to, count }) => [Date.parse(from) - AT, Date.parse(to) - AT, count])
      .toSorted(([, , a = 0], [, , b = 0]) => b - a)

  it('that go on are not reported before they are over, and replace what was recorded of them', () => {
    const buffer = openBuffer()
    buffer.noteMissedPolls([{ ...gap, isOver: false, stepMs: 1_000 }])
    append(buffer, readings(1))
    expect([missedOf(buffer), buffer.hasGaps]).toEqual([[], false])
    buffer.noteMissedPolls([{ ...gap, toAt: AT + 9_000, count: 10 }])
    expect(missedOf(buffer)).toEqual([[0, 9_000, 10]])
    expect(missedOf(afterCrash())).toEqual([[0, 9_000, 10]])
  })

  it('that go on have grown after a crash until the agent last wrote, and are reported once', () => {
    const buffer = openBuffer()
    buffer.noteMissedPolls([{ ...gap, isOver: false, stepMs: 1_000 }])
    buffer.noteMissedPolls([
      { ...gap, key: 'speed', metric: 'speed', unit: 'rpm', reason: 'no_value', count: 2, isOver: false, stepMs: 0 },
    ])
    time = 5_000
    append(buffer, readings(1))
    expect(missedOf(afterCrash())).toEqual([
      [0, 5_000, 6],
      [0, 5_000, 2],
    ])
    time = 65_500
    append(buffer, readings(1))
    const again = afterCrash()
    expect(missedOf(again)).toEqual([
      [0, 65_000, 66],
      [0, 5_000, 2],
    ])
    again.gapsReported(again.gapsToReport().missed.map(({ gap_id }) => gap_id))
    expect(again.hasGaps).toBe(false)
  })

  it('of one machine may overlap, and the end of one leaves the other', () => {
    const buffer = openBuffer()
    buffer.noteMissedPolls([{ ...gap, key: 'lost', count: 2, isOver: false }])
    buffer.noteMissedPolls([{ ...gap, isOver: false, stepMs: 1_000 }])
    buffer.noteMissedPolls([{ ...gap, key: 'lost', count: 2 }])
    time = 65_500
    append(buffer, readings(1))
    expect(missedOf(afterCrash())).toEqual([[0, 65_000, 68]])
  })

  it('of a clock that was wrong do not grow for longer than missed polls can go on', () => {
    const buffer = openBuffer()
    buffer.noteMissedPolls([{ ...gap, isOver: false, stepMs: 1_000 }])
    time = 300 * 86_400_000
    append(buffer, readings(1))
    expect(missedOf(afterCrash())).toEqual([[0, 7_200_000, 7_201]])
  })

  it('are taken over from memory when the disk can be used again, and from a damaged file', () => {
    const buffer = openBuffer()
    buffer.noteMissedPolls([{ ...gap, isOver: false, stepMs: 1_000 }])
    append(buffer, readings(1))
    const db = new Database(file)
    expect(db.prepare('SELECT count FROM open_gaps').pluck().all()).toEqual([6])
    db.close()
    rmSync(file)
    time = 5_000
    append(buffer, readings(1))
    expect(missedOf(afterCrash())).toEqual([[0, 5_000, 6]])
  })
})

describe('gaps of a clock that is not settled', () => {
  const gap = {
    collector: 'plc',
    key: 'all',
    machine: 'press',
    metric: null,
    unit: '',
    reason: 'no_answer',
    count: 1,
    isOver: true,
    stepMs: 0,
  } as const

  it('wait until it is, and then have the right time; those of a run before keep theirs', () => {
    const clockAnchor = { bootId: 'boot', anchorMs: AT }
    const before = openBuffer({ clockAnchor })
    before.noteMissedPolls([{ ...gap, fromAt: AT, toAt: AT }])
    before.close()
    open = []
    const buffer = openBuffer({ clockAnchor })
    buffer.noteMissedPolls([{ ...gap, fromAt: AT + 5_000, toAt: AT + 6_000 }])
    append(buffer, readings(1))
    buffer.noteMissedPolls([{ ...gap, fromAt: AT + 7_000, toAt: AT + 8_000 }])
    expect(buffer.gapsToReport().missed).toMatchObject([{ from: new Date(AT).toISOString() }])
    buffer.settleClock({ ...clockAnchor, anchorMs: AT + 3_600_000, toleranceMs: 1 })
    const { missed } = buffer.gapsToReport()
    expect(missed.map(({ from, to, count }) => [Date.parse(from) - AT, Date.parse(to) - AT, count])).toEqual([
      [0, 0, 1],
      [3_605_000, 3_608_000, 2],
    ])
    buffer.gapsReported(missed.map(({ gap_id }) => gap_id))
    expect(buffer.hasGaps).toBe(false)
  })
})

describe('a buffer of an agent before this one', () => {
  it('is taken over with all its readings, dead letters and gaps', () => {
    const old = new Database(file)
    old.exec(readFileSync(new URL('./migrations/1.sql', import.meta.url), 'utf8'))
    old.pragma('user_version = 1')
    const insert = old.prepare('INSERT INTO chunks (appended_at, count, crc, body) VALUES (?, ?, ?, ?)')
    for (let i = 0; i < 3; i++) {
      const body = encodeBatch({ batchId: randomUUID(), ...toColumns(readings(100, i * 100)) }, deflate)
      insert.run(AT, 100, crc32(body), body)
    }
    old.exec(`UPDATE counters SET value = 300 WHERE name = 'buffered'; UPDATE counters SET value = 7 WHERE name = 'dropped'`)
    old.exec(`INSERT INTO gaps VALUES ('11111111-1111-4111-8111-111111111111', 'm', 'x', 'u', 'disk_full', 1, 2, 7, 0)`)
    old.close()
    const buffer = openBuffer()
    expect(buffer.stats()).toMatchObject({ buffered: 300, dropped: 7 })
    expect(buffer.gapsToReport().dropped).toEqual([expect.objectContaining({ machine_identifier: 'm', count: 7 })])
    append(buffer, readings(2, 300))
    const sent: Reading[] = []
    for (let batch = buffer.claim(1_000, 'backlog'); batch; batch = buffer.claim(1_000, 'backlog')) sent.push(...contents(batch))
    expect(sent).toEqual(readings(300))
    expect(contents(buffer.claim(1_000, 'live'))).toEqual(readings(2, 300))
  })
})

describe('rejections', () => {
  it('a rejected reading is parked with its reason and its 999 neighbours pass', () => {
    const buffer = openBuffer()
    append(buffer, readings(1_000))
    const batch = buffer.claim(1_000, 'live') as ClaimedBatch
    const errors = [{ index: 417, machine_identifier: 'press-01', code: 'machine_not_found', error: 'there is no such machine' }]
    expect(buffer.settle({ batch_id: batch.batchId, accepted_count: 999, rejected_count: 1, errors })).toBe('settled')
    expect(buffer.stats()).toMatchObject({ buffered: 0, deadLetters: 1 })
    expect(buffer.deadLetters(10)).toEqual([
      { parkedAt: AT, code: 'machine_not_found', reason: 'there is no such machine', reading: readings(1, 417)[0] },
    ])
  })

  it('a refused batch is parked whole', () => {
    const buffer = openBuffer()
    append(buffer, readings(20))
    const batch = buffer.claim(1_000, 'live') as ClaimedBatch
    const refused = { code: 'unknown_version', detail: 'this hub does not know version 1' }
    buffer.settle({ batch_id: batch.batchId, accepted_count: 0, rejected_count: 0, errors: [], refused })
    expect(buffer.stats()).toMatchObject({ buffered: 0, deadLetters: 20 })
    expect(buffer.deadLetters(3)).toHaveLength(3)
    expect(buffer.deadLetters(1)[0]).toMatchObject({ code: 'unknown_version', reading: readings(1, 19)[0] })
  })

  it.each([
    ['speaks of too few', { accepted_count: 9, rejected_count: 0, errors: [] }],
    ['speaks of too many', { accepted_count: 10, rejected_count: 1, errors: [{ index: 0 }] }],
    ['names no index', { accepted_count: 9, rejected_count: 1, errors: [] }],
    ['names an index twice', { accepted_count: 8, rejected_count: 2, errors: [{ index: 1 }, { index: 1 }] }],
    ['names an index beyond the end', { accepted_count: 9, rejected_count: 1, errors: [{ index: 10 }] }],
  ])('a receipt that %s lets nothing go', (_, said) => {
    const buffer = openBuffer()
    append(buffer, readings(10))
    const { batchId } = buffer.claim(1_000, 'live') as ClaimedBatch
    const errors = said.errors.map(({ index }) => ({ index, machine_identifier: null, code: 'x', error: 'x' }))
    expect(buffer.settle({ batch_id: batchId, ...said, errors })).toBe('contradictory')
    expect(buffer.stats()).toMatchObject({ buffered: 10, deadLetters: 0 })
  })

  it('readings that cannot be sent are parked at once and their neighbours are kept', () => {
    const buffer = openBuffer()
    const [good] = readings(1) as [Reading]
    const bad: Partial<Reading>[] = [
      { value: Number.NaN },
      { machine: 'x\0' },
      { unit: '\ud800' },
      { metric: '' },
      { rawTag: 'x'.repeat(1_001) },
      { timestamp: 0.5 },
      { timestamp: Date.UTC(10_000, 0) },
      { timestamp: Number.NaN },
    ]
    append(buffer, [...bad.map((fault) => ({ ...good, ...fault })), good])
    expect(buffer.stats()).toMatchObject({ buffered: 1, deadLetters: bad.length })
    expect(contents(buffer.claim(1_000, 'live'))).toEqual([good])
    expect(new Set(buffer.deadLetters(9).map(({ code }) => code))).toEqual(new Set(['unsendable']))
    for (const fault of bad) append(buffer, [{ ...good, ...fault }])
    expect(buffer.stats()).toMatchObject({ buffered: 1, deadLetters: 2 * bad.length })
  })

  it('dead letters take a tenth of the space at most; the oldest go first and are counted', () => {
    const buffer = openBuffer({ maxBytes: 400_000 })
    for (let i = 0; i < 10; i++) {
      append(buffer, bulky(i * 1_000))
      const { batchId } = buffer.claim(1_000, 'live') as ClaimedBatch
      const refused = { code: 'x', detail: 'x' }
      buffer.settle({ batch_id: batchId, accepted_count: 0, rejected_count: 0, errors: [], refused })
    }
    const { deadLetters, deadLettersDropped, buffered } = buffer.stats()
    expect(buffered).toBe(0)
    expect(deadLetters + deadLettersDropped).toBe(10_000)
    expect(deadLettersDropped).toBeGreaterThan(0)
    expect(buffer.deadLetters(1)[0]?.reading).toEqual(bulky(9_000)[999])
  })

  const reject = (buffer: ReadingBuffer, code = 'x') => {
    const { batchId } = buffer.claim(1_000, 'live') as ClaimedBatch
    const refused = { code, detail: `it is ${code}` }
    buffer.settle({ batch_id: batchId, accepted_count: 0, rejected_count: 0, errors: [], refused })
  }

  it('dead letters that are requeued are sent as they were measured, and counted again as buffered', async () => {
    const buffer = openBuffer()
    for (let i = 0; i < 45; i++) {
      append(buffer, readings(10, i * 10))
      reject(buffer)
    }
    expect(await buffer.requeueDeadLetters()).toBe(450)
    expect(buffer.stats()).toMatchObject({ buffered: 450, deadLetters: 0, dropped: 0 })
    time += 60_000
    const sent: Reading[] = []
    for (let batch = buffer.claim(1_000, 'backlog'); batch; batch = buffer.claim(1_000, 'backlog')) {
      sent.push(...contents(batch))
      expect(buffer.settle(accept(batch))).toBe('settled')
    }
    expect(sent).toEqual(readings(450))
    expect(buffer.stats()).toMatchObject({ buffered: 0, deadLetters: 0 })
    expect(await buffer.requeueDeadLetters()).toBe(0)
  })

  it('a requeue leaves readings that cannot be sent, and ends although readings are rejected again meanwhile', async () => {
    const buffer = openBuffer()
    append(buffer, [{ ...(readings(1)[0] as Reading), value: Number.NaN }])
    for (let i = 0; i < 50; i++) {
      append(buffer, readings(1, i))
      reject(buffer)
    }
    const requeued = buffer.requeueDeadLetters()
    append(buffer, readings(1, 99))
    reject(buffer, 'y')
    expect(await requeued).toBe(50)
    expect(buffer.deadLetterGroups().map(({ code, count }) => [code, count])).toEqual([
      ['y', 20],
      ['unsendable', 1],
    ])
  })

  it('dead letters are grouped by their reason, the most frequent first, at most 20', () => {
    const buffer = openBuffer()
    for (let i = 0; i < 21; i++) {
      append(buffer, readings(i === 20 ? 5 : 1))
      reject(buffer, `code-${i}`)
      time += 1_000
    }
    const groups = buffer.deadLetterGroups()
    expect(groups).toHaveLength(20)
    const at = new Date(AT + 20_000).toISOString()
    expect(groups[0]).toEqual({ code: 'code-20', reason: 'it is code-20', count: 5, first_at: at, last_at: at })
  })
})

describe('loss is never silent', () => {
  it.each([
    ['removed with its folder', () => rmSync(folder, { recursive: true })],
    ['replaced by another file', () => renameSync(file, join(folder, 'x')) ?? writeFileSync(file, 'x')],
  ])('a buffer that is %s while the agent runs is put back with all its readings', (_, happen) => {
    const buffer = openBuffer()
    append(buffer, readings(1_000))
    const claimed = buffer.claim(1_000, 'live') as ClaimedBatch
    append(buffer, readings(10, 1_000))
    happen()
    time = 2_000
    append(buffer, readings(10, 1_010))
    expect(buffer.settle(accept(claimed))).toBe('settled')
    buffer.close()
    open = []
    expect(contents(openBuffer().claim(1_000, 'backlog'))).toEqual(readings(20, 1_000))
  })

  it('a buffer that must not be put back is kept open, and put back once it may be', () => {
    let isAnothers = true
    const beforeRestore = () => {
      if (isAnothers) throw new Error('another agent is running')
    }
    const buffer = openBuffer({ beforeRestore })
    append(buffer, readings(10))
    rmSync(folder, { recursive: true })
    time = 2_000
    append(buffer, readings(10, 10))
    expect(existsSync(file)).toBe(false)
    expect(buffer.stats().buffered).toBe(20)
    isAnothers = false
    time = 4_000
    append(buffer, readings(10, 20))
    buffer.close()
    open = []
    expect(contents(openBuffer().claim(1_000, 'backlog'))).toEqual(readings(30))
  })

  it('what is read while another program holds the file is counted, and nothing older makes room for it', () => {
    const buffer = openBuffer({ onOpen: (db) => db.pragma('busy_timeout = 10') })
    append(buffer, readings(10))
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    append(buffer, readings(10, 10))
    expect(buffer.stats()).toMatchObject({ buffered: 10, dropped: 10 })
    other.exec('ROLLBACK')
    other.close()
    append(buffer, readings(10, 20))
    expect(buffer.stats()).toMatchObject({ buffered: 20, dropped: 10 })
    expect(buffer.gapsToReport().dropped).toEqual([
      expect.objectContaining({ count: 10, from: new Date(AT + 10_000).toISOString() }),
    ])
  })

  it('a full buffer drops the oldest and counts them exactly, by series and time span', () => {
    const buffer = openBuffer({ maxBytes: 200_000 })
    for (let i = 0; i < 60; i++) append(buffer, bulky(i * 1_000))
    const { buffered, dropped, usedBytes } = buffer.stats()
    expect(buffered + dropped).toBe(60_000)
    expect(dropped).toBeGreaterThan(10_000)
    expect(usedBytes).toBeLessThanOrEqual(200_000)
    const [gap, ...others] = buffer.gapsToReport().dropped
    expect(others).toEqual([])
    expect(gap).toMatchObject({
      machine_identifier: 'press-01',
      metric_name: 'temperature',
      unit: 'celsius',
      from: new Date(AT).toISOString(),
      to: new Date(AT + (dropped - 1) * 1_000).toISOString(),
      count: dropped,
      reason: 'disk_full',
    })
    time = 60_000
    expect(contents(buffer.claim(1_000, 'backlog'))[0]).toEqual(bulky(dropped)[0])
  })

  it('where the gaps of many series take more room than a few polls give, more polls go, and the newest are kept', () => {
    const buffer = openBuffer({ onOpen: (db) => db.pragma('max_page_count = 60') })
    const series = Array.from({ length: 200 }, (_, i) => ({ machine: `press-${i}`, metric: `m${i}`, unit: 'u', rawTag: null }))
    const poll = (n: number): ReadingColumns => ({
      series,
      seriesIndex: Uint32Array.from(series, (_, i) => i),
      timestamps: new Float64Array(200).fill(AT + n),
      values: new Float64Array(200).fill(n),
    })
    for (let n = 0; n < 600; n++) buffer.append([poll(n)])
    const { buffered, dropped } = buffer.stats()
    expect(buffered + dropped).toBe(120_000)
    expect(buffered).toBeGreaterThan(10_000)
    const kept = new Set<number>()
    for (let batch = buffer.claim(1_000, 'live'); batch; batch = buffer.claim(1_000, 'live'))
      for (const { value } of contents(batch)) kept.add(value)
    expect([Math.min(...kept), Math.max(...kept)]).toEqual([600 - kept.size, 599])
  })

  it('what was sent without a word coming back is dropped last, also after a restart: the hub may have it', () => {
    const buffer = openBuffer({ maxBytes: 200_000 })
    append(buffer, bulky(0))
    const claimed = buffer.claim(1_000, 'live') as ClaimedBatch
    buffer.release(claimed.batchId, true)
    for (let i = 1; i < 30; i++) append(buffer, bulky(i * 1_000))
    expect(buffer.gapsToReport().dropped[0]).toMatchObject({ from: new Date(AT + 1_000_000).toISOString() })
    buffer.close()
    open = []
    const again = openBuffer({ maxBytes: 200_000 })
    for (let i = 30; i < 60; i++) append(again, bulky(i * 1_000))
    expect(contents(again.claim(1_000, 'backlog'))).toEqual(bulky(0))
    const { buffered, dropped } = again.stats()
    expect(buffered + dropped).toBe(60_000)
    expect(again.gapsToReport().dropped.reduce((sum, { count }) => sum + count, 0)).toBe(dropped)
  })

  it('a gap that was told does not grow; what is lost later is another gap; an answer forgets what was told', () => {
    const buffer = openBuffer({ maxAgeMs: 10_000 })
    append(buffer, readings(5))
    time = 20_000
    append(buffer, readings(5, 5))
    const told = buffer.gapsToReport().dropped
    expect(told).toEqual([expect.objectContaining({ count: 5, reason: 'age_limit' })])
    time = 40_000
    append(buffer, readings(5, 10))
    expect(buffer.gapsToReport().dropped.map(({ count }) => count)).toEqual([5, 5])
    expect(buffer.gapsToReport().dropped[0]).toEqual(told[0])
    buffer.gapsReported(told.map(({ gap_id }) => gap_id))
    expect(buffer.gapsToReport().dropped).toEqual([
      expect.objectContaining({ count: 5, from: new Date(AT + 5_000).toISOString() }),
    ])
    expect(buffer.stats()).toMatchObject({ buffered: 5, dropped: 10 })
  })

  it('when the disk takes no more pages, the oldest make room and the newest are kept', () => {
    const buffer = openBuffer({ onOpen: (db) => db.pragma('max_page_count = 60') })
    for (let i = 0; i < 80; i++) append(buffer, bulky(i * 1_000))
    const { buffered, dropped } = buffer.stats()
    expect(buffered + dropped).toBe(80_000)
    expect(buffered).toBeGreaterThan(5_000)
    expect(buffer.gapsToReport().dropped.reduce((sum, { count }) => sum + count, 0)).toBe(dropped)
  })

  it('when not even that helps, the readings are lost, counted, and told as soon as something can be written', () => {
    const buffer = openBuffer({ onOpen: (db) => db.pragma('max_page_count = 40') })
    append(buffer, bulky(0))
    append(buffer, bulky(1_000))
    const claims = [buffer.claim(1_000, 'live'), buffer.claim(1_000, 'live')] as ClaimedBatch[]
    for (let i = 2; i < 30; i++) {
      append(buffer, bulky(i * 1_000))
      const claim = buffer.claim(1_000, 'live')
      if (claim) claims.push(claim)
    }
    const { dropped, buffered } = buffer.stats()
    expect(dropped).toBeGreaterThan(0)
    expect(buffered + dropped).toBe(30_000)
    const lostReadings = expect.any(Number)
    expect(buffer.fault).toEqual({ reason: expect.stringMatching(/disk is full/), lostReadings, isKeptInMemory: false })
    expect(buffer.fault?.lostReadings).toBeGreaterThan(0)
    for (const claim of claims) expect(buffer.settle(accept(claim))).toBe('settled')
    expect(buffer.gapsToReport().dropped.reduce((sum, { count }) => sum + count, 0)).toBe(dropped)
    expect(buffer.stats().dropped).toBe(dropped)
    append(buffer, readings(1))
    expect(buffer.fault).toBeNull()
  })

  it('with newest, a full buffer keeps what it has, counts what comes, and takes readings again once the hub has some', () => {
    const maxBytes = 300_000
    const buffer = openBuffer({ maxBytes, dropPolicy: 'newest' })
    let stored = 0
    for (; buffer.stats().usedBytes < maxBytes; stored += 1_000) append(buffer, bulky(stored))
    append(buffer, bulky(stored))
    append(buffer, bulky(stored + 1_000))
    expect(buffer.stats()).toMatchObject({ buffered: stored, dropped: 2_000, oldestAt: AT })
    const at = (from: number) => new Date(AT + from * 1_000).toISOString()
    expect(buffer.gapsToReport().dropped).toMatchObject([
      { reason: 'disk_full', count: 2_000, from: at(stored), to: at(stored + 1_999) },
    ])
    for (let i = 0; i < 4; i++) buffer.settle(accept(buffer.claim(1_000, 'live') as ClaimedBatch))
    append(buffer, bulky(stored + 2_000))
    expect(buffer.stats()).toMatchObject({ buffered: stored - 4_000 + 1_000, dropped: 2_000 })
  })

  it('with newest, new readings are dropped while the oldest waits for longer than the age limit', () => {
    const buffer = openBuffer({ maxAgeMs: 60_000, dropPolicy: 'newest' })
    append(buffer, readings(5))
    time = 60_000
    append(buffer, readings(5, 5))
    time = 60_001
    append(buffer, readings(5, 10))
    expect(buffer.stats()).toMatchObject({ buffered: 10, dropped: 5 })
    expect(buffer.gapsToReport().dropped).toMatchObject([{ reason: 'age_limit', count: 5 }])
    buffer.settle(accept(buffer.claim(5, 'backlog') as ClaimedBatch))
    append(buffer, readings(5, 15))
    expect(buffer.stats()).toMatchObject({ buffered: 10, dropped: 5 })
  })

  it('with newest, a disk that takes no more pages keeps the oldest, and the gap is exact', () => {
    const buffer = openBuffer({ dropPolicy: 'newest', onOpen: (db) => void db.pragma('max_page_count = 120') })
    for (let i = 0; i < 200; i++) append(buffer, bulky(i * 1_000))
    const { buffered, dropped, oldestAt } = buffer.stats()
    expect([buffered + dropped, oldestAt]).toEqual([200_000, AT])
    expect(buffered).toBeGreaterThan(10_000)
    for (let batch = buffer.claim(1_000, 'live'); batch; batch = buffer.claim(1_000, 'live')) buffer.settle(accept(batch))
    const gaps = buffer.gapsToReport().dropped
    expect(gaps.map(({ count, reason }) => [count, reason])).toEqual([[dropped, 'disk_full']])
    append(buffer, bulky(0))
    expect(buffer.stats()).toMatchObject({ buffered: 1_000, dropped })
  })

  it('with stop, nothing is dropped: polling stops at a limit, and goes on when a twentieth of it is free', () => {
    const maxBytes = 400_000
    const buffer = openBuffer({ maxBytes, dropPolicy: 'stop' })
    let stored = 0
    for (; !buffer.isStopped; stored += 1_000) append(buffer, bulky(stored))
    expect(buffer.stats().usedBytes).toBeGreaterThanOrEqual(maxBytes)
    append(buffer, bulky(stored))
    expect(buffer.stats()).toMatchObject({ buffered: stored + 1_000, dropped: 0 })
    while (buffer.stats().usedBytes >= 0.95 * maxBytes) {
      expect(buffer.isStopped).toBe(true)
      buffer.settle(accept(buffer.claim(1_000, 'live') as ClaimedBatch))
    }
    expect(buffer.isStopped).toBe(false)
    expect(buffer.stats().dropped).toBe(0)
  })

  it('with stop, polling stops when the oldest reading waits for longer than the age limit', () => {
    const buffer = openBuffer({ maxAgeMs: 60_000, dropPolicy: 'stop' })
    append(buffer, readings(5))
    const stopped = [60_000, 60_001, 58_000, 57_000].map((now) => {
      time = now
      return buffer.isStopped
    })
    expect(stopped).toEqual([false, true, true, false])
    expect(buffer.stats()).toMatchObject({ buffered: 5, dropped: 0 })
  })

  it('with stop, polling stops while the disk accepts no write, and what could not be written is a gap', () => {
    const buffer = openBuffer({ dropPolicy: 'stop' })
    append(buffer, readings(1))
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    append(buffer, readings(4, 1))
    expect(buffer.isStopped).toBe(true)
    other.exec('COMMIT')
    other.close()
    time = 1_000
    expect(buffer.isStopped).toBe(false)
    expect(buffer.fault).toBeNull()
    expect(buffer.gapsToReport().dropped).toMatchObject([{ reason: 'disk_full', count: 4 }])
  })

  it('what is being sent is not dropped', () => {
    const buffer = openBuffer({ maxAgeMs: 10_000 })
    append(buffer, readings(5))
    const claimed = buffer.claim(1_000, 'live') as ClaimedBatch
    time = 20_000
    append(buffer, readings(5, 5))
    expect(buffer.stats().dropped).toBe(0)
    expect(buffer.settle(accept(claimed))).toBe('settled')
  })
})

describe('damage', () => {
  it('a file that is no database is moved aside and a new one begun', () => {
    writeFileSync(file, 'not a database, and longer than a header of one hundred bytes '.repeat(10))
    const buffer = openBuffer()
    append(buffer, readings(5))
    expect(buffer.stats().buffered).toBe(5)
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true)
  })

  it('pages that go bad while the agent runs cost what was on them, and the agent goes on', () => {
    const before = openBuffer()
    for (let i = 0; i < 50; i++) append(before, bulky(i * 1_000))
    before.close()
    open = []
    const db = new Database(file)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.pragma('journal_mode = DELETE')
    db.close()
    const bytes = new Uint8Array(500_000).fill(0xee)
    const buffer = openBuffer({ maxAgeMs: 3_600_000 })
    buffer.close()
    open = []
    overwrite(file, bytes, 8_192)
    const again = openBuffer({ maxAgeMs: 3_600_000 })
    append(again, readings(5))
    again.claim(1_000, 'backlog')
    append(again, readings(5, 5))
    expect(contents(again.claim(1_000, 'live')).length).toBeGreaterThan(0)
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true)
  })

  it.each([
    ['in the middle', 0.5],
    ['near the begin', 0.2],
    ['at the end', 0.9],
  ])('what lies %s of a damaged page is taken over: each reading is sent, or in a gap', (_, share) => {
    const before = openBuffer()
    for (let i = 0; i < 50; i++) append(before, bulky(i * 1_000))
    before.noteMissedPolls([
      {
        collector: 'plc',
        key: 'all',
        machine: 'press',
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
    before.close()
    open = []
    const db = new Database(file)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    const { size } = statSync(file)
    overwrite(file, new Uint8Array(20_000).fill(0xee), 4_096 * Math.floor((size * share) / 4_096))
    const buffer = openBuffer()
    const sent: Reading[] = []
    for (let batch = buffer.claim(1_000, 'backlog'); batch; batch = buffer.claim(1_000, 'backlog')) {
      sent.push(...contents(batch))
      buffer.settle(accept(batch))
    }
    const known = new Map(
      Array.from({ length: 50 }, (_, i) => bulky(i * 1_000))
        .flat()
        .map((one) => [one.timestamp, one.value]),
    )
    for (const { timestamp, value } of sent) expect(known.get(timestamp)).toBe(value)
    const { dropped, buffered } = buffer.stats()
    expect(buffered).toBe(0)
    expect(sent.length + dropped).toBe(50_000)
    expect(sent.length).toBeGreaterThan(30_000)
    expect(dropped).toBeGreaterThan(0)
    const gaps = buffer.gapsToReport()
    expect(gaps.dropped.reduce((sum, { count, reason }) => sum + (reason === 'damaged' ? count : 0), 0)).toBe(dropped)
  })

  it('a buffer whose tables cannot be found begins anew, and one that lost its counters is sent all the same', () => {
    const before = openBuffer()
    for (let i = 0; i < 5; i++) append(before, readings(100, i * 100))
    before.close()
    open = []
    const db = new Database(file)
    const page = db.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'counters'").pluck().get() as number
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    overwrite(file, new Uint8Array(4_096).fill(0xee), 4_096 * (page - 1))
    const buffer = openBuffer()
    append(buffer, readings(1, 900))
    let sent = 0
    for (const which of ['backlog', 'live'] as const)
      for (let batch = buffer.claim(1_000, which); batch; batch = buffer.claim(1_000, which)) sent += batch.count
    expect(sent).toBe(501)
    buffer.close()
    open = []
    overwrite(file, new Uint8Array(4_096).fill(0xee), 0)
    append(openBuffer(), readings(1))
    expect(open[0]?.stats().buffered).toBe(1)
  })

  it('a chunk whose bytes changed is dropped and counted, and its neighbours are sent', () => {
    const before = openBuffer()
    for (let i = 0; i < 3; i++) append(before, readings(100, i * 100))
    before.close()
    open = []
    const db = new Database(file)
    db.prepare('UPDATE chunks SET body = zeroblob(50) WHERE id = 2').run()
    db.close()
    const buffer = openBuffer()
    const sent: Reading[] = []
    for (let batch = buffer.claim(1_000, 'backlog'); batch; batch = buffer.claim(1_000, 'backlog')) sent.push(...contents(batch))
    expect(sent).toEqual([...readings(100), ...readings(100, 200)])
    expect(buffer.stats().dropped).toBe(100)
    expect(buffer.gapsToReport().dropped).toEqual([
      expect.objectContaining({ reason: 'damaged', count: 100, machine_identifier: 'unknown' }),
    ])
  })

  it('a buffer of a newer agent is left alone', () => {
    const db = new Database(file)
    db.pragma('user_version = 99')
    db.close()
    expect(() => openBuffer()).toThrow(/newer agent/)
    expect(existsSync(file)).toBe(true)
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(false)
  })
})

function overwrite(path: string, bytes: Uint8Array, at: number): void {
  const handle = openSync(path, 'r+')
  writeSync(handle, bytes, 0, bytes.length, at)
  closeSync(handle)
}
