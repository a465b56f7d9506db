import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { Connections } from './connections.ts'

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
  it('before login are limited per address and in total', () => {
    const connections = new Connections(limits, [])
    expect(arriving(connections, HERE, 4).map(({ stream }) => stream.destroyed)).toEqual([false, false, true, true])
    expect(arriving(connections, THERE, 3).map(({ admission }) => admission !== null)).toEqual([true, true, false])
    expect(arriving(connections, ELSEWHERE, 1).map(({ admission }) => admission)).toEqual([null])
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

  it('free their slot when they end', async () => {
    const connections = new Connections(limits, [])
    for (const { stream } of arriving(connections, HERE, 2)) stream.destroy()
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
    expect(arriving(connections, ELSEWHERE, 12).filter(({ admission }) => admission !== null)).toHaveLength(10)
  })
})
