import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { isApiError } from '../api/error.ts'
import { useFaultText } from '../i18n/fault-text.ts'
import { Button } from '../kit/button.tsx'
import { PageHead, SkeletonRows } from '../kit/layout.tsx'
import type { Shown } from '../kit/loaded.tsx'

/** In place of a page whose subject is loading or cannot be loaded: it was deleted, or the hub is away. */
export function UnavailablePage({ query: { error, isFetching, refetch }, rows = 8 }: { query: Shown<unknown>; rows?: number }) {
  const t = useTranslations()
  const faultText = useFaultText()
  if (!error) return <SkeletonRows rows={rows} label={t('common.loading')} />
  return (
    <>
      <PageHead title={faultText(error)} />
      {isGone(error) ? (
        <Link to="/">{t('unknownPage.link')}</Link>
      ) : (
        <Button isPending={isFetching} onPress={() => refetch()}>
          {t('common.retry')}
        </Button>
      )}
    </>
  )
}

/** Whether there is no such thing, so that trying again does not help. */
export const isGone = (error: unknown): boolean => isApiError(error) && error.status === 404
