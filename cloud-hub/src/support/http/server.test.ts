import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectByTls } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { selfSigned } from '../../../test/self-signed.ts'
import { createHttpServer, type HttpServerOptions } from './server.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 5 })

interface Served {
  server: Server
  port: number
  /** the server's ends of the connections */
  sockets: Socket[]
  client(): Socket
}

async function serve(
  fetch: (request: Request) => Response | Promise<Response>,
  options: Partial<HttpServerOptions> = {},
): Promise<Served> {
  const server = createHttpServer({ fetch, requestSeconds: 10, trustedProxies: [], ...options })
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ends.push(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  const client = () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    ends.push(() => socket.destroy())
    return socket
  }
  return { server, port, sockets, client }
}

const get = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: hub\r\n\r\n`
const LARGE = 'x'.repeat(4_000_000)
/** more than the kernel keeps for a client that reads nothing */
const endless = () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }))
const isClosed = (socket: Socket) => soon(() => expect(socket.destroyed || socket.readableEnded).toBe(true))

describe('a connection', () => {
  it('whose client reads nothing runs one handler and keeps one response in memory, however many requests it sends', async () => {
    let [running, started, most] = [0, 0, 0]
    const { sockets, client } = await serve(async () => {
      started++
      most = Math.max(most, ++running)
      await new Promise((done) => setImmediate(done))
      running--
      return new Response(LARGE)
    })
    const unread = Array.from({ length: 20 }, client)
    for (const socket of unread) socket.pause().write(get().repeat(100))
    await soon(() => expect(started).toBeGreaterThanOrEqual(20))
    // nothing more is begun: what the kernel takes decides how far a connection comes, and an answer is larger than that
    await soon(() => expect(sockets.every((socket) => socket.writableLength > 0)).toBe(true))
    expect(sockets.every((socket) => socket.writableLength <= 2 * LARGE.length)).toBe(true)
    expect(started).toBeLessThan(20 * 5)
    expect(most).toBeLessThanOrEqual(20)
  })

  it('gets all responses in the order of its requests', async () => {
    let [running, most] = [0, 0]
    const { client } = await serve(async (request) => {
      most = Math.max(most, ++running)
      await new Promise((done) => setTimeout(done, Math.random() * 3))
      running--
      return new Response(new URL(request.url).pathname)
    })
    const socket = client()
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    for (let i = 0; i < 100; i += 50) socket.write(Array.from({ length: 50 }, (_, n) => get(`/${i + n}/`)).join(''))
    await soon(() => expect([...text.matchAll(/^\/(\d+)\//gm)]).toHaveLength(100))
    expect([...text.matchAll(/^\/(\d+)\//gm)].map(([, n]) => Number(n))).toEqual(Array.from({ length: 100 }, (_, n) => n))
    expect(most).toBe(1)
  })

  it('handles a request with a body that arrives behind an unfinished one', async () => {
    const { client } = await serve(async (request) => {
      await new Promise((done) => setTimeout(done, 20))
      return new Response(`[${request.method === 'POST' ? (await request.text()).length : 'first'}]`)
    })
    const socket = client()
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    socket.write(`${get()}POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: 300000\r\n\r\n`)
    for (let i = 0; i < 3; i++) socket.write('x'.repeat(100_000))
    await soon(() => expect(text).toMatch(/\[first\][\s\S]*\[300000\]/))
  })

  it('is closed when it sends far more requests than it reads responses', async () => {
    let started = 0
    const { client } = await serve(() => {
      started++
      return new Promise(() => {})
    })
    const socket = client()
    socket.write(get().repeat(1_000))
    await isClosed(socket)
    expect(started).toBe(1)
  })

  it('is closed when its client reads nothing for the stall time, and stays open when it reads slowly', async () => {
    const { client, sockets } = await serve(endless, { stallMs: 300 })
    const [stalled, slow] = [client(), client()]
    let read = 0
    for (const socket of [stalled, slow]) socket.write(get())
    stalled.pause()
    slow.on('data', (part: Buffer) => {
      read += part.length
      slow.pause()
      setTimeout(() => slow.resume(), 10)
    })
    await soon(() => expect(sockets).toHaveLength(2))
    const end = (of: Socket) => sockets.find((socket) => socket.remotePort === of.localPort)
    const theirs = { stalled: end(stalled), slow: end(slow) }
    await soon(() => expect(theirs.stalled?.destroyed).toBe(true))
    const before = read
    await soon(() => expect(read).toBeGreaterThan(before + 1_000_000))
    expect(theirs.slow?.destroyed).toBe(false)
  })

  it('gets 408 when a request body arrives too slowly', async () => {
    let outcome: unknown
    const { client } = await serve(
      async (request) => {
        outcome = await request.text().catch((error) => error)
        return new Response()
      },
      { requestSeconds: 0.2 },
    )
    const socket = client()
    socket.write('POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: 10\r\n\r\nab')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 408 /)
    await isClosed(socket)
    await soon(() => expect(outcome).toBeInstanceOf(Error))
  })

  it('gets 408 for a slow body unless it is an upload, which has a longer limit of its own', async () => {
    const received: string[] = []
    const isUpload = ({ url }: { url?: string }) => url === '/upload'
    const { client } = await serve(
      async (request) => {
        const text = await request.text().catch(() => 'cut')
        received.push(text)
        return new Response(text)
      },
      { requestSeconds: 0.2, uploads: { seconds: 30, isUpload } },
    )
    const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: hub\r\nContent-Length: 4\r\n\r\nab`
    const [upload, other] = [client(), client()]
    upload.write(head('/upload'))
    other.write(head('/other'))
    expect(String((await once(other, 'data'))[0])).toMatch(/^HTTP\/1.1 408 /)
    await isClosed(other)
    upload.write('cd')
    expect(String((await once(upload, 'data'))[0])).toMatch(/^HTTP\/1.1 200 [\s\S]*abcd$/)
    await soon(() => expect(received.sort()).toEqual(['abcd', 'cut']))
  })

  it.each([950, 1_500])('gets no 408 for a body that the hub itself reads only after %s ms', async (ms) => {
    const uploads = { seconds: 30, isUpload: () => false }
    const { client } = await serve(
      async (request) => {
        // as a key whose owner the database does not tell for a while
        await new Promise((done) => setTimeout(done, ms))
        return new Response(String((await request.arrayBuffer()).byteLength))
      },
      { requestSeconds: 1, uploads },
    )
    const socket = client()
    socket.write(`POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: ${LARGE.length}\r\n\r\n`)
    // a part of it comes while the hub reads
    socket.write(LARGE.slice(0, -10))
    setTimeout(() => socket.write(LARGE.slice(-10)), ms + 150)
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 [\s\S]*4000000$/)
  })
})

describe('an address', () => {
  it.each([false, true])('with too many connections loses the oldest one without a request (TLS: %s)', async (isSecure) => {
    const release = Promise.withResolvers<Response>()
    let waiting = 0
    const { cert, key } = selfSigned()
    const { port } = await serve(
      (request) => {
        if (new URL(request.url).pathname !== '/wait') return new Response('ok')
        waiting++
        return release.promise
      },
      { maxConnectionsPerAddress: 3, ...(isSecure && { tls: { cert: Buffer.from(cert), key: Buffer.from(key) } }) },
    )
    const open = async (path: string) => {
      const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
      const socket: Socket = isSecure ? connectByTls(options) : connect(options)
      socket.on('error', () => {})
      ends.push(() => socket.destroy())
      socket.write(get(path))
      if (path !== '/wait') await once(socket, 'data')
      return socket
    }
    const busy = await open('/wait')
    await soon(() => expect(waiting).toBe(1))
    const [first, second] = [await open('/'), await open('/')]
    const third = await open('/')
    await isClosed(first)
    expect([busy.destroyed, second.destroyed, third.destroyed]).toEqual([false, false, false])
    release.resolve(new Response('late'))
    expect(String((await once(busy, 'data'))[0])).toMatch(/^HTTP\/1.1 200 [\s\S]*late$/)
  })

  it('whose connections all have a request gets no other until one ends', async () => {
    let waiting = 0
    const wait = () => {
      waiting++
      return new Promise<Response>(() => {})
    }
    const { client } = await serve(wait, { maxConnectionsPerAddress: 2 })
    const open = [client(), client()]
    for (const socket of open) socket.write(get())
    await soon(() => expect(waiting).toBe(2))
    await isClosed(client().resume())
    expect(open.map((socket) => socket.destroyed)).toEqual([false, false])
  })

  it('keeps its WebSockets when it opens too many connections', async () => {
    const { server, client } = await serve(() => new Response('ok'), { maxConnectionsPerAddress: 2 })
    const upgraded: Duplex[] = []
    server.on('upgrade', (_request, socket) => {
      upgraded.push(socket)
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    })
    const webSocket = client()
    webSocket.write('GET /mqtt HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    await once(webSocket, 'data')
    const idle = client()
    await once(idle, 'connect')
    const newest = client()
    newest.write(get())
    await once(newest, 'data')
    await isClosed(idle)
    expect(upgraded.map((socket) => socket.destroyed)).toEqual([false])
    for (const socket of upgraded) socket.destroy()
  })

  it('of a trusted proxy is not limited, because it serves many clients', async () => {
    const { client } = await serve(() => new Response('ok'), { maxConnectionsPerAddress: 1, trustedProxies: ['127.0.0.0/8'] })
    const open = Array.from({ length: 5 }, client)
    for (const socket of open) socket.write(get())
    await Promise.all(open.map((socket) => once(socket, 'data')))
  })
})
