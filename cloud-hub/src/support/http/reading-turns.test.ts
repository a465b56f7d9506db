import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
import { createHttpServer } from './server.ts'

const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 5 })

it.each([
  ['an address that sends very many requests at once, over many connections, does not delay another one', [], true],
  ['a trusted proxy may send as many as it likes', ['127.0.0.3'], false],
])('%s', async (_what, trustedProxies, isSpread) => {
  const paths: string[] = []
  const fetch = (request: Request) => {
    paths.push(new URL(request.url).pathname)
    return new Response('ok')
  }
  const server = createHttpServer({ fetch, requestSeconds: 60, trustedProxies })
  /** how many requests Node has parsed in one turn of the event loop */
  let [inTurn, most, isOver] = [0, 0, false]
  server.on('request', () => {
    most = Math.max(most, ++inTurn)
  })
  const nextTurn = () => {
    inTurn = 0
    if (!isOver) setImmediate(nextTurn)
  }
  nextTurn()
  const accepted: Socket[] = []
  server.on('connection', (socket: Socket) => {
    accepted.push(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const open = (localAddress: string) => connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
  const many = Array.from({ length: 100 }, () => open('127.0.0.3'))
  let answers = 0
  for (const socket of many) socket.on('data', (part) => (answers += String(part).split('HTTP/1.1 200').length - 1))
  await soon(() => expect(accepted).toHaveLength(100))
  for (const socket of many) socket.write('GET /many HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100))
  await soon(() => expect(paths.length).toBeGreaterThan(0))
  const other = open('127.0.0.4')
  other.write('GET /other HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(other, 'data')
  // paused connections have their turns: what is within the limits is answered
  await soon(() => expect(paths.filter((path) => path === '/many').length).toBeGreaterThan(4_000))
  await soon(() => expect(answers).toBeGreaterThan(4_000))
  expect(most < 500).toBe(isSpread)
  if (isSpread) expect(paths.indexOf('/other')).toBeLessThan(4_000)
  isOver = true
  for (const socket of [...many, other]) socket.destroy()
  await new Promise((done) => server.close(done))
})
