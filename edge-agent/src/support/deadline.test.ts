import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { deadline } from './deadline.ts'

/** Stands still, as a process does that loads a large module or gets no CPU. */
const standStill = (ms: number) => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('an answer that arrived while the process stood still counts, although the time is over', async () => {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const outcome = await new Promise((resolve) => {
    const { cancel } = deadline(20, () => resolve('expired'))
    socket.on('connect', () => {
      cancel()
      resolve('connected')
    })
    standStill(60)
  })
  expect(outcome).toBe('connected')
  socket.destroy()
  server.close()
})

it('expires when nothing arrives, and not when it was cancelled', async () => {
  const cancelled: string[] = []
  deadline(1, () => cancelled.push('wrong')).cancel()
  await new Promise<void>((resolve) => deadline(20, resolve))
  expect(cancelled).toEqual([])
})

it('that is restarted begins anew', async () => {
  const began = performance.now()
  await new Promise<void>((resolve) => {
    const running = deadline(60, resolve)
    setTimeout(() => running.restart(), 40)
  })
  expect(performance.now() - began).toBeGreaterThan(90)
})
