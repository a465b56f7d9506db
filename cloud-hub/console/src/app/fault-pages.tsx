import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Button } from '../kit/button.tsx'

/** Replaces the part of a page that has failed; the rest goes on. */
export function FailedPage({ reset }: ErrorComponentProps) {
  const t = useTranslations()
  return (
    <div role="alert" className="card m-4 flex flex-col items-start gap-3 p-6">
      <p>{t('faults.page')}</p>
      <Button look="primary" onPress={reset}>
        {t('common.retry')}
      </Button>
    </div>
  )
}

export function UnknownPage() {
  const t = useTranslations('unknownPage')
  return (
    <main className="mx-auto flex max-w-lg flex-col items-start gap-3 p-6 pt-16">
      <h1>{t('title')}</h1>
      <p>{t('text')}</p>
      <Link to="/">{t('link')}</Link>
    </main>
  )
}
