import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ReadingColumns, Series } from '@haltless/protocol'
import { type BenchRow, runRows, seconds } from '@haltless/protocol/bench'
import Database from 'better-sqlite3'
import { ReadingBuffer } from '../src/buffer/buffer.ts'
import { systemClock } from '../src/support/clock.ts'
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

function openBuffer(dir: string): ReadingBuffer {
  const logger = createLogger('silent')
  return new ReadingBuffer({
    file: path.join(dir, 'buffer.sqlite'),
    maxBytes: 2 ** 32,
    maxAgeMs: null,
    clock: systemClock,
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

await runRows(
  [
    row('append', 'plain row inserts, synchronous=FULL, 1,000 per transaction'),
    row('drain', 'plain row reads and deletes, synchronous=FULL'),
  ],
  process.argv.slice(2),
)
