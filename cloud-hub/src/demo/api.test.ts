import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { isUnauthorized, signIn } from './api.ts'
import { afterLockout } from './lockout.ts'

/** A fake hub that accepts one token at a time, and answers logins by a callback. */
async function startHub(login: () => { status: number; body: object; headers?: Record<string, string> }) {
  const hub = { logins: 0, token: 'first', url: '' }
  const server = createServer((request, response) => {
    const answer = (status: number, body: object, headers = {}) => response.writeHead(status, headers).end(JSON.stringify(body))
    if (request.url === '/api/v1/auth/login') {
      hub.logins++
      const { status, body, headers } = login()
      answer(status, body, headers)
    } else if (request.headers.authorization === `Bearer ${hub.token}`) answer(200, { path: request.url })
    else answer(401, { detail: 'no' })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  hub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  stops.push(() => new Promise((closed) => server.close(closed)))
  return hub
}
const PATHS = ['/machines', '/alerts']
const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

describe('the client of the demonstration', () => {
  it('signs in once more for all calls that find the token run out', async () => {
    const hub = await startHub(() => ({ status: 200, body: { access_token: hub.token } }))
    const api = await signIn(hub.url, 'a@example.com', 'x')
    hub.token = 'second'
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => api.get(PATHS[n % 2] as '/machines')))
    expect([answers.length, hub.logins]).toEqual([5, 2])
  })

  it.each([
    ['a changed password', 401, { detail: 'no' }],
    ['a second factor', 200, { mfa_required: true }],
  ])('stops at %s after one attempt, so that it locks nobody out', async (_, status, body) => {
    let isChanged = false
    const hub = await startHub(() => (isChanged ? { status, body } : { status: 200, body: { access_token: 'first' } }))
    const api = await signIn(hub.url, 'a@example.com', 'x')
    hub.token = 'second'
    isChanged = true
    for (let round = 0; round < 3; round++) {
      const tries = await Promise.allSettled([1, 2, 3].map((n) => api.get(PATHS[n % 2] as '/machines')))
      expect(tries.every((one) => one.status === 'rejected' && isUnauthorized(one.reason))).toBe(true)
    }
    expect(hub.logins).toBe(2)
  })

  it('waits for the end of a lockout with a message, and then signs in', async () => {
    const hub = await startHub(() =>
      hub.logins === 1
        ? { status: 429, body: { detail: 'locked' }, headers: { 'retry-after': '840' } }
        : { status: 200, body: { access_token: hub.token } },
    )
    const said: string[] = []
    const pauses: number[] = []
    const api = await afterLockout(() => signIn(hub.url, 'a@example.com', 'x'), {
      say: (text) => said.push(text),
      pause: async (seconds) => {
        pauses.push(seconds)
      },
    })
    expect(await api.get('/machines')).toEqual({ path: '/api/v1/machines' })
    expect([pauses, said.length, hub.logins]).toEqual([[840], 1, 2])
    expect(said[0]).toContain('for 14 minutes')
  })

  it('does not go on after a lockout when the demonstration ends meanwhile', async () => {
    const hub = await startHub(() => ({ status: 429, body: { detail: 'locked' }, headers: { 'retry-after': '60' } }))
    const ended = new Error('ended')
    const wait = { say: () => {}, pause: () => Promise.reject(ended) }
    await expect(afterLockout(() => signIn(hub.url, 'a@example.com', 'x'), wait)).rejects.toThrow(ended)
    expect(hub.logins).toBe(1)
  })

  it('tries again after a fault of the hub', async () => {
    let status = 200
    const hub = await startHub(() => ({ status, body: { access_token: hub.token } }))
    const api = await signIn(hub.url, 'a@example.com', 'x')
    hub.token = 'second'
    status = 503
    await expect(api.get('/machines')).rejects.toThrow()
    status = 200
    expect(await api.get('/machines')).toEqual({ path: '/api/v1/machines' })
  })
})
