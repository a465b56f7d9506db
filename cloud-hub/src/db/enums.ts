// The values of columns that hold one of a few words. Apart from the tables, so that a running hub loads no drizzle.

/** From the most rights to the least. */
export const BASE_TIERS = ['admin', 'operator', 'viewer'] as const
export type BaseTier = (typeof BASE_TIERS)[number]

/** What an access token is for. */
export const ACCESS_TOKEN_KINDS = ['token'] as const
export type AccessTokenKind = (typeof ACCESS_TOKEN_KINDS)[number]

export const REPORT_SCHEDULES = ['daily', 'weekly', 'monthly'] as const
export type ReportSchedule = (typeof REPORT_SCHEDULES)[number]

export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

export const LEVELS = ['normal', 'warning', 'critical'] as const
export type Level = (typeof LEVELS)[number]

export const ALERT_EVENTS = ['acknowledged', 'snoozed', 'cleared', 'escalated'] as const
export type AlertEvent = (typeof ALERT_EVENTS)[number]

export const OPERATORS = ['AND', 'OR'] as const

export const COMPARISONS = ['>', '>=', '<', '<=', '=='] as const
export type Comparison = (typeof COMPARISONS)[number]

/** A threshold rule or a composite rule. */
export const RULE_KINDS = ['threshold', 'composite'] as const

export const DETECTION_SIGNALS = ['state', 'level', 'count', 'silence'] as const
export type DetectionSignal = (typeof DETECTION_SIGNALS)[number]

export const REASON_TYPES = ['planned', 'unplanned', 'changeover', 'maintenance'] as const
export type ReasonType = (typeof REASON_TYPES)[number]

export const OEE_LOSS_CATEGORIES = ['availability_loss', 'performance_loss', 'quality_loss', 'not_scheduled'] as const
export type OeeLossCategory = (typeof OEE_LOSS_CATEGORIES)[number]

export const DOWNTIME_SOURCES = ['manual', 'automatic'] as const
export type DowntimeSource = (typeof DOWNTIME_SOURCES)[number]

export const ERP_PROVIDERS = ['erp_a', 'erp_b', 'erp_c'] as const
export type ErpProvider = (typeof ERP_PROVIDERS)[number]

export const ERP_ENTITIES = ['work_order', 'production_data', 'downtime', 'machine'] as const
export type ErpEntity = (typeof ERP_ENTITIES)[number]
export type OutboundEntity = Exclude<ErpEntity, 'machine'>

export const ERP_LOG_STATUSES = ['success', 'failed', 'skipped'] as const
export type ErpLogStatus = (typeof ERP_LOG_STATUSES)[number]

export const ERP_RUN_STATUSES = ['running', 'success', 'partial', 'failed'] as const
export type ErpRunStatus = (typeof ERP_RUN_STATUSES)[number]

export const MACHINE_PROTOCOLS = ['opc_ua', 'modbus_tcp', 'csv', 'json'] as const
export type MachineProtocol = (typeof MACHINE_PROTOCOLS)[number]

export const MACHINE_STATUSES = ['healthy', 'warning', 'critical', 'offline'] as const
export type MachineStatus = (typeof MACHINE_STATUSES)[number]

export const GROUP_TYPES = ['site', 'line', 'department', 'custom'] as const
export type GroupType = (typeof GROUP_TYPES)[number]

/** waiting -> sent, or -> refused (permanent failure, or no attempts left) */
export const MAIL_STATUSES = ['waiting', 'sent', 'refused'] as const
export type MailStatus = (typeof MAIL_STATUSES)[number]

/**
 * ```
 * scheduled -> in_progress -> completed
 * scheduled, in_progress -> cancelled
 * ```
 */
export const MAINTENANCE_STATUSES = ['scheduled', 'in_progress', 'completed', 'cancelled'] as const
export type MaintenanceStatus = (typeof MAINTENANCE_STATUSES)[number]

export const RECURRENCE_RULES = ['daily', 'weekly', 'monthly', 'quarterly'] as const
export type RecurrenceRule = (typeof RECURRENCE_RULES)[number]

/**
 * ```
 * waiting -> delivered, or -> refused (permanent, or out of attempts)
 * pending_digest -> waiting, or -> in_digest: part of the message of another (lead_id), and ends with it
 * ```
 */
export const DELIVERY_STATUSES = ['pending_digest', 'in_digest', 'waiting', 'delivered', 'refused'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export const RISK_LEVELS = ['healthy', 'watch', 'warning', 'critical'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

/**
 * ```
 * active -> completed
 * active -> cancelled
 * ```
 */
export const SHIFT_LOG_STATUSES = ['active', 'completed', 'cancelled'] as const
export type ShiftLogStatus = (typeof SHIFT_LOG_STATUSES)[number]

/** `dns`: a TXT record; `operator`: on the command line; `none`: the hub requires no proof. */
export const DOMAIN_PROOFS = ['dns', 'operator', 'none'] as const

/** What a one-time token permits. */
export const TOKEN_PURPOSES = ['invitation', 'password_reset', 'mfa_pending', 'sso_exchange'] as const
export type TokenPurpose = (typeof TOKEN_PURPOSES)[number]

/** What a message about a work order, a maintenance event or a note says. */
export const WORK_MESSAGE_KINDS = [
  'work_order_assigned',
  'work_order_due_soon',
  'work_order_overdue',
  'maintenance_day_before',
  'maintenance_hour_before',
  'maintenance_overrun',
  'note_mention',
] as const
export type WorkMessageKind = (typeof WORK_MESSAGE_KINDS)[number]

/** waiting -> delivered, or -> refused (permanent failure, or no attempts left) */
export const WORK_MESSAGE_STATUSES = ['waiting', 'delivered', 'refused'] as const

/**
 * ```
 * open <-> in_progress
 * open, in_progress -> completed, cancelled
 * completed -> in_progress (only without a sign-off)
 * cancelled -> open
 * ```
 */
export const WORK_ORDER_STATUSES = ['open', 'in_progress', 'completed', 'cancelled'] as const
export type WorkOrderStatus = (typeof WORK_ORDER_STATUSES)[number]

export const PRIORITIES = ['low', 'medium', 'high', 'critical'] as const
export type Priority = (typeof PRIORITIES)[number]

export const WORK_ORDER_EVENTS = [
  'created',
  'updated',
  'assignee_added',
  'assignee_removed',
  'instruction_added',
  'instruction_updated',
  'instruction_completed',
  'instruction_reopened',
  'instruction_removed',
  'attachment_added',
  'attachment_removed',
  'signed',
] as const
