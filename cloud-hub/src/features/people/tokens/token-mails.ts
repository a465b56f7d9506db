import type { TransactionSql } from '../../../db/pools.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { enqueueMail, type MailParams } from '../../mails/index.ts'

/** What queues the mails. */
export interface MailTools {
  box: SecretBox
  publicUrl: string
}

interface Reader {
  userId: string
  email: string
  locale: string | null
  /** the service account; null for a personal token */
  account: string | null
}

/** The owner of a token; of a service account the person who answers for it, or all admins where there is no such person any more. */
export const readersOf = (sql: TransactionSql, { tenantId, userId }: { tenantId: string; userId: string }) => sql<Reader[]>`
  with owner as (select id, full_name, is_service, responsible_id from users where tenant_id = ${tenantId} and id = ${userId} and is_active),
  people as (
    select u.id, u.email, u.locale, r.base_tier from users u join roles r on r.tenant_id = u.tenant_id and r.key = u.role
    where u.tenant_id = ${tenantId} and u.is_active and not u.is_invited and not u.is_service
  )
  select p.id as "userId", p.email, p.locale, case when o.is_service then o.full_name end as account
  from owner o join people p on p.id = case when o.is_service then o.responsible_id else o.id end
    or (o.is_service and p.base_tier = 'admin' and not exists (select from people q where q.id = o.responsible_id))`

/** Queues a mail about a token to a reader, in the transaction of its cause. */
export function mailAboutToken<T extends 'token_created' | 'token_expiring'>(
  sql: TransactionSql,
  { box, publicUrl }: MailTools,
  now: Date,
  tenantId: string,
  { account, ...to }: Reader,
  template: T,
  params: Omit<MailParams[T], 'account' | 'url'>,
): Promise<void> {
  const url = `${publicUrl}/settings?tab=${account === null ? 'personal' : 'keys'}`
  return enqueueMail(sql, box, now, { tenantId, ...to }, template, { ...params, account, url } as MailParams[T])
}
