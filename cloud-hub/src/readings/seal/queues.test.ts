import { expect, it } from 'vitest'
import { SEAL_LIMITS } from './limits.ts'
import { ArrivalQueue } from './queues.ts'

const HOUR = 3_600_000
const at = (ms: number) => new Date(Date.UTC(2026, 10, 18, 12, 30) + ms)
const of = (group: number, rows: number) => ({ tenantId: 'a', group, rows, readings: 10 * rows })
const groups = (queued: readonly { group: number }[]) => queued.map(({ group }) => group)
const none = { rows: 0, readings: 0, oldestAt: null }

it('names groups from 32 rows on for readers, and those with 128 as due', () => {
  const queue = new ArrivalQueue(SEAL_LIMITS)
  queue.hint([of(1, 31), of(2, 32), of(3, 127), of(4, 128)], at(0))
  const { first, later } = queue.due(at(0))
  expect([groups(first), groups(later)]).toEqual([[4], [3, 2]])
})

it('names all groups when an hour has been over for two minutes, once', () => {
  const queue = new ArrivalQueue(SEAL_LIMITS)
  queue.hint([of(1, 1), of(2, 1)], at(0))
  expect(groups(queue.due(at(HOUR / 2 + 120_000 - 1)).first)).toEqual([])
  const now = at(HOUR / 2 + 120_000)
  const { first } = queue.due(now)
  expect(groups(first)).toEqual([1, 2])
  for (const group of first) queue.visited(group, now, { rows: 1, readings: 10, oldestAt: 0 })
  expect(groups(queue.due(now).first)).toEqual([])
})

it('lets no group wait behind others that get rows faster than they are divided', () => {
  const queue = new ArrivalQueue(SEAL_LIMITS)
  const all = Array.from({ length: 20 }, (_, i) => i)
  const divided = new Map<number, number>()
  for (let round = 0; round < 50; round++) {
    const now = at(round * 1_000)
    queue.hint(
      all.map((group) => of(group, 200)),
      now,
    )
    for (const group of queue.due(now).first.slice(0, 3)) {
      divided.set(group.group, (divided.get(group.group) ?? 0) + 1)
      queue.visited(group, now, none)
    }
  }
  expect(divided.size).toBe(20)
})

it('counts damaged rows that stay as no reason to divide again', () => {
  const queue = new ArrivalQueue(SEAL_LIMITS)
  queue.hint([of(1, 200)], at(0))
  const [group] = queue.due(at(0)).first
  if (!group) throw new Error('nothing is due')
  queue.visited(group, at(0), { rows: 200, readings: 2_000, oldestAt: 0 })
  expect(queue.due(at(1_000))).toEqual({ first: [], later: [] })
  queue.hint([of(1, 32)], at(1_000))
  expect(groups(queue.due(at(1_000)).later)).toEqual([1])
})
