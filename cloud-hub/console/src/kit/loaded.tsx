import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useFaultText } from '../i18n/fault-text.ts'
import { Button } from './button.tsx'
import { SkeletonRows } from './layout.tsx'
import { Notice } from './notice.tsx'

interface Query<T> {
  data: T | undefined
  error: unknown
  isFetching: boolean
  refetch(): unknown
}

/** What a query loads: the shape of it while it loads, its fault with a way to try again, or its data. */
export function Loaded<T>({
  query: { data, error, isFetching, refetch },
  label,
  rows = 5,
  children,
}: {
  query: Query<T>
  label: string
  rows?: number
  children(data: T): ReactNode
}) {
  const t = useTranslations('common')
  const faultText = useFaultText()
  if (data !== undefined) return children(data)
  if (!error) return <SkeletonRows rows={rows} label={label} />
  return (
    <div className="flex flex-col items-start gap-3 p-4">
      <Notice tone="critical">{faultText(error)}</Notice>
      <Button isPending={isFetching} onPress={() => refetch()}>
        {t('retry')}
      </Button>
    </div>
  )
}
