import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useFaultText } from '../i18n/fault-text.ts'
import { useFormat } from '../i18n/format.tsx'
import { Button } from './button.tsx'
import { SkeletonRows } from './layout.tsx'
import { Notice } from './notice.tsx'

/** What is shown of a query of TanStack Query, or of several that act as one. */
export interface Shown<T> {
  data: T | undefined
  error: unknown
  isFetching: boolean
  refetch(): unknown
  /** ms since 1970, by the clock of this computer */
  dataUpdatedAt?: number
}

/**
 * What a query loads. Every part of a page that loads something uses this: the shape of it while it loads, its fault with a way to try
 * again, or its data, with a note where it could not be read again. What is empty says so in `children`, with `Empty`.
 */
export function Loaded<T>({
  query,
  after,
  label,
  rows = 5,
  skeleton,
  children,
}: {
  query: Shown<T>
  /** the query whose answer this one needs first */
  after?: Shown<unknown> | undefined
  label: string
  rows?: number
  /** the shape while it loads, where rows are not it */
  skeleton?: ReactNode
  children(data: T): ReactNode
}) {
  const first = after && after.data === undefined ? after : query
  if (first.data === undefined && !first.error) return skeleton ?? <SkeletonRows rows={rows} label={label} />
  return (
    <>
      <Failed query={first} />
      {first === query && query.data !== undefined ? children(query.data) : null}
    </>
  )
}

/** Why something could not be loaded, or not again; nothing where it could. */
export function Failed({ query: { data, error, isFetching, refetch, dataUpdatedAt } }: { query: Shown<unknown> }) {
  const t = useTranslations('common')
  const faultText = useFaultText()
  if (!error) return null
  const again = (
    <Button isPending={isFetching} onPress={() => refetch()}>
      {t('retry')}
    </Button>
  )
  if (data === undefined)
    return (
      <div className="flex flex-col items-start gap-3 p-4">
        <Notice tone="critical">{faultText(error)}</Notice>
        {again}
      </div>
    )
  return (
    <div role="status" className="no-print flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 text-sm">
      <p className="text-warning">
        {dataUpdatedAt ? <AsOf at={dataUpdatedAt} /> : null} {faultText(error)}
      </p>
      {again}
    </div>
  )
}

function AsOf({ at }: { at: number }) {
  return useTranslations('common')('asOf', { time: useFormat().clock(new Date(at)) })
}
