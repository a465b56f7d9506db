import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { DownloadSlots } from './download-slots.ts'

let slots: DownloadSlots
beforeEach(() => {
  slots = new DownloadSlots({ all: 4, perTenant: 2, silenceMs: 1_000 })
})

async function* pieces(count = 1_000) {
  for (let n = 0; n < count; n++) yield Buffer.alloc(70_000)
}
const stream = (tenantId: string, agentId: string, count?: number) => slots.stream({ tenantId }, agentId, pieces(count))

it('one tenant has half of the slots, and the others have the rest', () => {
  stream('a', '1')
  stream('a', '2')
  expect(() => stream('a', '3')).toThrow('Too many agents')
  stream('b', '1')
  stream('c', '1')
  expect(() => stream('d', '1')).toThrow('Too many agents')
})

it('an agent that asks again gets the place of its download before, which ends', async () => {
  const [first] = [stream('a', '1'), stream('a', '2')]
  const again = stream('a', '1')
  await vi.waitUntil(() => first.destroyed && first.closed, { timeout: 60_000 })
  expect(again.destroyed).toBe(false)
  // its end does not free the place of the newer one
  expect(() => stream('a', '3')).toThrow('Too many agents')
})

it('a download that ends or is given up frees its place', async () => {
  const [whole, cut] = [stream('a', '1', 3), stream('a', '2')]
  whole.resume()
  cut.destroy()
  await vi.waitUntil(() => whole.closed && cut.closed, { timeout: 60_000 })
  stream('a', '3')
  stream('a', '4')
})

it('a download that nobody reads is ended after the silence, one that is read is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const [unread, read] = [stream('a', '1'), stream('a', '2')]
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
