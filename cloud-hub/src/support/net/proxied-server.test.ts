import type http from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectByTls, createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { selfSigned } from '../../../test/self-signed.ts'
import { soon } from '../../../test/soon.ts'
import { connectionName, expectProxyHeaders, showClient } from './proxied-server.ts'

const header = (address = 'cb007109', port = 'd431') =>
  Buffer.from(`0d0a0d0a000d0a515549540a2111000c${address}0a000001${port}075b`, 'hex')
const LOCAL = Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex')

/** Listens with the PROXY protocol; `refusals` are the reasons why it refused connections. */
async function listen(server: Server, trusted = ['127.0.0.1'], headerMs = 5_000) {
  const refusals: string[] = []
  const sockets = new Set<Socket>()
  expectProxyHeaders(server, trusted, (proxy, reason) => refusals.push(`${proxy}: ${reason}`), headerMs)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, refusals }
}

/** A client that writes bytes of its own and gathers the answer. */
function client(port: number, localAddress = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  let [received, isClosed] = ['', false]
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket
    .on('error', () => {})
    .on('close', () => {
      isClosed = true
    })
  onTestFinished(() => void socket.destroy())
  return { socket, received: () => received, isClosed: () => isClosed }
}

/** Answers each line with the address of the client and the line. */
const echo = () =>
  createServer((socket) =>
    socket.on('error', () => {}).on('data', (line) => socket.write(`${socket.remoteAddress}:${socket.remotePort} ${line}`)),
  )
const REQUEST = 'GET /x HTTP/1.1\r\nHost: hub\r\n\r\n'
const answerAddress: http.RequestListener = ({ socket, url }, response) => response.end(`${socket.remoteAddress} ${url};`)

describe('a server behind a trusted proxy', () => {
  it('serves the client that the header names, with the bytes that follow it in the same packet', async () => {
    const { port } = await listen(echo())
    const one = client(port)
    one.socket.write(Buffer.concat([header(), Buffer.from('hello')]))
    await soon(() => expect(one.received()).toBe('203.0.113.9:54321 hello'))
    one.socket.write(' again')
    await soon(() => expect(one.received()).toBe('203.0.113.9:54321 hello203.0.113.9:54321  again'))
  })

  it('serves it too when the header comes byte by byte', async () => {
    const { port } = await listen(echo())
    const one = client(port)
    one.socket.setNoDelay(true)
    for (const byte of Buffer.concat([header(), Buffer.from('h')])) {
      one.socket.write(Buffer.from([byte]))
      await new Promise((next) => setTimeout(next, 2))
    }
    await soon(() => expect(one.received()).toBe('203.0.113.9:54321 h'))
  })

  it.each([0, 50])('gives a reader of its own pace what comes %i ms behind the header, as a broker is', async (ms) => {
    const server = createServer((socket) =>
      socket.on('readable', () => {
        for (let chunk = socket.read(); chunk; chunk = socket.read()) socket.write(`got ${chunk};`)
      }),
    )
    const { port } = await listen(server)
    const one = client(port)
    one.socket.setNoDelay(true)
    one.socket.write(header())
    for (const word of ['one', 'two']) {
      await new Promise((next) => setTimeout(next, ms))
      one.socket.write(word)
    }
    await soon(() => expect(one.received().replaceAll('got ', '').replaceAll(';', '')).toBe('onetwo'))
  })

  it('takes a connection of the proxy itself for one of the proxy', async () => {
    const { port } = await listen(echo())
    const check = client(port)
    check.socket.write(Buffer.concat([LOCAL, Buffer.from('alive?')]))
    await soon(() => expect(check.received()).toMatch(/^127\.0\.0\.1:\d+ alive\?$/))
  })

  it('does so for HTTP: request by request on one connection, a body of many packets, pipelined', async () => {
    const server = createHttpServer(async (request, response) => {
      let length = 0
      for await (const chunk of request) length += (chunk as Buffer).length
      response.end(`${request.socket.remoteAddress} ${length};`)
    })
    const { port } = await listen(server)
    const one = client(port)
    const body = Buffer.alloc(300_000, 'x')
    one.socket.write(Buffer.concat([header(), Buffer.from(REQUEST), Buffer.from(REQUEST)]))
    one.socket.write(`POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: ${body.length}\r\n\r\n`)
    one.socket.write(body)
    await soon(() =>
      expect(one.received().match(/203\.0\.113\.9 \d+;/g)).toEqual(['203.0.113.9 0;', '203.0.113.9 0;', '203.0.113.9 300000;']),
    )
  })

  it.each(['HTTPS', 'TLS'] as const)('reads the header before the handshake of %s', async (protocol) => {
    const { cert, key } = selfSigned()
    const names: string[] = []
    const server =
      protocol === 'HTTPS'
        ? createHttpsServer({ cert, key }, answerAddress)
        : createTlsServer({ cert, key }, (socket) => socket.end(`${socket.remoteAddress} /x;`))
    server.prependListener('connection', (socket: Socket) => names.push(connectionName(socket)))
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      showClient(socket)
      names.push(connectionName(socket))
    })
    const { port } = await listen(server)
    const below = connect(port, '127.0.0.1')
    below.write(header())
    const socket = connectByTls({ socket: below, ca: cert, checkServerIdentity: () => undefined })
    onTestFinished(() => void socket.destroy())
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write(REQUEST)
    await soon(() => expect(received).toContain('203.0.113.9 /x;'))
    expect(names).toHaveLength(2)
    expect(names[0]).toBe(names[1])
  })

  it.each([
    ['that sends none', Buffer.from(REQUEST), 'signature'],
    ['of version 1', Buffer.from('PROXY TCP4 203.0.113.9 10.0.0.1 54321 1883\r\n'), 'signature'],
    ['whose addresses are cut', Buffer.from('0d0a0d0a000d0a515549540a2111000101', 'hex'), 'within its addresses'],
    ['of another family', Buffer.from('0d0a0d0a000d0a515549540a21000000', 'hex'), '0x00'],
    ['that is too long', Buffer.from('0d0a0d0a000d0a515549540a2111ffff', 'hex'), 'more than'],
  ])('ends a connection %s, and says why', async (_what, bytes, reason) => {
    const { port, refusals } = await listen(echo())
    const one = client(port)
    one.socket.write(bytes)
    await soon(() => expect(one.isClosed()).toBe(true))
    expect(refusals).toEqual([expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1: .*${reason}`))])
    expect(one.received()).toBe('')
  })

  it('ends a connection whose header does not come in time, or ends within it', async () => {
    const { port, refusals } = await listen(echo(), ['127.0.0.1'], 200)
    const silent = client(port)
    await soon(() => expect(silent.isClosed()).toBe(true))
    expect(refusals).toEqual([expect.stringContaining('did not come within 200 ms')])
    const cut = client(port)
    cut.socket.end(header().subarray(0, 20))
    await soon(() => expect(refusals[1]).toContain('ended within it'))
    const reset = client(port)
    reset.socket.write(header().subarray(0, 3), () => reset.socket.resetAndDestroy())
    await soon(() => expect(refusals).toHaveLength(3))
  })
})

describe('everybody else', () => {
  it('connects without a header, and cannot choose an address with one', async () => {
    const { port, refusals } = await listen(createHttpServer(answerAddress), ['127.0.0.2'])
    const direct = client(port, '127.0.0.1')
    direct.socket.write(REQUEST)
    await soon(() => expect(direct.received()).toContain('127.0.0.1 /x;'))
    const liar = client(port, '127.0.0.1')
    liar.socket.write(Buffer.concat([header(), Buffer.from(REQUEST)]))
    await soon(() => expect(liar.isClosed()).toBe(true))
    expect(liar.received()).toMatch(/^HTTP\/1\.1 400 /)
    expect(refusals).toEqual([])
  })
})
