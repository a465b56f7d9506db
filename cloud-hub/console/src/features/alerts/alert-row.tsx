import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Status } from '../../kit/status.tsx'
import { useAlertText } from './alert-text.ts'

/** What state an alert is in, in one word. */
export function useAlertState(): (alert: Schemas['Alert']) => string {
  const t = useTranslations('alerts')
  const format = useFormat()
  return (alert) => {
    if (alert.cleared_at) return t('cleared', { at: format.dateTime(alert.cleared_at) })
    if (alert.is_acknowledged) return t('acknowledged')
    if (alert.snoozed_until && Date.parse(alert.snoozed_until) > Date.now())
      return t('snoozed', { until: format.dateTime(alert.snoozed_until) })
    return t('standing')
  }
}

/** One alert in a list. */
export function AlertRow({
  alert,
  isChosen,
  onChoose,
}: {
  alert: Schemas['Alert']
  isChosen?: boolean
  /** absent: the list offers no choice */
  onChoose?(isChosen: boolean): void
}) {
  const t = useTranslations()
  const format = useFormat()
  const stateOf = useAlertState()
  const text = useAlertText()(alert)
  return (
    <li className="flex items-start gap-3 px-4 py-3 hover:bg-raised">
      {onChoose ? (
        <input
          type="checkbox"
          aria-label={t('alerts.choose', { message: text })}
          checked={isChosen}
          onChange={({ target }) => onChoose(target.checked)}
          className="mt-1 size-4.5 accent-(--brand)"
        />
      ) : null}
      <span className="w-24 shrink-0 max-sm:hidden">
        <Status tone={alert.severity}>{t(`severity.${alert.severity}`)}</Status>
      </span>
      <span className="min-w-0 flex-1">
        <span className="sm:hidden">
          <Status tone={alert.severity}>{t(`severity.${alert.severity}`)}</Status>
        </span>
        <Link
          to="/alerts/$alertId"
          params={{ alertId: alert.id }}
          className="block font-medium text-ink no-underline hover:underline"
          data-alert={alert.id}
        >
          {text}
        </Link>
        <span className="flex flex-wrap gap-x-3 text-sm text-soft">
          <span>{alert.machine_name}</span>
          <time dateTime={alert.triggered_at} title={format.seconds(alert.triggered_at)}>
            {format.ago(alert.triggered_at)}
          </time>
          <span>{stateOf(alert)}</span>
          {alert.is_too_old_to_notify ? <span>{t('alerts.late')}</span> : null}
          {alert.is_muted ? <span>{t('alerts.muted')}</span> : null}
          {alert.work_order_id ? <span>{t('alerts.hasWorkOrder')}</span> : null}
        </span>
      </span>
    </li>
  )
}
