import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeBatch, type Reading, type Receipt, toReadings } from '@haltless/protocol'
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

const accept = (batch: ClaimedBatch): Receipt => ({
  batch_id: batch.batchId,
  accepted_count: batch.count,
  rejected_count: 0,
  errors: [],
})
const contents = (batch: ClaimedBatch | null): Reading[] => (batch ? toReadings(decodeBatch(batch.bytes, inflate)) : [])

/** Values that cannot be compressed, so that a chunk has a known size. */
const bulky = (from: number): Reading[] => readings(1_000, from).map((r, i) => ({ ...r, value: Math.sin(from + i) }))

describe('from append to settle', () => {
  it('what was appended is claimed as it was, and stays until a receipt settles it', () => {
    const buffer = openBuffer()
    buffer.append(readings(10))
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
    buffer.append(readings(3))
    buffer.append(readings(3, 3))
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
    for (let i = 0; i < 30; i++) buffer.append(readings(50, i * 50))
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
    buffer.append(readings(2_500))
    expect([0, 1, 2].map(() => buffer.claim(1_000, 'live')?.count)).toEqual([1_000, 1_000, 500])
  })

  it('batches whose names fill a packet are cut smaller', () => {
    const buffer = openBuffer()
    const noise = (seed: number) =>
      Array.from({ length: 900 }, (_, i) => String.fromCharCode(0x4e00 + ((seed * 7919 + i * i * 31) % 20_000))).join('')
    buffer.append(readings(1_000).map((r, i) => ({ ...r, rawTag: noise(i), metric: noise(i + 5_000) })))
    let total = 0
    for (let batch = buffer.claim(1_000, 'live'); batch; batch = buffer.claim(1_000, 'live')) {
      expect(batch.bytes.length).toBeLessThan(1_048_576)
      total += batch.count
    }
    expect(total).toBe(1_000)
  })

  it('live readings are those of the last 30 seconds; the others are the backlog, oldest first', () => {
    const buffer = openBuffer()
    buffer.append(readings(1_000, 0))
    buffer.append(readings(1_000, 1_000))
    time = 31_000
    buffer.append(readings(1_000, 2_000))
    expect(contents(buffer.claim(1_000, 'live'))[0]).toEqual(readings(1, 2_000)[0])
    expect(buffer.claim(1_000, 'live')).toBeNull()
    expect(contents(buffer.claim(1_000, 'backlog'))[0]).toEqual(readings(1, 0)[0])
    expect(contents(buffer.claim(1_000, 'backlog'))[0]).toEqual(readings(1, 1_000)[0])
    expect(buffer.claim(1_000, 'backlog')).toBeNull()
  })

  it('after a restart everything is there, free, and backlog', () => {
    const before = openBuffer()
    before.append(readings(5))
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
      buffer.append(readings(10, i * 10))
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
    for (let i = 0; i < 100; i++) buffer.append(readings(10, i * 10))
    const claimed = buffer.claim(200, 'live') as ClaimedBatch
    const db = new Database(file)
    db.prepare('UPDATE chunks SET body = zeroblob(50) WHERE id = 50').run()
    db.close()
    time += 60_000
    for (let i = 100; i < 400; i++) buffer.append(readings(10, i * 10))
    expect(buffer.settle(accept(claimed))).toBe('settled')
    time += 60_000
    const sent: Reading[] = []
    for (let batch = buffer.claim(1_000, 'backlog'); batch; batch = buffer.claim(1_000, 'backlog')) sent.push(...contents(batch))
    expect(sent).toEqual([...readings(290, 200), ...readings(3_500, 500)])
    expect(buffer.stats()).toMatchObject({ buffered: 3_790, dropped: 10 })
  })

  it('a buffer that was left by an earlier start is merged too', () => {
    const before = openBuffer()
    for (let i = 0; i < 300; i++) before.append(readings(10, i * 10))
    before.close()
    open = []
    const buffer = openBuffer()
    for (let i = 300; i < 400; i++) buffer.append(readings(10, i * 10))
    // The newest 100 are live, and those before them wait for neighbours.
    expect(chunkCount()).toBe(2 + 100 + 100)
  })
})

describe('rejections', () => {
  it('a rejected reading is parked with its reason and its 999 neighbours pass', () => {
    const buffer = openBuffer()
    buffer.append(readings(1_000))
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
    buffer.append(readings(20))
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
    buffer.append(readings(10))
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
    buffer.append([...bad.map((fault) => ({ ...good, ...fault })), good])
    expect(buffer.stats()).toMatchObject({ buffered: 1, deadLetters: bad.length })
    expect(contents(buffer.claim(1_000, 'live'))).toEqual([good])
    expect(new Set(buffer.deadLetters(9).map(({ code }) => code))).toEqual(new Set(['unsendable']))
    for (const fault of bad) buffer.append([{ ...good, ...fault }])
    expect(buffer.stats()).toMatchObject({ buffered: 1, deadLetters: 2 * bad.length })
  })

  it('dead letters take a tenth of the space at most; the oldest go first and are counted', () => {
    const buffer = openBuffer({ maxBytes: 400_000 })
    for (let i = 0; i < 10; i++) {
      buffer.append(bulky(i * 1_000))
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
})

describe('loss is never silent', () => {
  it.each([
    ['removed with its folder', () => rmSync(folder, { recursive: true })],
    ['replaced by another file', () => renameSync(file, join(folder, 'x')) ?? writeFileSync(file, 'x')],
  ])('a buffer that is %s while the agent runs is put back with all its readings', (_, happen) => {
    const buffer = openBuffer()
    buffer.append(readings(1_000))
    const claimed = buffer.claim(1_000, 'live') as ClaimedBatch
    buffer.append(readings(10, 1_000))
    happen()
    time = 2_000
    buffer.append(readings(10, 1_010))
    expect(buffer.settle(accept(claimed))).toBe('settled')
    buffer.close()
    open = []
    expect(contents(openBuffer().claim(1_000, 'backlog'))).toEqual(readings(20, 1_000))
  })

  it('a buffer that must not be put back is kept open, and put back once it may be', () => {
    let isAnothers = true
    const onTakenAway = () => {
      if (isAnothers) throw new Error('another agent is running')
    }
    const buffer = openBuffer({ onTakenAway })
    buffer.append(readings(10))
    rmSync(folder, { recursive: true })
    time = 2_000
    buffer.append(readings(10, 10))
    expect(existsSync(file)).toBe(false)
    expect(buffer.stats().buffered).toBe(20)
    isAnothers = false
    time = 4_000
    buffer.append(readings(10, 20))
    buffer.close()
    open = []
    expect(contents(openBuffer().claim(1_000, 'backlog'))).toEqual(readings(30))
  })

  it('what is read while another program holds the file is counted, and nothing older makes room for it', () => {
    const buffer = openBuffer({ onOpen: (db) => db.pragma('busy_timeout = 10') })
    buffer.append(readings(10))
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    buffer.append(readings(10, 10))
    expect(buffer.stats()).toMatchObject({ buffered: 10, dropped: 10 })
    other.exec('ROLLBACK')
    other.close()
    buffer.append(readings(10, 20))
    expect(buffer.stats()).toMatchObject({ buffered: 20, dropped: 10 })
    expect(buffer.gapsToTell()).toEqual([expect.objectContaining({ count: 10, from: new Date(AT + 10_000).toISOString() })])
  })

  it('a full buffer drops the oldest and counts them exactly, by series and time span', () => {
    const buffer = openBuffer({ maxBytes: 200_000 })
    for (let i = 0; i < 60; i++) buffer.append(bulky(i * 1_000))
    const { buffered, dropped, usedBytes } = buffer.stats()
    expect(buffered + dropped).toBe(60_000)
    expect(dropped).toBeGreaterThan(10_000)
    expect(usedBytes).toBeLessThanOrEqual(200_000)
    const [gap, ...others] = buffer.gapsToTell()
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

  it('a gap that was told does not grow; what is lost later is another gap; an answer forgets what was told', () => {
    const buffer = openBuffer({ maxAgeMs: 10_000 })
    buffer.append(readings(5))
    time = 20_000
    buffer.append(readings(5, 5))
    const told = buffer.gapsToTell()
    expect(told).toEqual([expect.objectContaining({ count: 5, reason: 'age_limit' })])
    time = 40_000
    buffer.append(readings(5, 10))
    expect(buffer.gapsToTell().map(({ count }) => count)).toEqual([5, 5])
    expect(buffer.gapsToTell()[0]).toEqual(told[0])
    buffer.gapsTold(told.map(({ gap_id }) => gap_id))
    expect(buffer.gapsToTell()).toEqual([expect.objectContaining({ count: 5, from: new Date(AT + 5_000).toISOString() })])
    expect(buffer.stats()).toMatchObject({ buffered: 5, dropped: 10 })
  })

  it('when the disk takes no more pages, the oldest make room and the newest are kept', () => {
    const buffer = openBuffer({ onOpen: (db) => db.pragma('max_page_count = 60') })
    for (let i = 0; i < 80; i++) buffer.append(bulky(i * 1_000))
    const { buffered, dropped } = buffer.stats()
    expect(buffered + dropped).toBe(80_000)
    expect(buffered).toBeGreaterThan(5_000)
    expect(buffer.gapsToTell().reduce((sum, { count }) => sum + count, 0)).toBe(dropped)
  })

  it('when not even that helps, the readings are lost, counted, and told as soon as something can be written', () => {
    const buffer = openBuffer({ onOpen: (db) => db.pragma('max_page_count = 40') })
    buffer.append(bulky(0))
    buffer.append(bulky(1_000))
    const claims = [buffer.claim(1_000, 'live'), buffer.claim(1_000, 'live')] as ClaimedBatch[]
    for (let i = 2; i < 30; i++) {
      buffer.append(bulky(i * 1_000))
      const claim = buffer.claim(1_000, 'live')
      if (claim) claims.push(claim)
    }
    const { dropped, buffered } = buffer.stats()
    expect(dropped).toBeGreaterThan(0)
    expect(buffered + dropped).toBe(30_000)
    for (const claim of claims) expect(buffer.settle(accept(claim))).toBe('settled')
    expect(buffer.gapsToTell().reduce((sum, { count }) => sum + count, 0)).toBe(dropped)
    expect(buffer.stats().dropped).toBe(dropped)
  })

  it('what is being sent is not dropped', () => {
    const buffer = openBuffer({ maxAgeMs: 10_000 })
    buffer.append(readings(5))
    const claimed = buffer.claim(1_000, 'live') as ClaimedBatch
    time = 20_000
    buffer.append(readings(5, 5))
    expect(buffer.stats().dropped).toBe(0)
    expect(buffer.settle(accept(claimed))).toBe('settled')
  })
})

describe('damage', () => {
  it('a file that is no database is moved aside and a new one begun', () => {
    writeFileSync(file, 'not a database, and longer than a header of one hundred bytes '.repeat(10))
    const buffer = openBuffer()
    buffer.append(readings(5))
    expect(buffer.stats().buffered).toBe(5)
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true)
  })

  it('pages that go bad while the agent runs cost what was on them, and the agent goes on', () => {
    const before = openBuffer()
    for (let i = 0; i < 50; i++) before.append(bulky(i * 1_000))
    before.close()
    open = []
    const db = new Database(file)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.pragma('journal_mode = DELETE')
    db.close()
    const bytes = new Uint8Array(500_000).fill(0xee)
    const buffer = openBuffer()
    buffer.close()
    open = []
    overwrite(file, bytes, 8_192)
    const again = openBuffer()
    again.append(readings(5))
    again.claim(1_000, 'backlog')
    again.append(readings(5, 5))
    expect(contents(again.claim(1_000, 'live')).length).toBeGreaterThan(0)
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true)
  })

  it('a chunk whose bytes changed is dropped and counted, and its neighbours are sent', () => {
    const before = openBuffer()
    for (let i = 0; i < 3; i++) before.append(readings(100, i * 100))
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
    expect(buffer.gapsToTell()).toEqual([
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
