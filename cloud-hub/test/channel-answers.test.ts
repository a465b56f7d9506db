import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import { createLogger } from '../src/support/logger.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { selfSigned } from './self-signed.ts'

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let answer: RequestListener
let [plain, secure]: Server[] = []
beforeAll(async () => {
  plain = createServer((request, response) => answer(request, response))
  secure = createTlsServer(selfSigned(), (request, response) => answer(request, response))
  for (const server of [plain, secure]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  for (const server of [plain, secure]) {
    server?.closeAllConnections()
    await new Promise((done) => server?.close(done))
  }
})
const at = (server: Server | undefined) => `127.0.0.1:${((server as Server).address() as AddressInfo).port}`
const create = async (user: TestUser, channel_type: string, config: unknown) => {
  const made = await user.call('POST', 'notification-channels', { name: 'Tool', channel_type, config })
  expect(made.status).toBe(201)
  return made.body.id as string
}
const test = (user: TestUser, id: string) => user.call('POST', `notification-channels/${id}/test`)
const attempts = async (user: TestUser, id: string) =>
  (await user.call('GET', `notification-channels/${id}/deliveries`)).body.items as { error: string; status: string }[]
const opsgenie = (user: TestUser) => create(user, 'incident_b', { api_key: 'k', base_url: `http://${at(plain)}` })

describe('a receiver whose answer is', () => {
  it.each<[string, RequestListener, RegExp]>([
    [
      'a text that no database stores',
      (_q, r) => r.writeHead(422).end(JSON.stringify({ message: 'a\u0000b\ud83cc\u202e' })),
      /^The test failed: the receiver answered 422: a b.c\.$/,
    ],
    ['no UTF-8', (_q, r) => r.writeHead(400).end(Buffer.from([0x7b, 0xff, 0xfe, 0xc3])), /answered 400\.$/],
    [
      'a bomb of gzip',
      (_q, r) => r.writeHead(400, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, 0x20))),
      /answered 400\.$/,
    ],
    [
      'a reason of a megabyte',
      (_q, r) => r.writeHead(400).end(JSON.stringify({ message: 'x'.repeat(60_000) })),
      /answered 400: x{100,300}…\.$/,
    ],
    [
      'without end',
      (_q, r) => {
        r.writeHead(500)
        const more = () => r.writable && r.write('x'.repeat(16_384), () => setImmediate(more))
        more()
      },
      /answered 500\.$/,
    ],
    ['a switch of protocols', (_q, r) => r.writeHead(101, { upgrade: 'x', connection: 'upgrade' }).end(), /protocols\.$/],
  ])('%s is told in a short line, and on record', async (_what, reply, message) => {
    answer = reply
    const admin = await hub.admin()
    const id = await opsgenie(admin)
    const told = await test(admin, id)
    expect(told).toMatchObject({ status: 200, body: { success: false, message: expect.stringMatching(message) } })
    const [attempt] = await attempts(admin, id)
    expect(attempt?.error.length).toBeLessThanOrEqual(300)
  })

  it('behind a certificate that nobody vouches for is not called', async () => {
    answer = () => expect.unreachable()
    const admin = await hub.admin()
    const id = await create(admin, 'webhook', { url: `https://${at(secure)}/?token=1`, headers: { 'X-Key': 'top-secret' } })
    expect((await test(admin, id)).body).toMatchObject({
      success: false,
      message: 'The test failed: No secure connection: its certificate is self-signed.',
      fault: { code: 'https_self_signed' },
    })
  })

  it('a text that no database stores ends its delivery, which does not come again for ever', async () => {
    const { admin, key, identifier } = await plant(hub)
    const { pools, box, http, mailer, clock } = hub.deps
    const logger = createLogger('silent')
    const deps = { allTenants: pools.system, listen: pools.listen, publicUrl: 'http://hub.test', vapid: null, observe: () => {} }
    const worker = await DeliveryWorker.start({ ...deps, box, http, mailer, clock, logger })
    onTestFinished(() => worker.stop())
    answer = (_q, r) => r.writeHead(422).end(JSON.stringify({ message: 'a\u0000b' }))
    const id = await opsgenie(admin)
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await hub.send(key, [{ machine: identifier, value: 95 }])
    await vi.waitFor(
      async () =>
        expect(await attempts(admin, id)).toMatchObject([{ status: 'failed', error: 'the receiver answered 422: a b' }]),
      { timeout: 60_000, interval: 20 },
    )
    expect(await hub.owner`select status from deliveries where channel_id = ${id}`).toEqual([{ status: 'refused' }])
  })
})

it('a channel that is deleted while it is tested answers 404', async () => {
  const admin = await hub.admin()
  const id = await opsgenie(admin)
  answer = async (_q, r) => {
    await admin.call('DELETE', `notification-channels/${id}`)
    r.writeHead(202).end('{}')
  }
  expect(await test(admin, id)).toMatchObject({ status: 404, body: { code: 'channel_not_found' } })
})

const SECRET = `zq7${randomUUID().replaceAll('-', '')}`
/** each type with the same secret in every place where it may have one */
const configs = (base: string): Record<string, Record<string, unknown>> => ({
  webhook: { url: `${base}/in`, headers: { Authorization: `Bearer ${SECRET}` }, signing_secret: SECRET },
  sms: { account_sid: 'AC01', auth_token: SECRET, from_number: '+15005550006', to_number: '+4915112345678', base_url: base },
  chat_a: { webhook_url: `${base}/services/T0/${SECRET}` },
  chat_b: { webhook_url: `${base}/workflows/a?sig=${SECRET}` },
  messenger_a: { bot_token: `123:${SECRET}`, chat_id: '1', base_url: base },
  incident_a: { routing_key: SECRET, base_url: base },
  incident_b: { api_key: SECRET, base_url: base },
  ticketing_a: { base_url: base, email: 'a@example.com', api_token: SECRET, project_key: 'OPS' },
  ticketing_b: { instance_url: base, username: 'u', password: SECRET },
})

describe('the secrets of a channel', () => {
  it.each(Object.keys(configs('')))(
    'of type %s are in no answer, table, audit entry or record, also when the receiver says them back',
    async (type) => {
      const config = configs(`http://${at(plain)}`)[type] as Record<string, unknown>
      const users = [config.account_sid, config.email, config.username].filter((user) => typeof user === 'string')
      const basics = users.map((user) => Buffer.from(`${user}:${SECRET}`).toString('base64'))
      const echoes = [SECRET, ...basics].join(' ')
      answer = ({ headers, url }, r) => {
        const message = `${'x'.repeat(100)} ${headers.authorization} ${url} ${echoes}`
        const body = {
          message,
          errorMessages: [message],
          error: { message, detail: message },
          errors: [message],
          description: message,
        }
        r.writeHead(400).end(JSON.stringify({ ok: false, ...body }))
      }
      const admin = await hub.admin()
      const said: unknown[] = []
      const call = async (method: string, path: string, body?: unknown) => {
        const given = await admin.call(method, path, body)
        said.push(given.body)
        return given
      }
      const { id } = (await call('POST', 'notification-channels', { name: 'Tool', channel_type: type, config })).body
      expect((await call('POST', `notification-channels/${id}/test`)).body.success).toBe(false)
      await call('PUT', `notification-channels/${id}`, { config: { base_url: 'http://127.0.0.2/', url: 'http://127.0.0.2/' } })
      await call('PUT', `notification-channels/${id}`, {
        config: { ...config, base_url: 'http://10.0.0.1/', url: 'http://10.0.0.1' },
      })
      await call('PUT', `notification-channels/${id}`, { name: 'Other', config })
      await call('GET', 'notification-channels')
      await call('GET', `notification-channels/${id}/deliveries`)
      await call('GET', 'audit-log')
      await call('DELETE', `notification-channels/${id}`)
      for (const secret of [SECRET, ...basics]) expect(JSON.stringify(said)).not.toContain(secret)
      const tables = await hub.owner<{ name: string }[]>`
        select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`
      expect(tables.length).toBeGreaterThan(20)
      for (const { name } of tables) {
        const [found] = await hub.owner.unsafe(`select count(*)::int from ${name} t where t::text like '%${SECRET}%'`)
        expect([name, found?.count]).toEqual([name, 0])
      }
    },
  )
})
