import type { Severity } from '../../../db/tables/alerts.ts'

/** An alert as its deliveries tell it. */
export interface PagingAlert {
  id: string
  tenantId: string
  message: string
  severity: Severity
  metric: string
  triggerValue: number
  threshold: number
  unit: string
  /** Unix ms */
  triggeredAt: number
  createdAt: Date
  machine: { id: string; name: string; identifier: string; location: string | null }
}
