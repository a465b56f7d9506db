import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { DeliveryOutcome, Notice } from '../../src/features/delivery/notifications/channel.ts'
import { type ChannelType, channelOf } from '../../src/features/delivery/notifications/registry.ts'
import { createGuardedClient, type GuardedClient } from '../../src/support/net/guarded-client.ts'
import { type Call, type Reply, RULES } from './vendor-rules.ts'

/** Stands for a vendor: remembers calls, refuses what its documentation does not allow, and answers the rest as the test says. */
export const vendor: { calls: Call[]; answer: (call: Call) => Reply; url: string } = {
  calls: [],
  answer: () => ({ status: 200 }),
  url: '',
}
let asked: ChannelType
let server: Server
let http: GuardedClient

/** Starts the vendor before the tests of a file and closes it after them. */
export function useVendorServer(): void {
  beforeAll(async () => {
    http = createGuardedClient({ allow: ['127.0.0.0/8'], timeoutMs: 2_000 })
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
      const body = text === '' ? null : isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)
      const call = { method: request.method as string, path: request.url as string, headers: request.headers, body }
      vendor.calls.push(call)
      const reply = RULES[asked]?.(call) ?? vendor.answer(call)
      const given = reply.body === undefined ? '' : typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
      response.writeHead(reply.status, reply.headers).end(given)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    vendor.calls = []
    vendor.answer = () => ({ status: 200 })
  })
  afterAll(async () => {
    http.close()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
}

export const ALERT = '0198b2c4-0000-7000-8000-00000000000a'
export const notice = (values: Partial<Notice> = {}): Notice => ({
  type: 'alert',
  event: 'raised',
  deliveryId: '0198b2c4-0000-7000-8000-00000000000d',
  message: 'Press <1> & Söhne: oil_temp is 95 celsius, above the critical threshold of 90 celsius.',
  severity: 'critical',
  metricName: 'oil_temp',
  triggerValue: 95,
  thresholdValue: 90,
  alert: {
    id: ALERT,
    unit: 'celsius',
    triggeredAt: new Date('2026-01-31T12:00:00Z'),
    createdAt: new Date('2026-01-31T12:00:01Z'),
  },
  machine: { id: '0198b2c4-0000-7000-8000-00000000000b', name: 'Press <1> & Söhne', identifier: 'press-1', location: 'Hall 3' },
  ...values,
})
export const test = (): Notice =>
  notice({ type: 'test', message: 'This is a test.', severity: 'info', metricName: 'test_metric', alert: null, machine: null })
export const LINK = `https://hub.example.com/alerts/${ALERT}`

/** Delivers through a channel whose vendor is the server of this test. */
export function deliver(type: ChannelType, config: Record<string, unknown>, what = notice()): Promise<DeliveryOutcome> {
  asked = type
  const channel = channelOf(type)
  const tools = {
    http,
    mailer: null as never,
    now: new Date(),
    publicUrl: 'https://hub.example.com',
    vapid: null,
    timeZoneOf: async () => 'UTC',
  }
  return channel.deliver(what, channel.config.parse({ base_url: vendor.url, ...config }), tools)
}
export const sent = () => vendor.calls[0] as Call

export const CONFIGS: Partial<Record<ChannelType, Record<string, unknown>>> = {
  sms: { account_sid: 'AC0123', auth_token: 'top-secret', from_number: '+15005550006', to_number: '+4915112345678' },
  chat_a: { webhook_url: 'https://hooks.slack.example/services/T0/B0/x' },
  chat_b: { webhook_url: 'https://prod.logic.example/workflows/abc/triggers/manual?sig=x' },
  messenger_a: { bot_token: '123:ABC', chat_id: '-1001' },
  incident_a: { routing_key: 'R0123456789012345678901234567890' },
  incident_b: { api_key: 'genie' },
  ticketing_a: { email: 'a@example.com', api_token: 'top-secret', project_key: 'OPS' },
  ticketing_b: { instance_url: 'https://acme.service-now.example', username: 'haltless', password: 'top-secret' },
}
export const VENDORS = Object.entries(CONFIGS) as [ChannelType, Record<string, unknown>][]
/** Enough of an answer for any of them. */
export const fine = ({ method }: Call): Reply =>
  method === 'GET'
    ? { status: 200, body: { result: [] } }
    : { status: 200, body: { ok: true, id: '1', issues: [], result: { sys_id: 's1' } } }
