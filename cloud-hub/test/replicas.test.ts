import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../src/app.ts'
import { openPools } from '../src/db/pools.ts'
import { joinReplicas } from '../src/db/replicas.ts'
import { createLogger } from '../src/support/logger.ts'
import { type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'

const hub = useHub()
const logger = createLogger('silent')

/** The app of another replica on the same database. */
function replica(isAlone = () => false) {
  const { app } = createApp({ ...hub.deps, isAlone })
  return async (user: TestUser, method = 'GET', path = 'settings/units') => {
    const answer = await app.request(
      `/api/v1/${path}`,
      { method, headers: { authorization: `Bearer ${user.token}` } },
      { incoming: { socket: { remoteAddress: '10.9.9.9' } } },
    )
    return { status: answer.status, remaining: Number(answer.headers.get('x-ratelimit-remaining')), headers: answer.headers }
  }
}
const admitted = (answers: { status: number }[]) => answers.filter((a) => a.status !== 429).length

describe('several replicas', () => {
  it.each([
    ['reads', 600, 'GET', 'settings/units', 400],
    ['writes', 120, 'PATCH', 'settings/profile', 90],
  ] as const)('hold the limit of %s together within a tenth, whoever is asked', async (_, limit, method, path, each) => {
    const user = await hub.admin()
    const [one, two] = [replica(), replica()]
    const answers = (
      await Promise.all(Array.from({ length: each }, () => [one(user, method, path), two(user, method, path)]).flat())
    ).flat()
    expect(admitted(answers)).toBeGreaterThanOrEqual(limit * 0.9)
    expect(admitted(answers)).toBeLessThanOrEqual(limit * 1.1)
    const refused = answers.find((a) => a.status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(62)
    expect(refused?.headers.get('x-ratelimit-limit')).toBe(String(limit))
  })

  it('count the requests that the first replica admitted before the others joined', async () => {
    const user = await hub.admin()
    let alone = true
    const [first, second] = [replica(() => alone), replica()]
    for (let i = 0; i < 110; i++) expect((await first(user, 'PATCH', 'settings/profile')).status).not.toBe(429)
    alone = false
    await first(user, 'PATCH', 'settings/profile')
    const more = []
    for (let i = 0; i < 30; i++) more.push(await second(user, 'PATCH', 'settings/profile'))
    expect(admitted(more)).toBeLessThanOrEqual(22)
  })

  it('count alone while the database does not answer', async () => {
    const user = await hub.admin()
    const { app } = createApp({ ...hub.deps, isAlone: () => false })
    await hub.owner`alter function reserve_requests(text, integer, integer, integer) rename to reserve_requests_away`
    onTestFinished(async () => {
      await hub.owner`alter function reserve_requests_away(text, integer, integer, integer) rename to reserve_requests`
    })
    const answers = []
    for (let i = 0; i < 125; i++)
      answers.push(
        await app.request(
          '/api/v1/settings/profile',
          { method: 'PATCH', headers: { authorization: `Bearer ${user.token}` } },
          { incoming: { socket: { remoteAddress: '10.9.9.9' } } },
        ),
      )
    expect(admitted(answers)).toBe(120)
  })

  it('find each other at once, and notice when one leaves', async () => {
    const [a, b] = [openPools(hub.logins), openPools(hub.logins)]
    onTestFinished(async () => {
      await a.close()
      await b.close()
    })
    const first = await joinReplicas({ system: a.system, listen: a.listen, box: hub.deps.box, logger })
    expect(first.isAlone()).toBe(true)
    const second = await joinReplicas({ system: b.system, listen: b.listen, box: hub.deps.box, logger })
    expect(second.isAlone()).toBe(false)
    await soon(() => expect(first.isAlone()).toBe(false))
    await second.leave()
    await soon(() => expect(first.isAlone()).toBe(true))
    await first.leave()
  })
})

describe('one replica alone', () => {
  it('counts exactly without the database', async () => {
    const user = await hub.admin()
    const alone = replica(() => true)
    const before = await hub.owner`select 1 from rate_windows where bucket like ${`%${user.userId}%`}`
    const answers = []
    for (let i = 0; i < 121; i++) answers.push(await alone(user, 'PATCH', 'settings/profile'))
    expect(answers.map((a) => a.remaining).slice(0, 120)).toEqual(Array.from({ length: 120 }, (_, i) => 119 - i))
    expect(answers[120]?.status).toBe(429)
    expect(await hub.owner`select 1 from rate_windows where bucket like ${`%${user.userId}%`}`).toEqual(before)
  })
})

describe('brute force', () => {
  it('is counted exactly with 200 attempts at once through two replicas, and goes on counting after a restart', async () => {
    const user = await hub.admin()
    const { email } = (await user.call('GET', 'auth/me')).body
    const apps = [createApp({ ...hub.deps }).app, createApp({ ...hub.deps }).app]
    let address = 0
    const guess = async (app: (typeof apps)[number]) => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'Wrong-pass-1' }),
      }
      const socket = { remoteAddress: `192.0.2.${++address % 256}` }
      return (await app.request('/api/v1/auth/login', init, { incoming: { socket } })).status
    }
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => guess(apps[i % 2] as (typeof apps)[number])))
    expect(answers.filter((status) => status === 401).length).toBe(10)
    expect(answers.filter((status) => status === 429).length).toBe(190)
    // nothing of it lives in a process
    expect(await guess(createApp({ ...hub.deps }).app)).toBe(429)
    hub.clock.advance(15 * 60 + 1)
    expect(await guess(createApp({ ...hub.deps }).app)).toBe(401)
  })
})
