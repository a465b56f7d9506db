import { expect, it } from 'vitest'
import { limited } from './limited.ts'

it('runs so many at once, lets so many wait, and refuses the next', async () => {
  const inTurn = limited(2, { most: 1, refusal: () => new Error('busy') })
  const ends: (() => void)[] = []
  let running = 0
  const work = async () => {
    running++
    await new Promise<void>((end) => ends.push(end))
    running--
  }
  const first = [inTurn(work), inTurn(work), inTurn(work)]
  await expect(inTurn(work)).rejects.toThrow('busy')
  expect(running).toBe(2)
  ends.shift()?.()
  await first[0]
  expect(running).toBe(2)
  const last = inTurn(work)
  while (ends.length > 0) {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all([...first, last])
  expect(running).toBe(0)
})

it('gives the place back after a failure', async () => {
  const inTurn = limited(1)
  await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await inTurn(async () => 1)).toBe(1)
})
