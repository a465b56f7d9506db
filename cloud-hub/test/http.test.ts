import { describe, expect, it } from 'vitest'
import { plant, useHub } from './harness.ts'

const hub = useHub({ HOST: '127.0.0.1' })
const tierHub = useHub({ RATE_LIMIT_SCHEME: 'tier' })

describe('every answer under /api/v1', () => {
  it('carries the rate-limit headers and a request id, also when it is a refusal', async () => {
    for (const [method, path] of [
      ['GET', 'machines'],
      ['GET', 'nowhere'],
      ['PUT', 'machines'],
      ['POST', 'auth/login'],
    ] as const) {
      const { headers } = await hub.call(method, path)
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-request-id'])
        expect([path, name, headers.has(name)]).toEqual([path, name, true])
    }
  })
  it('is a problem document when it refuses', async () => {
    const { status, body, headers } = await hub.call('GET', 'nowhere')
    expect(status).toBe(404)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      code: 'path_not_found',
      request_id: headers.get('x-request-id'),
      detail: expect.stringContaining('/api/v1/nowhere'),
    })
  })
  it('keeps the request id of the caller when it is a sane one', async () => {
    expect((await hub.call('GET', 'machines', undefined, { 'x-request-id': 'abc-1' })).headers.get('x-request-id')).toBe('abc-1')
    expect((await hub.call('GET', 'machines', undefined, { 'x-request-id': 'a b"c' })).headers.get('x-request-id')).not.toBe(
      'a b"c',
    )
  })
  it('is 405 with Allow for a known path with another method', async () => {
    const { status, headers } = await hub.call('PUT', 'machines')
    expect([status, headers.get('allow')]).toEqual([405, 'POST, GET, HEAD, OPTIONS'])
    expect((await hub.call('OPTIONS', 'machines')).status).toBe(204)
  })
  it('takes literal paths before parameters', async () => {
    const admin = await hub.admin()
    expect((await admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids: [] })).status).toBe(200)
  })
  it('answers HEAD as GET without a body', async () => {
    const admin = await hub.admin()
    const { status, body } = await admin.call('HEAD', 'machines')
    expect([status, body]).toEqual([200, ''])
  })
})

describe('bodies', () => {
  it.each([
    ['malformed JSON', '{', {}, 400, 'malformed_json'],
    ['another media type', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    ['an unknown encoding', '{}', { 'content-encoding': 'br' }, 415, 'unsupported_media_type'],
    ['more than a megabyte', JSON.stringify({ email: 'x'.repeat(1_100_000) }), {}, 413, 'payload_too_large'],
    ['missing fields', '{}', {}, 422, 'validation_failed'],
    ['a NUL', '{"email":"a\\u0000b","password":"x"}', {}, 422, 'validation_failed'],
    ['a lone surrogate', '{"email":"\\ud800","password":"x"}', {}, 422, 'validation_failed'],
    ['an array', '[]', {}, 422, 'validation_failed'],
    ['null', 'null', {}, 422, 'validation_failed'],
  ])('%s is refused with its own status', async (_name, body, headers, status, code) => {
    expect(await hub.call('POST', 'auth/login', body, headers as unknown as Record<string, string>)).toMatchObject({
      status,
      body: { code },
    })
  })
  it('name every field at fault', async () => {
    const { body } = await hub.call('POST', 'auth/register', { email: 'x', password: 'short', full_name: '' })
    expect(body.errors.map((e: { path: string }) => e.path)).toEqual(
      expect.arrayContaining(['body.email', 'body.password', 'body.full_name', 'body.tenant_name']),
    )
  })
})

describe('rate limits', () => {
  it('let 120 writes a minute through, refuse the next with the specified body and headers, and leave reads alone', async () => {
    const admin = await hub.admin()
    for (let i = 0; i < 120; i++)
      expect((await admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids: [] })).status).toBe(200)
    const { status, body, headers } = await admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids: [] })
    expect(status).toBe(429)
    expect(body).toMatchObject({ detail: expect.any(String), retry_after: expect.any(Number), code: 'rate_limited' })
    expect(headers.get('retry-after')).toBe(String(body.retry_after))
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(hub.clock.now().getTime() / 1000)
    expect((await admin.call('GET', 'machines')).status).toBe(200)
    hub.clock.advance(61)
    expect((await admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids: [] })).status).toBe(200)
  })
  it('give ingest a bucket of its own: 240 a minute for each key', async () => {
    const { key } = await plant(hub)
    const send = () => hub.call('POST', 'ingest', { readings: [] }, { 'x-api-key': key })
    for (let i = 0; i < 240; i++) expect((await send()).status).toBe(207)
    const refused = await send()
    expect([refused.status, refused.headers.get('x-ratelimit-limit')]).toEqual([429, '240'])
    const heartbeat = { agent_id: 'a1', agent_version: '0.1.0' }
    expect((await hub.call('POST', 'agent/heartbeat', heartbeat, { 'x-api-key': key })).status).toBe(200)
  })
  it.each([
    ['free', 300, 60],
    ['pro', 1_500, 300],
    ['enterprise', 6_000, 1_200],
  ])('of the tier scheme give %s %d reads and %d writes a minute, and ingest as before', async (tier, reads, writes) => {
    const { admin, key } = await plant(tierHub)
    await tierHub.owner`update tenants set subscription_tier = ${tier} where id = ${admin.tenantId}`
    const limitOf = (answer: { headers: Headers }) => Number(answer.headers.get('x-ratelimit-limit'))
    expect(limitOf(await admin.call('GET', 'machines'))).toBe(reads)
    expect(limitOf(await tierHub.call('POST', 'ingest', { readings: [] }, { 'x-api-key': key }))).toBe(240)
    const write = () => admin.call('POST', 'alerts/bulk/acknowledge', { alert_ids: [] })
    expect(limitOf(await write())).toBe(writes)
    if (tier !== 'free') return
    for (let i = 0; i < 60; i++) await write()
    expect((await write()).status).toBe(429)
  })
  it('come before 401, and count by address for the anonymous', async () => {
    const ip = '192.0.2.77'
    for (let i = 0; i < 600; i++) await hub.call('GET', 'nowhere', undefined, {}, ip)
    expect((await hub.call('GET', 'machines', undefined, {}, ip)).status).toBe(429)
    expect((await hub.call('GET', 'machines')).status).toBe(401)
  })
  it('do not limit health and metrics', async () => {
    expect((await hub.call('GET', '/healthz')).headers.has('x-ratelimit-limit')).toBe(false)
    expect((await hub.call('GET', '/readyz')).body).toEqual({ status: 'ready' })
    expect((await hub.call('GET', '/metrics')).body).toContain('haltless_http_request_seconds')
  })
})
