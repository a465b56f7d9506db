import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { FailedPart } from '../kit/boundary.tsx'
import { PageTitle } from '../kit/page-title.tsx'

/** Replaces a page that has failed; the frame around it goes on. */
export const FailedPage = ({ reset }: ErrorComponentProps) => <FailedPart className="card m-4" retry={reset} />

/** At an address that no page has; the navigation stays. */
export function UnknownPage() {
  const t = useTranslations('unknownPage')
  return (
    <div className="flex max-w-lg flex-col items-start gap-3">
      <PageTitle>{t('title')}</PageTitle>
      <p>{t('text')}</p>
      <Link to="/">{t('link')}</Link>
    </div>
  )
}
