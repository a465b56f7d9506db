import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useReadingsOf } from '../../app/readings-in-view.ts'
import { latestQuery } from './latest-query.ts'
import { type LoadedSeries, liveSeriesQuery, seriesQuery } from './load-series.ts'
import { type Range, type Series, withGaps, withNewest } from './series.ts'

const NO_RANGE: Range = { from: 0, to: 0 }

/** The readings of a machine over a range, with gaps as nulls. A live range goes on with what the stream brings. */
export function useSeries(machineId: string, range: Range, isLive: boolean) {
  const span = range.to - range.from
  useReadingsOf(isLive ? [machineId] : [])
  // a range that moves would leave a query in the cache at every step
  const fixed = useQuery({
    ...seriesQuery(machineId, isLive ? NO_RANGE : range),
    enabled: !isLive,
    placeholderData: keepPreviousData,
  })
  const live = useQuery({ ...liveSeriesQuery(machineId, span), enabled: isLive, placeholderData: keepPreviousData })
  const query = isLive ? live : fixed
  const loaded: LoadedSeries | undefined = query.data
  const newest = useNewest(machineId, loaded, isLive && loaded?.interval === null ? span : null)
  const series = useMemo(() => newest?.map((one) => withGaps(one, loaded?.bucketMs ?? 0)), [newest, loaded])
  return { series, interval: loaded?.interval ?? null, query }
}

/** Adds the readings that arrived since the last load. @param span ms that are shown; null where nothing is added */
function useNewest(machineId: string, loaded: LoadedSeries | undefined, span: number | null): Series[] | undefined {
  const [known, setKnown] = useState<{ of: LoadedSeries; series: Series[] }>()
  const { data: latest } = useQuery({ ...latestQuery(machineId), enabled: span !== null })
  useEffect(() => {
    if (!loaded || !latest || span === null) return setKnown(undefined)
    setKnown((before) => ({
      of: loaded,
      series: withLatest(before?.of === loaded ? before.series : loaded.series, latest, span),
    }))
  }, [loaded, latest, span])
  return known && known.of === loaded ? known.series : loaded?.series
}

const withLatest = (series: Series[], { readings }: Schemas['LatestReadings'], span: number): Series[] =>
  series.map((one) => {
    const reading = readings[one.metric]
    if (!reading || reading.unit !== one.unit) return one
    return withNewest(one, Date.parse(reading.timestamp) / 1000, reading.value, span / 1000)
  })
