import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeBatch, type Reading, type ReadingColumns, type Series, toReadings } from '@haltless/protocol'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { inflate } from '../support/compression.ts'
import { createLogger } from '../support/logger.ts'
import { ReadingBuffer } from './buffer.ts'
import { tryDecodeColumns } from './chunk.ts'
import { openMemoryDatabase } from './memory-database.ts'
import { migrate } from './migrations.ts'
import { isPackedPolls, packPolledColumns, readPackedPolls } from './packed-polls.ts'
import { salvage } from './salvage.ts'
import { SeriesDictionary } from './series-dictionary.ts'

const TAGS: Series[] = Array.from({ length: 200 }, (_, i) => ({
  machine: `press-${i % 7}`,
  metric: `metric_${i % 5}`,
  unit: i % 2 ? 'bar' : 'celsius',
  rawTag: i % 3 ? `ns=2;s=${i}` : null,
}))
const POLLS = 80
const poll = (second: number): ReadingColumns => ({
  series: TAGS,
  seriesIndex: Uint32Array.from(TAGS.keys()),
  timestamps: new Float64Array(TAGS.length).fill(1_790_000_000_000 + second * 1_000),
  values: Float64Array.from(TAGS, (_, i) => (i % 4 === 0 ? Math.sin(second + i) : Math.round(1e4 * Math.sin(second + i)) / 100)),
})

/** A buffer into which polls went, one a second, and the bodies of its chunks. */
function filled(readableBy?: number) {
  const dir = mkdtempSync(join(tmpdir(), 'haltless-packed-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  let second = 0
  const now = () => 1_790_000_000_000 + second * 1_000
  const clock = { now, monotonic: now, sleep: () => Promise.resolve() }
  const file = join(dir, 'buffer.sqlite')
  const options = { file, maxBytes: 1e9, maxAgeMs: null, clock, logger: createLogger('silent'), readableBy }
  const buffer = new ReadingBuffer(options)
  for (; second < POLLS; second++) buffer.append([poll(second)])
  const db = new Database(file, { readonly: true })
  const bodies = db.prepare('SELECT body FROM chunks ORDER BY id').pluck().all() as Buffer[]
  db.close()
  return { buffer, file, bodies, reopen: () => new ReadingBuffer(options) }
}

function drain(buffer: ReadingBuffer): Reading[] {
  const all: Reading[] = []
  for (;;) {
    const batch = buffer.claim(1_000, 'backlog') ?? buffer.claim(1_000, 'live')
    if (!batch) return all
    expect(toReadings(decodeBatch(batch.named(), inflate))).toEqual(toReadings(batch.columns()))
    all.push(...toReadings(batch.columns()))
    buffer.settle({ batch_id: batch.batchId, accepted_count: batch.count, rejected_count: 0, errors: [] })
  }
}

const sorted = (readings: readonly Reading[]) => readings.map((reading) => JSON.stringify(Object.entries(reading).sort())).sort()
const expected = sorted(Array.from({ length: POLLS }, (_, second) => toReadings(poll(second))).flat())

it('polls that wait are packed without names, and come back as they were, after a restart too', () => {
  const { buffer, bodies, reopen } = filled()
  expect(bodies.filter(isPackedPolls).length).toBeGreaterThan(5)
  buffer.close()
  const again = reopen()
  onTestFinished(() => again.close())
  expect(sorted(drain(again))).toEqual(expected)
  expect(again.stats().buffered).toBe(0)
})

it('while an older agent may have to read the buffer, they are packed as batches', () => {
  const { buffer, bodies } = filled(4)
  onTestFinished(() => buffer.close())
  expect(bodies.filter(isPackedPolls)).toEqual([])
  expect(bodies.some(([first]) => first === 0x48)).toBe(true)
  expect(sorted(drain(buffer))).toEqual(expected)
})

it('packed polls that were damaged, or name a series that the file does not have, cannot be read', () => {
  const db = openMemoryDatabase()
  onTestFinished(() => void db.close())
  const body = db.transaction(() => packPolledColumns(poll(1), new SeriesDictionary(db)))()
  const dictionary = new SeriesDictionary(db)
  expect(toReadings(readPackedPolls(body, dictionary))).toEqual(toReadings(poll(1)))
  for (let length = 0; length < body.length; length += 7)
    expect(() => readPackedPolls(body.subarray(0, length), dictionary)).toThrow()
  db.exec('DELETE FROM series WHERE id = 17')
  expect(() => readPackedPolls(body, new SeriesDictionary(db))).toThrow('there is no series 17')
})

it('of a damaged buffer, polls of a series whose name is lost are no readings of the series that gets its number', () => {
  const { buffer, file } = filled()
  buffer.close()
  const db = new Database(file)
  const lost = db.prepare('SELECT max(id) FROM series').pluck().get() as number
  db.prepare('DELETE FROM series WHERE id = ?').run(lost)
  db.close()
  const into = new Database(':memory:')
  onTestFinished(() => {
    into.close()
  })
  migrate(into)
  const salvaged = salvage(file, into, 1_790_000_000_000)
  expect(salvaged.readings + (salvaged.lost ?? 0)).toBe(POLLS * TAGS.length)
  const dictionary = new SeriesDictionary(into)
  const other = { machine: 'oven', metric: 'temperature', unit: 'celsius', rawTag: null }
  expect([...into.transaction(() => dictionary.numbersOf([other]))()]).toEqual([lost])
  const bodies = into.prepare('SELECT body FROM chunks').pluck().all() as Buffer[]
  for (const body of bodies) expect(tryDecodeColumns(body, dictionary)?.series).not.toContainEqual(other)
})
