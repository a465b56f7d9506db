import { describe, expect, it } from 'vitest'
import { TenantQueues } from './queue.ts'

/** A request of a tenant, or of some of its machines as in `tenant/1,2`. Without machines it has one that no other request has. */
let added = 0
function request(name: string, readings = 1) {
  const [tenantId, machines = `only ${++added}`] = name.split('/')
  const series = machines.split(',').map((machine) => ({ machine }))
  return { name, tenantId, submission: { columns: { series, timestamps: new Array(readings) } } } as never as Parameters<
    TenantQueues<never>['add']
  >[0]
}

function queuesWith(...tenants: string[]) {
  const queues = new TenantQueues<ReturnType<typeof request>>()
  const add = (...ids: string[]) => {
    for (const id of ids) queues.add(request(id))
  }
  add(...tenants)
  const next = () => {
    const batch = queues.next()
    return { batch, tenants: batch.requests.map((one) => (one as unknown as { name: string }).name) }
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

  it('wait while another flush stores one of their machines, and then share the next one', () => {
    const { queues, add, next } = queuesWith('a/1,2')
    const first = next()
    add('a/2,3', 'a/4', 'a/1', 'b/1')
    expect(next().tenants).toEqual(['b/1'])
    const second = next()
    expect([second.tenants, next().tenants]).toEqual([['a/4'], []])
    queues.endFlush(second.batch)
    expect(next().tenants).toEqual([])
    queues.endFlush(first.batch)
    expect([next().tenants, queues.isEmpty, queues.waiting]).toEqual([['a/2,3', 'a/1'], true, 0])
  })

  it('may be many of one machine, which only a full flush divides', () => {
    const queues = new TenantQueues<ReturnType<typeof request>>()
    for (let i = 0; i < 30; i++) queues.add(request('a/1', 1_000))
    const first = queues.next()
    expect([first.requests.length, queues.next().requests.length, queues.waiting]).toEqual([20, 0, 10_000])
    queues.endFlush(first)
    expect(queues.next().requests.length).toBe(10)
  })
})
