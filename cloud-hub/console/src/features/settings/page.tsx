import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { useMe } from '../../app/me.tsx'
import { UserMenu } from '../../app/user-menu.tsx'
import { buttonClass } from '../../kit/button.tsx'
import { PageHead } from '../../kit/layout.tsx'
import { ApiKeysPanel } from './api-keys-panel.tsx'
import { MembersPanel } from './members-panel.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { ProfilePanel } from './profile-panel.tsx'
import { PushPanel } from './push-panel.tsx'
import { TwoFactorPanel } from './two-factor-panel.tsx'
import { UnitsPanel } from './units-panel.tsx'

/** What a person sets for themselves, and an administrator for the company. */
export function SettingsPage() {
  const t = useTranslations('settings')
  const nav = useTranslations('nav')
  const { may } = useMe()
  return (
    <>
      <PageHead title={t('title')} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <ProfilePanel />
        <PasswordPanel />
        <TwoFactorPanel />
        <PushPanel />
        <UnitsPanel />
        {may('admin') ? (
          <>
            <ApiKeysPanel />
            <MembersPanel />
          </>
        ) : null}
      </div>
      <div className="card mt-4 flex flex-col gap-4 p-4 lg:hidden">
        <ul className="flex flex-wrap gap-2">
          {(['rules', 'maintenance', 'operations', ...(may('admin') ? (['agents'] as const) : [])] as const).map((page) => (
            <li key={page}>
              <Link to={`/${page}`} className={buttonClass()}>
                {nav(page)}
              </Link>
            </li>
          ))}
        </ul>
        <UserMenu />
      </div>
    </>
  )
}
