import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { CA, SERVER_CERTIFICATE, SERVER_KEY } from '../../../test/support/erp/certificates.ts'
import { createGuardedClient, type GuardedClient, type GuardedClientOptions } from './guarded-client.ts'

/** for receiver.example, valid until 2126, trusted by nobody */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggvuoWKVSa3KNFqy7
woU5U0sKXCjei1Wsw/Z3cYVNsYyhRANCAAT/2autmmvDt45rs9ItcXF8V1gDlOU7
E/ywm5XLjLvAlpUIu2r9VfJicsyY398HSfmtM8qZ7KxqwcnDPi6WBFvX
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBqTCCAVCgAwIBAgIUQEwKB5qTaws4VvCcBpcgqgVLPFowCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTAgFw0yNjExMjAxMjE2NTdaGA8y
MTI2MTAyNzEyMTY1N1owGzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABP/Zq62aa8O3jmuz0i1xcXxXWAOU5TsT/LCb
lcuMu8CWlQi7av1V8mJyzJjf3wdJ+a0zypnsrGrBycM+LpYEW9ejcDBuMB0GA1Ud
DgQWBBRQHRzUdjwNLfM5pmVLVhmX2swnszAfBgNVHSMEGDAWgBRQHRzUdjwNLfM5
pmVLVhmX2swnszAPBgNVHRMBAf8EBTADAQH/MBsGA1UdEQQUMBKCEHJlY2VpdmVy
LmV4YW1wbGUwCgYIKoZIzj0EAwIDRwAwRAIgJXCI3iwp9jTYEwhieuyZrejy3pIK
phhTvgBL5eaqI3UCIDurODG8Cye35bsLgTE6LYWv9YgRaGRKGpcjsve4BWCp
-----END CERTIFICATE-----`

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

function client(options: Partial<GuardedClientOptions> = {}): GuardedClient {
  const made = createGuardedClient({ allow: ['127.0.0.0/8'], ...options })
  ends.push(made.close)
  return made
}
function listen(server: net.Server | http.Server): Promise<number> {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  ends.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
}
const serve = (handler: http.RequestListener) => listen(http.createServer(handler))
const at = (address: string) => async () => [{ address, family: address.includes(':') ? (6 as const) : (4 as const) }]

describe('checking a URL before it is stored', () => {
  const bypasses = [
    'http://127.0.0.1/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00::1]/',
    'https://0.0.0.0/',
    'https://0/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://10.0.0.1/',
    'https://user:secret@example.com/',
    'https://example.com@10.0.0.1/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://example.com/',
    'http://8.8.8.8/',
    'https://',
    'https://a b/',
    '//example.com/',
    'example.com',
    '',
    `https://example.com/${'a'.repeat(2_048)}`,
  ]
  test.each(bypasses)('%s is refused, and never called', async (url) => {
    const guarded = client({ allow: [], lookup: at('127.0.0.1') })
    expect(guarded.checkUrl(url)?.message).toMatch(/\.$/)
    expect(await guarded.request(url)).toMatchObject({ ok: false, reason: 'blocked', mayHaveArrived: false })
  })

  test('host names, public addresses and allowlisted addresses are accepted', () => {
    expect(client({ allow: [] }).checkUrl('https://example.com/hook?x=1')).toBeNull()
    expect(client({ allow: [] }).checkUrl('https://8.8.8.8:8443/')).toBeNull()
    expect(client().checkUrl('http://127.0.0.1:9000/hook')).toBeNull()
    expect(client().checkUrl('http://plant.example/')).toBeNull()
    expect(client().checkUrl('http://8.8.8.8/')?.message).toMatch(/https/)
    expect(client().checkUrl('http://10.0.0.1/')?.message).toMatch(/public/)
  })
})

describe('connecting', () => {
  test('a URL that parses differently than it is written is not stored, and still called when it was stored earlier', async () => {
    for (const url of [' https://receiver.example/', 'https://receiver.example\n.evil/', 'https://a.example\\@b.example/'])
      expect(client().checkUrl(url)?.message).toContain('neither spaces')
    const port = await serve((_, response) => response.end('ok'))
    expect(await client().request(` http://127.0.0.1:${port}/ `)).toMatchObject({ ok: true, body: 'ok' })
  })

  test('a name that resolves to an internal address is refused when connecting, with any scheme', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', 'fd00::1']) {
      const guarded = client({ allow: [], lookup: at(address) })
      expect(await guarded.request('https://inside.example/')).toMatchObject({ ok: false, reason: 'blocked' })
      await expect(guarded.resolvePublicHost('inside.example')).rejects.toThrow(/not on the public Internet/)
    }
  })

  test('the client dials the address that it checked, also when DNS answers differently since', async () => {
    const port = await serve((_, response) => response.end('listed'))
    let asked = 0
    const lookup = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '10.9.9.9', family: 4 as const }]
    const guarded = client({ lookup })
    expect(await guarded.request(`http://rebinding.example:${port}/`)).toMatchObject({ ok: true, body: 'listed' })
    expect(asked).toBe(1)
    // and the next call is judged anew: no connection was kept
    expect(await guarded.request(`http://rebinding.example:${port}/`)).toMatchObject({ ok: false, reason: 'blocked' })
  })

  test('the client dials only the allowed ones of several addresses', async () => {
    const port = await serve((_, response) => response.end('here'))
    const lookup = async () => [
      { address: '::1', family: 6 as const },
      { address: '127.0.0.1', family: 4 as const },
    ]
    expect(await client({ lookup }).request(`http://both.example:${port}/`)).toMatchObject({ ok: true, body: 'here' })
    expect(await client({ lookup }).resolvePublicHost('both.example')).toBe('127.0.0.1')
  })

  test('plain HTTP reaches only allowlisted addresses, not public ones', async () => {
    const answer = await client({ lookup: at('8.8.8.8') }).request('http://public.example/')
    expect(answer).toMatchObject({ ok: false, reason: 'blocked' })
  })

  test('hosts for OPC UA and Modbus: addresses are checked, names resolved, invalid ones refused', async () => {
    const guarded = client({ lookup: at('8.8.4.4') })
    expect(await guarded.resolvePublicHost('plc.example')).toBe('8.8.4.4')
    expect(await guarded.resolvePublicHost('127.0.0.1')).toBe('127.0.0.1')
    expect(await guarded.resolvePublicHost('[2606:4700::1111]')).toBe('2606:4700::1111')
    for (const host of ['10.0.0.1', '0x7f.1', '2130706433', '::1', 'fe80::1%eth0', 'a/b', '', 'a b', 'host:502'])
      await expect(guarded.resolvePublicHost(host)).rejects.toThrow(/public Internet|not a host name/)
  })

  test('an unknown name and a closed port are unreachable, and the request was certainly not sent', async () => {
    const lookup = () => Promise.reject(new Error('ENOTFOUND'))
    expect(await client({ lookup }).request('https://nowhere.example/')).toMatchObject({
      reason: 'unreachable',
      mayHaveArrived: false,
    })
    const port = await serve(() => {})
    for (const end of ends.splice(0)) end()
    const answer = await client().request(`http://127.0.0.1:${port}/`)
    expect(answer).toMatchObject({ reason: 'unreachable', mayHaveArrived: false, fault: { code: 'http_refused' } })
  })
})

describe('a reusable connection of an owner', () => {
  /** A server that counts its connections and answers with the number of the one that was used. */
  async function counting(keepAliveTimeout = 5_000) {
    const numbers = new Map<net.Socket, number>()
    const server = http.createServer((request, response) =>
      request.resume().on('end', () => response.end(`${numbers.get(request.socket)}`)),
    )
    server.keepAliveTimeout = keepAliveTimeout
    server.on('connection', (socket) => numbers.set(socket, numbers.size + 1))
    return { port: await listen(server), sockets: () => [...numbers.keys()] }
  }
  const post = { method: 'POST', body: 'x' }

  test('serves the next call of its owner to the same origin, and no other owner', async () => {
    const { port } = await counting()
    const guarded = client({ lookup: at('127.0.0.1') })
    const url = `http://127.0.0.1:${port}/`
    const via = async (owner?: string, to = url) =>
      (await guarded.request(to, { ...post, ...(owner ? { owner } : {}) })) as { body: string }
    expect((await via('a')).body).toBe('1')
    expect((await via('a')).body).toBe('1')
    expect((await via('b')).body).toBe('2')
    expect((await via()).body).toBe('3')
    expect((await via('a', `http://name.example:${port}/`)).body).toBe('4')
    expect((await via('a')).body).toBe('1')
  })

  test('stays on the checked address, whatever DNS answers since', async () => {
    const { port } = await counting()
    let asked = 0
    const lookup = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '10.9.9.9', family: 4 as const }]
    const guarded = client({ lookup })
    const call = (owner: string) => guarded.request(`http://rebinding.example:${port}/`, { ...post, owner })
    expect(await call('a')).toMatchObject({ ok: true, body: '1' })
    expect(await call('a')).toMatchObject({ ok: true, body: '1' })
    expect(await call('b')).toMatchObject({ ok: false, reason: 'blocked' })
  })

  test('that was lost in the meantime is replaced: the request is sent on a new one', async () => {
    const { port, sockets } = await counting()
    const guarded = client()
    const call = () => guarded.request(`http://127.0.0.1:${port}/`, { ...post, owner: 'a' })
    expect(await call()).toMatchObject({ body: '1' })
    for (const socket of sockets()) socket.destroy()
    expect(await call()).toMatchObject({ ok: true, body: '2' })
    // the server ends it in the very moment in which it is used
    for (const socket of sockets()) socket.prependOnceListener('data', () => socket.destroy())
    expect(await call()).toMatchObject({ ok: true, body: '3' })
  })

  test('ends with the client', async () => {
    const { port, sockets } = await counting()
    const guarded = client()
    await guarded.request(`http://127.0.0.1:${port}/`, { ...post, owner: 'a' })
    guarded.close()
    await expect.poll(() => sockets().every((socket) => socket.destroyed)).toBe(true)
    expect(await guarded.request(`http://127.0.0.1:${port}/`, { ...post, owner: 'a' })).toMatchObject({ reason: 'aborted' })
  })
})

describe('a call with `after`', () => {
  /** A server that tells what it has seen. */
  async function watched() {
    const seen = { connections: 0, requests: 0 }
    const server = http.createServer((request, response) => {
      seen.requests++
      request.resume().on('end', () => response.end('ok'))
    })
    const sockets: net.Socket[] = []
    server.on('connection', (socket) => {
      seen.connections++
      sockets.push(socket)
    })
    return { url: `http://127.0.0.1:${await listen(server)}/`, seen, sockets }
  }
  const word = () => {
    const given = Promise.withResolvers<void>()
    given.promise.catch(() => {})
    return given
  }

  test('connects at once, and sends nothing before `after` resolves', async () => {
    const { url, seen } = await watched()
    const { promise, resolve } = word()
    const answer = client().request(url, { method: 'POST', body: 'x', after: promise })
    await expect.poll(() => seen.connections).toBe(1)
    expect(seen.requests).toBe(0)
    resolve()
    expect(await answer).toMatchObject({ ok: true, status: 200 })
    expect(seen).toEqual({ connections: 1, requests: 1 })
  })

  test('sends nothing when `after` rejects', async () => {
    const { url, seen } = await watched()
    const { promise, reject } = word()
    const answer = client().request(url, { method: 'POST', body: 'x', after: promise })
    await expect.poll(() => seen.connections).toBe(1)
    reject(new Error('rolled back'))
    expect(await answer).toMatchObject({ ok: false, reason: 'aborted', mayHaveArrived: false })
    expect(seen.requests).toBe(0)
  })

  test('is repeated when its connection was lost or timed out before `after` resolved', async () => {
    for (const timeoutMs of [10_000, 1_000]) {
      const { url, seen, sockets } = await watched()
      const { promise, resolve } = word()
      const answer = client().request(url, { method: 'POST', body: 'x', owner: 'a', after: promise, timeoutMs })
      await expect.poll(() => seen.connections).toBe(1)
      if (timeoutMs > 1_000) sockets[0]?.destroy()
      await expect.poll(() => sockets[0]?.destroyed).toBe(true)
      resolve()
      expect(await answer).toMatchObject({ ok: true })
      expect(seen).toEqual({ connections: 2, requests: 1 })
    }
  })
})

describe('answers', () => {
  test('method, headers and body arrive as given, with the name in Host', async () => {
    const port = await serve((request, response) => {
      let body = ''
      request.on('data', (text) => {
        body += text
      })
      request.on('end', () =>
        response
          .writeHead(202, { 'X-Two': ['a', 'b'] })
          .end(JSON.stringify([request.method, request.headers.host, request.headers['x-one'], body])),
      )
    })
    const answer = await client({ lookup: at('127.0.0.1') }).request(`http://receiver.example:${port}/`, {
      method: 'PUT',
      headers: { 'X-One': '1' },
      body: 'ä',
    })
    expect(answer).toMatchObject({ ok: true, status: 202, cut: false, headers: { 'x-two': 'a, b' } })
    expect(JSON.parse((answer as { body: string }).body)).toEqual(['PUT', `receiver.example:${port}`, '1', 'ä'])
  })

  test('a redirect is a response and is not followed', async () => {
    const seen: string[] = []
    const port = await serve((request, response) => {
      seen.push(request.url as string)
      response.writeHead(302, { location: '/inside' }).end()
    })
    expect(await client().request(`http://127.0.0.1:${port}/first`)).toMatchObject({
      ok: true,
      status: 302,
      headers: { location: '/inside' },
    })
    expect(seen).toEqual(['/first'])
  })

  test('Retry-After is read as seconds and as a date', async () => {
    let value = '120'
    const port = await serve((_, response) => response.writeHead(429, { 'retry-after': value }).end())
    const ask = async () =>
      ((await client().request(`http://127.0.0.1:${port}/`)) as { retryAfterSeconds?: number }).retryAfterSeconds
    expect(await ask()).toBe(120)
    value = new Date(Date.now() + 60_000).toUTCString()
    expect(await ask()).toSatisfy((seconds: number) => seconds > 50 && seconds <= 61)
    value = 'soon'
    expect(await ask()).toBeUndefined()
  })

  test('headers that control framing are refused, and so are values that break out of their line', async () => {
    const guarded = client()
    for (const headers of [
      { Host: 'other' },
      { 'Transfer-Encoding': 'chunked' },
      { 'content-length': '0' },
      { Connection: 'close' },
      { 'X-A': 'b\r\nX-C: d' },
      { 'X A': 'b' },
    ] as Record<string, string>[]) {
      expect(guarded.checkHeaders(headers)?.message).toMatch(/header/)
      expect(await guarded.request('http://127.0.0.1:1/', { headers })).toMatchObject({ reason: 'blocked' })
    }
    expect(guarded.checkHeaders({ Authorization: 'Bearer x' })).toBeNull()
  })
})

describe('hostile targets', () => {
  test('a target that never responds ends in a timeout, and may have received the request', async () => {
    const port = await serve(() => {})
    const answer = await client({ timeoutMs: 100 }).request(`http://127.0.0.1:${port}/`)
    expect(answer).toMatchObject({ ok: false, reason: 'timeout', mayHaveArrived: true })
  })

  test('a name server that never responds ends in a timeout too', async () => {
    const answer = await client({ timeoutMs: 100, lookup: () => new Promise(() => {}) }).request('https://silent.example/')
    expect(answer).toMatchObject({ ok: false, reason: 'timeout', mayHaveArrived: false })
  })

  test('a header that arrives byte by byte is cut off by the total time limit', async () => {
    const port = await listen(
      net.createServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('x-a: b\r\n'), 20)
        socket.on('close', () => clearInterval(drip))
      }),
    )
    expect(await client({ timeoutMs: 200 }).request(`http://127.0.0.1:${port}/`)).toMatchObject({
      ok: false,
      reason: 'timeout',
      mayHaveArrived: true,
    })
  })

  test('a body that arrives byte by byte: the status counts, and with `wholeBody` it is a timeout', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(drip))
    })
    const guarded = client({ timeoutMs: 200 })
    expect(await guarded.request(`http://127.0.0.1:${port}/`)).toMatchObject({ ok: true, status: 200, cut: true })
    expect(await guarded.request(`http://127.0.0.1:${port}/`, { wholeBody: true })).toMatchObject({
      ok: false,
      reason: 'timeout',
    })
  })

  test('a huge body is not read to its end, and the connection is closed', async () => {
    let sent = 0
    let closed: () => void
    const ended = new Promise<void>((resolve) => {
      closed = resolve
    })
    const port = await serve((_, response) => {
      response.on('close', () => closed())
      const chunk = Buffer.alloc(65_536, 'a')
      const more = () => {
        while (!response.destroyed && sent < 2 ** 30) {
          sent += chunk.length
          if (!response.write(chunk)) return response.once('drain', more)
        }
      }
      more()
    })
    const guarded = client({ maxResponseBytes: 1_000 })
    const answer = await guarded.request(`http://127.0.0.1:${port}/`)
    expect(answer).toMatchObject({ ok: true, cut: true, body: 'a'.repeat(1_000) })
    await ended
    expect(sent).toBeLessThan(64 * 1_024 * 1_024)
    expect(await guarded.request(`http://127.0.0.1:${port}/`, { wholeBody: true })).toMatchObject({
      ok: false,
      reason: 'too_large',
    })
  })

  test('a huge header is refused', async () => {
    const port = await listen(net.createServer((socket) => socket.write(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}\r\n`)))
    expect(await client().request(`http://127.0.0.1:${port}/`)).toMatchObject({ ok: false, reason: 'too_large' })
  })

  test('a target that speaks another protocol, disconnects, or switches protocols is unreachable', async () => {
    for (const words of ['SSH-2.0-x\r\n', '', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n']) {
      const port = await listen(net.createServer((socket) => socket.once('data', () => socket.end(words))))
      expect(await client().request(`http://127.0.0.1:${port}/`)).toMatchObject({
        ok: false,
        reason: 'unreachable',
        mayHaveArrived: true,
      })
    }
  })

  test('a signal and close abort the calls in progress', async () => {
    const port = await serve(() => {})
    const guarded = client()
    const giveUp = new AbortController()
    const first = guarded.request(`http://127.0.0.1:${port}/`, { signal: giveUp.signal })
    const second = guarded.request(`http://127.0.0.1:${port}/`)
    giveUp.abort()
    expect(await first).toMatchObject({ ok: false, reason: 'aborted' })
    guarded.close()
    expect(await second).toMatchObject({ ok: false, reason: 'aborted' })
    expect(await guarded.request(`http://127.0.0.1:${port}/`)).toMatchObject({
      ok: false,
      reason: 'aborted',
      mayHaveArrived: false,
    })
  })
})

describe('HTTPS', () => {
  test('the certificate must be trusted and must carry the name of the URL, though an address is dialled', async () => {
    const port = await listen(https.createServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end('safe')))
    const lookup = at('127.0.0.1')
    expect(await client({ lookup, ca: CERTIFICATE }).request(`https://receiver.example:${port}/`)).toMatchObject({
      ok: true,
      body: 'safe',
    })
    expect(await client({ lookup }).request(`https://receiver.example:${port}/`)).toMatchObject({
      ok: false,
      reason: 'tls',
      fault: { code: 'https_self_signed' },
      mayHaveArrived: false,
    })
    expect(await client({ lookup, ca: CERTIFICATE }).request(`https://another.example:${port}/`)).toMatchObject({
      ok: false,
      reason: 'tls',
      fault: { code: 'https_other_host' },
    })
  })

  test('a private authority is trusted for the requests that name it, on a new connection and on a kept one', async () => {
    const port = await listen(https.createServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end('safe')))
    const one = client({ lookup: at('127.0.0.1') })
    const url = `https://receiver.example:${port}/`
    for (const owner of [undefined, 'a', 'a'])
      expect(await one.request(url, { ca: CERTIFICATE, ...(owner && { owner }) })).toMatchObject({ ok: true, body: 'safe' })
    for (const owner of [undefined, 'b'])
      expect(await one.request(url, owner ? { owner } : {})).toMatchObject({ ok: false, reason: 'tls' })
  })

  test('a private authority is trusted in addition to the others, and its connections are not shared with other requests', async () => {
    const tls = { key: SERVER_KEY, cert: SERVER_CERTIFICATE }
    let connections = 0
    const inside = https.createServer(tls, (_, response) => response.end('inside')).on('secureConnection', () => connections++)
    const [outsidePort, insidePort] = [
      await listen(https.createServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end('outside'))),
      await listen(inside),
    ]
    const guarded = client({ lookup: at('127.0.0.1'), ca: CERTIFICATE })
    const [outsideUrl, insideUrl] = [`https://receiver.example:${outsidePort}/`, `https://localhost:${insidePort}/`]
    const request = { owner: 'a', ca: CA }
    for (const url of [outsideUrl, insideUrl, insideUrl]) expect(await guarded.request(url, request)).toMatchObject({ ok: true })
    expect(connections).toBe(1)
    expect(await guarded.request(insideUrl, { owner: 'a' })).toMatchObject({ ok: false, reason: 'tls' })
    expect(await guarded.request(insideUrl, { owner: 'a', ca: CERTIFICATE })).toMatchObject({ ok: false, reason: 'tls' })
    expect(await guarded.request(insideUrl, { owner: 'b', ca: CA })).toMatchObject({ ok: true, body: 'inside' })
    expect(connections).toBe(2)
    const other = `https://other.example:${insidePort}/`
    expect(await guarded.request(other, request)).toMatchObject({ ok: false, reason: 'tls' })
  })

  test('each Set-Cookie header of an answer is reported', async () => {
    const cookies = ['a=1; expires=Mon, 01 Jan 2126 00:00:00 GMT', 'b=2']
    const port = await serve((_, response) => response.writeHead(200, { 'set-cookie': cookies }).end())
    expect(await client().request(`http://127.0.0.1:${port}/`)).toMatchObject({ setCookies: cookies })
  })

  test('a request may limit the body of its answer', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(100_000)))
    const url = `http://127.0.0.1:${port}/`
    expect(await client().request(url, { maxResponseBytes: 100_000 })).toMatchObject({ ok: true, cut: false })
    expect(await client().request(url, { maxResponseBytes: 99_999 })).toMatchObject({ ok: true, cut: true })
    expect(await client().request(url)).toMatchObject({ ok: true, cut: true })
  })

  test('a server without TLS is distinguished from an unreachable one', async () => {
    const port = await serve((_, response) => response.end())
    expect(await client().request(`https://127.0.0.1:${port}/`)).toMatchObject({
      ok: false,
      reason: 'tls',
      fault: { code: 'https_failed' },
    })
  })
})
