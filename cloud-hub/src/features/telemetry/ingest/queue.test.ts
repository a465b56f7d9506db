import { describe, expect, it } from 'vitest'
import { TenantQueues } from './queue.ts'

const request = (tenantId: string, readings = 1) =>
  ({ tenantId, submission: { columns: { timestamps: new Array(readings) } } }) as never as Parameters<
    TenantQueues<never>['add']
  >[0]

function queuesWith(...tenants: string[]) {
  const queues = new TenantQueues<ReturnType<typeof request>>()
  const add = (...ids: string[]) => {
    for (const id of ids) queues.add(request(id))
  }
  add(...tenants)
  const next = (isLastWorker = false) => {
    const batch = queues.next(isLastWorker)
    return { batch, tenants: batch.requests.map((one) => (one as { tenantId: string }).tenantId) }
  }
  return { queues, add, next }
}

describe('the requests of a flush', () => {
  it('are those of all tenants in turns', () => {
    const { next } = queuesWith('a', 'a', 'b')
    expect([next().tenants, next().tenants]).toEqual([['a', 'b', 'a'], []])
  })

  it('of a tenant with a flush under way come alone, after those of others', () => {
    const { queues, add, next } = queuesWith('loud')
    const first = next()
    add('loud', 'quiet')
    expect([next().tenants, next().tenants]).toEqual([['quiet'], ['loud']])
    queues.endFlush(first.batch)
    add('loud', 'other')
    // its second flush has not ended
    expect([next().tenants, next().tenants]).toEqual([['other'], ['loud']])
  })

  it('leave the last worker to tenants without a flush, until one has ended', () => {
    const { queues, add, next } = queuesWith('loud')
    const first = next()
    add('loud')
    expect(next(true).tenants).toEqual([])
    add('quiet')
    expect(next(true).tenants).toEqual(['quiet'])
    queues.endFlush(first.batch)
    expect(next(true).tenants).toEqual(['loud'])
    expect([queues.isEmpty, queues.waiting]).toEqual([true, 0])
  })
})
