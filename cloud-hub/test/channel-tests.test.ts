import { beforeEach, describe, expect, it } from 'vitest'
import { useHub } from './harness.ts'
import { useVendor, type VendorCall } from './support/vendor.ts'

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8' })
/** Jira's transitions, and whether ServiceNow's table knows the state */
let transitions: unknown[] = []
let isCanceled = true
const DONE = { id: '31', name: 'Close', to: { statusCategory: { key: 'done' } } }
const answer = ({ method, path }: VendorCall): { status: number; body?: unknown } => {
  if (path.startsWith('/v2/')) return { status: 202, body: { status: 'success' } }
  if (path.endsWith('/transitions')) return method === 'GET' ? { status: 200, body: { transitions } } : { status: 204 }
  if (path.startsWith('/rest/')) return { status: 201, body: { id: '10001' } }
  if (method === 'PATCH') return { status: 200, body: { result: { active: isCanceled ? 'false' : 'true' } } }
  return { status: 201, body: { result: { sys_id: 's1' } } }
}
const vendor = useVendor(answer)
beforeEach(() => {
  vendor.calls.length = 0
  vendor.answer = answer
  transitions = [{ id: '11', to: { statusCategory: { key: 'indeterminate' } } }, DONE]
  isCanceled = true
})

const config = (type: string) =>
  ({
    incident_a: { routing_key: '0123456789abcdef0123456789abcdef', base_url: vendor.url },
    incident_b: { api_key: 'key', base_url: vendor.url },
    ticketing_a: { base_url: vendor.url, email: 'a@example.com', api_token: 'token', project_key: 'OPS' },
    ticketing_b: { instance_url: vendor.url, username: 'u', password: 'secret' },
  })[type]
async function test(type: string) {
  const admin = await hub.admin()
  const given = { name: 'Tool', channel_type: type, config: config(type) }
  const { body } = await admin.call('POST', 'notification-channels', given)
  const tested = await admin.call('POST', `notification-channels/${body.id}/test`)
  const { items } = (await admin.call('GET', `notification-channels/${body.id}/deliveries`)).body
  return { ...tested.body, recorded: items.map(({ status }: { status: string }) => status) }
}
const calls = () => vendor.calls.map(({ method, path }) => `${method} ${path}`)
const closed = (what: string) => ({
  success: true,
  message: `The receiver accepted the test; its ${what} was closed again.`,
  fault: null,
  recorded: ['delivered'],
})

describe('a channel test', () => {
  it('resolves the event at incident_a by its key', async () => {
    expect(await test('incident_a')).toEqual(closed('incident'))
    const [opened, ended] = vendor.calls.map(({ body }) => body)
    expect([opened.event_action, ended.event_action]).toEqual(['trigger', 'resolve'])
    expect(ended.dedup_key).toBe(opened.dedup_key)
  })

  it('closes the alert at incident_b by its alias', async () => {
    expect(await test('incident_b')).toEqual(closed('incident'))
    const alias = vendor.calls[0]?.body.alias
    expect(calls()).toEqual(['POST /v2/alerts', `POST /v2/alerts/${alias}/close?identifierType=alias`])
  })

  it('moves the issue at ticketing_a to a status of the category done', async () => {
    expect(await test('ticketing_a')).toEqual(closed('ticket'))
    const at = '/rest/api/3/issue/10001/transitions'
    expect(calls()).toEqual(['POST /rest/api/3/issue', `GET ${at}`, `POST ${at}`])
    expect(vendor.calls[2]?.body).toEqual({ transition: { id: '31' } })
  })

  it('cancels the record at ticketing_b', async () => {
    expect(await test('ticketing_b')).toEqual(closed('ticket'))
    expect(calls()).toEqual(['POST /api/now/table/incident', 'PATCH /api/now/table/incident/s1?sysparm_fields=active'])
    expect(vendor.calls[1]?.body).toEqual({ state: '8' })
  })

  it.each([
    [
      'ticketing_a',
      () => (transitions = []),
      /its ticket stays open, please close it there: the workflow has no transition/,
      'test_ticket_open',
    ],
    [
      'ticketing_b',
      () => (isCanceled = false),
      /its ticket stays open, please close it there: the record is still active\.$/,
      'test_ticket_open',
    ],
    [
      'incident_a',
      () => {
        vendor.answer = (call) => (call.body.event_action === 'resolve' ? { status: 500 } : answer(call))
      },
      /its incident stays open, please close it there: the receiver answered 500/,
      'test_incident_open',
    ],
  ])('reports a ticket that %s does not let us close', async (type, happen, message, code) => {
    happen()
    expect(await test(type)).toMatchObject({
      success: true,
      message: expect.stringMatching(message),
      fault: { code },
      recorded: ['delivered'],
    })
  })

  it('is answered in time when the tool accepts the test and then hangs', async () => {
    vendor.answer = async (call) => {
      if (call.path.endsWith('/transitions')) await new Promise((done) => setTimeout(done, 60_000).unref())
      else await new Promise((done) => setTimeout(done, 2_000))
      return answer(call)
    }
    const began = performance.now()
    expect(await test('ticketing_a')).toMatchObject({ success: true, message: expect.stringContaining('stays open') })
    expect(performance.now() - began).toBeLessThan(11_500)
  })

  it('closes nothing when it failed', async () => {
    vendor.answer = () => ({ status: 401 })
    expect(await test('ticketing_b')).toMatchObject({ success: false, recorded: ['failed'] })
    expect(vendor.calls).toHaveLength(1)
  })
})
