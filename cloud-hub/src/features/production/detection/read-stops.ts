import type { TransactionSql } from '../../../db/pools.ts'
import type { ReadingStore } from '../../../readings/index.ts'
import type { StopSignal } from '../../telemetry/series/index.ts'
import { type Found, narrowGaps, type Stop, StopFinder } from './find-stops.ts'

type Store = Pick<ReadingStore, 'columns' | 'neighbours'>

/** The signal of a machine and where its readings are. */
export interface SignalSeries {
  tenantId: string
  machineId: string
  signal: StopSignal
  forMs: number
  /** the series of its metric, newest reading first; for silence all series of the machine */
  seriesIds: readonly number[]
  /** Unix ms: earlier readings are not evaluated */
  activeSince: number
}

/** Unix ms, both inclusive. */
export interface Period {
  from: number
  until: number
}

/** The stops that touch a period. */
export interface PeriodStops extends Found {
  /** the evaluated time: `until` null when it reaches to now */
  from: number
  until: number | null
}
/** `isCut`: readings before may move the start of the first stop. */
type Attempt = PeriodStops & { isCut: boolean }

/** Readings of one page. */
const PAGE = 50_000

/**
 * Finds the stops of a machine that touch a period, whole: it reads back to where the first one begins, and on to where the last
 * one ends.
 */
export async function findStops(
  tx: TransactionSql,
  store: Store,
  of: SignalSeries,
  period: Period,
  now: number,
): Promise<PeriodStops> {
  const find = of.signal.kind === 'silence' ? findSilence : findInSeries
  let from = Math.max(of.activeSince, period.from - of.forMs)
  for (let step = Math.max(of.forMs, 60_000); ; step *= 4) {
    const { isCut, ...found } = await find(tx, store, of, { from, until: period.until }, now)
    if (!isCut || from <= of.activeSince) {
      const { until } = found
      const touches = (stop: Stop) => (stop.until ?? now + 1) > found.from && (until === null || stop.from < until)
      return { ...found, stops: found.stops.filter(touches) }
    }
    from = Math.max(of.activeSince, from - step)
  }
}

async function findInSeries(
  tx: TransactionSql,
  store: Store,
  { tenantId, signal, forMs, seriesIds, activeSince }: SignalSeries,
  { from, until }: Period,
  now: number,
): Promise<Attempt> {
  const [id] = seriesIds
  if (id === undefined) return { stops: [], checkAt: null, from, until: null, isCut: false }
  const finder = new StopFinder(signal, forMs)
  // the finder knows the window of a count only when it is full
  const windowMs = signal.kind === 'count' ? forMs : 0
  const [before] = await store.neighbours(tx, [{ series: { tenantId, id }, at: from - 1, before: 1, after: 0 }])
  const firstAt = before && before.length > 0 ? (before.times[0] as number) : null
  const isExact = firstAt === null || firstAt <= activeSince
  const start = firstAt === null ? from : Math.max(firstAt, activeSince)
  if (before && firstAt !== null) finder.add(start, before.values[0] as number)
  const isCutAtStart = finder.isOpen && !isExact
  const attempt = (found: Found, end: number | null): Attempt => ({
    ...found,
    from: isExact ? start : start + windowMs,
    until: end,
    isCut: isCutAtStart || (!isExact && found.stops.some((stop) => stop.from === start)),
  })
  for (let after = from; ; ) {
    const range = { tenantId, seriesIds: [id], from: after, until: now + 1 }
    const [page] = await store.columns(tx, range, PAGE)
    const length = page?.length ?? 0
    for (let i = 0; page && i < length; i++) {
      const at = page.times[i] as number
      finder.add(at, page.values[i] as number)
      if (at > until + windowMs && !finder.isOpen) return attempt({ ...finder.found(at), checkAt: null }, at - windowMs)
    }
    if (!page || length < PAGE) return attempt(finder.found(now), null)
    after = (page.times[length - 1] as number) + 1
  }
}

async function findSilence(
  tx: TransactionSql,
  store: Store,
  { tenantId, signal, seriesIds, activeSince }: SignalSeries,
  { from, until }: Period,
  now: number,
): Promise<Attempt> {
  const silentMs = signal.silentMs as number
  const around = (at: number, before: number, after: number) =>
    store.neighbours(
      tx,
      seriesIds.map((id) => ({ series: { tenantId, id }, at, before, after })),
    )
  const first = (columns: readonly { length: number; times: Float64Array }[]) =>
    columns.filter(({ length }) => length > 0).map(({ times }) => times[0] as number)
  const start = Math.max(activeSince, ...first(await around(from, 1, 0)))
  const next = Math.min(...first(await around(Math.min(until, now), 0, 1)))
  const end = next > now ? null : next
  let gaps: Stop[] = [{ from: start, until: end }]
  for (const id of seriesIds) {
    const its: Stop[] = []
    for (const gap of gaps) its.push(...(await narrowByPages(tx, store, { tenantId, id }, gap, silentMs, now)))
    gaps = its
  }
  const last = gaps.at(-1)
  if (!last || last.until !== null) return { stops: gaps, checkAt: null, from: start, until: end, isCut: false }
  const isSilent = now - last.from >= silentMs
  return {
    stops: isSilent ? gaps : gaps.slice(0, -1),
    checkAt: isSilent ? null : last.from + silentMs,
    from: start,
    until: null,
    isCut: false,
  }
}

/** The parts of a gap in which a series has no readings, by pages of its readings. */
async function narrowByPages(
  tx: TransactionSql,
  store: Store,
  { tenantId, id }: { tenantId: string; id: number },
  gap: Stop,
  silentMs: number,
  now: number,
): Promise<Stop[]> {
  const found: Stop[] = []
  for (let open = gap; ; ) {
    const range = { tenantId, seriesIds: [id], from: open.from + 1, until: open.until ?? now + 1 }
    const [page] = await store.columns(tx, range, PAGE)
    const length = page?.length ?? 0
    const rest = narrowGaps([open], page?.times.subarray(0, length) ?? [], silentMs)
    if (!page || length < PAGE) return [...found, ...rest]
    const reached = page.times[length - 1] as number
    found.push(...rest.filter(({ until }) => until !== null && until <= reached))
    open = { from: reached, until: open.until }
  }
}
