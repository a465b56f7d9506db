import type { Level } from '../../../db/enums.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { Columns, ReadingStore } from '../../../readings/index.ts'
import { CLEAR_READINGS, lateAnchors, NEIGHBOUR_COUNT, type Neighbours, openExcursions, splitAtGaps } from './threshold/late.ts'
import type { Point } from './threshold/level.ts'

type Store = Pick<ReadingStore, 'neighbours'>

/** Late readings of one series and a rule that has no standing condition there. */
export interface LateSeries {
  tenantId: string
  ruleId: string
  machineId: string
  unit: string
  seriesId: number
  warning: number
  critical: number
  /** ascending; some of them may be stored already */
  late: readonly Point[]
}

/** Stored readings per page where an excursion continues, and the maximum of pages. A longer excursion counts as alerted. */
const [PAGE, MAX_PAGES] = [256, 32]

/** An end of the loaded readings where an excursion continues, back or forward in time from this instant (Unix ms). */
interface OpenEnd {
  piece: Piece
  back: boolean
  at: number
}

/** Late readings of a series with stored ones, without gaps. */
interface Piece {
  series: LateSeries
  late: Point[]
  known: Point[]
  isFromStart: boolean
}

/**
 * Loads the stored neighbours of late readings for each of these series: two readings on either side of the anchors. It loads a
 * whole excursion and its alerts where one continues, or was divided from another. This is rare: ordered batches of an excursion
 * do not need it.
 */
export async function loadStoredNeighbours(
  tx: TransactionSql,
  store: Store,
  series: readonly LateSeries[],
): Promise<Neighbours[][]> {
  const known = await nearest(tx, store, series)
  const pieces = series.flatMap((each, i): Piece[] =>
    splitAtGaps(each.late, known[i] ?? []).map((piece) => {
      const first = (piece.late[0] as Point).timestamp
      const isFromStart = piece.known.filter((p) => p.timestamp < first).length < NEIGHBOUR_COUNT
      return { ...piece, series: each, isFromStart }
    }),
  )
  const open = pieces.flatMap((piece) =>
    openExcursions(piece.series, piece.late, piece).map((excursion) => ({ ...excursion, piece })),
  )
  let ends: OpenEnd[] = open.flatMap(({ piece, first, last, back, forward }) => [
    ...(back ? [{ piece, back: true, at: first }] : []),
    ...(forward ? [{ piece, back: false, at: last }] : []),
  ])
  for (let page = 0; ends.length > 0 && page < MAX_PAGES; page++) ends = await extend(tx, store, ends)
  const alerted = await alertsOf(tx, [...new Set(open.map(({ piece }) => piece))])
  return series.map((each) =>
    pieces
      .filter((piece) => piece.series === each)
      .map((piece) => ({
        first: (piece.late[0] as Point).timestamp,
        last: (piece.late.at(-1) as Point).timestamp,
        known: piece.known,
        isFromStart: piece.isFromStart,
        alerted: alerted.get(piece) ?? [],
      })),
  )
}

const seriesRef = ({ tenantId, seriesId: id }: LateSeries) => ({ tenantId, id })
const pointsOf = ({ times, values }: Columns): Point[] =>
  Array.from(times, (timestamp, i) => ({ timestamp, value: values[i] as number }))

/** Two stored readings on either side of each anchor, by series, ascending, including stored readings at the anchor itself. */
async function nearest(tx: TransactionSql, store: Store, series: readonly LateSeries[]): Promise<Point[][]> {
  const anchors = series.flatMap((each, i) => lateAnchors(each, each.late).map((at) => ({ i, series: seriesRef(each), at })))
  const found = await store.neighbours(
    tx,
    anchors.map((anchor) => ({ ...anchor, before: NEIGHBOUR_COUNT, after: NEIGHBOUR_COUNT })),
  )
  const result: Point[][] = series.map(() => [])
  // anchors of a series ascend, so neighbours of one repeat or follow those of the previous one
  for (const [a, { i }] of anchors.entries()) {
    const points = result[i] as Point[]
    const last = points.at(-1)?.timestamp ?? Number.NEGATIVE_INFINITY
    for (const point of pointsOf(found[a] as Columns)) if (point.timestamp > last) points.push(point)
  }
  return result
}

/** Loads the next page at each end. @returns the ends where the excursion still continues */
async function extend(tx: TransactionSql, store: Store, ends: readonly OpenEnd[]): Promise<OpenEnd[]> {
  const pages = await store.neighbours(
    tx,
    ends.map(({ piece, back, at }) =>
      back
        ? { series: seriesRef(piece.series), at: at - 1, before: PAGE, after: 0 }
        : { series: seriesRef(piece.series), at, before: 0, after: PAGE },
    ),
  )
  return ends.flatMap(({ piece, back }, e) => {
    const page = pointsOf(pages[e] as Columns)
    piece.known = merged(piece.known, page)
    if (back && page.length < PAGE) piece.isFromStart = true
    const goesOn = page.length === PAGE && !isOver(piece.series, page)
    return goesOn ? [{ piece, back, at: (page.at(back ? 0 : -1) as Point).timestamp }] : []
  })
}

function merged(known: readonly Point[], page: readonly Point[]): Point[] {
  const byInstant = new Map([...known, ...page].map((point) => [point.timestamp, point]))
  return [...byInstant.values()].sort((a, b) => a.timestamp - b.timestamp)
}

/** Whether a page contains the end of an excursion. */
function isOver({ warning, critical }: LateSeries, page: readonly Point[]): boolean {
  const isNormal = ({ value }: Point) => (critical > warning ? value <= warning : value >= warning)
  let normal = 0
  return page.some((point) => {
    normal = isNormal(point) ? normal + 1 : 0
    return normal === CLEAR_READINGS
  })
}

const array = (values: readonly number[]) => `{${values.join()}}`

/** The alerts that were raised in the time span of each piece. */
async function alertsOf(tx: TransactionSql, pieces: readonly Piece[]): Promise<Map<Piece, Neighbours['alerted'][number][]>> {
  const result = new Map(pieces.map((piece) => [piece, [] as Neighbours['alerted'][number][]]))
  if (pieces.length === 0) return result
  const texts = (key: 'tenantId' | 'ruleId' | 'machineId' | 'unit') => pieces.map(({ series }) => series[key])
  const instants = pieces.map(({ late, known }) => [...late, ...known].map((p) => p.timestamp))
  const found = await tx<{ i: number; at: Date; level: Level }[]>`
    select w.i, a.triggered_at as at, a.severity as level
    from unnest(${array(pieces.map((_, i) => i))}::text::int[], ${texts('tenantId')}::uuid[], ${texts('ruleId')}::uuid[],
      ${texts('machineId')}::uuid[], ${texts('unit')}::text[], ${array(instants.map((all) => Math.min(...all)))}::text::float8[],
      ${array(instants.map((all) => Math.max(...all)))}::text::float8[]) w(i, tenant, rule, machine, unit, low, high)
    join alerts a on a.tenant_id = w.tenant and a.machine_id = w.machine and a.rule_id = w.rule and a.unit = w.unit
      and a.triggered_at between to_timestamp(w.low / 1000) and to_timestamp(w.high / 1000)`
  for (const { i, at, level } of found) result.get(pieces[i] as Piece)?.push({ timestamp: at.getTime(), level })
  return result
}
