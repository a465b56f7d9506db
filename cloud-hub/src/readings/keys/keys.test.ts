import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { addToFilter, mayHave, newFilter } from './key-filter.ts'
import { KeySet } from './key-set.ts'
import { bytesOf, KEY_WORDS, pageOf, wordsOf, writeKey } from './key-words.ts'

const N = 20_000
const wordsOfAll = (uuids: readonly string[]): Uint32Array => {
  const words = new Uint32Array(uuids.length * KEY_WORDS)
  for (const [i, uuid] of uuids.entries()) writeKey(uuid, words, i * KEY_WORDS)
  return words
}
const random = (n = N) => wordsOfAll(Array.from({ length: n }, () => randomUUID()))
const uuidOf = (hex: string) => hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
/** UUIDs that differ in a few bits only, as counters make them. */
const ascending = [0, 12, 20, 24].map((digits) =>
  Array.from({ length: N }, (_, i) => uuidOf((i.toString(16).padStart(8, '0') + '0'.repeat(digits)).padStart(32, '0'))),
)

describe('the words of keys', () => {
  it('differ where UUIDs differ, are the same for capitals, and come back from bytes', () => {
    for (const uuids of ascending) {
      const words = wordsOfAll(uuids)
      const distinct = new Set(uuids.map((_, i) => words.subarray(i * KEY_WORDS, (i + 1) * KEY_WORDS).join()))
      expect(distinct.size).toBe(new Set(uuids).size)
      expect(wordsOfAll(uuids.map((uuid) => uuid.toUpperCase()))).toEqual(words)
      expect(wordsOf(Buffer.concat([Buffer.from('x'), bytesOf(words)]).subarray(1))).toEqual(words)
    }
  })

  it('spread ascending UUIDs evenly over pages', () => {
    for (const uuids of ascending) {
      const words = wordsOfAll(uuids)
      const pages = new Uint32Array(256)
      for (let at = 0; at < words.length; at += KEY_WORDS) {
        const page = pageOf(words, at, 8)
        pages[page] = (pages[page] as number) + 1
      }
      // the mean is 78, with a standard deviation of 9
      expect(Math.min(...pages)).toBeGreaterThan(78 - 6 * 9)
      expect(Math.max(...pages)).toBeLessThan(78 + 6 * 9)
    }
  })
})

it('a filter has every key that was added, and passes few of the others', () => {
  for (const words of [random(), ...ascending.map(wordsOfAll)]) {
    const filter = newFilter(N)
    for (let at = 0; at < words.length; at += KEY_WORDS) addToFilter(filter, words, at)
    for (let at = 0; at < words.length; at += KEY_WORDS) expect(mayHave(filter, words, at)).toBe(true)
    const others = random(100_000)
    let passed = 0
    for (let at = 0; at < others.length; at += KEY_WORDS) if (mayHave(filter, others, at)) passed++
    expect(passed).toBeLessThan(300)
  }
})

it('a set has the keys that were added and no others, the key of zeros included', () => {
  const set = new KeySet()
  const [words, others] = [random(), random()]
  const zeros = new Uint32Array(KEY_WORDS)
  expect(set.has(zeros, 0)).toBe(false)
  for (const isNew of [true, false]) {
    expect(set.add(zeros, 0)).toBe(isNew)
    for (let at = 0; at < words.length; at += KEY_WORDS) expect(set.add(words, at)).toBe(isNew)
  }
  for (let at = 0; at < words.length; at += KEY_WORDS) expect([set.has(words, at), set.has(others, at)]).toEqual([true, false])
  expect(set.has(zeros, 0)).toBe(true)
})
