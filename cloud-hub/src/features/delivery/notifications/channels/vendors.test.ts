import { fault } from '@haltless/protocol/faults'
import { describe, expect, it } from 'vitest'
import {
  ALERT,
  CONFIGS,
  deliver,
  fine,
  LINK,
  notice,
  sent,
  test,
  useVendorServer,
  VENDORS,
  vendor,
} from '../../../../../test/support/vendor-server.ts'

useVendorServer()

describe.each(VENDORS)('%s', (type, config) => {
  it('delivers an alert and a test', async () => {
    vendor.answer = fine
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
    vendor.answer = () => ({ status, headers: { 'retry-after': '17', location: `${vendor.url}/elsewhere` }, body: 'no JSON' })
    const outcome = await deliver(type, config)
    expect(outcome).toMatchObject({
      kind,
      responseStatus: status,
      retryAfterSeconds: 17,
      fault: { detail: expect.stringContaining(String(status)) },
    })
    expect(vendor.calls).toHaveLength(1)
  })

  it('that nobody answers is tried again, and says nothing of what it was called with', async () => {
    const outcome = await deliver(type, { ...config, base_url: 'http://127.0.0.1:9' })
    expect(outcome).toMatchObject({ kind: 'transient' })
    expect(JSON.stringify(outcome)).not.toMatch(/top-secret|123:ABC|genie|sig=x|T0/)
  })

  it('takes texts of any length and keeps its limits', async () => {
    vendor.answer = fine
    const long = '🏭<&>*_'.repeat(4_000)
    const machine = { id: ALERT, name: long, identifier: long, location: long }
    expect(await deliver(type, config, notice({ message: long, metricName: long.slice(0, 100), machine }))).toMatchObject({
      kind: 'delivered',
    })
    const size = Math.max(...vendor.calls.map(({ body }) => JSON.stringify(body).length))
    expect(size).toBeLessThan(type === 'chat_b' ? 28_000 : 120_000)
  })
})

describe('chat_a, by the rules of Slack', () => {
  const config = CONFIGS.chat_a as Record<string, unknown>

  it('posts text and blocks to the path of the webhook, with &, < and > escaped', async () => {
    vendor.answer = () => ({ status: 200, body: 'ok' })
    await deliver('chat_a', config)
    const { method, path, headers, body } = sent()
    expect([method, path, headers['content-type']]).toEqual(['POST', '/services/T0/B0/x', 'application/json; charset=utf-8'])
    expect(body.text).toBe(
      '[critical] Press &lt;1&gt; &amp; Söhne: oil_temp is 95 celsius, above the critical threshold of 90 celsius.',
    )
    expect(body.blocks[0].text).toMatchObject({
      type: 'plain_text',
      text: expect.stringMatching(/^🔴 CRITICAL: Press &lt;1&gt; &amp; Söhne/),
    })
    expect(body.blocks[1].fields.map((f: { text: string }) => f.text)).toEqual([
      'Machine\nPress &lt;1&gt; &amp; Söhne (press-1)',
      'Location\nHall 3',
      'Metric\noil_temp',
      'Value\n95 celsius',
      'Threshold\n90 celsius',
      'Measured\n2026-01-31T12:00:00.000Z',
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

  it.each([
    ['no_permission', 'permanent', 400],
    ['ratelimited', 'transient', 429],
  ])('takes a 200 that says `ok: false` and %s for a failure', async (error, kind, responseStatus) => {
    vendor.answer = () => ({ status: 200, body: { ok: false, error } })
    expect(await deliver('chat_a', config)).toMatchObject({ kind, responseStatus })
  })

  it('tells Slack’s word for a refusal', async () => {
    vendor.answer = () => ({ status: 410, body: 'channel_is_archived' })
    expect(await deliver('chat_a', config)).toEqual({
      kind: 'permanent',
      fault: fault('receiver_explains', {
        answer: fault('receiver_answered', { status: 410 }),
        explanation: 'channel_is_archived',
      }),
      responseStatus: 410,
    })
  })
})

describe('chat_b, by the rules of Teams', () => {
  const config = CONFIGS.chat_b as Record<string, unknown>

  it('posts a message with one Adaptive Card, in which names are not read as Markdown', async () => {
    vendor.answer = () => ({ status: 202 })
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
    vendor.answer = () => ({
      status: 200,
      body: `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId x`,
    })
    expect(await deliver('chat_b', config)).toMatchObject({ kind, responseStatus: status })
  })
})

describe('messenger_a, by the rules of Telegram', () => {
  const config = CONFIGS.messenger_a as Record<string, unknown>

  it('vendor.calls sendMessage with escaped HTML and no preview of the link', async () => {
    vendor.answer = () => ({ status: 200, body: { ok: true, result: { message_id: 1 } } })
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
    vendor.answer = () => ({
      status: 429,
      body: { ok: false, error_code: 429, description: 'Too Many Requests: retry after 35', parameters: { retry_after: 35 } },
    })
    expect(await deliver('messenger_a', config)).toEqual({
      kind: 'transient',
      fault: fault('receiver_explains', {
        answer: fault('receiver_answered', { status: 429 }),
        explanation: 'Too Many Requests: retry after 35',
      }),
      responseStatus: 429,
      retryAfterSeconds: 35,
    })
  })

  it('takes a chat that is unknown for final', async () => {
    vendor.answer = () => ({ status: 400, body: { ok: false, error_code: 400, description: 'Bad Request: chat not found' } })
    expect(await deliver('messenger_a', config)).toMatchObject({
      kind: 'permanent',
      fault: { detail: expect.stringContaining('chat not found') },
    })
  })

  it.each([99_999_999_999, 400.5, -1, '400', { toString: 1 }])('takes %j for no code', async (error_code) => {
    vendor.answer = () => ({ status: 200, body: { ok: false, error_code, parameters: { migrate_to_chat_id: { toString: 1 } } } })
    expect(await deliver('messenger_a', config)).toMatchObject({ kind: 'permanent', responseStatus: 400 })
  })

  it('tells the new id of a group that has moved', async () => {
    const description = 'Bad Request: group chat was upgraded to a supergroup chat'
    vendor.answer = () => ({
      status: 400,
      body: { ok: false, error_code: 400, description, parameters: { migrate_to_chat_id: -100123 } },
    })
    expect(await deliver('messenger_a', config)).toMatchObject({
      fault: { detail: expect.stringMatching(/; the chat_id is -100123 now$/) },
    })
  })

  it('believes `ok` rather than the status', async () => {
    vendor.answer = () => ({ status: 200, body: { ok: false, description: 'no' } })
    expect((await deliver('messenger_a', config)).kind).toBe('permanent')
  })
})

describe('sms, by the rules of Twilio', () => {
  const config = CONFIGS.sms as Record<string, unknown>

  it('posts a form to the account’s messages with Basic credentials', async () => {
    vendor.answer = () => ({ status: 201, body: { sid: 'SM1', status: 'queued' } })
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

  it.each([
    ['seven bits', 'ä'.repeat(2_000), `CRITICAL ${'ä'.repeat(447)}...`],
    ['seven bits, where these take two places', '€'.repeat(2_000), `CRITICAL ${'€'.repeat(223)}...`],
    ['sixteen bits', 'я'.repeat(2_000), `CRITICAL ${'я'.repeat(191)}…`],
    ['sixteen bits, where these take two places', '🏭'.repeat(2_000), `CRITICAL ${'🏭'.repeat(95)}…`],
    ['what just fits', 'x'.repeat(450), `CRITICAL ${'x'.repeat(450)}`],
    ['what just fits into sixteen bits', 'я'.repeat(192), `CRITICAL ${'я'.repeat(192)}`],
  ])('sends no more than three parts of %s', async (_name, message, text) => {
    await deliver('sms', config, notice({ message }))
    expect(sent().body.Body).toBe(text)
  })

  it('tells Twilio’s error', async () => {
    vendor.answer = () => ({
      status: 400,
      body: { code: 21211, message: "The 'To' number is not a valid phone number.", status: 400 },
    })
    expect(await deliver('sms', config)).toMatchObject({
      kind: 'permanent',
      fault: fault('receiver_explains', {
        answer: fault('receiver_answered', { status: 400 }),
        explanation: "error 21211; The 'To' number is not a valid phone number.",
      }),
    })
  })
})
