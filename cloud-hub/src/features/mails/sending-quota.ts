import type { TransactionSql } from '../../db/pools.ts'
import { TooManyRequests } from '../../support/errors.ts'
import { limitHeaders } from '../../support/http/rate-limit.ts'
import { sha256 } from '../../support/secrets/hash.ts'

/** Limits per 24 hours: mails to unconfirmed addresses and tests of a tenant; mails to one address over all tenants. */
export interface SendingLimits {
  perTenant: number
  perAddress: number
}

const MINUTE = '1 minute'
/** A gap of 0 would refuse a call whose clock is a millisecond behind that of the last one. */
const NO_GAP = null

/** Counts a notice that is left out beyond a number in 24 hours. @returns whether it may go */
export async function claimNotice(sql: TransactionSql, now: Date, subject: string, perDay: number): Promise<boolean> {
  const [row] = await sql<{ next: Date | null }[]>`select claim_sending(${subject}, ${now}, ${perDay}, null::interval) as next`
  return !row?.next
}

/** @throws TooManyRequests with the seconds until the next one may go */
async function claim(
  sql: TransactionSql,
  now: Date,
  of: { subject: string; perDay: number; gap: string | null; scope: 'tenant' | 'address' | 'minute'; refusal: string },
): Promise<void> {
  const [row] = await sql<{ next: Date | null }[]>`
    select claim_sending(${of.subject}, ${now}, ${of.perDay}, ${of.gap}::interval) as next`
  if (!row?.next) return
  const limit = limitHeaders({ limit: of.perDay, remaining: 0, resetAt: Math.ceil(row.next.getTime() / 1_000) })
  throw new TooManyRequests('sending_limit', of.refusal, (row.next.getTime() - now.getTime()) / 1_000, limit, {
    scope: of.scope,
    limit: of.perDay,
  })
}

const claimOfTenant = (sql: TransactionSql, now: Date, { perTenant }: SendingLimits, tenantId: string) =>
  claim(sql, now, {
    subject: `tenant:${tenantId}`,
    perDay: perTenant,
    gap: NO_GAP,
    scope: 'tenant',
    refusal: `Your tenant has sent ${perTenant} invitations, notices and tests within 24 hours; try again later.`,
  })

/** A mail to an address that its owner has not confirmed. */
export interface UnconfirmedRecipientMail {
  tenantId: string
  email: string
  /** a tenant may send an address one invitation a minute; notices have no minimum distance */
  isInvitation: boolean
}

/**
 * Counts a mail to an address that a tenant chose, in the transaction that queues it, so that tenants cannot flood a mailbox.
 * @throws TooManyRequests `sending_limit`
 */
export async function claimUnconfirmedMailQuota(
  sql: TransactionSql,
  now: Date,
  limits: SendingLimits,
  { tenantId, email, isInvitation }: UnconfirmedRecipientMail,
): Promise<void> {
  const address = sha256(email.toLowerCase())
  await claimOfTenant(sql, now, limits, tenantId)
  await claim(sql, now, {
    subject: `address:${address}`,
    perDay: limits.perAddress,
    gap: NO_GAP,
    scope: 'address',
    refusal: `This address has received ${limits.perAddress} invitations and notices within 24 hours; try again later.`,
  })
  if (!isInvitation) return
  await claim(sql, now, {
    subject: `tenant-address:${tenantId}:${address}`,
    perDay: limits.perAddress,
    gap: MINUTE,
    scope: 'minute',
    refusal: 'This address was invited less than a minute ago; try again in a minute.',
  })
}

/** Counts a test of a notification channel or an ERP connection. @throws TooManyRequests `sending_limit` */
export const claimTestQuota = claimOfTenant
