import type { Severity } from '../../../db/enums.ts'

/** The content of an alert that its deliveries carry. */
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
