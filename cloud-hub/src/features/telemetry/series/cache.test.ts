import type { Series } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import { SeriesContextCache } from './cache.ts'
import type { SeriesContext } from './context.ts'

const now = new Date('2026-11-21T12:00:00Z')
const tableOf = (...names: string[]): Series[] =>
  names.map((machine) => ({ machine, metric: 'speed', unit: 'rpm', rawTag: `tag of ${machine}` }))
const requestOf = (series: readonly Series[]) => ({ tenantId: 't', submission: { columns: { series } } })
const lookupIn = (cache: SeriesContextCache, ...names: string[]) => cache.lookup([requestOf(tableOf(...names))], new Set())
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
  tenantBytes: Buffer.alloc(16),
  machineBytes: Buffer.alloc(16),
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
    const isCached = (name: string) => cache.get(lookupIn(cache, name), now) !== null
    for (const name of names(500)) cache.put(lookupIn(cache, name), loaded(series()), null)
    expect(names(500).every(isCached)).toBe(true)
    // s0 to s9 are used again and again while a thousand others come
    for (const name of names(1_000, 'p')) {
      for (const used of names(10)) expect(isCached(used)).toBe(true)
      cache.put(lookupIn(cache, name), loaded(series()), null)
    }
    expect([isCached('s0'), isCached('s499'), isCached('p999'), isCached('p0')]).toEqual([true, false, true, false])
    // one series with as many rules as the cache holds
    cache.put(lookupIn(cache, 'huge'), loaded(series({ rules: Array.from({ length: 1_000 }, () => ({}) as never) })), null)
    cache.put(lookupIn(cache, 'huger'), loaded(series({ rules: Array.from({ length: 1_000 }, () => ({}) as never) })), null)
    expect([isCached('s0'), isCached('huger')]).toEqual([false, true])
  })

  it('holds a flush of any size up to its own', () => {
    const cache = new SeriesContextCache(3_600)
    const many = names(50_000)
    cache.put(lookupIn(cache, ...many), loaded(...many.map(() => series())), null)
    expect(cache.get(lookupIn(cache, ...many), now)?.series).toHaveLength(50_000)
  })

  it('keeps 100,000 series with a rule each while 100 senders send one after another', () => {
    const cache = new SeriesContextCache(3_600)
    const ruled = series({ rules: [{} as never] })
    const senders = Array.from({ length: 100 }, (_, i) => tableOf(...names(1_000, `${i} `)))
    const lookup = (sender: Series[]) => cache.lookup([requestOf(sender)], new Set())
    for (const sender of senders) cache.put(lookup(sender), loaded(...sender.map(() => ruled)), null)
    for (let round = 0; round < 3; round++)
      expect(senders.filter((sender) => cache.get(lookup(sender), now) === null)).toEqual([])
  })

  it('forgets a series whose machine was deactivated, and one that is too old', () => {
    const cache = new SeriesContextCache(3_600)
    cache.put(lookupIn(cache, 'known'), loaded(series()), null)
    expect(cache.get(lookupIn(cache, 'known'), new Date(now.getTime() + 601_000))).toBeNull()
    expect(cache.get(lookupIn(cache, 'known'), now)?.versions).toEqual(new Map([['t', 1]]))
    cache.put(lookupIn(cache, 'known'), loaded(null), null)
    expect(cache.get(lookupIn(cache, 'known'), now)).toBeNull()
  })

  it('has one object for a row of newest readings, in the newest state that was loaded', () => {
    const cache = new SeriesContextCache(3_600)
    cache.put(lookupIn(cache, 'a'), loaded(series()), null)
    const rowOf = (name: string) => cache.get(lookupIn(cache, name), now)?.series[0]?.latest.row
    const first = rowOf('a')
    cache.put(lookupIn(cache, 'b'), loaded(series({ latest: { row: row(), index: 1 } })), null)
    expect(rowOf('b')).toBe(first)
    expect(first?.seen).toBe(5)
    cache.put(
      lookupIn(cache, 'c'),
      loaded(series({ latest: { row: row({ seen: 9, body: Buffer.from([1, 2]) }), index: 2 } })),
      null,
    )
    expect(rowOf('a')).toBe(first)
    expect([first?.seen, first?.body.length]).toEqual([9, 2])
    cache.put(lookupIn(cache, 'd'), loaded(series({ latest: { row: row({ seen: 7 }), index: 3 } })), null)
    expect([rowOf('d') === first, first?.seen]).toEqual([true, 9])
  })

  it('gives series of several senders one slot, whether their arrays are known or new', () => {
    const cache = new SeriesContextCache(3_600)
    const [first, second] = [tableOf('a', 'b'), tableOf('c', 'b', 'a')]
    const slotsOf = (...tables: Series[][]) => cache.lookup(tables.map(requestOf), new Set()).slots
    for (let i = 0; i < 2; i++)
      expect(slotsOf(first, second)).toEqual([
        [0, 1],
        [2, 1, 0],
      ])
    expect(slotsOf(second, first, tableOf('b', 'd'))).toEqual([
      [0, 1, 2],
      [2, 1],
      [1, 3],
    ])
  })

  it('distinguishes tags of tenants with tag mappings only', () => {
    const cache = new SeriesContextCache(3_600)
    const [one] = tableOf('a') as [Series]
    const table = [one, { ...one, rawTag: 'another' }]
    expect(cache.lookup([requestOf(table)], new Set()).slots).toEqual([[0, 0]])
    const { slots, tagged, entries } = cache.lookup([requestOf(table)], new Set(['t']))
    expect([slots, [...tagged], entries.map(({ key }) => key.rawTag)]).toEqual([[[0, 1]], ['t'], ['tag of a', 'another']])
    expect(cache.lookup([requestOf(table)], new Set()).slots).toEqual([[0, 0]])
  })

  it('keeps what the same array names, and finds one slot for a series that it dropped and a new array names', () => {
    const cache = new SeriesContextCache(3_600, 1_000)
    const [used, forgotten] = [tableOf('used'), tableOf('forgotten')]
    const isCached = (table: Series[]) => cache.get(cache.lookup([requestOf(table)], new Set()), now) !== null
    for (const table of [used, forgotten]) cache.put(cache.lookup([requestOf(table)], new Set()), loaded(series()), null)
    for (const name of names(3_000)) {
      cache.put(lookupIn(cache, name), loaded(series()), null)
      expect(isCached(used)).toBe(true)
    }
    const late = cache.lookup([requestOf(tableOf('forgotten'))], new Set())
    cache.put(late, loaded(series()), null)
    expect(cache.lookup([requestOf(forgotten), requestOf(tableOf('forgotten'))], new Set()).slots).toEqual([[0], [0]])
    expect(isCached(forgotten)).toBe(true)
  })

  it('finds one slot for a series that it drops while it looks up the others', () => {
    const cache = new SeriesContextCache(3_600, 1_000)
    const known = tableOf('a')
    cache.lookup([requestOf(known)], new Set())
    const { slots } = cache.lookup([known, tableOf(...names(3_000)), tableOf('a')].map(requestOf), new Set())
    expect([slots[0], slots[2]]).toEqual([[0], [0]])
  })
})
