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
const series = (values: Partial<SeriesContext> = {}): SeriesContext =>
  ({ tenantId: 't', factsVersion: 1, loadedAt: now.getTime(), rules: [], composites: [], ...values }) as SeriesContext
const loaded = (...contexts: (SeriesContext | null)[]) => ({ series: contexts, composites: new Map() })

describe('the cache of series contexts', () => {
  it('is bounded, rules included: it evicts the least recently put contexts first', () => {
    const cache = new SeriesContextCache(3_600)
    const isCached = (name: string) => cache.get(lookup(name), now) !== null
    // a thousand rules on each of a hundred series
    const rules = Array.from({ length: 1_000 }, () => ({}) as never)
    for (const name of names(100)) cache.put(lookup(name), loaded(series({ rules })))
    expect(names(100).filter(isCached)).toEqual(names(100).slice(-49))
    cache.put(lookup('s51'), loaded(series({ rules })))
    cache.put(lookup('s100'), loaded(series({ rules })))
    expect([isCached('s51'), isCached('s52'), isCached('s100')]).toEqual([true, false, true])
    // a deleted context makes room
    cache.delete(lookup(...names(101)))
    const plain = names(50_000, 'p')
    for (const name of plain) cache.put(lookup(name), loaded(series()))
    expect(plain.every(isCached)).toBe(true)
    cache.put(lookup('one more'), loaded(series()))
    expect([isCached('p0'), isCached('p1'), isCached('one more')]).toEqual([false, true, true])
    // one that weighs more than all may
    cache.put(lookup('huge'), loaded(series({ rules: Array.from({ length: 60_000 }, () => ({}) as never) })))
    expect([isCached('huge'), isCached('p1')]).toEqual([false, false])
  })

  it('is updated by a flush of too many series, which adds nothing to it', () => {
    const cache = new SeriesContextCache(3_600)
    cache.put(lookup('known'), loaded(series()))
    const many = names(2_000)
    cache.put(lookup('known', ...many), loaded(...['known', ...many].map(() => series({ factsVersion: 2 }))))
    expect(cache.get(lookup('known'), now)?.versions).toEqual(new Map([['t', 2]]))
    expect(cache.get(lookup('s0'), now)).toBeNull()
    // its machine was switched off
    cache.put(lookup('known', ...many), loaded(...['known', ...many].map(() => null)))
    expect(cache.get(lookup('known'), now)).toBeNull()
  })
})
