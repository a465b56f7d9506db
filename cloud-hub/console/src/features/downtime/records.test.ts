import { expect, it } from 'vitest'
import { type DowntimeRecord, joinable } from './records.ts'

const record = (id: string, from: string, to: string | null, machine_id = 'm1') =>
  ({
    id,
    machine_id,
    started_at: `2026-11-02T${from}:00Z`,
    ended_at: to && `2026-11-02T${to}:00Z`,
  }) as DowntimeRecord

it('records join with those that lie within five minutes, directly or through another one', () => {
  const first = record('first', '08:00', '08:10')
  const others = [
    first,
    record('third', '08:24', '08:30'),
    record('second', '08:15', '08:20'),
    record('far', '08:36', '08:40'),
    record('elsewhere', '08:11', '08:12', 'm2'),
  ]
  expect(joinable(first, others).map(({ id }) => id)).toEqual(['second', 'third'])
})
