import { describe, expect, it } from 'vitest'
import { TenantQueues } from './queue.ts'

const request = (tenantId: string, readings = 1) =>
  ({ tenantId, submission: { columns: { timestamps: new Array(readings) } } }) as never as Parameters<
    TenantQueues<never>['add']
  >[0]

function queuesOf(requests: readonly [tenantId: string, readings: number][]) {
  const queues = new TenantQueues<ReturnType<typeof request>>()
  for (const [tenantId, readings] of requests) queues.add(request(tenantId, readings))
  return { queues, next: () => queues.next().requests.map(({ tenantId }) => tenantId) }
}

describe('the requests of a flush', () => {
  it('are those of all tenants in turns', () => {
    const { queues, next } = queuesOf([
      ['a', 1],
      ['a', 1],
      ['b', 1],
    ])
    expect([next(), next()]).toEqual([['a', 'b', 'a'], []])
    expect([queues.isEmpty, queues.waiting]).toEqual([true, 0])
  })

  it('begin with the tenants that the flush before did not reach', () => {
    const loud = ['a', 'b', 'c'].flatMap((tenantId) => [1, 2, 3].map((): [string, number] => [tenantId, 10_000]))
    const { next } = queuesOf([...loud, ['quiet', 1]])
    expect([next(), next(), next()]).toEqual([
      ['a', 'b'],
      ['c', 'quiet', 'a'],
      ['b', 'c'],
    ])
  })

  it('are those of one tenant with locked rows when its turn comes, even while others send without a pause', () => {
    const { queues } = queuesOf([])
    queues.suspect([request('locked')])
    for (let i = 0; i < 6; i++) queues.add(request(`loud ${i % 2}`, 20_000))
    const batches = [queues.next(), queues.next(), queues.next()]
    expect(batches.map(({ probe }) => probe)).toContain('locked')
  })
})
