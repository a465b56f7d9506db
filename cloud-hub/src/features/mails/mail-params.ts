import type { MailContent } from '../../support/mail-layout.ts'

/** The hub's own mails and their parameters. Times are ISO 8601. */
export interface MailParams {
  invitation: { tenant: string; inviter: string; url: string; expiresAt: string }
  password_reset: { url: string; expiresAt: string }
  password_changed: { at: string; ip: string }
  email_changed: { newEmail: string; at: string }
  role_changed: { tenant: string; role: string; by: string }
  /** `by`: the admin who reset it for the user; mails of the previous version lack it */
  mfa_changed: { enabled: boolean; at: string; by?: string }
  /** `account`: the service account of the token; null for a personal one, as in the next */
  token_created: { token: string; account: string | null; by: string; at: string; ip: string; url: string }
  token_expiring: { token: string; account: string | null; expiresAt: string; url: string }
  work_order_assigned: WorkOrderMailParams
  work_order_due: WorkOrderMailParams & { isOverdue: boolean }
  maintenance_reminder: MaintenanceParams
  /** `subject`: the machine or group that the note is about */
  note_mention: { author: string; subject: string; text: string; startAt: string; url: string }
  report: ReportParams
}
export interface WorkOrderMailParams {
  title: string
  machine: string
  priority: 'low' | 'medium' | 'high' | 'critical'
  dueAt: string | null
  url: string
}
export interface MaintenanceParams {
  title: string
  machine: string
  startAt: string
  endAt: string
  /** still in progress an hour after its end; otherwise it announces the start */
  isOverrun: boolean
  url: string
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
  /** mails of the previous version lack it */
  production?: ReportedProduction
  /** mails of the previous version lack it */
  predictions?: ReportedPredictions
  url: string
}

/** Downtime and OEE of a report period, and overdue work as it is now. */
export interface ReportedProduction {
  /** inside the period, of each machine overlaps once */
  downtime: {
    hours: number
    /** records that overlap the period */
    records: number
    /** the machines with the most, at most 10 */
    machines: { name: string; location: string | null; hours: number; records: number }[]
  }
  /** completed shift logs of the days of the period, by shift; in percent over all logs as one, null: undefined */
  shifts: {
    name: string
    logs: number
    oee: number | null
    availability: number | null
    performance: number | null
    quality: number | null
  }[]
  /** open or in progress past the due date; at most 25 are listed, the longest overdue first */
  overdue: {
    count: number
    orders: { title: string; machine: string; priority: WorkOrderMailParams['priority']; dueAt: string }[]
  }
}

/** Machines whose risk is not `healthy` now; at most 10 are listed, the worst first. */
export interface ReportedPredictions {
  count: number
  machines: {
    name: string
    location: string | null
    risk: 'healthy' | 'watch' | 'warning' | 'critical'
    healthScore: number
    /** null: the data carry no number, as in the next */
    daysToMaintenance: number | null
    daysToFailure: number | null
  }[]
}

export type MailTemplate = keyof MailParams
/** Parameters as queued; `timeZone` is the reader's IANA zone. */
export type QueuedParams<T extends MailTemplate> = { timeZone: string } & MailParams[T]
export type MailTexts = { [T in MailTemplate]: (params: QueuedParams<T>) => MailContent }
