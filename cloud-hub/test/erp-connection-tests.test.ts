import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type TestUser, useHub } from './harness.ts'
import { selfSigned } from './self-signed.ts'

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8', TENANT_SENDINGS_PER_DAY: '7' })
const { cert, key } = selfSigned()
const PASSWORD = 'top-secret-0001'
const PROVIDERS = ['erp_a', 'erp_b', 'erp_c'] as const
type Provider = (typeof PROVIDERS)[number]

const servers: Server[] = []
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer({ cert, key }, answer)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

const configOf = (provider: Provider, origin: string) =>
  ({
    erp_a: { base_url: `${origin}/api`, client: '100', username: 'haltless', password: PASSWORD },
    erp_b: {
      base_url: `${origin}/api`,
      token_url: `${origin}/token`,
      tenant_id: 'contoso.example',
      client_id: 'haltless',
      client_secret: PASSWORD,
    },
    erp_c: { base_url: `${origin}/api`, username: 'haltless', password: PASSWORD },
  })[provider]
async function connect(user: TestUser, provider: Provider, origin: string, ca: string | null = cert): Promise<string> {
  const config = { ...configOf(provider, origin), ...(ca && { ca_certificate: ca }) }
  const { status, body } = await user.call('POST', 'erp/connections', { provider, name: 'ERP', is_active: false, config })
  expect([status, body]).toEqual([201, body])
  return body.id
}
const test = (user: TestUser, id: string) => user.call('POST', `erp/connections/${id}/test`)

describe('a test of a connection', () => {
  it.for(PROVIDERS)('of %s reports an address where nothing answers, with 200', async (provider) => {
    const admin = await hub.admin()
    const { status, body } = await test(admin, await connect(admin, provider, 'https://127.0.0.1:1'))
    expect([status, body]).toMatchObject([200, { success: false, provider, reachable: false, authenticated: false }])
    expect(body.message).toMatch(/\.$/)
    expect(body.fault).toMatchObject({ code: expect.stringMatching(/^erp_(issuer_)?unreachable$/), detail: body.message })
    expect(Object.keys(body.entities).toSorted()).toEqual(['downtime', 'machine', 'production_data', 'work_order'])
  })

  it.for(PROVIDERS)('of %s verifies the certificate, and says so when it is not trusted', async (provider) => {
    const admin = await hub.admin()
    const seen: string[] = []
    const origin = await serve((request, response) => {
      seen.push(request.url ?? '')
      response.writeHead(503).end()
    })
    const untrusted = await test(admin, await connect(admin, provider, origin, null))
    expect(untrusted.body).toMatchObject({ success: false, reachable: false, message: expect.stringMatching(/certificate/i) })
    expect(seen).toEqual([])
    await test(admin, await connect(admin, provider, origin))
    expect(seen).not.toEqual([])
  })

  it.for(PROVIDERS)('of %s shows no secret, also when the server echoes it', async (provider) => {
    const admin = await hub.admin()
    const origin = await serve(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const echo = `${request.headers.authorization} ${text} ${PASSWORD} ${encodeURIComponent(PASSWORD)}`
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: echo, code: echo } }))
    })
    const { body } = await test(admin, await connect(admin, provider, origin))
    expect(body).toMatchObject({ success: false, authenticated: false })
    const audit = (await admin.call('GET', 'audit-log?action=erp_connection.tested')).body
    expect(audit.items[0]).toMatchObject({ after: { success: false, message: body.message } })
    const basic = Buffer.from(`haltless:${PASSWORD}`).toString('base64')
    for (const text of [JSON.stringify(body), JSON.stringify(audit)])
      expect(text.includes(PASSWORD) || text.includes(basic)).toBe(false)
  })

  it.for(PROVIDERS)('of %s follows no redirect', async (provider) => {
    const admin = await hub.admin()
    const seen: string[] = []
    const other = await serve((request, response) => {
      seen.push(request.url ?? '')
      response.end('{}')
    })
    const origin = await serve((request, response) => response.writeHead(307, { location: `${other}${request.url}` }).end())
    expect((await test(admin, await connect(admin, provider, origin))).body.success).toBe(false)
    expect(seen).toEqual([])
  })

  it('counts against the tests of the tenant', async () => {
    const admin = await hub.admin()
    const id = await connect(admin, 'erp_c', 'https://127.0.0.1:1')
    for (let i = 0; i < 7; i++) expect((await test(admin, id)).status).toBe(200)
    const { status, body } = await test(admin, id)
    expect([status, body.code]).toEqual([429, 'sending_limit'])
  })

  it('is one of at most 4 that a tenant runs at once', async () => {
    const admin = await hub.admin()
    let arrived = 0
    const waiting: (() => void)[] = []
    const origin = await serve((_request, response) => {
      arrived++
      waiting.push(() => response.writeHead(503).end())
    })
    const id = await connect(admin, 'erp_c', origin)
    const running = Array.from({ length: 4 }, () => test(admin, id))
    await expect.poll(() => arrived).toBeGreaterThanOrEqual(4)
    expect((await test(admin, id)).body.code).toBe('tests_under_way')
    const release = setInterval(() => {
      for (const answer of waiting.splice(0)) answer()
    }, 10)
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    clearInterval(release)
  })
})
