import { randomBytes } from 'node:crypto'
import type * as argon2 from 'argon2'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../src/app.ts'
import type { Sql } from '../src/db/pools.ts'
import { newAccessToken } from '../src/features/people/accounts/access-tokens.ts'
import { Refusals } from '../src/features/people/audit/index.ts'
import { createLogger } from '../src/support/logger.ts'
import { PASSWORD, type TestUser, useHub } from './harness.ts'

/** how often a password was compared */
const compared = vi.hoisted(() => vi.fn())
vi.mock('argon2', async (original) => {
  const real = await original<typeof argon2>()
  const verify: typeof argon2.verify = (...given) => {
    compared()
    return real.verify(...given)
  }
  return { ...real, verify, hash: (password: string, options: object) => real.hash(password, { ...options, memoryCost: 1_024 }) }
})

const hub = useHub()
/** reads of a minute, by address or token */
const LIMIT = 600
const BEYOND = 50
const ADDRESS = '198.51.100.7'
const DAY = 86_400

let app: typeof hub.app
/** the statements that the hub sent, and the lines that it logged */
const statements: string[] = []
const lines: string[] = []

/** Notes the text of each statement, and that a transaction began. */
const watched = (sql: Sql): Sql =>
  new Proxy(sql, {
    apply(target, self, args) {
      if (args[0]?.raw) statements.push(args[0].join('?').replace(/\s+/g, ' ').trim())
      return Reflect.apply(target as never, self, args)
    },
    get(target, name) {
      if (name === 'begin' || name === 'pipeline') statements.push(name)
      return Reflect.get(target, name)
    },
  })

beforeAll(() => {
  const { pools, clock, metrics } = hub.deps
  const logger = createLogger('debug', { write: (line: string) => void lines.push(line) })
  const own = { ...pools, app: watched(pools.app), system: watched(pools.system) }
  const refusals = new Refusals({ allTenants: own.system, clock, logger, metrics })
  app = createApp({ ...hub.deps, logger, pools: own, refusals }, { checkAnswers: true }).app
})

async function get(token: string, ip: string, path = 'machines') {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await app.request(`/api/v1/${path}`, { headers }, { incoming: { socket: { remoteAddress: ip } } })
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: (await answer.json()) as { code: string } }
}
type Answered = Awaited<ReturnType<typeof get>>

/** Sends requests, a hundred at once. */
async function flood(count: number, send: (n: number) => Promise<Answered>): Promise<Answered[]> {
  const answers: Answered[] = []
  for (let from = 0; from < count; from += 100)
    answers.push(...(await Promise.all(Array.from({ length: Math.min(100, count - from) }, (_, n) => send(from + n)))))
  return answers
}
/** How many answers each code has; every 429 names a wait of at most a minute. */
function codesOf(answers: readonly Answered[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, retryAfter, body } of answers) {
    const code = status === 200 ? 'ok' : body.code
    counts[code] = (counts[code] ?? 0) + 1
    expect([code, status === 429]).toEqual([code, code === 'rate_limited'])
    if (status !== 429) continue
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1)
    expect(Number(retryAfter)).toBeLessThanOrEqual(60)
  }
  return counts
}

const tokenOf = async (user: TestUser, given: object = {}) =>
  (await user.call('POST', 'tokens', { name: 'export', scopes: ['machines:read'], ...given })).body as {
    id: string
    token: string
  }
const eventsOf = async ({ tenantId }: TestUser): Promise<string[]> =>
  (
    await hub.owner`
      select after->>'reason' as reason from audit_log where tenant_id = ${tenantId} and action = 'access.refused' order by at`
  ).map(({ reason }) => reason)
/** One of 250 addresses of documentation, of several networks. */
const someAddress = (n: number) => `203.0.113.${(n % 250) + 1}`
const isLookUp = (text: string) =>
  /^select k\.id.* from access_tokens k /.test(text) && !/ for (no key )?(update|share)/.test(text)

/** Does something, and answers the statements that the hub sent meanwhile; it compared no password. */
async function during(work: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0
  compared.mockClear()
  await work()
  expect(compared).not.toHaveBeenCalled()
  return [...statements]
}

const UNKNOWN: [string, (genuine: string) => string, { looksUp: boolean }][] = [
  ['unknown tokens', () => newAccessToken().key, { looksUp: true }],
  [
    'a genuine prefix with wrong secrets',
    (token) => token.slice(0, 12) + randomBytes(32).toString('base64url'),
    { looksUp: true },
  ],
  ['garbage', (token) => `${token.slice(0, 20)}%${randomBytes(6).toString('hex')}`, { looksUp: false }],
  ['huge tokens', (token) => token + 'x'.repeat(100_000), { looksUp: false }],
]

describe.each(UNKNOWN)('a flood of %s', (_, made, { looksUp }) => {
  let admin: TestUser
  let genuine: string
  beforeAll(async () => {
    hub.clock.advance(61)
    admin = await hub.admin()
    genuine = (await tokenOf(admin)).token
  })

  it('from one address costs at most a look-up each, and is 429 beyond the limit of the address', async () => {
    lines.length = 0
    const sent = await during(async () => {
      const answers = await flood(LIMIT + BEYOND, () => get(made(genuine), ADDRESS))
      expect(codesOf(answers)).toEqual({ token_invalid: LIMIT, rate_limited: BEYOND })
    })
    expect(sent.filter((text) => !isLookUp(text))).toEqual([])
    expect(sent.length).toBeLessThanOrEqual(looksUp ? LIMIT + BEYOND : 0)
    expect(lines.filter((line) => line.includes('a credential or request was refused'))).toHaveLength(1)
    expect(await eventsOf(admin)).toEqual([])
  })

  it('leaves people and tokens at the same address working', async () => {
    expect((await get(made(genuine), ADDRESS)).status).toBe(429)
    expect((await get(genuine, ADDRESS)).status).toBe(200)
    expect((await get(admin.token, ADDRESS)).status).toBe(200)
  })

  it('from many addresses is refused at each of them, with a line in the log for each and no event', async () => {
    lines.length = 0
    const sent = await during(async () => {
      const answers = await flood(500, (n) => get(made(genuine), someAddress(n)))
      expect(codesOf(answers)).toEqual({ token_invalid: 500 })
    })
    expect(sent.filter((text) => !isLookUp(text))).toEqual([])
    expect(lines.filter((line) => line.includes('a credential or request was refused'))).toHaveLength(250)
    expect(await eventsOf(admin)).toEqual([])
    expect((await get(genuine, someAddress(1))).status).toBe(200)
  })
})

const ENDED: [string, (admin: TestUser) => Promise<string>, string][] = [
  [
    'a revoked token',
    async (admin) => {
      const { id, token } = await tokenOf(admin)
      await admin.call('DELETE', `tokens/${id}`)
      return token
    },
    'token_revoked',
  ],
  [
    'an expired token',
    async (admin) => {
      const { token } = await tokenOf(admin, { expires_in_days: 1 })
      hub.clock.advance(DAY + 1)
      return token
    },
    'token_expired',
  ],
  [
    'a token without the scope',
    async (admin) => (await tokenOf(admin, { scopes: ['alerts:read'] })).token,
    'token_scope_missing',
  ],
  [
    'a token from another address',
    async (admin) => (await tokenOf(admin, { source_addresses: ['192.0.2.0/24'] })).token,
    'token_address_not_allowed',
  ],
]

describe.each(ENDED)('a flood with %s', (_, made, code) => {
  let admin: TestUser
  let token: string
  let other: string
  beforeAll(async () => {
    hub.clock.advance(61)
    admin = await hub.admin()
    token = await made(admin)
    const { body } = await hub.call('POST', 'auth/login', {
      email: (await hub.owner`select email from users where id = ${admin.userId}`)[0]?.email,
      password: PASSWORD,
    })
    const headers = { authorization: `Bearer ${body.access_token}` }
    admin = { ...admin, token: body.access_token }
    other = (await hub.call('POST', 'tokens', { name: 'other', scopes: ['machines:read'] }, headers)).body.token
  })

  it('is 429 beyond the limit of the token, from one address and many, and makes one event', async () => {
    const sent = await during(async () => {
      const answers = await flood(LIMIT + BEYOND, (n) => get(token, n % 2 === 0 ? ADDRESS : someAddress(n)))
      expect(codesOf(answers)).toEqual({ [code]: LIMIT, rate_limited: BEYOND })
    })
    const others = sent.filter((text) => !isLookUp(text))
    expect(others).toEqual([expect.stringMatching(/^select note_event\(/)])
    await expect.poll(() => eventsOf(admin)).toEqual([code])
    // an hour later it is worth another event
    hub.clock.advance(3_601)
    await flood(LIMIT, () => get(token, ADDRESS))
    await expect.poll(() => eventsOf(admin)).toEqual([code, code])
  })

  it('leaves the other tokens of the tenant working, and what has no token at its addresses', async () => {
    expect((await get(token, ADDRESS)).status).toBe(429)
    expect((await get(other, ADDRESS)).status).toBe(200)
    expect((await get('', ADDRESS)).body.code).toBe('token_missing')
  })
})

describe('a flood with a valid token', () => {
  it('is 429 beyond its limit, and leaves other tokens of its owner and people of the tenant working', async () => {
    hub.clock.advance(61)
    const admin = await hub.admin()
    const [{ id, token }, other] = [await tokenOf(admin), await tokenOf(admin)]
    const sent = await during(async () => {
      expect(codesOf(await flood(LIMIT + BEYOND, (n) => get(token, someAddress(n))))).toEqual({ ok: LIMIT, rate_limited: BEYOND })
    })
    // the last use is one write for all of them
    const writes = sent.filter((text) => /^(insert|update|delete|with)\b|note_event/.test(text))
    expect(writes).toEqual([expect.stringMatching(/^update access_tokens set last_used_at = /)])
    expect((await get(other.token, someAddress(0))).status).toBe(200)
    expect((await admin.call('GET', 'machines')).status).toBe(200)
    expect((await admin.call('DELETE', `tokens/${id}`)).status).toBe(204)
    expect(await eventsOf(admin)).toEqual([])
  })
})

it('no secret of a token is in the log, the audit trail or the metrics, whatever refused it', async () => {
  hub.clock.advance(61)
  const admin = await hub.admin()
  const [good, ended] = [await tokenOf(admin), await tokenOf(admin)]
  await admin.call('DELETE', `tokens/${ended.id}`)
  lines.length = 0
  const secrets = [good.token, ended.token, newAccessToken().key]
  for (const token of secrets) {
    await flood(LIMIT + 1, () => get(token, ADDRESS))
    for (const path of [`machines/${token}`, `machines?token=${token}`, `${token}/machines`, 'no-such-path', 'audit-log'])
      await get(token, someAddress(1), path)
    await get(`${token}x`, ADDRESS)
  }
  await expect.poll(() => eventsOf(admin)).toContain('token_revoked')
  const trail = (await hub.owner`select to_jsonb(a)::text as row from audit_log a`).map(({ row }) => row)
  const { body: metrics } = await hub.call('GET', '/metrics')
  const all = [...lines, ...trail, JSON.stringify(metrics ?? '')].join('\n')
  expect(lines.length).toBeGreaterThan(LIMIT)
  for (const token of secrets) expect(all).not.toContain(token.slice(14, 30))
})
