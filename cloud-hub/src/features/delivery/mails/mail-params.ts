import type { MailContent } from '../../../support/mail-layout.ts'

/** The hub's own mails and their parameters. Times are ISO 8601. */
export interface MailParams {
  invitation: { tenant: string; inviter: string; url: string; expiresAt: string }
  password_reset: { url: string; expiresAt: string }
  password_changed: { at: string; ip: string }
  email_changed: { newEmail: string; at: string }
  role_changed: { tenant: string; role: string; by: string }
  mfa_changed: { enabled: boolean; at: string }
  report: ReportParams
}
/** A report period of a tenant, in the tenant's units. */
export interface ReportParams {
  tenant: string
  schedule: 'daily' | 'weekly' | 'monthly'
  /** the IANA time zone of the report */
  timeZone: string
  /** a BCP 47 tag: the format of dates and numbers */
  locale: string
  start: string
  /** exclusive */
  end: string
  /** machines by current status */
  fleet: { healthy: number; warning: number; critical: number; offline: number }
  /** alerts raised in the period, by severity; those not acknowledged, and those not cleared */
  alerts: { critical: number; warning: number; info: number; unacknowledged: number; standing: number }
  /** alerts raised in the previous period; like `threshold` and `durationSeconds`, mails of the previous version lack it */
  before?: { critical: number; warning: number; info: number }
  /** the machines with the most alerts, at most 10 */
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
    /** until it cleared; null while it has not */
    durationSeconds?: number | null
    isAcknowledged: boolean
  }[]
  url: string
}

export type MailTemplate = keyof MailParams
/** Parameters as queued; `timeZone` is the reader's IANA zone. */
export type QueuedParams<T extends MailTemplate> = { timeZone: string } & MailParams[T]
export type MailTexts = { [T in MailTemplate]: (params: QueuedParams<T>) => MailContent }
