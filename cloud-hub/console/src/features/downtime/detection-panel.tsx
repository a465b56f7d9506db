import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'

const DetectionDialog = lazy(() => import('./detection-dialog.tsx').then((it) => ({ default: it.DetectionDialog })))

/** By which signal the hub records downtime of a machine by itself. */
export function DetectionPanel({ machineId }: { machineId: string }) {
  const t = useTranslations('detection')
  const { may } = useMe()
  const [isEditing, setEditing] = useState(false)
  const detection = useQuery(
    apiQuery('/machines/{machine_id}/downtime-detection', { params: { path: { machine_id: machineId } } }),
  )
  const describe = useDescription()
  return (
    <Panel
      title={t('title')}
      actions={
        may('operator') && detection.data ? (
          <Button onPress={() => setEditing(true)}>{t(detection.data.signal === null ? 'setUp' : 'change')}</Button>
        ) : null
      }
    >
      <Loaded query={detection} label={t('title')} rows={1}>
        {(settings) => (
          <div className="px-4 py-3">
            <p className={settings.is_active ? '' : 'text-soft'}>{describe(settings)}</p>
            {settings.ongoing_record_id ? <p className="mt-1 font-medium text-critical">{t('ongoing')}</p> : null}
          </div>
        )}
      </Loaded>
      <Suspense>
        {isEditing && detection.data ? <DetectionDialog settings={detection.data} onClose={() => setEditing(false)} /> : null}
      </Suspense>
    </Panel>
  )
}

function useDescription(): (settings: Schemas['DowntimeDetection']) => string {
  const t = useTranslations('detection')
  const format = useFormat()
  return ({ is_active, signal, metric_name, unit, stopped_values, limit, for_seconds, silent_after_seconds }) => {
    if (signal === null) return t('none')
    if (!is_active) return t('off')
    const metric = metric_name ? format.metric(metric_name) : ''
    const seconds = String(for_seconds)
    const bound = limit === null ? '' : unit ? format.value(limit, unit) : format.number(limit)
    const rule =
      signal === 'state'
        ? t('is.state', { metric, values: (stopped_values ?? []).map((it) => format.number(it)).join(', '), seconds })
        : signal === 'level'
          ? t('is.level', { metric, limit: bound, seconds })
          : signal === 'count'
            ? t('is.count', { metric, limit: bound, seconds })
            : t('is.silence', { seconds: String(silent_after_seconds ?? 0) })
    return signal !== 'silence' && silent_after_seconds !== null
      ? `${rule} ${t('orSilence', { seconds: String(silent_after_seconds) })}`
      : rule
  }
}
