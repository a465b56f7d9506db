import { Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { IntlProvider } from 'use-intl'
import { browserZone } from '../i18n/browser-zone.ts'
import { useCatalogue } from '../i18n/language.ts'
import { ToastRegion } from '../kit/toast.tsx'

export function Root() {
  const { language, messages } = useCatalogue()
  return (
    <IntlProvider locale={language} messages={messages} timeZone={browserZone() ?? 'UTC'}>
      <Suspense>
        <Outlet />
      </Suspense>
      <ToastRegion />
    </IntlProvider>
  )
}
