import { describe, expect, it } from 'vitest'
import { tenantScope } from '../src/db/scope.ts'
import { currentCursor, loadChanges, maxReadings, type ReadingsWanted, unseenChanges } from '../src/features/stream/changes.ts'
import { plant, useHub } from './harness.ts'
import { countedScope } from './support/counted-scope.ts'

const hub = useHub()

/** A plant of two machines; `load` loads what changed since, and how many statements read readings for it. */
async function twoMachines() {
  const { admin, key, machine, identifier } = await plant(hub)
  const other = await hub.machine(admin)
  const actor = { kind: 'user', id: admin.userId, role: 'admin', sessionId: null, name: '', ip: null, requestId: null } as const
  const scope = tenantScope(hub.deps.pools, hub.clock, admin.tenantId, actor)
  const since = await currentCursor(scope)
  const send = async (machineIdentifier: string, from: number, to: number) => {
    for (let first = from; first < to; first += 1_000) {
      const count = Math.min(1_000, to - first)
      const readings = Array.from({ length: count }, (_, n) => ({
        machine: machineIdentifier,
        metric: `m${first + n}`,
        value: n,
        ago: 1,
      }))
      expect((await hub.send(key, readings)).body.accepted_count).toBe(count)
    }
  }
  const load = async (wanted: ReadingsWanted, interval = 1) => {
    const counted = countedScope(scope, 'l.written::text as written')
    const all = { machineIds: null, groupId: undefined }
    const found = await loadChanges(counted, since, all, wanted, since.xmin, maxReadings(interval))
    const { readings } = found
    const sizes = [...readings].map(([name, found]) => [name, found?.length ?? null])
    return { sizes: Object.fromEntries(sizes), readings, found, statements: counted.counted() }
  }
  return {
    one: machine.id as string,
    oneIdentifier: identifier as string,
    two: other.id,
    twoIdentifier: other.machine_identifier,
    since,
    send,
    load,
  }
}

describe('the readings of streams', () => {
  it('are read by one statement for all, and each gets those of its machines', async () => {
    const { one, oneIdentifier, two, twoIdentifier, send, load } = await twoMachines()
    await send(oneIdentifier, 0, 3)
    await send(twoIdentifier, 0, 2)
    const some = await load(
      new Map([
        ['one', [one]],
        ['two', [two]],
        ['both', [one, two]],
        ['none', []],
        ['unknown', [crypto.randomUUID()]],
      ]),
    )
    expect(some.sizes).toEqual({ one: 3, two: 2, both: 5, none: 0, unknown: 0 })
    expect(new Set(some.readings.get('two')?.map(({ machineId }) => machineId))).toEqual(new Set([two]))
    expect(some.statements).toBe(1)
    expect(await load(new Map([...['one', 'other'].map((key) => [key, [one]] as const), ['all', null]]))).toMatchObject({
      sizes: { one: 3, other: 3, all: 5 },
      statements: 1,
    })
    expect((await load(new Map([['none', []]]))).statements).toBe(0)
  })

  it('of a round may be more, by its seconds: 10,000 after two, 20,000 after four or more', async () => {
    expect([1, 2, 3, 4, 60].map(maxReadings)).toEqual([5_000, 10_000, 15_000, 20_000, 20_000])
    const { one, oneIdentifier, send, load, since } = await twoMachines()
    await send(oneIdentifier, 0, 5_001)
    const wanted: ReadingsWanted = new Map([['one', [one]]])
    expect((await load(wanted)).sizes).toEqual({ one: null })
    const { found, sizes } = await load(wanted, 2)
    expect(sizes).toEqual({ one: 5_001 })
    const sent = (interval: number) => unseenChanges(found, since, { key: 'one', seen: since, most: maxReadings(interval) })
    expect([sent(2).changes.filter(({ kind }) => kind === 'readings').length, sent(2).tooMany]).toEqual([5_001, []])
    // a stream without rounds shares the poll
    expect([sent(1).changes.filter(({ kind }) => kind === 'readings').length, sent(1).tooMany]).toEqual([0, ['readings']])
  })

  it('are reset only for streams that want more than 5,000, also where all together want more', async () => {
    const { one, oneIdentifier, two, twoIdentifier, send, load } = await twoMachines()
    await send(oneIdentifier, 0, 5_000)
    const wanted: ReadingsWanted = new Map([
      ['one', [one]],
      ['two', [two]],
      ['none', []],
      ['all', null],
    ])
    expect(await load(wanted)).toMatchObject({ sizes: { one: 5_000, two: 0, none: 0, all: 5_000 }, statements: 1 })
    await send(twoIdentifier, 0, 1)
    expect((await load(wanted)).sizes).toEqual({ one: 5_000, two: 1, none: 0, all: null })
    await send(oneIdentifier, 5_000, 5_001)
    expect((await load(wanted)).sizes).toEqual({ one: null, two: 1, none: 0, all: null })
  })
})
