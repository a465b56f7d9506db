import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Icon } from '../kit/icon.tsx'
import type { Badges } from './badges.ts'
import type { Entry } from './entries.ts'
import { EntryBadge, useBadgeText } from './entry-badge.tsx'

const PhoneMenu = lazy(() => import('./phone-menu.tsx').then(({ PhoneMenu }) => ({ default: PhoneMenu })))

const LOOK = 'flex w-full flex-col items-center gap-0.5 py-2 text-xs font-medium text-soft no-underline'

/** The pages that people need most on a phone, in reach of a thumb, and a menu of the others. */
export function PhoneBar({
  entries,
  badges,
  onFind,
}: {
  entries: readonly Entry[]
  badges: Badges
  /** opens the finder; undefined while the person is not known */
  onFind: (() => void) | undefined
}) {
  const t = useTranslations('nav')
  const badgeText = useBadgeText()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <nav
      aria-label={t('label')}
      className="no-print fixed inset-x-0 bottom-0 z-40 border-t border-line bg-paper pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      <ul className="flex">
        {entries
          .filter(({ isPrimary }) => isPrimary)
          .map(({ to, icon, text }) => (
            <li key={to} className="min-w-0 flex-1">
              <Link
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                aria-description={badgeText(to, badges[to])}
                className={LOOK}
                activeProps={{ className: 'text-brand font-medium' }}
              >
                <span className="relative">
                  <Icon name={icon} />
                  <EntryBadge count={badges[to]} className="absolute -top-1.5 left-3" />
                </span>
                {t(text)}
              </Link>
            </li>
          ))}
        {onFind ? (
          <li className="min-w-0 flex-1">
            <button type="button" className={LOOK} onClick={onFind}>
              <Icon name="search" />
              {t('find')}
            </button>
          </li>
        ) : null}
        <li className="min-w-0 flex-1">
          <button type="button" aria-haspopup="dialog" className={LOOK} onClick={() => setIsOpen(true)}>
            <Icon name="menu" />
            {t('more')}
          </button>
        </li>
      </ul>
      <Suspense>
        {isOpen ? <PhoneMenu entries={entries.filter(({ isPrimary }) => !isPrimary)} onClose={() => setIsOpen(false)} /> : null}
      </Suspense>
    </nav>
  )
}
