import { useTranslations } from 'use-intl'
import { SignOutButton } from '../../app/sign-out-button.tsx'
import { PageHead } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { TwoFactorPanel } from './two-factor-panel.tsx'

/** In place of all pages, while the company requires two-factor sign-in and the person has not set it up. */
export function MfaSetupPage() {
  const t = useTranslations('security')
  return (
    <main id="content" className="mx-auto flex max-w-xl flex-col gap-4 p-4 lg:pt-12">
      <PageHead title={t('setUpTitle')} />
      <Notice tone="info">{t('setUpText')}</Notice>
      <TwoFactorPanel />
      <SignOutButton className="self-start" />
    </main>
  )
}
