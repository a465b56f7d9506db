import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { request as requestByTls } from 'node:https'
import { connect, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RunningHub } from '../src/hub.ts'
import { createLogger } from '../src/support/logger.ts'
import { useDatabase } from './harness.ts'
import { endAll, keptPort, run, until } from './processes.ts'
import { useRunningHubs } from './running-hub.ts'
import { selfSigned } from './self-signed.ts'
import { soon } from './soon.ts'

const hubs = useRunningHubs()
const TOKEN = 'a-token-for-prometheus'
const LOGIN = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 999\r\n'
const BUNDLE = '/docs/reference'
let hub: RunningHub
beforeAll(async () => {
  hub = await hubs.start({ REQUEST_TIMEOUT_SECONDS: '1', TRUSTED_PROXIES: '127.0.0.2' })
})

/** A connection on which a test writes what it likes. `text` is what came back, as latin1. */
function raw(url = hub.url): { socket: Socket; text(): string; ended(): boolean } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let [text, ended] = ['', false]
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part
  })
  socket
    .on('error', () => {})
    .on('close', () => {
      ended = true
    })
  onTestFinished(() => void socket.destroy())
  return { socket, text: () => text, ended: () => ended }
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}
const get = (url: string, headers: Record<string, string> = {}, from = '127.0.0.1') =>
  new Promise<Answer>((resolve, reject) => {
    const make = url.startsWith('https:') ? requestByTls : request
    make(url, { headers, localAddress: from, agent: false, rejectUnauthorized: false }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part)).on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }))
    })
      .on('error', reject)
      .end()
  })

describe('a request', () => {
  it('that offers another protocol is answered in this one, as Java asks by default; two Host headers open no WebSocket', async () => {
    const { socket, text } = raw()
    const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n'
    socket.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n${offer}\r\n`)
    await soon(() => expect(text()).toContain('{"status":"ok"}'))
    const webSocket =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
    const other = raw()
    other.socket.write(`GET /mqtt HTTP/1.1\r\nHost: a\r\nHost: b\r\n${webSocket}\r\n`)
    await soon(() => expect(other.text()).toMatch(/^HTTP\/1\.1 400 /))
  })

  it('with two Host headers is refused', async () => {
    const { socket, text } = raw()
    socket.write('GET /api/v1/machines HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n')
    await soon(() => expect(text()).toMatch(/^HTTP\/1.1 400 [\s\S]*application\/problem\+json[\s\S]*"duplicate_host"/))
  })

  it.each([
    ['of HTTP/1.0 without Host is answered, as RFC 9112 wants', 'GET /readyz HTTP/1.0\r\n\r\n', 200],
    ['of the plain `option httpchk` of HAProxy is answered', 'OPTIONS / HTTP/1.0\r\n\r\n', 200],
    ['of HTTP/1.0 with Host is answered', 'GET /readyz HTTP/1.0\r\nHost: a\r\n\r\n', 200],
    ['of HTTP/1.0 with a Host that is no host is refused', 'GET /readyz HTTP/1.0\r\nHost: a/b\r\n\r\n', 400],
    ['of HTTP/1.1 without Host is refused', 'GET /readyz HTTP/1.1\r\n\r\n', 400],
    ['of HTTP/1.1 with an empty Host is refused', 'GET /readyz HTTP/1.1\r\nHost:\r\n\r\n', 400],
  ])('%s', async (_what, head, status) => {
    const { socket, text } = raw()
    socket.write(head)
    await soon(() => expect(text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)))
  })

  it('whose body comes too slowly ends at REQUEST_TIMEOUT_SECONDS', async () => {
    const { socket, text, ended } = raw()
    socket.write(`${LOGIN}\r\n{`)
    await soon(() => expect(ended()).toBe(true))
    expect(text()).toMatch(/^HTTP\/1.1 408 /)
  })

  it('whose body has no length and is too large answers 413, and the next request is served', async () => {
    const post = (size: number) => {
      const body = new Blob(['{"email":"', 'x'.repeat(size), '"}']).stream()
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' }
      return fetch(`${hub.url}/api/v1/auth/login`, init as RequestInit)
    }
    const answer = await post(1_100_000)
    expect([answer.status, await answer.json()]).toEqual([413, expect.objectContaining({ code: 'payload_too_large' })])
    expect((await post(1_000)).status).toBe(422)
  })

  it('whose client leaves in the middle of its body is no fault of the hub: no 5xx is counted and nothing is logged', async () => {
    const lines: string[] = []
    const own = await hubs.start({}, createLogger('debug', { write: (line) => void lines.push(line) }))
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    const { socket, text } = raw(own.url)
    socket.write(`${LOGIN}Expect: 100-continue\r\n\r\n{"email":`)
    await soon(() => expect(text()).toContain('100 Continue'))
    socket.resetAndDestroy()
    const about = () => lines.map((line) => JSON.parse(line)).filter(({ path: at }) => at === '/api/v1/auth/login')
    await soon(() => expect(about()).toHaveLength(1))
    expect(about()[0]).toMatchObject({ status: 400, level: 'debug' })
    expect(printed).not.toHaveBeenCalled()
    await own.stop()
  })
})

describe('a file of the API reference', () => {
  it('comes compressed as the client wishes, and not at all when it has it', async () => {
    const plain = await get(`${hub.url}${BUNDLE}`)
    const brotli = await get(`${hub.url}${BUNDLE}`, { 'accept-encoding': 'gzip, br;q=0.9' })
    const gzipped = await get(`${hub.url}${BUNDLE}`, { 'accept-encoding': 'gzip, br;q=0' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(brotli.headers).toMatchObject({
      'content-encoding': 'br',
      vary: 'accept-encoding',
      'content-type': 'text/html; charset=utf-8',
    })
    expect(gzipped.headers['content-encoding']).toBe('gzip')
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true)
    expect(gunzipSync(gzipped.bytes).equals(plain.bytes)).toBe(true)
    expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 3)
    expect(new Set([plain, brotli, gzipped].map(({ headers }) => headers.etag)).size).toBe(3)
    const again = await get(`${hub.url}${BUNDLE}`, {
      'accept-encoding': 'br',
      'if-none-match': `"old", W/${brotli.headers.etag}`,
    })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
  })

  it('is the API document too, which is not written anew for each request', async () => {
    const url = `${hub.url}/api/v1/openapi.json`
    // making it the first time may take longer than this hub gives a request
    await soon(async () => expect((await get(url)).status).toBe(200))
    const [plain, brotli] = [await get(url), await get(url, { 'accept-encoding': 'br' })]
    expect(JSON.parse(plain.bytes.toString()).openapi).toBe('3.1.0')
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true)
    expect(brotli.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'application/json' })
    expect((await get(url, { 'if-none-match': plain.headers.etag as string })).status).toBe(304)
  })

  it('that nobody reads stays out of memory: pipelined requests wait, and each connection holds a piece of one answer', async () => {
    const before = process.memoryUsage()
    const unread = Array.from({ length: 20 }, () => raw())
    for (const { socket } of unread) socket.pause().write(`GET ${BUNDLE} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100))
    // the others are answered meanwhile
    for (let i = 0; i < 20; i++) expect((await get(`${hub.url}/healthz`)).status).toBe(200)
    const after = process.memoryUsage()
    // hub and test are one process; unbounded, this held 3.4 GB
    expect(after.external + after.heapUsed - before.external - before.heapUsed).toBeLessThan(100_000_000)
  })
})

describe('outside /api/v1', () => {
  it('an address has at most 64 answers unfinished; health checks always pass', async () => {
    const unread = Array.from({ length: 64 }, () => raw())
    const ask = (times: number) => {
      for (const { socket } of unread) socket.pause().write(`GET ${BUNDLE} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times))
    }
    // the kernel takes the first few answers of each
    ask(20)
    const refused = await soon(async () => {
      const answer = await get(`${hub.url}/docs`)
      // while this answer was one of the 64, all requests of another connection may have been refused
      if (answer.status !== 429) ask(1)
      expect(answer.status).toBe(429)
      return answer
    })
    expect(JSON.parse(refused.bytes.toString())).toMatchObject({ code: 'too_many_open', retry_after: 1 })
    expect((await get(`${hub.url}/healthz`)).status).toBe(200)
    expect((await get(`${hub.url}/readyz`)).status).toBe(200)
    expect((await get(`${hub.url}/docs`, {}, '127.0.0.3')).status).toBe(200)
    for (const { socket } of unread) socket.destroy()
    await soon(async () => expect((await get(`${hub.url}/docs`)).status).toBe(200))
  })
})

it('pages, assets, answers and refusals cannot be embedded by pages of other sites', async () => {
  for (const path of ['/', BUNDLE, '/api/v1/openapi.json', '/api/v1/machines', '/assets/missing.js', '/healthz'])
    expect((await get(`${hub.url}${path}`)).headers['cross-origin-resource-policy'], path).toBe('same-origin')
})

describe('Strict-Transport-Security', () => {
  const hsts = async (url: string, headers = {}, from = '127.0.0.1') =>
    (await get(`${url}/healthz`, headers, from)).headers['strict-transport-security']

  it('is sent where a trusted proxy says that the client came by HTTPS, and nowhere else', async () => {
    expect(await hsts(hub.url)).toBeUndefined()
    expect(await hsts(hub.url, { 'x-forwarded-proto': 'https' })).toBeUndefined()
    expect(await hsts(hub.url, { 'x-forwarded-proto': 'http' }, '127.0.0.2')).toBeUndefined()
    expect(await hsts(hub.url, { 'x-forwarded-proto': 'https' }, '127.0.0.2')).toBe('max-age=31536000; includeSubDomains')
  })

  it('is sent by a hub with TLS of its own, and by one whose PUBLIC_URL is https', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'haltless-tls-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
    const pair = selfSigned()
    writeFileSync(cert, pair.cert)
    writeFileSync(key, pair.key)
    const secure = await hubs.start({ TLS_CERT: cert, TLS_KEY: key })
    expect(await hsts(secure.url)).toBe('max-age=31536000; includeSubDomains')
    const behind = await hubs.start({ PUBLIC_URL: 'https://hub.example.com' })
    expect(await hsts(behind.url)).toBe('max-age=31536000; includeSubDomains')
    await Promise.all([secure.stop(), behind.stop()])
  })
})

describe('/metrics', () => {
  it('is open on loopback, and closed on a hub that listens beyond it unless there is a token', async () => {
    expect((await get(`${hub.url}/metrics`)).status).toBe(200)
    // a proxy on this machine carries requests from anywhere
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
      expect((await get(`${hub.url}/metrics`, { [header]: '192.0.2.1' })).status).toBe(403)
    const beyond = await hubs.start({ HOST: '0.0.0.0' })
    const closed = await get(`${beyond.url}/metrics`)
    expect([closed.status, JSON.parse(closed.bytes.toString()).code]).toEqual([403, 'metrics_closed'])
    const guarded = await hubs.start({ HOST: '0.0.0.0', METRICS_TOKEN: TOKEN })
    for (const authorization of ['', 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`])
      expect((await get(`${guarded.url}/metrics`, { authorization })).status).toBe(401)
    const answer = await get(`${guarded.url}/metrics`, { authorization: `Bearer ${TOKEN}` })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')])
    await Promise.all([beyond.stop(), guarded.stop()])
  })

  it('answers on METRICS_LISTEN, and there is nothing else there', async () => {
    const port = await keptPort()
    const own = await hubs.start({ HOST: '0.0.0.0', METRICS_LISTEN: `127.0.0.1:${port}` })
    expect((await get(`http://127.0.0.1:${port}/metrics`)).bytes.toString()).toContain('haltless_http_request_seconds')
    expect((await get(`http://127.0.0.1:${port}/api/v1/openapi.json`)).status).toBe(404)
    expect((await get(`${own.url}/metrics`)).status).toBe(403)
    await expect(hubs.start({ METRICS_LISTEN: `127.0.0.1:${port}` })).rejects.toThrow(/METRICS_LISTEN/)
    await own.stop()
  })

  it('names no tenant', async () => {
    const site = await hubs.site(hub)
    await site.heartbeat({ agent_id: 'line-1', agent_version: '0.1.0' })
    await site.call('GET', `machines/${site.machineId}`)
    const text = (await get(`${hub.url}/metrics`)).bytes.toString()
    for (const secret of [site.tenantId, site.machineId, site.identifier, 'Acme', 'line-1']) expect(text).not.toContain(secret)
  })
})

describe('serve', () => {
  const database = useDatabase()
  it.each([
    [
      'open',
      /the first account is made at https:\/\/hub\.example\.com\/register, or with `npm run hub -- tenants create NAME EMAIL`$/,
    ],
    ['closed', /REGISTRATION is closed, so the first account is made with `npm run hub -- tenants create NAME EMAIL`$/],
  ])('says in its first line of log how the first account is made while REGISTRATION is %s', async (REGISTRATION, hint) => {
    const program = run('cloud-hub/src/main.ts', ['serve'], {
      ...{ HOST: '127.0.0.1', PORT: '0', MQTT_PORT: '0', DATABASE_URL: database.url, SECRET_KEY: 'k'.repeat(32) },
      ...{ REGISTRATION, PUBLIC_URL: 'https://hub.example.com' },
    })
    onTestFinished(() => endAll())
    const first = await until('the hub logs', () =>
      program
        .out()
        .split('\n')
        .slice(0, -1)
        .find((line) => line.startsWith('{')),
    )
    expect(JSON.parse(String(first)).msg).toMatch(hint)
  })

  it.each([
    ['0.0.0.0', true],
    ['127.0.0.1', false],
  ])('on %s without TLS warns in the log and on the terminal: %s', async (HOST, warns) => {
    const program = run('cloud-hub/src/main.ts', ['serve'], {
      ...{ HOST, PORT: '0', MQTT_PORT: '0', DATABASE_URL: database.url, SECRET_KEY: 'k'.repeat(32) },
    })
    onTestFinished(() => endAll())
    await until('the hub runs', () => program.out().includes('the hub is running'))
    const logged = program
      .out()
      .split('\n')
      .filter((line) => line.includes('without TLS'))
    expect(logged.map((line) => JSON.parse(line).level)).toEqual(warns ? ['warn'] : [])
    expect(/^Warning: The hub listens on 0.0.0.0 without TLS.*TLS_CERT/m.test(program.err())).toBe(warns)
  })
})
