import type { TransactionSql } from '../../../db/pools.ts'
import { TooManyRequests } from '../../../support/errors.ts'
import { sha256 } from '../../../support/secrets/hash.ts'

/** In any 24 hours: mails to strangers and channel tests of a tenant, mails to one stranger over all tenants. */
export interface SendingLimits {
  perTenant: number
  perAddress: number
}

const MINUTE = '1 minute'
const NO_GAP = '0'

/** @throws TooManyRequests with the seconds until the next one may go */
async function claim(
  sql: TransactionSql,
  now: Date,
  of: { subject: string; perDay: number; gap: string; refusal: string },
): Promise<void> {
  const [row] = await sql<{ next: Date | null }[]>`
    select claim_sending(${of.subject}, ${now}, ${of.perDay}, ${of.gap}::interval) as next`
  if (row?.next) throw new TooManyRequests('sending_limit', of.refusal, (row.next.getTime() - now.getTime()) / 1_000)
}

const claimOfTenant = (sql: TransactionSql, now: Date, { perTenant }: SendingLimits, tenantId: string) =>
  claim(sql, now, {
    subject: `tenant:${tenantId}`,
    perDay: perTenant,
    gap: NO_GAP,
    refusal: `Your tenant has caused ${perTenant} invitations, notices and channel tests within 24 hours; more go later.`,
  })

/** Changes of accounts that send mail to unconfirmed addresses. */
export interface UnconfirmedRecipientMail {
  tenantId: string
  email: string
  /** an address gets one of these a minute from a tenant; notices follow what happened, however soon */
  isInvitation: boolean
}

/**
 * Counts one mail to an address that a tenant chose, in the transaction that queues it: the hub is no tool to flood a stranger's mailbox.
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
    refusal: `This address has got ${limits.perAddress} invitations and notices within 24 hours; try again later.`,
  })
  if (!isInvitation) return
  await claim(sql, now, {
    subject: `tenant-address:${tenantId}:${address}`,
    perDay: limits.perAddress,
    gap: MINUTE,
    refusal: 'This address was invited a moment ago; the next invitation may go after a minute.',
  })
}

/** Counts one test of a notification channel. @throws TooManyRequests `sending_limit` */
export const claimChannelTestQuota = claimOfTenant
