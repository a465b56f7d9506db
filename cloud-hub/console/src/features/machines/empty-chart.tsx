import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import type { ChartContext } from '../readings/chart-context.ts'
import type { Range } from '../readings/series.ts'

const Chart = lazy(() => import('../readings/chart.tsx'))
const NONE: [] = []

/** A chart of a range without readings. It is moved and zoomed as any other, says why it is empty, and leads to readings. */
export function EmptyChart({
  range,
  context,
  newestAt,
  zoom,
  onZoomOut,
  onPresent,
  onShowAll,
}: {
  range: Range
  context: ChartContext
  /** when the machine sent its newest reading, ms since 1970 */
  newestAt: number
  zoom(range: Range): void
  onZoomOut(): void
  /** absent: the range is the present already */
  onPresent: (() => void) | undefined
  /** absent: no metric has readings in the range */
  onShowAll: (() => void) | undefined
}) {
  const t = useTranslations('charts')
  const format = useFormat()
  const half = (range.to - range.from) / 2
  const title = t(onShowAll ? 'emptyChosen' : 'empty')
  return (
    <figure aria-label={title} className="relative">
      <Suspense fallback={<div className="skeleton h-65" />}>
        <Chart series={NONE} range={range} context={context} onZoom={zoom} onZoomOut={onZoomOut} />
      </Suspense>
      <div className="pointer-events-none absolute inset-0 flex flex-col items-center justify-center gap-2 text-center">
        <p role="status" className="rounded-md bg-paper px-2 font-medium">
          {title}
        </p>
        <p className="no-print pointer-events-auto flex flex-wrap justify-center gap-2">
          {onShowAll ? <Button onPress={onShowAll}>{t('showAll')}</Button> : null}
          {onPresent ? <Button onPress={onPresent}>{t('backToNow')}</Button> : null}
          {newestAt < range.from || newestAt > range.to ? (
            <Button onPress={() => zoom({ from: newestAt - half, to: newestAt + half })}>
              {t('toNewest', { at: format.dateTime(new Date(newestAt)) })}
            </Button>
          ) : null}
        </p>
      </div>
    </figure>
  )
}
