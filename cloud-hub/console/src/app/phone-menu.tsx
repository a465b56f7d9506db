import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Dialog } from '../kit/dialog.tsx'
import { Icon } from '../kit/icon.tsx'
import type { Entry } from './entries.ts'
import { SiteSwitch } from './site-switch.tsx'
import { UserPanel } from './user-menu.tsx'

/** The pages that the bar of a phone has no room for, the colours and the way out. */
export function PhoneMenu({ entries, onClose }: { entries: readonly Entry[]; onClose(): void }) {
  const t = useTranslations('nav')
  return (
    <Dialog title={t('more')} onClose={onClose}>
      <ul className="grid grid-cols-2 gap-2">
        {entries.map(({ to, icon, text }) => (
          <li key={to}>
            <Link
              to={to}
              onClick={onClose}
              activeOptions={{ includeSearch: false }}
              className="flex items-center gap-3 rounded-lg border border-line px-3 py-3 font-medium text-ink no-underline"
              activeProps={{ className: 'bg-raised text-brand font-medium' }}
            >
              <Icon name={icon} />
              {t(text)}
            </Link>
          </li>
        ))}
      </ul>
      <SiteSwitch className="pt-2" />
      <div className="border-t border-line pt-3">
        <UserPanel onLeave={onClose} />
      </div>
    </Dialog>
  )
}
