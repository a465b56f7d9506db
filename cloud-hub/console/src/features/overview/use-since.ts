import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { dayOf } from '../../i18n/wall-time.ts'
import type { OverviewMachine } from './overview-query.ts'

const MINUTE_MS = 60_000

/** Since when a machine violates something, and who is on it, such as "since 14:02 (12 min)" and "Olga is on it". */
export function useSince(): (violation: OverviewMachine['violations'][number]) => { since: string; who: string } {
  const t = useTranslations('overview')
  const format = useFormat()
  return ({ triggered_at: at, acknowledged_at, acknowledged_by_name: name }) => {
    const now = Date.now()
    const isToday = dayOf(at, format.timeZone) === dayOf(now, format.timeZone)
    const span = format.duration(Math.max(0, (now - Date.parse(at)) / MINUTE_MS))
    const who = name ? t('takenBy', { name }) : t(acknowledged_at ? 'taken' : 'notTaken')
    return { since: t('since', { at: isToday ? format.time(at) : format.dateTime(at), span }), who }
  }
}
