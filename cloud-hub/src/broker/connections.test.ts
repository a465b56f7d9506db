import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { CONNECTION_LIMITS, Connections } from './connections.ts'

const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 5 })
const limits = { perAddress: 3, anonymousPerAddress: 2, anonymous: 4, loginMs: 60_000 }
const [HERE, THERE, ELSEWHERE] = ['192.0.2.1', '192.0.2.2', '10.0.0.1']

/** Connections of one address, as the broker sees them. */
function arriving(connections: Connections, address: string, count: number) {
  return Array.from({ length: count }, () => {
    const stream = new PassThrough()
    return { stream, admission: connections.admit(stream, address) }
  })
}

describe('connections of the broker', () => {
  it('before login are limited per address: the oldest makes room', () => {
    const connections = new Connections(limits, [])
    const here = arriving(connections, HERE, 4)
    expect(here.map(({ stream }) => stream.destroyed)).toEqual([true, true, false, false])
    expect(here.every(({ admission }) => admission !== null)).toBe(true)
  })

  it('before login are limited in total: the oldest of the address with most makes room', () => {
    const connections = new Connections({ ...limits, anonymous: 3 }, [])
    const [one] = arriving(connections, THERE, 1)
    const many = arriving(connections, HERE, 2)
    const [newcomer] = arriving(connections, ELSEWHERE, 1)
    expect(newcomer?.admission).not.toBeNull()
    expect([one, ...many, newcomer].map((each) => each?.stream.destroyed)).toEqual([false, true, false, false])
  })

  it('of 33 addresses with 64 silent sockets each lock no agent out', () => {
    const connections = new Connections(CONNECTION_LIMITS, [])
    for (let i = 0; i < 33; i++) arriving(connections, `198.51.100.${i}`, 64)
    const agents = Array.from({ length: 200 }, (_, i) => arriving(connections, `203.0.113.${i}`, 1)[0])
    expect(agents.every((agent) => agent?.admission && !agent.stream.destroyed)).toBe(true)
    for (const agent of agents) agent?.stream.destroy()
  })

  it('after login no longer count as anonymous, up to the limit of their address', () => {
    const connections = new Connections(limits, [])
    const admit = () => arriving(connections, HERE, 1)[0]?.admission
    for (let i = 0; i < 3; i++) {
      const admission = admit()
      admission?.loggedIn()
      admission?.loggedIn()
      expect(admission).not.toBeNull()
    }
    expect(admit()).toBeNull()
  })

  it('of an address with its limit of agents make room for an agent when they have not logged in', () => {
    const connections = new Connections(limits, [])
    const [silent, agent] = arriving(connections, HERE, 2)
    agent?.admission?.loggedIn()
    const more = arriving(connections, HERE, 2)
    expect([silent, agent, ...more].map((each) => each?.stream.destroyed)).toEqual([true, false, false, false])
  })

  it('free their slot when they end', async () => {
    const connections = new Connections(limits, [])
    const agents = arriving(connections, HERE, 3)
    for (const { admission, stream } of agents) {
      admission?.loggedIn()
      stream.destroy()
    }
    await soon(() => expect(arriving(connections, HERE, 1)[0]?.admission).not.toBeNull())
  })

  it('are closed when the login takes too long', async () => {
    const connections = new Connections({ ...limits, loginMs: 20 }, [])
    const [silent, agent] = arriving(connections, HERE, 2)
    agent?.admission?.loggedIn()
    await soon(() => expect(silent?.stream.destroyed).toBe(true))
    expect(agent?.stream.destroyed).toBe(false)
  })

  it('of a trusted proxy are limited only in total, because they serve many clients', () => {
    const connections = new Connections({ ...limits, anonymous: 10 }, ['10.0.0.0/8'])
    expect(arriving(connections, ELSEWHERE, 12).filter(({ stream }) => !stream.destroyed)).toHaveLength(10)
  })
})
