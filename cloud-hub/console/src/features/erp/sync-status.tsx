import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { Status, type Tone } from '../../kit/status.tsx'

const TONES: Record<'running' | 'success' | 'partial' | 'failed' | 'skipped', Tone> = {
  running: 'info',
  success: 'healthy',
  partial: 'warning',
  failed: 'critical',
  skipped: 'offline',
}

/** How a run or the exchange of one record ended. */
export function SyncStatus({ status }: { status: Schemas['ErpRun']['status'] | Schemas['ErpSyncLog']['status'] }) {
  const t = useTranslations('erp.statuses')
  return <Status tone={TONES[status]}>{t(status)}</Status>
}
