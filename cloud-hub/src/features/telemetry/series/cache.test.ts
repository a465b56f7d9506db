import { describe, expect, it } from 'vitest'
import { SeriesContextCache } from './cache.ts'
import type { SeriesContext } from './context.ts'
import type { SeriesLookup } from './lookup.ts'

const now = new Date('2026-11-21T12:00:00Z')
const lookup = (...names: string[]): SeriesLookup => ({
  keys: new Map(names.map((name) => [name, {} as never])),
  slots: [],
  tagged: new Set(),
})
const names = (count: number, prefix = 's') => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const row = (values: object = {}) => ({
  tenantId: 't',
  machineId: 'm',
  chunk: 0,
  seen: 5,
  written: 5,
  body: Buffer.from([1]),
  tags: null,
  tagBytes: Buffer.alloc(0),
  sharedUntil: 0,
  ...values,
})
const series = (values: Partial<SeriesContext> = {}): SeriesContext =>
  ({
    tenantId: 't',
    factsVersion: 1,
    loadedAt: now.getTime(),
    rules: [],
    composites: [],
    latest: { row: row(), index: 0 },
    ...values,
  }) as unknown as SeriesContext
const loaded = (...contexts: (SeriesContext | null)[]) => ({ series: contexts, composites: new Map() })

describe('the cache of series contexts', () => {
  it('is bounded, rules included: it keeps what was used last', () => {
    const cache = new SeriesContextCache(3_600, 1_000)
    const isCached = (name: string) => cache.get(lookup(name), now) !== null
    for (const name of names(500)) cache.put(lookup(name), loaded(series()), null)
    expect(names(500).every(isCached)).toBe(true)
    // s0 to s9 are used again and again while a thousand others come
    for (const name of names(1_000, 'p')) {
      for (const used of names(10)) expect(isCached(used)).toBe(true)
      cache.put(lookup(name), loaded(series()), null)
    }
    expect([isCached('s0'), isCached('s499'), isCached('p999'), isCached('p0')]).toEqual([true, false, true, false])
    // one series with as many rules as the cache holds
    cache.put(lookup('huge'), loaded(series({ rules: Array.from({ length: 1_000 }, () => ({}) as never) })), null)
    cache.put(lookup('huger'), loaded(series({ rules: Array.from({ length: 1_000 }, () => ({}) as never) })), null)
    expect([isCached('s0'), isCached('huger')]).toEqual([false, true])
  })

  it('holds a flush of any size up to its own', () => {
    const cache = new SeriesContextCache(3_600)
    const many = names(50_000)
    cache.put(lookup(...many), loaded(...many.map(() => series())), null)
    expect(cache.get(lookup(...many), now)?.series).toHaveLength(50_000)
  })

  it('forgets a series whose machine was deactivated, and one that is too old', () => {
    const cache = new SeriesContextCache(3_600)
    cache.put(lookup('known'), loaded(series()), null)
    expect(cache.get(lookup('known'), new Date(now.getTime() + 601_000))).toBeNull()
    expect(cache.get(lookup('known'), now)?.versions).toEqual(new Map([['t', 1]]))
    cache.put(lookup('known'), loaded(null), null)
    expect(cache.get(lookup('known'), now)).toBeNull()
  })

  it('has one object for a row of newest readings, in the newest state that was loaded', () => {
    const cache = new SeriesContextCache(3_600)
    cache.put(lookup('a'), loaded(series()), null)
    const rowOf = (name: string) => cache.get(lookup(name), now)?.series[0]?.latest.row
    const first = rowOf('a')
    cache.put(lookup('b'), loaded(series({ latest: { row: row(), index: 1 } })), null)
    expect(rowOf('b')).toBe(first)
    expect(first?.seen).toBe(5)
    cache.put(lookup('c'), loaded(series({ latest: { row: row({ seen: 9, body: Buffer.from([1, 2]) }), index: 2 } })), null)
    expect(rowOf('a')).toBe(first)
    expect([first?.seen, first?.body.length]).toEqual([9, 2])
    cache.put(lookup('d'), loaded(series({ latest: { row: row({ seen: 7 }), index: 3 } })), null)
    expect([rowOf('d') === first, first?.seen]).toEqual([true, 9])
  })
})
