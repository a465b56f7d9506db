import { useTranslations } from 'use-intl'
import { useFormat } from '../i18n/format.tsx'

const MOST_SHOWN = 999

/** How many things wait at a page of the menu. The link has it as its description, so that its name stays the same. */
export function EntryBadge({ count, className = '' }: { count: number | undefined; className?: string }) {
  const format = useFormat()
  if (!count) return null
  return (
    <span
      aria-hidden
      className={`tabular rounded-full whitespace-nowrap bg-critical px-1.5 text-xs leading-5 font-semibold text-(--paper) ${className}`}
    >
      {count > MOST_SHOWN ? `${format.count(MOST_SHOWN)}+` : format.count(count)}
    </span>
  )
}

/** What a badge says, for `aria-description`. */
export function useBadgeText(): (to: string, count: number | undefined) => string | undefined {
  const t = useTranslations('nav')
  return (to, count) => (count ? t(to === '/alerts' ? 'openAlerts' : 'overdueOrders', { count }) : undefined)
}
