import type { TransactionSql } from '../../db/pools.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'
import { enqueueMail, type Recipient } from './enqueue-mail.ts'
import type { MailParams } from './mail-params.ts'

/** Mails that a tenant can switch off. */
export const EMAIL_TOGGLES = [
  'role_changed',
  'password_changed',
  'mfa_changed',
  'work_order_assigned',
  'work_order_due',
  'maintenance_reminder',
  'note_mention',
] as const
export type EmailToggle = (typeof EMAIL_TOGGLES)[number]

const ALL_ON = Object.fromEntries(EMAIL_TOGGLES.map((name) => [name, true])) as Record<EmailToggle, boolean>

/** The mails that the tenant receives; all by default. */
export async function emailPrefs(sql: TransactionSql, tenantId: string): Promise<Record<EmailToggle, boolean>> {
  const [row] = await sql<{ prefs: Record<string, boolean> }[]>`select email_prefs as prefs from tenants where id = ${tenantId}`
  return { ...ALL_ON, ...row?.prefs }
}

/** Queues a mail unless the tenant has switched this template off. */
export async function enqueueIfWanted<T extends EmailToggle>(
  sql: TransactionSql,
  box: SecretBox,
  now: Date,
  to: Recipient,
  kind: T,
  params: MailParams[T],
): Promise<void> {
  if ((await emailPrefs(sql, to.tenantId))[kind]) await enqueueMail(sql, box, now, to, kind, params)
}
