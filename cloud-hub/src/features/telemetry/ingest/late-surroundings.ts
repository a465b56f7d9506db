import type { TransactionSql } from '../../../db/pools.ts'
import type { Level } from '../../../db/tables/alerts.ts'
import { lateAnchors, NEIGHBOURS, openExcursions, type Point, piecesOf, type Surroundings } from '../../alerting/rules/index.ts'

/** Late readings of one series, under one rule that nothing stands for. */
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

/** Stored readings fetched at a time where an excursion goes on, and at most; beyond that the excursion counts as alerted. */
const [STRETCH, STRETCH_ROUNDS] = [256, 32]

/** Where an excursion of a series goes on, back or forward in time, from this instant. */
interface End {
  piece: Piece
  back: boolean
  at: number
}

/** Late readings of a series with what is known around them, nothing left out in between. */
interface Piece {
  series: LateSeries
  late: Point[]
  known: Point[]
  isFromStart: boolean
}

/**
 * What is stored around late readings, for each of these in turn: two readings on either side of those that matter, and where an excursion
 * goes on, or was divided from another, the whole of it with its alerts. The second is rare: batches of an excursion in their order do not need it.
 */
export async function lateSurroundings(tx: TransactionSql, series: readonly LateSeries[]): Promise<Surroundings[][]> {
  const known = await neighbours(tx, series)
  const pieces = series.flatMap((each, i): Piece[] =>
    piecesOf(each.late, known[i] ?? []).map((piece) => {
      const first = (piece.late[0] as Point).timestamp
      const isFromStart = piece.known.filter((p) => p.timestamp < first).length < NEIGHBOURS
      return { ...piece, series: each, isFromStart }
    }),
  )
  const open = pieces.flatMap((piece) =>
    openExcursions(piece.series, piece.late, piece).map((excursion) => ({ ...excursion, piece })),
  )
  let ends: End[] = open.flatMap(({ piece, first, last, back, forward }) => [
    ...(back ? [{ piece, back: true, at: first }] : []),
    ...(forward ? [{ piece, back: false, at: last }] : []),
  ])
  for (let round = 0; ends.length > 0 && round < STRETCH_ROUNDS; round++) ends = await extend(tx, ends)
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

const array = (values: readonly (number | boolean)[]) => `{${values.join()}}`

/** Two stored readings on either side of each anchor, by series, ascending; an anchor that is stored already is among them. */
async function neighbours(tx: TransactionSql, series: readonly LateSeries[]): Promise<Point[][]> {
  const anchors = series.flatMap((s, i) => lateAnchors(s, s.late).map((at) => ({ i, s: s.seriesId, at })))
  const found = await tx<{ i: number; ts: Date; value: number }[]>`
    select distinct w.i, n.ts, n.value
    from (select i, s, to_timestamp(t / 1000) as at from unnest(${array(anchors.map((a) => a.i))}::text::int[],
      ${array(anchors.map((a) => a.s))}::text::int[], ${array(anchors.map((a) => a.at))}::text::float8[]) w(i, s, t)) w
    cross join lateral (
      (select ts, value from readings where series_id = w.s and ts <= w.at order by ts desc limit ${NEIGHBOURS})
      union all
      (select ts, value from readings where series_id = w.s and ts > w.at order by ts limit ${NEIGHBOURS})) n
    order by 1, 2`
  const result: Point[][] = series.map(() => [])
  for (const { i, ts, value } of found) result[i]?.push({ timestamp: ts.getTime(), value })
  return result
}

/** Fetches the next stretch at each end. @returns where the excursion still goes on */
async function extend(tx: TransactionSql, ends: readonly End[]): Promise<End[]> {
  const found = await tx<{ e: number; ts: Date; value: number }[]>`
    select w.e, n.ts, n.value
    from (select e, s, to_timestamp(t / 1000) as at, back from unnest(${array(ends.map((_, e) => e))}::text::int[],
      ${array(ends.map(({ piece }) => piece.series.seriesId))}::text::int[], ${array(ends.map((end) => end.at))}::text::float8[],
      ${array(ends.map((end) => end.back))}::text::bool[]) w(e, s, t, back)) w
    cross join lateral (
      (select ts, value from readings where w.back and series_id = w.s and ts < w.at order by ts desc limit ${STRETCH})
      union all
      (select ts, value from readings where not w.back and series_id = w.s and ts > w.at order by ts limit ${STRETCH})) n`
  const stretches: Point[][] = ends.map(() => [])
  for (const { e, ts, value } of found) stretches[e]?.push({ timestamp: ts.getTime(), value })
  return ends.flatMap(({ piece, back }, e) => {
    const stretch = (stretches[e] as Point[]).sort((a, b) => (back ? b.timestamp - a.timestamp : a.timestamp - b.timestamp))
    piece.known = merged(piece.known, stretch)
    if (back && stretch.length < STRETCH) piece.isFromStart = true
    const goesOn = stretch.length === STRETCH && !isOver(piece.series, stretch)
    return goesOn ? [{ piece, back, at: (stretch.at(-1) as Point).timestamp }] : []
  })
}

function merged(known: readonly Point[], stretch: readonly Point[]): Point[] {
  const byInstant = new Map([...known, ...stretch].map((point) => [point.timestamp, point]))
  return [...byInstant.values()].sort((a, b) => a.timestamp - b.timestamp)
}

/** Two consecutive readings back. */
function isOver({ warning, critical }: LateSeries, stretch: readonly Point[]): boolean {
  const isBack = ({ value }: Point) => (critical > warning ? value <= warning : value >= warning)
  return stretch.some((point, i) => i > 0 && isBack(point) && isBack(stretch[i - 1] as Point))
}

/** The alerts that were raised in the time of each piece. */
async function alertsOf(tx: TransactionSql, pieces: readonly Piece[]): Promise<Map<Piece, Surroundings['alerted'][number][]>> {
  const result = new Map(pieces.map((piece) => [piece, [] as Surroundings['alerted'][number][]]))
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
