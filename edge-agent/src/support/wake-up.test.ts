import { expect, it } from 'vitest'
import { systemClock } from './clock.ts'
import { WakeUp } from './wake-up.ts'

const never = new AbortController().signal
const LONG = 3_600_000

it('wakes a sleeper', async () => {
  const wakeUp = new WakeUp()
  const sleep = wakeUp.sleep(systemClock, LONG, never)
  wakeUp.wake()
  await sleep
})

it('a wake-up that nobody waited for is kept for the next sleeper, once', async () => {
  const wakeUp = new WakeUp()
  wakeUp.wake()
  wakeUp.wake()
  await wakeUp.sleep(systemClock, LONG, never)
  let isAwake = false
  const second = wakeUp.sleep(systemClock, LONG, never).then(() => {
    isAwake = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isAwake).toBe(false)
  wakeUp.wake()
  await second
})

it('ends when it is told to stop', async () => {
  const stop = new AbortController()
  const sleep = new WakeUp().sleep(systemClock, LONG, stop.signal)
  stop.abort()
  await sleep
})
