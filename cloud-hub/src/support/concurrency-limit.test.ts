import { expect, it } from 'vitest'
import { concurrencyLimit } from './concurrency-limit.ts'

it('a concurrency limit runs as many calls as it may, queues as many as it may, and refuses the next', async () => {
  const withLimit = concurrencyLimit(2, { max: 1, refusal: () => new Error('busy') })
  const ends: (() => void)[] = []
  let running = 0
  const work = async () => {
    running++
    await new Promise<void>((end) => ends.push(end))
    running--
  }
  const first = [withLimit(work), withLimit(work), withLimit(work)]
  await expect(withLimit(work)).rejects.toThrow('busy')
  expect(running).toBe(2)
  ends.shift()?.()
  await first[0]
  expect(running).toBe(2)
  const last = withLimit(work)
  while (ends.length > 0) {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all([...first, last])
  expect(running).toBe(0)
})

it('a failed call frees its slot', async () => {
  const withLimit = concurrencyLimit(1)
  await expect(withLimit(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLimit(async () => 1)).toBe(1)
})
