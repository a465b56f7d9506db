import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { dayOf } from '../../i18n/wall-time.ts'
import type { OverviewMachine } from './overview-query.ts'

const MINUTE_MS = 60_000
/** Without the year a date is clear for so long. */
const CLEAR_MINUTES = 300 * 24 * 60

/** Since when a machine violates something, and who is on it, such as "since 14:02 (12 min)" and "Olga is on it". */
export function useSince(): (violation: OverviewMachine['violations'][number]) => { since: string; who: string } {
  const t = useTranslations('overview')
  const format = useFormat()
  return ({ triggered_at: at, acknowledged_at, acknowledged_by_name: name }) => {
    const now = Date.now()
    const isToday = dayOf(at, format.timeZone) === dayOf(now, format.timeZone)
    const minutes = Math.max(0, (now - Date.parse(at)) / MINUTE_MS)
    const time = format.time(at)
    const start = isToday ? time : minutes < CLEAR_MINUTES ? `${format.dayMonth(at)}, ${time}` : format.dateTime(at)
    const who = name ? t('takenBy', { name }) : t(acknowledged_at ? 'taken' : 'notTaken')
    return { since: t('since', { at: start, span: format.duration(minutes) }), who }
  }
}
