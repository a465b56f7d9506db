import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { useFaultText } from '../i18n/fault-text.ts'
import { PageHead } from '../kit/layout.tsx'

/** In place of a page whose subject cannot be loaded: it was deleted, or the hub is away. */
export function UnavailablePage({ error }: { error: unknown }) {
  const t = useTranslations('unknownPage')
  const faultText = useFaultText()
  return (
    <>
      <PageHead title={faultText(error)} />
      <Link to="/">{t('link')}</Link>
    </>
  )
}
