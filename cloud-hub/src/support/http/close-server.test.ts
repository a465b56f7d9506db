import { once } from 'node:events'
import { Agent, createServer, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { expectProxyHeaders } from '../net/proxied-server.ts'
import { createGracefulClose } from './close-server.ts'

it('a closing server finishes the requests in progress, and no busy client keeps it open', async () => {
  const open: ServerResponse[] = []
  const server = createServer((asked, response) => (asked.url === '/slow' ? open.push(response) : response.end('quick')))
  const close = createGracefulClose(server, 60_000)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (path: string, by?: Agent) => {
    const [answer] = await once(request({ port, host: '127.0.0.1', path, agent: by }).end(), 'response')
    answer.resume()
    await once(answer, 'end')
    return `${answer.statusCode} ${answer.headers.connection}`
  }
  const waiting = ask('/slow', agent)
  while (open.length === 0) await once(server, 'request')

  // behind it on the same connection, a client that asks again as soon as it is answered
  const insist = async () => {
    for (;;) await ask('/quick', agent)
  }
  const insisting = insist().catch((error: NodeJS.ErrnoException) => error.code)
  const stopped = close()
  open[0]?.end('done')
  expect(await waiting).toMatch(/^200 /)
  await stopped
  expect(['ECONNREFUSED', 'ECONNRESET']).toContain(await insisting)
  expect(await ask('/quick').catch((error) => error.code)).toBe('ECONNREFUSED')
  agent.destroy()
})

it('a closing server destroys connections that are unfinished after the drain time', async () => {
  const server = createServer(() => {})
  const close = createGracefulClose(server, 20)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const asked = once(server, 'request')
  const cut = once(request({ port, host: '127.0.0.1' }).end(), 'response').catch((error) => error.code)
  await asked
  await close()
  expect(await cut).toBe('ECONNRESET')
})

it('a server without WebSockets refuses an upgrade at once, and the upgrade does not delay its closing', async () => {
  const server = createServer((_asked, response) => response.end())
  const close = createGracefulClose(server, 60_000)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  const [answer] = await once(request({ port, host: '127.0.0.1', path: '/mqtt', headers }).end(), 'response')
  expect(answer.statusCode).toBe(404)
  answer.resume()
  await close()
})

it('a closing server behind a proxy that names clients finishes their requests too, and ends connections whose header has not come', async () => {
  const open: ServerResponse[] = []
  const server = createServer((_asked, response) => open.push(response))
  expectProxyHeaders(server, ['127.0.0.1'], () => {})
  const close = createGracefulClose(server, 60_000)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const [asking, silent] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  asking.write(Buffer.from('0d0a0d0a000d0a515549540a2111000ccb0071090a000001d431075b', 'hex'))
  asking.write('GET / HTTP/1.1\r\nHost: hub\r\n\r\n')
  while (open.length === 0) await once(server, 'request')
  const ended = once(silent.on('error', () => {}).resume(), 'close')
  const stopped = close()
  open[0]?.end('done')
  let answer = ''
  for await (const part of asking) answer += part
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer).toContain('done')
  await Promise.all([stopped, ended])
})
