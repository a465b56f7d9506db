import { describe, expect, it } from 'vitest'
import { RULES } from '../../../../../test/support/vendor-rules.ts'
import { ALERT, deliver, fine, notice, useVendorServer, VENDORS, vendor } from '../../../../../test/support/vendor-server.ts'
import { type ChannelType, channelOf } from '../registry.ts'

useVendorServer()

const EVIL = '<script>&*_[x](http://evil.example)| <!here> @channel @everyone [code]<b>[/code] `a` ~b~ /start #tag'
const TURNED = `A\u202eB\u0007C\r\nBcc: x${EVIL}`
const hostile = (text: string) =>
  notice({
    message: `${text}: temperature is 95`,
    metricName: text.slice(0, 100),
    machine: { id: ALERT, name: text, identifier: text, location: text },
  })
const ticket = { key: 'haltless-abc', knownId: null }
/** every text in a value */
const texts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values((value ?? {}) as Record<string, unknown>).flatMap(texts)

describe.each(VENDORS)('a name with marks in it, told to %s,', (type, config) => {
  it('is taken, in creations and comments, and stays text', async () => {
    for (const event of ['raised', 'acknowledged', 'cleared'] as const)
      for (const text of [EVIL, TURNED]) {
        vendor.answer = fine
        expect(await deliver(type, config, { ...hostile(text), event, ticket })).toMatchObject({ kind: 'delivered' })
      }
    const all = vendor.calls.flatMap(({ body }) => texts(body))
    for (const text of all) expect(text).not.toMatch(/[\u202e\u0007\r]/)
    expect(all.some((text) => text.includes('script'))).toBe(true)
  })

  it.runIf(channelOf(type).audience === 'people')('is taken among many that are told at once', async () => {
    vendor.answer = fine
    const shown = Array(9).fill({ severity: 'critical', message: '🏭'.repeat(900) + EVIL })
    const group = { total: 400, shown }
    expect(await deliver(type, config, { ...hostile('x'), message: '400 alerts: 400 critical.', group })).toMatchObject({
      kind: 'delivered',
    })
  })

  it('is never cut within a character', async () => {
    for (const length of [60, 61, 62, 125, 126, 127, 250, 251, 252, 253]) {
      vendor.answer = fine
      expect(await deliver(type, config, hostile('🏭<&'.repeat(length).slice(0, -2)))).toMatchObject({ kind: 'delivered' })
    }
    for (const { body } of vendor.calls) for (const text of texts(body)) expect(text.isWellFormed()).toBe(true)
  })
})

it('a chat of Slack reads names as plain text, and nothing else is marked but our own words', async () => {
  await deliver('chat_a', Object.fromEntries(VENDORS).chat_a as Record<string, unknown>, hostile(EVIL))
  const { blocks } = vendor.calls[0]?.body ?? {}
  const marked = JSON.stringify(blocks).match(/"mrkdwn","text":"[^"]*"/g)
  expect(marked).toHaveLength(1)
  expect(marked?.join()).not.toContain('script')
})

it('a chat of Telegram finds neither link nor mention nor command in a message', async () => {
  await deliver('messenger_a', Object.fromEntries(VENDORS).messenger_a as Record<string, unknown>, hostile(EVIL))
  const message = String(vendor.calls[0]?.body.text).split('\n')[0]
  expect(message).not.toMatch(/@\w|\/\/|\w\.\w|\/start|#tag/)
  expect(message?.replaceAll('\u2060', '')).toContain('&lt;!here&gt; @channel @everyone')
})

it('a work note of ServiceNow has no code tags', async () => {
  vendor.answer = ({ method }) =>
    method === 'GET' ? { status: 200, body: { result: [{ sys_id: 's1', correlation_id: ticket.key }] } } : { status: 200 }
  const what = { ...hostile(EVIL), ticket }
  await deliver('ticketing_b', Object.fromEntries(VENDORS).ticketing_b as Record<string, unknown>, what)
  expect(vendor.calls[1]?.body.work_notes).toContain('[\u2060code]')
})

// what a sender could get wrong: the vendor of these tests refuses it, as its documentation says
const long = 'x'.repeat(50_000)
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape are broken here
type Break = [what: string, damage: (call: any) => void]
const json: Break[] = [
  ['as another type', (call) => (call.headers['content-type'] = 'text/plain')],
  ['without a body', (call) => (call.body = {})],
]
const BREAKS: Partial<Record<ChannelType, Break[]>> = {
  sms: [
    ['as JSON', (call) => (call.headers['content-type'] = 'application/json')],
    ['without credentials', (call) => delete call.headers.authorization],
    ['without a receiver', (call) => delete call.body.To],
    ['without a sender', (call) => delete call.body.From],
    ['with an empty text', (call) => (call.body.Body = '')],
    ['with a text of 1,601 characters', (call) => (call.body.Body = long.slice(0, 1_601))],
  ],
  chat_a: [
    ...json,
    ['with a mention', (call) => (call.body.blocks[0].text.text = '<!here>')],
    ['with a bare ampersand', (call) => (call.body.blocks[0].text.text = 'a & b')],
    ['with a section of 3,001 characters', (call) => (call.body.blocks[0].text.text = long.slice(0, 3_001))],
    ['with a field of 2,001 characters', (call) => (call.body.blocks[1].fields[0].text = long.slice(0, 2_001))],
    ['with 11 fields', (call) => (call.body.blocks[1].fields = Array(11).fill(call.body.blocks[1].fields[0]))],
    ['with `emoji` in marked text', (call) => (call.body.blocks[2].elements[0].emoji = false)],
    ['with an unknown block', (call) => (call.body.blocks[0].type = 'paragraph')],
  ],
  chat_b: [
    ...json,
    ['with a card of version 2', (call) => (call.body.attachments[0].content.version = '2.0')],
    ['with an unknown colour', (call) => (call.body.attachments[0].content.body[0].inlines[0].color = 'red')],
    ['with a link to nowhere', (call) => (call.body.attachments[0].content.actions[0].url = 'x')],
    ['of more than 28 KB', (call) => (call.body.attachments[0].content.body[0].inlines[0].text = long.slice(0, 14_336))],
    ['with another attachment', (call) => (call.body.attachments[0].contentType = 'application/json')],
  ],
  messenger_a: [
    ...json,
    ['with an open tag', (call) => (call.body.text = '<b>x')],
    ['with a bare ampersand', (call) => (call.body.text = 'a & b')],
    ['with a text of 4,097 characters', (call) => (call.body.text = long.slice(0, 4_097))],
    ['with another parse mode', (call) => (call.body.parse_mode = 'html5')],
    ['to another path', (call) => (call.path = '/sendMessage')],
  ],
  incident_a: [
    ...json,
    ['with a short key', (call) => (call.body.routing_key = 'R1')],
    ['with an unknown action', (call) => (call.body.event_action = 'close')],
    ['with an unknown severity', (call) => (call.body.payload.severity = 'fatal')],
    ['without a source', (call) => delete call.body.payload.source],
    ['with a summary of 1,025 characters', (call) => (call.body.payload.summary = long.slice(0, 1_025))],
    ['with a dedup_key of 256 characters', (call) => (call.body.dedup_key = long.slice(0, 256))],
  ],
  incident_b: [
    ...json,
    ['with a bearer token', (call) => (call.headers.authorization = 'Bearer x')],
    ['with a message of 131 characters', (call) => (call.body.message = long.slice(0, 131))],
    ['with an unknown priority', (call) => (call.body.priority = 'P0')],
    ['with a number among the details', (call) => (call.body.details.value = 95)],
    ['with HTML', (call) => (call.body.message = '<b>x</b>')],
  ],
  ticketing_a: [
    ['without credentials', (call) => delete call.headers.authorization],
    ['with a summary of 256 characters', (call) => (call.body.fields.summary = long.slice(0, 256))],
    ['with a summary of two lines', (call) => (call.body.fields.summary = 'a\nb')],
    ['with a label of two words', (call) => (call.body.fields.labels = ['a b'])],
    ['with a description that is text', (call) => (call.body.fields.description = 'text')],
    ['with an empty text node', (call) => (call.body.fields.description.content[0].content = [{ type: 'text', text: '' }])],
    ['without a project', (call) => delete call.body.fields.project],
  ],
  ticketing_b: [
    ['without credentials', (call) => delete call.headers.authorization],
    ['that wants XML', (call) => (call.headers.accept = 'text/xml')],
    ['with a short description of 161 characters', (call) => (call.body.short_description = long.slice(0, 161))],
    ['with a description of 4,001 characters', (call) => (call.body.description = long.slice(0, 4_001))],
    ['with an unknown urgency', (call) => (call.body.urgency = 'high')],
  ],
}

describe.each(VENDORS)('the %s of these tests', (type, config) => {
  it.each(BREAKS[type] ?? [])('refuses a call %s', async (_what, damage) => {
    vendor.answer = fine
    await deliver(type, config, notice({ ticket }))
    const call = structuredClone(vendor.calls.at(-1))
    expect(RULES[type]?.(call as never)).toBeUndefined()
    damage(call)
    expect(RULES[type]?.(call as never)?.status).toBeGreaterThanOrEqual(400)
  })
})
