import { expect, it } from 'vitest'
import { Turns } from './turns.ts'

const refusal = () => new Error('busy')

/** Calls that note their start and end when the test ends them. */
function calls(turns: Turns) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const start = (name: string, signal?: AbortSignal) =>
    turns.run(
      name.slice(0, 1),
      () => {
        started.push(name)
        return new Promise<void>((end) => ends.set(name, end))
      },
      signal,
    )
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const end = async (name: string) => {
    await turn()
    ends.get(name)?.()
    await turn()
  }
  return { started, start, end }
}

it('a free slot goes to the tenant that waits for its first call before the next call of a busy one', async () => {
  const { started, start, end } = calls(new Turns({ slots: 1, waitingPerTenant: 9, refusal }))
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => start(name))
  const order = ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']
  for (const name of order) await end(name)
  await Promise.all(all)
  expect(started).toEqual(order)
})

it('one tenant leaves a slot to others, and the tenant with fewer running calls comes first', async () => {
  const { started, start, end } = calls(new Turns({ slots: 3, waitingPerTenant: 9, refusal }))
  const all = ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1'].map((name) => start(name))
  await end('')
  expect(started).toEqual(['a1', 'a2', 'b1'])
  for (const name of ['a1', 'a2', 'c1', 'b1', 'a3', 'b2', 'a4']) await end(name)
  await Promise.all(all)
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

it('a tenant with as many waiting calls as it may have is refused, and another is not', async () => {
  const { start, end } = calls(new Turns({ slots: 1, waitingPerTenant: 1, refusal }))
  const all = [start('a1'), start('a2')]
  await expect(start('a3')).rejects.toThrow('busy')
  all.push(start('b1'))
  for (const name of ['a1', 'b1', 'a2']) await end(name)
  await Promise.all(all)
})

it('a call whose caller leaves while it waits never starts, and its place is free', async () => {
  const { started, start, end } = calls(new Turns({ slots: 1, waitingPerTenant: 1, refusal }))
  const first = start('a1')
  const leaving = new AbortController()
  const left = start('a2', leaving.signal)
  leaving.abort()
  await expect(left).rejects.toThrow('busy')
  await expect(start('b1', leaving.signal)).rejects.toThrow('busy')
  const last = start('a3')
  for (const name of ['a1', 'a3']) await end(name)
  await Promise.all([first, last])
  expect(started).toEqual(['a1', 'a3'])
})

it('a call that has waited for too long is refused', async () => {
  const { started, start, end } = calls(new Turns({ slots: 1, waitingPerTenant: 1, waitMs: 10, refusal }))
  const first = start('a1')
  await expect(start('b1')).rejects.toThrow('busy')
  await end('a1')
  await first
  expect(started).toEqual(['a1'])
})

it('a failed call frees its slot, and freeing twice frees one', async () => {
  const turns = new Turns({ slots: 1, waitingPerTenant: 1, refusal })
  await expect(turns.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  const release = await turns.acquire('a')
  release()
  release()
  const held = await turns.acquire('a')
  const { started, start, end } = calls(turns)
  const next = start('b1')
  await end('')
  expect(started).toEqual([])
  held()
  await end('')
  await end('b1')
  await next
})
