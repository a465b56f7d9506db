import { createHash, randomUUID } from 'node:crypto'
import {
  type BatchDictionary,
  decodeBatch,
  decodeDictionary,
  decodeDictionaryBatch,
  encodeBatch,
  kindOf,
  type Receipt,
  toColumns,
  toReadings,
} from '@haltless/protocol'
import { expect, it } from 'vitest'
import type { ClaimedBatch } from '../buffer/buffer.ts'
import { deflate, inflate } from '../support/compression.ts'
import { createLogger } from '../support/logger.ts'
import type { Announcement } from './series-list.ts'
import { WireFormat } from './wire-format.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
const receiptOf = (refused?: Receipt['refused']): Receipt => ({
  batch_id: randomUUID(),
  accepted_count: 0,
  rejected_count: 0,
  errors: [],
  ...(refused && { refused }),
})

function poll(names: readonly string[], isPolled = true): ClaimedBatch {
  const readings = names.map((metric, i) => ({ machine: 'm', metric, unit: 'u', rawTag: null, timestamp: 1_000, value: i }))
  const batch = { batchId: randomUUID(), ...toColumns(readings) }
  return { batchId: batch.batchId, count: names.length, columns: () => batch, named: () => encodeBatch(batch, deflate), isPolled }
}

/** A wire format, and a hub that keeps the dictionaries it is told. */
function prepare({ versions = [1, 2] } = {}) {
  const format = new WireFormat(createLogger('silent'))
  format.hubReads(versions)
  const known = new Map<string, BatchDictionary>()
  return {
    format,
    known,
    /** announces what is to be announced, and answers it */
    announce(now: number, refused?: Receipt['refused']): Announcement | null {
      const announcement = format.announcement(now)
      if (!announcement) return null
      const { dictionary } = decodeDictionary(announcement.encode(), inflate, sha256)
      if (!refused) known.set(dictionary.reference, dictionary)
      format.answered(announcement, receiptOf(refused))
      return announcement
    },
    /** encodes a batch, and reads it as the hub does. @returns its version */
    send(batch: ClaimedBatch): number {
      const { bytes, dictionary } = format.encode(batch)
      const kind = kindOf(bytes)
      if (kind.kind !== 'dictionary batch') {
        expect(dictionary).toBeNull()
        expect(decodeBatch(bytes, inflate)).toEqual(batch.columns())
        return 1
      }
      expect(dictionary?.reference).toBe(kind.reference)
      const got = decodeDictionaryBatch(bytes, known.get(kind.reference) as BatchDictionary)
      expect(toReadings(got)).toEqual(toReadings(batch.columns()))
      return 2
    },
  }
}

it('a batch names its series until the hub reads numbers and has confirmed the dictionary', () => {
  const { format, announce, send } = prepare({ versions: [1] })
  expect(send(poll(['a', 'b']))).toBe(1)
  expect(announce(0)).toBeNull()
  format.hubReads([1, 2])
  expect(send(poll(['a', 'b']))).toBe(1)
  const announcement = format.announcement(0) as Announcement
  expect(send(poll(['a', 'b']))).toBe(1)
  expect(format.announcement(0)).toBeNull()
  format.answered(announcement, null)
  expect(send(poll(['a', 'b']))).toBe(1)
  expect(announce(9_999)).toBeNull()
  expect(announce(10_000)?.dictionary.id).toBe(announcement.dictionary.id)
  expect(send(poll(['a', 'b']))).toBe(2)
  expect(send(poll(['b']))).toBe(2)
  format.hubReads([1])
  expect(send(poll(['a', 'b']))).toBe(1)
})

it('a batch that was packed on disk keeps its names, which cost little there', () => {
  const { announce, send } = prepare()
  send(poll(['a']))
  announce(0)
  expect(send(poll(['a'], false))).toBe(1)
})

it('new series are named until a larger dictionary is confirmed; the others keep the one before meanwhile', () => {
  const { format, announce, send, known } = prepare()
  send(poll(['a']))
  announce(0)
  expect(send(poll(['b']))).toBe(1)
  expect(announce(9_999)).toBeNull()
  const larger = format.announcement(10_000) as Announcement
  expect([send(poll(['a'])), send(poll(['a', 'b']))]).toEqual([2, 1])
  const { dictionary } = decodeDictionary(larger.encode(), inflate, sha256)
  known.set(dictionary.reference, dictionary)
  format.answered(larger, receiptOf())
  expect([send(poll(['a'])), send(poll(['a', 'b']))]).toEqual([2, 2])
  expect(dictionary.series.map(({ metric }) => metric)).toEqual(['a', 'b'])
})

it('replacing the dictionary waits twice as long each time', () => {
  const { announce, send } = prepare()
  const made: number[] = []
  for (let second = 0; second < 200; second++) {
    send(poll([`metric ${second}`]))
    if (announce(second * 1_000)) made.push(second)
  }
  expect(made).toEqual([0, 10, 30, 70, 150])
})

it('a dictionary that nobody answers is announced ever more seldom, at least every ten minutes', () => {
  const { format, send } = prepare()
  send(poll(['a']))
  const made: number[] = []
  for (let second = 0; second < 2_000; second++) {
    const announcement = format.announcement(second * 1_000)
    if (!announcement) continue
    made.push(second)
    format.answered(announcement, second === 1_830 ? receiptOf() : null)
  }
  expect(made).toEqual([0, 10, 30, 70, 150, 310, 630, 1_230, 1_830])
})

it('a dictionary that the hub does not know any more is announced again, and batches name their series meanwhile', () => {
  const { format, announce, send, known } = prepare()
  send(poll(['a']))
  const dictionary = announce(0)?.dictionary as BatchDictionary
  known.clear()
  format.refused(dictionary, 'unknown_dictionary')
  expect(send(poll(['a']))).toBe(1)
  expect(announce(5_000)).toBeNull()
  expect(announce(10_000)?.dictionary).toBe(dictionary)
  expect(send(poll(['a']))).toBe(2)
})

it.each(['unknown_version', 'damaged'])('after %s batches name their series until the hub announces version 2 again', (code) => {
  const { format, announce, send } = prepare()
  send(poll(['a']))
  const dictionary = announce(0)?.dictionary as BatchDictionary
  format.refused(dictionary, code)
  expect(send(poll(['a']))).toBe(1)
  expect(announce(60_000)).toBeNull()
  format.hubReads([1, 2])
  expect(send(poll(['a']))).toBe(2)
})

it('an announcement that a hub of before refuses is not repeated until version 2 is announced again', () => {
  const { format, announce, send } = prepare()
  send(poll(['a']))
  announce(0, { code: 'unknown_version', detail: 'there is no version 2' })
  expect(send(poll(['a']))).toBe(1)
  expect(announce(60_000)).toBeNull()
  format.hubReads([1, 2])
  expect(announce(60_000)).not.toBeNull()
})

/** Two of these fill a dictionary. */
const long = (i: number) => poll(Array.from({ length: 500 }, (_, n) => `${i} ${n} ${'x'.repeat(900)}`))
const metricsOf = (batch: ClaimedBatch) => batch.columns().series.map(({ metric }) => metric)

it('series beyond the limit of a dictionary begin another, and a batch of series of two is named', () => {
  const { announce, send } = prepare()
  for (const i of [1, 2, 3]) send(long(i))
  const announced = [announce(0), announce(0), announce(0)]
  expect(announced.map((one) => one?.dictionary.count)).toEqual([750, 750, undefined])
  expect([send(long(1)), send(long(2)), send(long(3))]).toEqual([2, 1, 2])
  const [first, last] = [metricsOf(long(1))[0] as string, metricsOf(long(3))[0] as string]
  expect(send(poll([first, last]))).toBe(1)
  expect(announce(1e9)).toBeNull()
})

it('a full dictionary stays as it is when others are announced', () => {
  const { announce, send } = prepare()
  const made: (number | undefined)[] = []
  let now = 0
  for (const i of [1, 2, 3, 4]) {
    expect(send(long(i))).toBe(1)
    made.push(announce(now)?.dictionary.count)
    now += 1e9
    expect([1, 2, 3, 4].slice(0, i).map((k) => send(long(k)))).toEqual(Array(i).fill(2))
  }
  expect(made).toEqual([500, 1_000, 500, 1_000])
})

it('the oldest of five lists goes, and comes back while its series are sent', () => {
  const { announce, send } = prepare()
  let now = 0
  for (let i = 0; i < 9; i++, now += 1e9) {
    send(long(i))
    announce(now)
  }
  expect(send(long(8))).toBe(2)
  expect([send(long(0)), send(long(1)), send(long(2))]).toEqual([1, 1, 2])
  announce(now)
  announce(now)
  expect([send(long(0)), send(long(8))]).toEqual([2, 2])
})

it('each of two dictionaries that the hub lost is announced again', () => {
  const { format, announce, send, known } = prepare()
  for (const i of [1, 2, 3]) {
    send(long(i))
    announce(i * 1e9)
  }
  const lost = [1, 3].map((i) => format.encode(long(i)).dictionary as BatchDictionary)
  known.clear()
  for (const dictionary of lost) format.refused(dictionary, 'unknown_dictionary')
  expect([send(long(1)), send(long(3))]).toEqual([1, 1])
  expect([announce(4e9), announce(4e9)].map((one) => one?.dictionary.id)).toEqual(lost.map(({ id }) => id))
  expect([send(long(1)), send(long(3))]).toEqual([2, 2])
})

it('a series that no batch can name leaves the dictionaries of others as they are', () => {
  const { announce, send } = prepare()
  send(poll(['a']))
  announce(0)
  expect(() => send(poll(['x'.repeat(2_000_000)]))).toThrow('too long')
  expect(announce(1e9)).toBeNull()
  expect(send(poll(['a']))).toBe(2)
})
