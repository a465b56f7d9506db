import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ReadingColumns, Series } from '@haltless/protocol'
import { type BenchRow, fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { plantPoll, plantTags } from '@haltless/protocol/bench/plant'
import Database from 'better-sqlite3'
import { ReadingBuffer } from '../src/buffer/buffer.ts'
import { type Clock, systemClock } from '../src/support/clock.ts'
import { createLogger } from '../src/support/logger.ts'

/** Readings as a collector appends them: ten metrics of a machine, once a second, a thousand at a time. */
const BATCHES = 200
const SIZE = 1_000
const TAGS: Series[] = Array.from({ length: 10 }, (_, i) => ({
  machine: 'press-01',
  metric: `metric_${i}`,
  unit: 'celsius',
  rawTag: `ns=2;s=Press.Metric${i}`,
}))
const batches: ReadingColumns[] = Array.from({ length: BATCHES }, (_, b) => ({
  series: TAGS,
  seriesIndex: Uint32Array.from({ length: SIZE }, (_, i) => i % 10),
  timestamps: Float64Array.from({ length: SIZE }, (_, i) => 1_700_000_000_000 + (b * 100 + Math.floor(i / 10)) * 1_000),
  values: Float64Array.from({ length: SIZE }, (_, i) => Math.round((50 + 10 * Math.sin(b + i) + (i % 7) / 10) * 100) / 100),
}))
const perSecond = async (work: () => void) => (BATCHES * SIZE) / (await seconds(work))

/** A folder on disk, not in memory: durability is what is paid for. */
const folder = () => mkdtempSync(path.join(os.tmpdir(), 'haltless-bench-'))

function openBuffer(dir: string, clock: Clock = systemClock): ReadingBuffer {
  const logger = createLogger('silent')
  return new ReadingBuffer({
    file: path.join(dir, 'buffer.sqlite'),
    maxBytes: 2 ** 32,
    maxAgeMs: null,
    clock,
    logger,
  })
}

/** Plain rows at their narrowest: the names stand elsewhere, a row is a tag number, an instant and a value. */
function openRows(dir: string) {
  const db = new Database(path.join(dir, 'rows.sqlite'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('create table readings (id integer primary key, tag integer, timestamp integer, value real)')
  const insert = db.prepare('insert into readings (tag, timestamp, value) values (?, ?, ?)')
  const select = db.prepare(`select * from readings order by id limit ${SIZE}`)
  const remove = db.prepare('delete from readings where id between ? and ?')
  const append = db.transaction(({ seriesIndex, timestamps, values }: ReadingColumns) => {
    for (let i = 0; i < values.length; i++) insert.run(seriesIndex[i], timestamps[i], values[i])
  })
  const drain = () => {
    for (;;) {
      const found = select.all() as { id: number }[]
      const [first, last] = [found[0], found.at(-1)]
      if (!first || !last) return
      remove.run(first.id, last.id)
    }
  }
  return {
    append,
    drain,
    bytes: () => (db.pragma('page_count', { simple: true }) as number) * (db.pragma('page_size', { simple: true }) as number),
    count: () => (db.prepare('select count(*) as n from readings').get() as { n: number }).n,
    close: () => db.close(),
  }
}

function drainBuffer(buffer: ReadingBuffer): void {
  for (;;) {
    const batch = buffer.claim(SIZE, 'live') ?? buffer.claim(SIZE, 'backlog')
    if (!batch) return
    buffer.settle({ batch_id: batch.batchId, accepted_count: batch.count, rejected_count: 0, errors: [] })
  }
}

const check = (count: number, expected: number) => {
  if (count !== expected) throw new Error(`${count} readings are stored, not ${expected}`)
}

const row = (name: 'append' | 'drain', against: string): BenchRow => ({
  row: `buffer.${name}`,
  against,
  unit: 'readings per second',
  prepare: async () => {
    const dir = folder()
    const buffer = openBuffer(dir)
    const rows = openRows(dir)
    const fill = {
      ours: () => {
        for (const batch of batches) buffer.append([batch])
      },
      theirs: () => {
        for (const batch of batches) rows.append(batch)
      },
    }
    const empty = { ours: () => drainBuffer(buffer), theirs: () => rows.drain() }
    const count = { ours: () => buffer.stats().buffered, theirs: () => rows.count() }
    const side = (which: 'ours' | 'theirs') => async () => {
      if (name === 'append') {
        const rate = await perSecond(fill[which])
        check(count[which](), BATCHES * SIZE)
        empty[which]()
        return rate
      }
      fill[which]()
      const rate = await perSecond(empty[which])
      check(count[which](), 0)
      return rate
    }
    return {
      ours: side('ours'),
      theirs: side('theirs'),
      close: () => {
        buffer.close()
        rows.close()
        rmSync(dir, { recursive: true, force: true })
      },
    }
  },
})

/** Live traffic: a poll a second, each in its own transaction. So many polls that most of them are older than the 30 s that stay as they are. */
const polls = (tags: number) => {
  const series = plantTags(tags)
  return Array.from({ length: fullOrShort(tags > 100 ? 1_800 : 6_000, 60) }, (_, second) => plantPoll(series, second))
}

/** A clock of which a second passes with each poll. */
function pollClock(): Clock & { poll(): void } {
  let second = 0
  const now = () => 1_790_000_000_000 + second * 1_000
  return { now, monotonic: now, sleep: () => Promise.resolve(), poll: () => void second++ }
}

/** Bytes that this process has handed to write(2) and its like, or 0 where the system does not count them. */
function bytesWritten(): number {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

type LiveFigure = (done: { readings: number; took: number; stored: number; written: number }) => number

/** Live polls into a new buffer and into rows. */
const liveRow = (name: string, tags: number, unit: string, figure: LiveFigure): BenchRow => ({
  row: `buffer.${name}`,
  against: 'plain row inserts, synchronous=FULL, a transaction per poll',
  unit,
  rounds: 3,
  prepare: async () => {
    const all = polls(tags)
    const readings = all.length * tags
    const measured = async (work: () => void, stored: () => number) => {
      const before = bytesWritten()
      const took = await seconds(work)
      return figure({ readings, took, stored: stored(), written: bytesWritten() - before })
    }
    return {
      ours: async () => {
        const dir = folder()
        const clock = pollClock()
        const buffer = openBuffer(dir, clock)
        const empty = buffer.stats().usedBytes
        const append = () => {
          for (const poll of all) {
            buffer.append([poll])
            clock.poll()
          }
        }
        const result = await measured(append, () => buffer.stats().usedBytes - empty)
        check(buffer.stats().buffered, readings)
        buffer.close()
        rmSync(dir, { recursive: true, force: true })
        return result
      },
      theirs: async () => {
        const dir = folder()
        const rows = openRows(dir)
        const empty = rows.bytes()
        const append = () => {
          for (const poll of all) rows.append(poll)
        }
        const result = await measured(append, () => rows.bytes() - empty)
        check(rows.count(), readings)
        rows.close()
        rmSync(dir, { recursive: true, force: true })
        return result
      },
    }
  },
})

const perReading =
  (of: 'stored' | 'written'): LiveFigure =>
  (done) =>
    done[of] / done.readings

await runRows(
  [
    row('append', 'plain row inserts, synchronous=FULL, 1,000 per transaction'),
    row('drain', 'plain row reads and deletes, synchronous=FULL'),
    liveRow('live', 1_000, 'readings per second, polls of 1,000 tags', ({ readings, took }) => readings / took),
    liveRow('live10', 10, 'readings per second, polls of 10 tags', ({ readings, took }) => readings / took),
    liveRow('bytes', 1_000, 'bytes stored per reading, polls of 1,000 tags', perReading('stored')),
    liveRow('bytes10', 10, 'bytes stored per reading, polls of 10 tags', perReading('stored')),
    liveRow('wear', 1_000, 'bytes written per reading, polls of 1,000 tags', perReading('written')),
    liveRow('wear10', 10, 'bytes written per reading, polls of 10 tags', perReading('written')),
  ],
  process.argv.slice(2),
)
