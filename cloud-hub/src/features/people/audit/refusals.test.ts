import { expect, it } from 'vitest'
import type { Sql } from '../../../db/pools.ts'
import { createLogger } from '../../../support/logger.ts'
import { Refusals } from './refusals.ts'

it('every refusal is counted, and each address has one line a minute that says how many had none', () => {
  const lines: Record<string, unknown>[] = []
  const counted: string[] = []
  let now = 0
  const logger = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const refusals = new Refusals({
    allTenants: undefined as unknown as Sql,
    clock: { now: () => new Date(now) },
    logger,
    metrics: { observeRefusal: (reason) => void counted.push(reason) },
  })
  const refuse = (ip: string) => refusals.observe({ reason: 'token_invalid', ip, path: '/machines' })
  for (let i = 0; i < 50; i++) refuse('192.0.2.1')
  // one client owns a /64 network
  for (let i = 1; i < 50; i++) refuse(`2001:db8::${i}`)
  now = 60_000
  refuse('192.0.2.1')
  expect(counted).toHaveLength(100)
  expect(lines.map(({ ip, reason, unlogged_before }) => [ip, reason, unlogged_before])).toEqual([
    ['192.0.2.1', 'token_invalid', 0],
    ['2001:db8::1', 'token_invalid', 0],
    ['192.0.2.1', 'token_invalid', 49],
  ])
})

it('a refusal of a known tenant is recorded once an hour for each actor and reason, so that it cannot fill the audit trail', () => {
  const recorded: string[] = []
  let now = 0
  const allTenants = ((_text: TemplateStringsArray, tenantId: string) => {
    recorded.push(tenantId)
    return Promise.resolve([])
  }) as unknown as Sql
  const refusals = new Refusals({
    allTenants,
    clock: { now: () => new Date(now) },
    logger: createLogger('silent'),
    metrics: { observeRefusal: () => {} },
  })
  const refuse = (tenantId: string, reason = 'api_key_invalid') => {
    const actor = { kind: 'api_key' as const, id: 'k', name: 'old', ip: null, requestId: null }
    refusals.observe({ reason, ip: '192.0.2.1', path: '/ingest', by: { tenantId, actor } })
  }
  refuse('a')
  refuse('b')
  refuse('a', 'role_too_low')
  now = 3_599_999
  refuse('a')
  expect(recorded).toEqual(['a', 'b', 'a'])
  now = 3_600_000
  refuse('a')
  expect(recorded).toEqual(['a', 'b', 'a', 'a'])
})
