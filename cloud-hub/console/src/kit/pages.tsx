import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'

/** Goes through the pages of a list. */
export function Pages({
  pagination: { total, page, page_size },
  onPage,
}: {
  pagination: { total: number; page: number; page_size: number }
  onPage(page: number): void
}) {
  const t = useTranslations('common')
  const pages = Math.max(1, Math.ceil(total / page_size))
  // an old link, or the last entry of the last page was deleted
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page that is missing
  useEffect(() => {
    if (page > pages) onPage(pages)
  }, [page, pages])
  if (pages === 1) return null
  return (
    <div className="no-print flex items-center justify-between gap-3 border-t border-line px-4 py-2.5">
      <Button isDisabled={page <= 1} onPress={() => onPage(page - 1)}>
        {t('previous')}
      </Button>
      <p className="text-sm text-soft">{t('page', { page: String(page), pages: String(pages) })}</p>
      <Button isDisabled={page >= pages} onPress={() => onPage(page + 1)}>
        {t('next')}
      </Button>
    </div>
  )
}
