import type { MailContent } from '../../../support/mail-layout.ts'

/** The mails of the hub itself, and what each needs to know. Instants are ISO 8601. */
export interface MailParams {
  invitation: { tenant: string; inviter: string; url: string; expiresAt: string }
  password_reset: { url: string; expiresAt: string }
  password_changed: { at: string; ip: string }
  email_changed: { newEmail: string; at: string }
  role_changed: { tenant: string; role: string; by: string }
  mfa_changed: { enabled: boolean; at: string }
  report: ReportParams
}
/** A stretch of time at a tenant. Values are in the tenant's units. */
export interface ReportParams {
  tenant: string
  schedule: 'daily' | 'weekly' | 'monthly'
  /** an IANA zone: in which it is told */
  timeZone: string
  /** a BCP 47 tag: how dates and numbers are written */
  locale: string
  start: string
  /** exclusive */
  end: string
  /** machines by how they stand now */
  fleet: { healthy: number; warning: number; critical: number; offline: number }
  /** raised in this time, by severity; how many of them are not acknowledged, and how many have not cleared */
  alerts: { critical: number; warning: number; info: number; unacknowledged: number; standing: number }
  /** raised in the day, week or month before this time; like `threshold` and `durationSeconds` absent in mails of the version before */
  before?: { critical: number; warning: number; info: number }
  /** those with the most alerts, at most 10 */
  machines: { name: string; location: string | null; alerts: number; critical: number }[]
  /** the newest, at most 25 */
  latest: {
    at: string
    machine: string
    severity: string
    metric: string
    value: number
    threshold?: number
    unit: string
    /** until it cleared; null: it has not */
    durationSeconds?: number | null
    isAcknowledged: boolean
  }[]
  url: string
}

export type MailTemplate = keyof MailParams
/** Parameters as they are queued; `timeZone` is the reader's, an IANA name. */
export type QueuedParams<T extends MailTemplate> = { timeZone: string } & MailParams[T]
export type MailTexts = { [T in MailTemplate]: (params: QueuedParams<T>) => MailContent }
