import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'
import { type MailTools, mailAboutToken, readersOf } from './token-mails.ts'
import { WARN_DAYS } from './tokens.ts'

const DAY_MS = 86_400_000
/** Tokens that one transaction handles. */
const PORTION = 100
/** How long an expired or revoked token stays in lists. */
const KEPT_DAYS = 90

interface Watch extends MailTools {
  allTenants: Sql
}

/** Frees the places of expired tokens, mails before the expiry of others, and deletes those that ended long ago. */
export async function watchTokens(watch: Watch, now: Date): Promise<void> {
  for (let ended = PORTION; ended === PORTION; ) ended = await endExpired(watch.allTenants, now)
  for (let warned = PORTION; warned === PORTION; ) warned = await warn(watch, now)
  const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS)
  await purge(watch.allTenants, { table: 'access_tokens', column: 'expires_at', before })
  await purge(watch.allTenants, { table: 'access_tokens', column: 'revoked_at', before })
}

async function endExpired(allTenants: Sql, now: Date): Promise<number> {
  const { count } = await allTenants`
    update access_tokens set is_active = false where ctid = any(array(
      select k.ctid from access_tokens k where k.is_active and k.expires_at <= ${now}
      order by k.expires_at limit ${PORTION} for no key update skip locked))`
  return count
}

interface Expiring {
  tenantId: string
  userId: string
  name: string
  expiresAt: Date
}

/** Queues the mails in the transaction that notes them, so that each is sent once. */
const warn = ({ allTenants, ...tools }: Watch, now: Date): Promise<number> =>
  allTenants.begin(async (sql) => {
    const [first, last] = WARN_DAYS.map((days) => new Date(now.getTime() + days * DAY_MS)) as [Date, Date]
    const due = await sql<Expiring[]>`
      update access_tokens k set warnings = case when k.expires_at <= ${last} then 2 else 1 end where k.ctid = any(array(
        select d.ctid from access_tokens d
        where d.is_active and d.expires_at > ${now} and d.expires_at <= ${first}
          and (d.warnings = 0 or (d.warnings = 1 and d.expires_at <= ${last}))
        order by d.expires_at limit ${PORTION} for no key update skip locked))
      returning k.tenant_id as "tenantId", k.user_id as "userId", k.name, k.expires_at as "expiresAt"`
    for (const { tenantId, userId, name, expiresAt } of due)
      for (const reader of await readersOf(sql, { tenantId, userId }))
        await mailAboutToken(sql, tools, now, tenantId, reader, 'token_expiring', {
          token: name,
          expiresAt: expiresAt.toISOString(),
        })
    return due.length
  }) as Promise<number>
