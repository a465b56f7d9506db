import { randomUUID } from 'node:crypto'
import { languageOf } from '@haltless/protocol/languages'
import type { Sql, TransactionSql } from '../../db/pools.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'
import type { MailParams, MailTemplate } from './mail-params.ts'

/** The NOTIFY channel that wakes mail workers. */
export const MAILS_CHANNEL = 'haltless_mails'

export interface Recipient {
  tenantId: string
  userId: string
  email: string
  locale: string | null
}

/** The encryption context of a mail's parameters, which binds them to this mail. */
export const mailEncryptionContext = (tenantId: string, id: string): string => `mails/${tenantId}/${id}`

/** Queues a mail in the transaction of its cause; workers send it after the commit. Times appear in the user's time zone. */
export async function enqueueMail<T extends MailTemplate>(
  tx: Sql | TransactionSql,
  box: SecretBox,
  now: Date,
  to: Recipient,
  template: T,
  params: MailParams[T],
): Promise<void> {
  const id = randomUUID()
  const [reader] = await tx<{ timeZone: string | null; isService: boolean }[]>`
    select timezone as "timeZone", is_service as "isService" from users where tenant_id = ${to.tenantId} and id = ${to.userId}`
  // nobody reads the mails of a service account
  if (reader?.isService) return
  const sealed = box.seal(
    JSON.stringify({ timeZone: reader?.timeZone ?? 'UTC', ...params }),
    mailEncryptionContext(to.tenantId, id),
  )
  await tx`insert into mails (id, tenant_id, user_id, to_email, template, locale, sealed_params, due_at, created_at)
    values (${id}, ${to.tenantId}, ${to.userId}, ${to.email}, ${template}, ${languageOf(to.locale)}, ${sealed}, ${now}, ${now})`
  await tx`select pg_notify(${MAILS_CHANNEL}, '')`
}
