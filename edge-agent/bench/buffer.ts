import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Reading } from '@haltless/protocol'
import { type BenchRow, runRows, seconds } from '@haltless/protocol/bench'
import Database from 'better-sqlite3'
import { ReadingBuffer } from '../src/buffer/buffer.ts'
import { systemClock } from '../src/support/clock.ts'
import { createLogger } from '../src/support/logger.ts'

/** Readings as collectors append them: ten metrics of a machine, once a second, a thousand at a time. */
const BATCHES = 200
const SIZE = 1_000
const batches: Reading[][] = Array.from({ length: BATCHES }, (_, b) =>
  Array.from({ length: SIZE }, (_, i) => ({
    machine: 'press-01',
    metric: `metric_${i % 10}`,
    unit: 'celsius',
    rawTag: `ns=2;s=Press.Metric${i % 10}`,
    timestamp: 1_700_000_000_000 + (b * 100 + Math.floor(i / 10)) * 1_000,
    value: Math.round((50 + 10 * Math.sin(b + i) + (i % 7) / 10) * 100) / 100,
  })),
)
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
  const append = db.transaction((batch: Reading[]) => {
    for (const [i, r] of batch.entries()) insert.run(i % 10, r.timestamp, r.value)
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
        for (const batch of batches) buffer.append(batch)
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
