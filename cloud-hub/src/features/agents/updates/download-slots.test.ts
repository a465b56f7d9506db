import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { DownloadSlots } from './download-slots.ts'

let slots: DownloadSlots
beforeEach(() => {
  slots = new DownloadSlots({ all: 4, perTenant: 2, silenceMs: 1_000, waitMs: 10 })
})

async function* pieces(count = 1_000) {
  for (let n = 0; n < count; n++) yield Buffer.alloc(70_000)
}
const stream = (tenantId: string, agentId: string, count?: number) => slots.stream({ tenantId }, agentId, pieces(count))

it('one tenant has half of the slots, and the others have the rest', async () => {
  await Promise.all([stream('a', '1'), stream('a', '2')])
  await expect(stream('a', '3')).rejects.toThrow('Too many agents')
  await Promise.all([stream('b', '1'), stream('c', '1')])
  await expect(stream('d', '1')).rejects.toThrow('Too many agents')
})

it('an agent that asks again gets the place of its download before, which ends', async () => {
  const [first] = await Promise.all([stream('a', '1'), stream('a', '2')])
  const again = await stream('a', '1')
  await vi.waitUntil(() => first.destroyed && first.closed, { timeout: 60_000 })
  expect(again.destroyed).toBe(false)
  // its end does not free the place of the newer one
  await expect(stream('a', '3')).rejects.toThrow('Too many agents')
})

it('a tenant that waits for its first download gets the next free slot before a busy one', async () => {
  slots = new DownloadSlots({ all: 2, perTenant: 2, silenceMs: 1_000, waitMs: 60_000 })
  const [one, two] = await Promise.all([stream('a', '1'), stream('a', '2')])
  const got: string[] = []
  const waiting = [stream('a', '3').then(() => got.push('a')), stream('b', '1').then(() => got.push('b'))]
  one.destroy()
  await vi.waitUntil(() => got.length === 1, { timeout: 60_000 })
  two.destroy()
  await Promise.all(waiting)
  expect(got).toEqual(['b', 'a'])
})

it('a download that ends or is given up frees its place', async () => {
  const [whole, cut] = await Promise.all([stream('a', '1', 3), stream('a', '2')])
  whole.resume()
  cut.destroy()
  await vi.waitUntil(() => whole.closed && cut.closed, { timeout: 60_000 })
  await Promise.all([stream('a', '3'), stream('a', '4')])
})

it('a download that nobody reads is ended after the silence, one that is read is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const [unread, read] = await Promise.all([stream('a', '1'), stream('a', '2')])
    for (let second = 0; second < 3; second++) {
      vi.advanceTimersByTime(600)
      read.read()
      await setImmediate()
      await setImmediate()
    }
    expect([unread.destroyed, read.destroyed]).toEqual([true, false])
  } finally {
    vi.useRealTimers()
  }
})
