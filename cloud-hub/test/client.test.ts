import { randomUUID } from 'node:crypto'
import { HaltlessClient, HaltlessError, type StreamEvent } from '@haltless/client'
import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../src/hub.ts'
import { type Site, useRunningHubs } from './running-hub.ts'

const hubs = useRunningHubs()
let hub: RunningHub
let site: Site
beforeAll(async () => {
  hub = await hubs.start({ HUB_ROLES: 'api' })
  site = await hubs.site(hub)
})

/** A client whose requests a test can answer itself, or lose; it remembers them. */
function clientOf(
  meddle: (attempt: number, send: () => Promise<Response>) => Promise<Response> = (_, send) => send(),
  token?: string,
) {
  const sent: { url: string; key: string | null }[] = []
  const client = new HaltlessClient({
    url: `${hub.url}/`,
    token: token ?? site.token,
    fetch: (url, init) => {
      sent.push({ url, key: new Headers(init.headers).get('idempotency-key') })
      return meddle(sent.length, () => fetch(url, init))
    },
  })
  return { client, sent }
}
const machine = () => ({ name: 'Press', machine_identifier: `m-${randomUUID()}`, protocol: 'json' as const })
const refusal = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers })
const caught = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error as HaltlessError,
  )

describe('a call', () => {
  it('answers what the hub answers, also nothing', async () => {
    const { client, sent } = clientOf()
    const { id, name } = await client.post('/machines', { body: machine() })
    expect(name).toBe('Press')
    expect((await client.get('/machines/{machine_id}', { path: { machine_id: id } })).id).toBe(id)
    expect(await client.delete('/machines/{machine_id}', { path: { machine_id: id } })).toBeUndefined()
    expect(sent.map(({ key }) => key !== null)).toEqual([true, false, false])
  })

  it('goes to the hub, whether its address ends with /api/v1 or not; what is no address is refused at once', async () => {
    const asked: string[] = []
    const fetch = async (url: string) => {
      asked.push(url)
      return new Response('[]')
    }
    for (const url of ['https://hub.example.com', 'https://hub.example.com/api/v1/', ''])
      await new HaltlessClient({ url, fetch }).get('/shifts/active')
    expect(asked).toEqual([...Array(2).fill('https://hub.example.com/api/v1/shifts/active'), '/api/v1/shifts/active'])
    expect(() => new HaltlessClient({ url: 'hub.example.com' })).toThrow('The address of the hub begins with https://')
    expect(() => new HaltlessClient({ url: '' })).toThrow('The address of the hub begins with https://')
  })

  it('throws a refusal with its code, fields and id', async () => {
    const { client } = clientOf()
    const error = await caught(client.post('/machines', { body: { ...machine(), name: '' } }))
    expect(error).toBeInstanceOf(HaltlessError)
    expect(error).toMatchObject({ status: 422, code: 'validation_failed', errors: [{ path: 'body.name', code: 'empty' }] })
    expect(error?.requestId).toMatch(/^[0-9a-f-]{36}$/)
    const path = { machine_id: randomUUID() }
    expect(await caught(client.get('/machines/{machine_id}', { path }))).toMatchObject({ status: 404, code: 'machine_not_found' })
  })

  it('gets another token once when the hub refuses one, and passes on why there is none', async () => {
    const asked: (string | undefined)[] = []
    const withToken = (token: (refused?: string) => string) => new HaltlessClient({ url: hub.url, token })
    const renewing = withToken((refused) => {
      asked.push(refused)
      return refused ? site.token : 'old'
    })
    expect((await renewing.get('/auth/me')).tenant_id).toBe(site.tenantId)
    expect(asked).toEqual([undefined, 'old'])
    expect(await caught(withToken(() => 'old').get('/auth/me'))).toMatchObject({ status: 401, code: 'token_invalid' })
    const broken = withToken(() => {
      throw new Error('signed out')
    })
    await expect(broken.get('/auth/me')).rejects.toThrow('signed out')
  })
})

describe('a call that fails', () => {
  it('is sent again with its key when the answer is lost, and was done once', async () => {
    const body = machine()
    const { client, sent } = clientOf(async (attempt, send) => {
      const answer = await send()
      if (attempt < 3) throw new TypeError('fetch failed')
      return answer
    })
    const { id } = await client.post('/machines', { body })
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
    expect(sent).toHaveLength(3)
    const found = await client.get('/machines', { query: { search: body.machine_identifier } })
    expect(found.items.map((one) => one.id)).toEqual([id])
  })

  it('is not sent again where that might do it twice', async () => {
    for (const status of [502, 503, 504]) {
      const { client, sent } = clientOf(async () => refusal(status))
      await caught(client.post('/api-keys', { body: { name: 'key' } }))
      await caught(client.patch('/settings/profile', { body: { phone: '1' } }))
      await caught(client.delete('/machines/{machine_id}', { path: { machine_id: site.machineId } }))
      expect([status, sent.length]).toEqual([status, 3])
    }
  })

  it('waits as long as the hub says, and gives up when that is too long', async () => {
    const { client, sent } = clientOf(async (attempt, send) => (attempt === 1 ? refusal(429, { 'retry-after': '1' }) : send()))
    const begun = Date.now()
    await client.patch('/settings/profile', { body: { phone: '2' } })
    expect(sent).toHaveLength(2)
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_000)
    const locked = clientOf(async () => refusal(429, { 'retry-after': '900' }))
    expect(await caught(locked.client.get('/machines'))).toMatchObject({ status: 429, retryAfter: 900 })
    expect(locked.sent).toHaveLength(1)
  })

  it('ends with its signal, also between attempts', async () => {
    const stop = new AbortController()
    const { client, sent } = clientOf(async () => {
      setTimeout(() => stop.abort(new Error('enough')), 10)
      return refusal(503, { 'retry-after': '30' })
    })
    await expect(client.get('/machines', { signal: stop.signal })).rejects.toThrow('enough')
    expect(sent).toHaveLength(1)
  })

  it('takes the key of the caller', async () => {
    const { client, sent } = clientOf()
    const [body, idempotencyKey] = [machine(), 'order-4711']
    const answers = [
      await client.post('/machines', { body, idempotencyKey }),
      await client.post('/machines', { body, idempotencyKey }),
    ]
    expect(answers[0]).toEqual(answers[1])
    expect(sent.map(({ key }) => key)).toEqual([idempotencyKey, idempotencyKey])
  })
})

describe('a list', () => {
  it('is read with cursors where it has them, with pages elsewhere, and whole in any case', async () => {
    const { client, sent } = clientOf()
    for (let n = 0; n < 5; n++) await client.post('/machine-groups', { body: { name: `Line ${n}`, group_type: 'line' } })
    sent.length = 0
    const entries: string[] = []
    for await (const entry of client.items('/audit-log', { query: { page_size: 2, action: 'machine_group.created' } }))
      entries.push(entry.target.name ?? '')
    expect(entries).toEqual(['Line 4', 'Line 3', 'Line 2', 'Line 1', 'Line 0'])
    expect(sent.map(({ url }) => /cursor=/.test(url))).toEqual([false, true, true])
    sent.length = 0
    const machines: string[] = []
    for await (const one of client.items('/machines', { query: { page_size: 1 } })) machines.push(one.id)
    const all = await client.get('/machines', { query: { page_size: 100 } })
    expect(machines.toSorted()).toEqual(all.items.map(({ id }) => id).toSorted())
    expect(sent.some(({ url }) => /cursor=/.test(url))).toBe(false)
    const pages: number[] = []
    for await (const page of client.pages('/audit-log', { query: { page_size: 3, action: 'machine_group.created' } }))
      pages.push(page.items.length)
    expect(pages).toEqual([3, 2])
  })
})

describe('a stream', () => {
  it('goes on after the last event when its connection breaks', async () => {
    const connections: { last: string | null; cut: () => void }[] = []
    const client = new HaltlessClient({
      url: hub.url,
      token: site.token,
      fetch: async (url, init) => {
        const cut = new AbortController()
        const signal = init.signal ? AbortSignal.any([init.signal, cut.signal]) : cut.signal
        connections.push({ last: new Headers(init.headers).get('last-event-id'), cut: () => cut.abort() })
        return fetch(url, { ...init, signal })
      },
    })
    const stop = new AbortController()
    const stream = client.stream({ query: { readings_of: ['none'] }, signal: stop.signal })
    const next = async (name: string): Promise<StreamEvent> => {
      for (;;) {
        const { value } = await stream.next()
        if (value?.event === name) return value
      }
    }
    expect((await next('ready')).data).toEqual({ resumed: false })
    await site.call('POST', 'work-orders', { machine_id: site.machineId, title: 'First', priority: 'low' })
    const first = await next('work_order')
    expect(first.data.title).toBe('First')
    connections[0]?.cut()
    await site.call('POST', 'work-orders', { machine_id: site.machineId, title: 'Second', priority: 'low' })
    expect((await next('ready')).data).toEqual({ resumed: true })
    expect((await next('work_order')).data.title).toBe('Second')
    expect(connections.map(({ last }) => last === null)).toEqual([true, false])
    stop.abort(new Error('enough'))
    await expect(stream.next()).rejects.toThrow('enough')
  })

  it('ends with a refusal that lasts', async () => {
    const { client } = clientOf(undefined, 'none')
    await expect(client.stream().next()).rejects.toMatchObject({ status: 401 })
  })
})
