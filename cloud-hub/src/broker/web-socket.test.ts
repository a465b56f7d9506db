import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { finished } from 'node:stream/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serveMqttOverWebSocket } from './web-socket.ts'

const upgrade = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: hub\r\n${more}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`

describe('an upgrade request', () => {
  let server: Server
  let sockets: { close(): void }
  let taken = 0

  beforeEach(async () => {
    taken = 0
    server = createServer((_request, response) => response.end('well'))
    sockets = serveMqttOverWebSocket(server, () => taken++)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    sockets.close()
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })

  const port = () => (server.address() as AddressInfo).port
  const isWell = async () => (await fetch(`http://127.0.0.1:${port()}/`)).text()

  async function ask(path: string, more = ''): Promise<string> {
    const socket = connect(port(), '127.0.0.1')
    let said = ''
    socket.on('data', (bytes) => {
      said += bytes
    })
    socket.write(upgrade(path, more))
    await finished(socket, { writable: false })
    socket.destroy()
    return said.split('\r\n')[0] as string
  }

  it.each(['/other', '//', 'http://[::/'])('at %s is refused as not found, and the hub continues', async (path) => {
    expect(await ask(path)).toMatch(/^HTTP\/1\.1 40[04] /)
    expect([await isWell(), taken]).toEqual(['well', 0])
  })

  it.each(['https://evil.example', 'null', 'http://hub.evil.example', 'http://hub:81'])(
    'at /mqtt by a page of %s is refused',
    async (origin) => {
      expect(await ask('/mqtt', `Origin: ${origin}\r\n`)).toBe('HTTP/1.1 403 Forbidden')
      expect([await isWell(), taken]).toEqual(['well', 0])
    },
  )

  it.each(['', 'Origin: http://hub\r\n', 'Origin: https://hub\r\n'])(
    'at /mqtt with the header "%s" opens a WebSocket',
    async (header) => {
      const socket = connect(port(), '127.0.0.1')
      socket.write(upgrade('/mqtt', header))
      const [answer] = await once(socket, 'data')
      socket.destroy()
      expect([String(answer).split('\r\n')[0], taken]).toEqual(['HTTP/1.1 101 Switching Protocols', 1])
    },
  )

  it.each(['/other', '/mqtt'])('at %s can lose its connection at any moment without ending the hub', async (path) => {
    const seen = once(server, 'upgrade')
    const socket = connect(port(), '127.0.0.1').on('error', () => {})
    socket.write(upgrade(path))
    const [, ours] = await seen
    const gone = new Promise((closed) => ours.once('close', closed))
    ours.emit('error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
    socket.resetAndDestroy()
    await gone
    expect(await isWell()).toBe('well')
  })
})
