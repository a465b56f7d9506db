import { describe, expect, it } from 'vitest'
import type { Asked, FlushSeries } from './look-up.ts'
import { flushMemory } from './memory.ts'

const now = new Date('2026-11-21T12:00:00Z')
const asked = (...names: string[]): Asked => ({
  series: new Map(names.map((name) => [name, {} as never])),
  places: [],
  tagged: new Set(),
})
const names = (count: number, prefix = 's') => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const series = (values: Partial<FlushSeries> = {}): FlushSeries =>
  ({ tenantId: 't', factsVersion: 1, lookedUpAt: now.getTime(), rules: [], composites: [], ...values }) as FlushSeries

describe('what a process remembers of series', () => {
  it('is bounded, rules included: the longest untouched are forgotten first', () => {
    const memory = flushMemory(3_600)
    const remembers = (name: string) => memory.recall(asked(name), now) !== null
    // a thousand rules on each of a hundred series
    const rules = Array.from({ length: 1_000 }, () => ({}) as never)
    for (const name of names(100)) memory.keep(asked(name), [series({ rules })], new Map())
    expect(names(100).filter(remembers)).toEqual(names(100).slice(-49))
    memory.keep(asked('s51'), [series({ rules })], new Map())
    memory.keep(asked('s100'), [series({ rules })], new Map())
    expect([remembers('s51'), remembers('s52'), remembers('s100')]).toEqual([true, false, true])
    // what is forgotten makes room
    memory.forget(asked(...names(101)))
    const plain = names(50_000, 'p')
    for (const name of plain) memory.keep(asked(name), [series()], new Map())
    expect(plain.every(remembers)).toBe(true)
    memory.keep(asked('one more'), [series()], new Map())
    expect([remembers('p0'), remembers('p1'), remembers('one more')]).toEqual([false, true, true])
    // one that weighs more than all may
    memory.keep(asked('huge'), [series({ rules: Array.from({ length: 60_000 }, () => ({}) as never) })], new Map())
    expect([remembers('huge'), remembers('p1')]).toEqual([false, false])
  })

  it('is brought up to date by a flush of more series than are remembered at once, and nothing is added', () => {
    const memory = flushMemory(3_600)
    memory.keep(asked('known'), [series()], new Map())
    const many = names(2_000)
    memory.keep(
      asked('known', ...many),
      ['known', ...many].map(() => series({ factsVersion: 2 })),
      new Map(),
    )
    expect(memory.recall(asked('known'), now)?.versions).toEqual(new Map([['t', 2]]))
    expect(memory.recall(asked('s0'), now)).toBeNull()
    // its machine was switched off
    memory.keep(
      asked('known', ...many),
      ['known', ...many].map(() => null),
      new Map(),
    )
    expect(memory.recall(asked('known'), now)).toBeNull()
  })
})
