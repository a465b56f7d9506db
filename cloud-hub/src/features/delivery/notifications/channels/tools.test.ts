import { fault } from '@haltless/protocol/faults'
import { describe, expect, it } from 'vitest'
import type { Call, Reply } from '../../../../../test/support/vendor-rules.ts'
import {
  ALERT,
  CONFIGS,
  deliver,
  LINK,
  notice,
  sent,
  useVendorServer,
  vendor,
} from '../../../../../test/support/vendor-server.ts'

useVendorServer()

describe('incident_a, by the rules of PagerDuty', () => {
  const config = CONFIGS.incident_a as Record<string, unknown>
  const accepted = () => ({ status: 202, body: { status: 'success', message: 'Event processed', dedup_key: ALERT } })

  it('triggers an event with all that is required, under the alert’s id', async () => {
    vendor.answer = accepted
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
    vendor.answer = accepted
    await deliver('incident_a', config, notice({ event }))
    expect(sent().body).toEqual({ routing_key: config.routing_key, event_action: action, dedup_key: ALERT })
  })

  it('keeps the summary within 1,024 characters, and tells what is invalid', async () => {
    vendor.answer = () => ({
      status: 400,
      body: { status: 'invalid event', message: 'Event object is invalid', errors: ["Length of 'routing_key' is incorrect"] },
    })
    expect(await deliver('incident_a', config, notice({ message: 'x'.repeat(3_000) }))).toMatchObject({
      kind: 'permanent',
      fault: fault('receiver_explains', {
        answer: fault('receiver_answered', { status: 400 }),
        explanation: "Event object is invalid; Length of 'routing_key' is incorrect",
      }),
    })
    expect(sent().body.payload.summary).toHaveLength(1_024)
  })
})

describe('incident_b, by the rules of Opsgenie', () => {
  const config = CONFIGS.incident_b as Record<string, unknown>
  const accepted = () => ({ status: 202, body: { result: 'Request will be processed', took: 0.1, requestId: 'r' } })

  it('creates an alert under the alert’s id, with a GenieKey', async () => {
    vendor.answer = accepted
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
    vendor.answer = accepted
    await deliver('incident_b', config, notice({ event }))
    expect(sent()).toMatchObject({
      method: 'POST',
      path: `/v2/alerts/${ALERT}/${action}?identifierType=alias`,
      body: { source: 'Haltless' },
    })
  })

  it('keeps the message within 130 characters, and tells what is wrong', async () => {
    vendor.answer = () => ({ status: 422, body: { message: 'Request body is not processable.', took: 0, requestId: 'r' } })
    expect(await deliver('incident_b', config, notice({ message: 'x'.repeat(300) }))).toMatchObject({
      kind: 'permanent',
      fault: { detail: expect.stringContaining('not processable') },
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
  const paths = () => vendor.calls.map(({ method, path }) => `${method} ${path}`)

  it('creates an issue where the search finds none, labelled so that it is found again', async () => {
    vendor.answer = site({})
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toEqual({
      kind: 'delivered',
      responseStatus: 201,
      ticketId: '10042',
    })
    expect(paths()).toEqual(['POST /rest/api/3/search/jql', 'POST /rest/api/3/issue'])
    expect(sent().body.jql).toBe('project = "OPS" AND labels = "haltless-abc" AND statusCategory != Done ORDER BY created DESC')
    const made = vendor.calls[1] as Call
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
    vendor.answer = site({ 7: {} }, ['7'])
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toMatchObject({ kind: 'delivered', ticketId: '7' })
    expect(paths()).toEqual(['POST /rest/api/3/search/jql', 'POST /rest/api/3/issue/7/comment'])
    vendor.calls = []
    vendor.answer = site({ 8: {} })
    expect(await deliver('ticketing_a', config, notice({ ticket: { ...ticket, knownId: '8' } }))).toMatchObject({ ticketId: '8' })
    expect(paths()).toEqual(['GET /rest/api/3/issue/8?fields=status', 'POST /rest/api/3/issue/8/comment'])
  })

  it.each([
    ['done', { 8: { done: true } }],
    ['deleted', {}],
  ])('creates a new one when the known one is %s', async (_how, issues) => {
    vendor.answer = site(issues)
    expect(await deliver('ticketing_a', config, notice({ ticket: { ...ticket, knownId: '8' } }))).toMatchObject({
      ticketId: '10042',
    })
    expect(paths().at(-1)).toBe('POST /rest/api/3/issue')
  })

  it('comments that an alert was acknowledged or cleared, and makes no ticket for it', async () => {
    vendor.answer = site({ 7: {} }, ['7'])
    await deliver('ticketing_a', config, notice({ ticket, event: 'cleared' }))
    expect(vendor.calls[1]?.body.body.content[0].content[0].text).toMatch(/^Cleared: the condition has ended/)
    vendor.calls = []
    vendor.answer = site({})
    expect((await deliver('ticketing_a', config, notice({ ticket, event: 'acknowledged' }))).kind).toBe('delivered')
    expect(paths()).toEqual(['POST /rest/api/3/search/jql'])
  })

  it.each([
    ['that was just closed', { 8: { done: true } }, '8'],
    ['that was just deleted', {}, null],
  ])('does not believe a search that still finds an issue %s, and creates a new one', async (_how, issues, knownId) => {
    const now = site(issues)
    vendor.answer = (call) =>
      call.path.endsWith('/jql') ? { status: 200, body: { issues: [{ id: '8' }], isLast: true } } : now(call)
    expect(await deliver('ticketing_a', config, notice({ ticket: { ...ticket, knownId } }))).toMatchObject({ ticketId: '10042' })
    expect(paths().at(-1)).toBe('POST /rest/api/3/issue')
    vendor.calls = []
    const end = await deliver('ticketing_a', config, notice({ event: 'cleared', ticket: { ...ticket, knownId } }))
    expect(end).toEqual({ kind: 'delivered' })
    expect(paths()).not.toContain('POST /rest/api/3/issue')
  })

  it('tells when a comment is refused, and makes no second ticket for it', async () => {
    const now = site({ 7: {} }, ['7'])
    vendor.answer = (call) =>
      call.path.endsWith('/comment')
        ? { status: 400, body: { errorMessages: ['The issue is read-only.'], errors: {} } }
        : now(call)
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toMatchObject({
      kind: 'permanent',
      fault: fault('receiver_explains', {
        answer: fault('receiver_answered', { status: 400 }),
        explanation: 'The issue is read-only.',
      }),
    })
    expect(paths()).not.toContain('POST /rest/api/3/issue')
  })

  it.each([{ id: 'a\u0000b' }, { id: '../../x' }, { id: 7 }, null, 'x'])('takes %j for no issue that it found', async (found) => {
    const now = site({})
    vendor.answer = (call) => (call.path.endsWith('/jql') ? { status: 200, body: { issues: [found] } } : now(call))
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toMatchObject({ ticketId: '10042' })
  })

  it('waits until the search knows of an issue that may have been made although the answer was lost', async () => {
    vendor.answer = (call) => (call.path.endsWith('/issue') ? { status: 504 } : site({})(call))
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toMatchObject({ kind: 'transient', retryAfterSeconds: 60 })
  })

  it.each(['search', 'issue'])('takes a page for people in place of the answer to its %s for no answer', async (what) => {
    vendor.answer = (call) => (call.path.includes(what) ? { status: 200, body: '<html>Log in</html>' } : site({})(call))
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toMatchObject({
      kind: 'transient',
      fault: fault('receiver_other_api', { status: 200 }),
    })
  })

  it('tells which field is wrong', async () => {
    vendor.answer = (call) =>
      call.path.endsWith('/jql')
        ? site({})(call)
        : { status: 400, body: { errorMessages: [], errors: { issuetype: 'Specify a valid issue type' } } }
    expect(await deliver('ticketing_a', config, notice({ ticket }))).toMatchObject({
      kind: 'permanent',
      fault: fault('receiver_explains', {
        answer: fault('receiver_answered', { status: 400 }),
        explanation: 'issuetype: Specify a valid issue type',
      }),
    })
  })

  it('makes no second ticket when it cannot look', async () => {
    vendor.answer = () => ({ status: 503 })
    expect(await deliver('ticketing_a', config, notice({ ticket: { ...ticket, knownId: '8' } }))).toMatchObject({
      kind: 'transient',
    })
    expect(paths()).toEqual(['GET /rest/api/3/issue/8?fields=status'])
  })

  it('keeps the summary on one line of 255 characters', async () => {
    vendor.answer = site({})
    await deliver('ticketing_a', config, notice({ message: 'a\nb '.repeat(200) }))
    const { summary } = sent().body.fields
    expect([summary.length, summary.includes('\n')]).toEqual([255, false])
  })
})

describe('ticketing_b, by the rules of ServiceNow', () => {
  const config = CONFIGS.ticketing_b as Record<string, unknown>
  const ticket = { key: 'haltless-abc', knownId: null }
  const instance =
    (found: { sys_id: string; correlation_id?: string }[]) =>
    (call: Call): Reply =>
      call.method === 'GET'
        ? { status: 200, body: { result: found } }
        : { status: call.method === 'POST' ? 201 : 200, body: { result: { sys_id: 's1' } } }

  it('creates a record where none is active, with a correlation id', async () => {
    vendor.answer = instance([])
    expect(await deliver('ticketing_b', config, notice({ ticket }))).toEqual({
      kind: 'delivered',
      responseStatus: 201,
      ticketId: 's1',
    })
    const query = new URL(sent().path, vendor.url)
    expect(query.pathname).toBe('/api/now/table/incident')
    expect(query.searchParams.get('sysparm_query')).toBe('correlation_id=haltless-abc^active=true^ORDERBYDESCsys_created_on')
    expect(vendor.calls[1]).toMatchObject({
      method: 'POST',
      path: '/api/now/table/incident',
      headers: { accept: 'application/json', authorization: `Basic ${Buffer.from('haltless:top-secret').toString('base64')}` },
      body: { urgency: '1', impact: '1', correlation_id: 'haltless-abc', correlation_display: 'Haltless' },
    })
  })

  it('adds a work note to the active one', async () => {
    vendor.answer = instance([{ sys_id: 's7', correlation_id: 'haltless-abc' }])
    for (const event of ['raised', 'acknowledged', 'cleared'] as const)
      expect(await deliver('ticketing_b', config, notice({ ticket, event }))).toMatchObject({ kind: 'delivered', ticketId: 's7' })
    const notes = vendor.calls.filter(({ method }) => method === 'PATCH')
    expect(notes.map(({ path }) => path)).toEqual(notes.map(() => '/api/now/table/incident/s7'))
    expect(notes.map(({ body }) => body.work_notes.slice(0, 12))).toEqual(['Press <1> & ', 'Acknowledged', 'Cleared: the'])
    expect(vendor.calls.some(({ method }) => method === 'POST')).toBe(false)
  })

  it('keeps the short description within 160 characters, and tells what is wrong', async () => {
    vendor.answer = () => ({
      status: 403,
      body: { error: { message: 'Operation Failed', detail: 'ACL Exception' }, status: 'failure' },
    })
    expect(await deliver('ticketing_b', config, notice({ message: 'x'.repeat(300) }))).toMatchObject({
      kind: 'permanent',
      fault: {
        detail: 'the receiver answered 403, it does not allow this to these credentials: Operation Failed; ACL Exception',
      },
    })
    expect(sent().body.short_description).toHaveLength(160)
  })

  it('leaves alone records that a query finds because the table has no correlation id', async () => {
    vendor.answer = instance([{ sys_id: 'stranger' }, { sys_id: 'other', correlation_id: '' }])
    expect(await deliver('ticketing_b', config, notice({ ticket }))).toMatchObject({ kind: 'delivered', ticketId: 's1' })
    expect(vendor.calls.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  it('creates a new record when the one it found was deleted meanwhile, and none to say that it is over', async () => {
    const deleted: Reply = { status: 404, body: { error: { message: 'No Record found', detail: '' }, status: 'failure' } }
    const now = instance([{ sys_id: 's7', correlation_id: 'haltless-abc' }])
    vendor.answer = (call) => (call.method === 'PATCH' ? deleted : now(call))
    expect(await deliver('ticketing_b', config, notice({ ticket }))).toMatchObject({ kind: 'delivered', ticketId: 's1' })
    vendor.calls = []
    expect(await deliver('ticketing_b', config, notice({ ticket, event: 'cleared' }))).toMatchObject({ kind: 'delivered' })
    expect(vendor.calls.map(({ method }) => method)).toEqual(['GET', 'PATCH'])
  })

  it.each(['GET', 'POST'])('takes a 200 with an error in answer to %s for a failure, and looks again', async (method) => {
    const message = 'Transaction cancelled: maximum execution time exceeded'
    const late: Reply = { status: 200, body: { result: [], error: { message, detail: '' }, status: 'failure' } }
    vendor.answer = (call) => (call.method === method ? late : instance([])(call))
    expect(await deliver('ticketing_b', config, notice({ ticket }))).toEqual({
      kind: 'transient',
      fault: fault('receiver_explains', { answer: fault('receiver_answered', { status: 200 }), explanation: message }),
      responseStatus: 200,
    })
  })

  it.each([{ sys_id: 'a\u0000b' }, { sys_id: '../x' }, { sys_id: { value: 's1' } }, null])(
    'remembers no id where it is answered %j',
    async (result) => {
      vendor.answer = (call) => (call.method === 'GET' ? instance([])(call) : { status: 201, body: { result } })
      expect(await deliver('ticketing_b', config, notice({ ticket }))).toEqual({ kind: 'delivered', responseStatus: 201 })
    },
  )

  it.each(['GET', 'POST'])('takes a 202 in answer to %s for not done', async (method) => {
    vendor.answer = (call) => (call.method === method ? { status: 202 } : instance([])(call))
    expect(await deliver('ticketing_b', config, notice({ ticket }))).toEqual({
      kind: 'transient',
      fault: fault('receiver_deferred', { status: 202 }),
      responseStatus: 202,
    })
  })

  it('takes the page of an instance that sleeps for no answer', async () => {
    vendor.answer = () => ({ status: 200, body: '<html>Your instance is hibernating</html>' })
    expect((await deliver('ticketing_b', config, notice({ ticket }))).kind).toBe('transient')
    expect(vendor.calls).toHaveLength(1)
  })
})
