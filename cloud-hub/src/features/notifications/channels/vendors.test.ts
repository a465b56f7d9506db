import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedClient } from '../../../support/net/guarded-client.ts'
import type { DeliveryOutcome, Notice } from '../channel.ts'
import { type ChannelType, channelOf } from '../registry.ts'

interface Call {
  method: string
  path: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}
interface Reply {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** Stands for a vendor: remembers calls and answers as the test says. */
let [calls, answer]: [Call[], (call: Call) => Reply] = [[], () => ({ status: 200 })]
let server: Server
let url: string
const http = createGuardedClient({ allow: ['127.0.0.0/8'], timeoutMs: 2_000 })

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
    const body = text === '' ? null : isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)
    const call = { method: request.method as string, path: request.url as string, headers: request.headers, body }
    calls.push(call)
    const reply = answer(call)
    const given = reply.body === undefined ? '' : typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    response.writeHead(reply.status, reply.headers).end(given)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  calls = []
  answer = () => ({ status: 200 })
})
afterAll(async () => {
  http.close()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const ALERT = '0198b2c4-0000-7000-8000-00000000000a'
const notice = (values: Partial<Notice> = {}): Notice => ({
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
const test = (): Notice =>
  notice({ type: 'test', message: 'This is a test.', severity: 'info', metricName: 'test_metric', alert: null, machine: null })
const LINK = `https://hub.example.com/alerts/${ALERT}`

/** Delivers through a channel whose vendor is the server of this test. */
function deliver(type: ChannelType, config: Record<string, unknown>, what = notice()): Promise<DeliveryOutcome> {
  const channel = channelOf(type)
  const tools = { http, mailer: null as never, now: new Date(), publicUrl: 'https://hub.example.com', vapid: null }
  return channel.deliver(what, channel.config.parse({ base_url: url, ...config }), tools)
}
const sent = () => calls[0] as Call

const CONFIGS: Partial<Record<ChannelType, Record<string, unknown>>> = {
  sms: { account_sid: 'AC0123', auth_token: 'top-secret', from_number: '+15005550006', to_number: '+4915112345678' },
  chat_a: { webhook_url: 'https://hooks.slack.example/services/T0/B0/x' },
  chat_b: { webhook_url: 'https://prod.logic.example/workflows/abc/triggers/manual?sig=x' },
  messenger_a: { bot_token: '123:ABC', chat_id: '-1001' },
  incident_a: { routing_key: 'R0123456789012345678901234567890' },
  incident_b: { api_key: 'genie' },
  ticketing_a: { email: 'a@example.com', api_token: 'top-secret', project_key: 'OPS' },
  ticketing_b: { instance_url: 'https://acme.service-now.example', username: 'haltless', password: 'top-secret' },
}
const VENDORS = Object.entries(CONFIGS) as [ChannelType, Record<string, unknown>][]
/** Enough of an answer for any of them. */
const fine = ({ method }: Call): Reply =>
  method === 'GET'
    ? { status: 200, body: { result: [] } }
    : { status: 200, body: { ok: true, id: '1', issues: [], result: { sys_id: 's1' } } }

describe.each(VENDORS)('%s', (type, config) => {
  it('delivers an alert and a test', async () => {
    answer = fine
    expect(await deliver(type, config)).toMatchObject({ kind: 'delivered', responseStatus: 200 })
    expect(await deliver(type, config, test())).toMatchObject({ kind: 'delivered', responseStatus: 200 })
  })

  it.each([
    [429, 'transient'],
    [500, 'transient'],
    [503, 'transient'],
    [408, 'transient'],
    [302, 'transient'],
    [400, 'permanent'],
    [401, 'permanent'],
    [403, 'permanent'],
  ])('answered %i ends %s, with the time that was asked for', async (status, kind) => {
    answer = () => ({ status, headers: { 'retry-after': '17', location: `${url}/elsewhere` }, body: 'no JSON' })
    const outcome = await deliver(type, config)
    expect(outcome).toMatchObject({
      kind,
      responseStatus: status,
      retryAfterSeconds: 17,
      error: expect.stringContaining(String(status)),
    })
    expect(calls).toHaveLength(1)
  })

  it('that nobody answers is tried again, and says nothing of what it was called with', async () => {
    const outcome = await deliver(type, { ...config, base_url: 'http://127.0.0.1:9' })
    expect(outcome).toMatchObject({ kind: 'transient' })
    expect(JSON.stringify(outcome)).not.toMatch(/top-secret|123:ABC|genie|sig=x|T0/)
  })

  it('takes texts of any length and keeps its limits', async () => {
    answer = fine
    const long = '🏭<&>*_'.repeat(4_000)
    const machine = { id: ALERT, name: long, identifier: long, location: long }
    expect(await deliver(type, config, notice({ message: long, metricName: long.slice(0, 100), machine }))).toMatchObject({
      kind: 'delivered',
    })
    const size = Math.max(...calls.map(({ body }) => JSON.stringify(body).length))
    expect(size).toBeLessThan(type === 'chat_b' ? 28_000 : 120_000)
  })
})

describe('chat_a, by the rules of Slack', () => {
  const config = CONFIGS.chat_a as Record<string, unknown>

  it('posts text and blocks to the path of the webhook, with &, < and > escaped', async () => {
    answer = () => ({ status: 200, body: 'ok' })
    await deliver('chat_a', config)
    const { method, path, headers, body } = sent()
    expect([method, path, headers['content-type']]).toEqual(['POST', '/services/T0/B0/x', 'application/json; charset=utf-8'])
    expect(body.text).toBe(
      '[critical] Press &lt;1&gt; &amp; Söhne: oil_temp is 95 celsius, above the critical threshold of 90 celsius.',
    )
    expect(body.blocks[0].text).toMatchObject({
      type: 'mrkdwn',
      text: expect.stringContaining(':red_circle: *CRITICAL* Press &lt;1&gt;'),
    })
    expect(body.blocks[1].fields.map((f: { text: string }) => f.text)).toEqual([
      '*Machine*\nPress &lt;1&gt; &amp; Söhne (press-1)',
      '*Location*\nHall 3',
      '*Metric*\noil_temp',
      '*Value*\n95 celsius',
      '*Threshold*\n90 celsius',
      '*Measured*\n2026-01-31T12:00:00.000Z',
    ])
    expect(body.blocks[2].elements[0].text).toBe(`<${LINK}|Open in Haltless>`)
  })

  it('keeps blocks within 3,000 characters and fields within 2,000', async () => {
    const long = '&'.repeat(3_000)
    await deliver(
      'chat_a',
      config,
      notice({ message: long, machine: { id: ALERT, name: long, identifier: 'x', location: long } }),
    )
    expect(sent().body.blocks[0].text.text.length).toBeLessThanOrEqual(3_000)
    for (const { text } of sent().body.blocks[1].fields) expect(text.length).toBeLessThanOrEqual(2_000)
  })

  it('tells Slack’s word for a refusal', async () => {
    answer = () => ({ status: 410, body: 'channel_is_archived' })
    expect(await deliver('chat_a', config)).toEqual({
      kind: 'permanent',
      error: 'the receiver answered 410: channel_is_archived',
      responseStatus: 410,
    })
  })
})

describe('chat_b, by the rules of Teams', () => {
  const config = CONFIGS.chat_b as Record<string, unknown>

  it('posts a message with one Adaptive Card, in which names are not read as Markdown', async () => {
    answer = () => ({ status: 202 })
    expect(await deliver('chat_b', config)).toEqual({ kind: 'delivered', responseStatus: 202 })
    const { path, body } = sent()
    expect(path).toBe('/workflows/abc/triggers/manual?sig=x')
    expect(body).toMatchObject({
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null }],
    })
    const { content } = body.attachments[0]
    expect(content).toMatchObject({
      type: 'AdaptiveCard',
      version: '1.4',
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    })
    expect(content.body.map((b: { type: string }) => b.type)).toEqual(content.body.map(() => 'RichTextBlock'))
    expect(content.body[1].inlines[0]).toMatchObject({ type: 'TextRun', text: notice().message })
    expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open in Haltless', url: LINK }])
  })

  it.each([
    [429, 'transient'],
    [413, 'permanent'],
  ])('takes a 200 that tells of an HTTP error %i for that error', async (status, kind) => {
    answer = () => ({
      status: 200,
      body: `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId x`,
    })
    expect(await deliver('chat_b', config)).toMatchObject({ kind, responseStatus: status })
  })
})

describe('messenger_a, by the rules of Telegram', () => {
  const config = CONFIGS.messenger_a as Record<string, unknown>

  it('calls sendMessage with escaped HTML and no preview of the link', async () => {
    answer = () => ({ status: 200, body: { ok: true, result: { message_id: 1 } } })
    await deliver('messenger_a', config)
    expect(sent()).toMatchObject({ method: 'POST', path: '/bot123:ABC/sendMessage' })
    const { text, ...rest } = sent().body
    expect(rest).toEqual({ chat_id: '-1001', parse_mode: 'HTML', link_preview_options: { is_disabled: true } })
    expect(text).toContain('<b>CRITICAL</b> Press &lt;1&gt; &amp; Söhne: oil_temp is 95')
    expect(text).toContain(LINK)
  })

  it('stays within 4,096 characters', async () => {
    const long = '🏭'.repeat(9_000)
    await deliver(
      'messenger_a',
      config,
      notice({ message: long, machine: { id: ALERT, name: long, identifier: long, location: long } }),
    )
    expect([...sent().body.text].length).toBeLessThanOrEqual(4_096)
  })

  it('waits as long as `retry_after` in the body says', async () => {
    answer = () => ({
      status: 429,
      body: { ok: false, error_code: 429, description: 'Too Many Requests: retry after 35', parameters: { retry_after: 35 } },
    })
    expect(await deliver('messenger_a', config)).toEqual({
      kind: 'transient',
      error: 'the receiver answered 429: Too Many Requests: retry after 35',
      responseStatus: 429,
      retryAfterSeconds: 35,
    })
  })

  it('takes a chat that is unknown for final', async () => {
    answer = () => ({ status: 400, body: { ok: false, error_code: 400, description: 'Bad Request: chat not found' } })
    expect(await deliver('messenger_a', config)).toMatchObject({
      kind: 'permanent',
      error: expect.stringContaining('chat not found'),
    })
  })

  it('believes `ok` rather than the status', async () => {
    answer = () => ({ status: 200, body: { ok: false, description: 'no' } })
    expect((await deliver('messenger_a', config)).kind).toBe('permanent')
  })
})

describe('sms, by the rules of Twilio', () => {
  const config = CONFIGS.sms as Record<string, unknown>

  it('posts a form to the account’s messages with Basic credentials', async () => {
    answer = () => ({ status: 201, body: { sid: 'SM1', status: 'queued' } })
    expect(await deliver('sms', config)).toEqual({ kind: 'delivered', responseStatus: 201 })
    const { path, headers, body } = sent()
    expect(path).toBe('/2010-04-01/Accounts/AC0123/Messages.json')
    expect(headers.authorization).toBe(`Basic ${Buffer.from('AC0123:top-secret').toString('base64')}`)
    expect(body).toEqual({ To: '+4915112345678', From: '+15005550006', Body: `CRITICAL ${notice().message}` })
  })

  it('names a messaging service as one', async () => {
    await deliver('sms', { ...config, from_number: 'MG0123456789abcdef0123456789abcdef' })
    expect(sent().body).toMatchObject({ MessagingServiceSid: 'MG0123456789abcdef0123456789abcdef' })
    expect(sent().body).not.toHaveProperty('From')
  })

  it('sends no more than three parts', async () => {
    await deliver('sms', config, notice({ message: 'ä'.repeat(2_000) }))
    expect([...sent().body.Body].length).toBe(459)
  })

  it('tells Twilio’s error', async () => {
    answer = () => ({ status: 400, body: { code: 21211, message: "The 'To' number is not a valid phone number.", status: 400 } })
    expect(await deliver('sms', config)).toMatchObject({
      kind: 'permanent',
      error: "the receiver answered 400: error 21211; The 'To' number is not a valid phone number.",
    })
  })
})

describe('incident_a, by the rules of PagerDuty', () => {
  const config = CONFIGS.incident_a as Record<string, unknown>
  const accepted = () => ({ status: 202, body: { status: 'success', message: 'Event processed', dedup_key: ALERT } })

  it('triggers an event with all that is required, under the alert’s id', async () => {
    answer = accepted
    expect(await deliver('incident_a', config)).toEqual({ kind: 'delivered', responseStatus: 202 })
    expect(sent().path).toBe('/v2/enqueue')
    expect(sent().body).toEqual({
      routing_key: config.routing_key,
      event_action: 'trigger',
      dedup_key: ALERT,
      client: 'Haltless',
      client_url: LINK,
      payload: {
        summary: notice().message,
        source: 'press-1',
        severity: 'critical',
        timestamp: '2026-01-31T12:00:00.000Z',
        component: 'Press <1> & Söhne',
        group: 'Hall 3',
        class: 'oil_temp',
        custom_details: { metric: 'oil_temp', value: 95, threshold: 90, unit: 'celsius' },
      },
      links: [{ href: LINK, text: 'Open in Haltless' }],
    })
  })

  it.each([
    ['acknowledged', 'acknowledge'],
    ['cleared', 'resolve'],
  ] as const)('tells %s as %s of the same event', async (event, action) => {
    answer = accepted
    await deliver('incident_a', config, notice({ event }))
    expect(sent().body).toEqual({ routing_key: config.routing_key, event_action: action, dedup_key: ALERT })
  })

  it('keeps the summary within 1,024 characters, and tells what is invalid', async () => {
    answer = () => ({
      status: 400,
      body: { status: 'invalid event', message: 'Event object is invalid', errors: ["Length of 'routing_key' is incorrect"] },
    })
    expect(await deliver('incident_a', config, notice({ message: 'x'.repeat(3_000) }))).toMatchObject({
      kind: 'permanent',
      error: "the receiver answered 400: Event object is invalid; Length of 'routing_key' is incorrect",
    })
    expect(sent().body.payload.summary).toHaveLength(1_024)
  })
})

describe('incident_b, by the rules of Opsgenie', () => {
  const config = CONFIGS.incident_b as Record<string, unknown>
  const accepted = () => ({ status: 202, body: { result: 'Request will be processed', took: 0.1, requestId: 'r' } })

  it('creates an alert under the alert’s id, with a GenieKey', async () => {
    answer = accepted
    expect(await deliver('incident_b', config)).toEqual({ kind: 'delivered', responseStatus: 202 })
    const { path, headers, body } = sent()
    expect([path, headers.authorization]).toEqual(['/v2/alerts', 'GenieKey genie'])
    expect(body).toMatchObject({
      alias: ALERT,
      priority: 'P1',
      source: 'Haltless',
      entity: 'press-1',
      tags: ['haltless', 'critical'],
    })
    expect(Object.values(body.details).every((value) => typeof value === 'string')).toBe(true)
  })

  it.each([
    ['acknowledged', 'acknowledge'],
    ['cleared', 'close'],
  ] as const)('tells %s as %s, by alias', async (event, action) => {
    answer = accepted
    await deliver('incident_b', config, notice({ event }))
    expect(sent()).toMatchObject({
      method: 'POST',
      path: `/v2/alerts/${ALERT}/${action}?identifierType=alias`,
      body: { source: 'Haltless' },
    })
  })

  it('keeps the message within 130 characters, and tells what is wrong', async () => {
    answer = () => ({ status: 422, body: { message: 'Request body is not processable.', took: 0, requestId: 'r' } })
    expect(await deliver('incident_b', config, notice({ message: 'x'.repeat(300) }))).toMatchObject({
      kind: 'permanent',
      error: expect.stringContaining('not processable'),
    })
    expect(sent().body.message).toHaveLength(130)
  })
})

describe('ticketing_a, by the rules of Jira', () => {
  const config = CONFIGS.ticketing_a as Record<string, unknown>
  const ticket = { key: 'haltless-abc', knownId: null }
  /** a site with issues by id; `done` ones are not open. `finds` is what the search knows, which is always a little behind */
  const site =
    (issues: Record<string, { done?: boolean }>, finds: string[] = []) =>
    (call: Call): Reply => {
      const [, id, comment] = /^\/rest\/api\/3\/issue\/(\w+)(\/comment)?/.exec(call.path) ?? []
      if (call.path === '/rest/api/3/search/jql')
        return {
          status: 200,
          body: { issues: finds.filter((one) => !issues[one]?.done).map((one) => ({ id: one })), isLast: true },
        }
      if (call.path === '/rest/api/3/issue') return { status: 201, body: { id: '10042', key: 'OPS-42', self: '' } }
      if (!id || !issues[id])
        return { status: 404, body: { errorMessages: ['Issue does not exist or you do not have permission to see it.'] } }
      return comment
        ? { status: 201, body: { id: '1' } }
        : { status: 200, body: { id, fields: { status: { statusCategory: { key: issues[id].done ? 'done' : 'new' } } } } }
    }
  const paths = () => calls.map(({ method, path }) => `${method} ${path}`)

  it('creates an issue where the search finds none, labelled so that it is found again', async () => {
    answer = site({})
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toEqual({
      kind: 'delivered',
      responseStatus: 201,
      ticketId: '10042',
    })
    expect(paths()).toEqual(['POST /rest/api/3/search/jql', 'POST /rest/api/3/issue'])
    expect(sent().body.jql).toBe('project = "OPS" AND labels = "haltless-abc" AND statusCategory != Done ORDER BY created DESC')
    const made = calls[1] as Call
    expect(made.headers.authorization).toBe(`Basic ${Buffer.from('a@example.com:top-secret').toString('base64')}`)
    expect(made.body.fields).toMatchObject({
      project: { key: 'OPS' },
      issuetype: { name: 'Task' },
      labels: ['haltless', 'haltless-abc'],
    })
    expect(made.body.fields.description).toMatchObject({ type: 'doc', version: 1 })
    const texts = made.body.fields.description.content.flatMap((p: { content: { text: string }[] }) =>
      p.content.map((c) => c.text),
    )
    expect(texts).toContain('Machine: Press <1> & Söhne (press-1)')
    expect(texts).not.toContain('')
  })

  it('comments on the open issue that the search finds, and on the known one that it does not find yet', async () => {
    answer = site({ 7: {} }, ['7'])
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toMatchObject({ kind: 'delivered', ticketId: '7' })
    expect(paths()).toEqual(['POST /rest/api/3/search/jql', 'POST /rest/api/3/issue/7/comment'])
    calls = []
    answer = site({ 8: {} })
    expect(await deliver('ticketing_a', config, notice({ ticket: { ...ticket, knownId: '8' } }))).toMatchObject({ ticketId: '8' })
    expect(paths()).toEqual(['GET /rest/api/3/issue/8?fields=status', 'POST /rest/api/3/issue/8/comment'])
  })

  it.each([
    ['done', { 8: { done: true } }],
    ['deleted', {}],
  ])('creates a new one when the known one is %s', async (_how, issues) => {
    answer = site(issues)
    expect(await deliver('ticketing_a', config, notice({ ticket: { ...ticket, knownId: '8' } }))).toMatchObject({
      ticketId: '10042',
    })
    expect(paths().at(-1)).toBe('POST /rest/api/3/issue')
  })

  it('comments that an alert was acknowledged or cleared, and makes no ticket for it', async () => {
    answer = site({ 7: {} }, ['7'])
    await deliver('ticketing_a', config, notice({ ticket, event: 'cleared' }))
    expect(calls[1]?.body.body.content[0].content[0].text).toMatch(/^Cleared: the condition has ended/)
    calls = []
    answer = site({})
    expect((await deliver('ticketing_a', config, notice({ ticket, event: 'acknowledged' }))).kind).toBe('delivered')
    expect(paths()).toEqual(['POST /rest/api/3/search/jql'])
  })

  it('tells which field is wrong', async () => {
    answer = (call) =>
      call.path.endsWith('/jql')
        ? site({})(call)
        : { status: 400, body: { errorMessages: [], errors: { issuetype: 'Specify a valid issue type' } } }
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toMatchObject({
      kind: 'permanent',
      error: 'the receiver answered 400: issuetype: Specify a valid issue type',
    })
  })

  it('makes no second ticket when it cannot look', async () => {
    answer = () => ({ status: 503 })
    expect(await deliver('ticketing_a', config, notice({ ticket: { ...ticket, knownId: '8' } }))).toMatchObject({
      kind: 'transient',
    })
    expect(paths()).toEqual(['GET /rest/api/3/issue/8?fields=status'])
  })

  it('keeps the summary on one line of 255 characters', async () => {
    answer = site({})
    await deliver('ticketing_a', config, notice({ message: 'a\nb '.repeat(200) }))
    const { summary } = sent().body.fields
    expect([summary.length, summary.includes('\n')]).toEqual([255, false])
  })
})

describe('ticketing_b, by the rules of ServiceNow', () => {
  const config = CONFIGS.ticketing_b as Record<string, unknown>
  const ticket = { key: 'haltless-abc', knownId: null }
  const instance =
    (found: { sys_id: string }[]) =>
    (call: Call): Reply =>
      call.method === 'GET'
        ? { status: 200, body: { result: found } }
        : { status: call.method === 'POST' ? 201 : 200, body: { result: { sys_id: 's1' } } }

  it('creates a record where none is active, with a correlation id', async () => {
    answer = instance([])
    expect(await deliver('ticketing_b', config, notice({ ticket }))).toEqual({
      kind: 'delivered',
      responseStatus: 201,
      ticketId: 's1',
    })
    const query = new URL(sent().path, url)
    expect(query.pathname).toBe('/api/now/table/incident')
    expect(query.searchParams.get('sysparm_query')).toBe('correlation_id=haltless-abc^active=true^ORDERBYDESCsys_created_on')
    expect(calls[1]).toMatchObject({
      method: 'POST',
      path: '/api/now/table/incident',
      headers: { accept: 'application/json', authorization: `Basic ${Buffer.from('haltless:top-secret').toString('base64')}` },
      body: { urgency: '1', impact: '1', correlation_id: 'haltless-abc', correlation_display: 'Haltless' },
    })
  })

  it('adds a work note to the active one', async () => {
    answer = instance([{ sys_id: 's7' }])
    for (const event of ['raised', 'acknowledged', 'cleared'] as const)
      expect(await deliver('ticketing_b', config, notice({ ticket, event }))).toMatchObject({ kind: 'delivered', ticketId: 's7' })
    const notes = calls.filter(({ method }) => method === 'PATCH')
    expect(notes.map(({ path }) => path)).toEqual(notes.map(() => '/api/now/table/incident/s7'))
    expect(notes.map(({ body }) => body.work_notes.slice(0, 12))).toEqual(['Press <1> & ', 'Acknowledged', 'Cleared: the'])
    expect(calls.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('keeps the short description within 160 characters, and tells what is wrong', async () => {
    answer = () => ({ status: 403, body: { error: { message: 'Operation Failed', detail: 'ACL Exception' }, status: 'failure' } })
    expect(await deliver('ticketing_b', config, notice({ message: 'x'.repeat(300) }))).toMatchObject({
      kind: 'permanent',
      error: 'the receiver answered 403: Operation Failed; ACL Exception',
    })
    expect(sent().body.short_description).toHaveLength(160)
  })
})
