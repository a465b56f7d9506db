import type { Level } from '../../../../db/enums.ts'
import { levelOf, type Point, RANK, type Thresholds } from './level.ts'

/**
 * The stored neighbours of late readings between two instants (Unix ms). A reading is *late* when it is older than the newest evaluated one.
 */
export interface Neighbours {
  first: number
  last: number
  /** stored before, ascending, without gaps */
  known: readonly Point[]
  /** no reading is stored before the first of `known` */
  isFromStart: boolean
  alerted: readonly { timestamp: number; level: Level }[]
}

/** A condition clears, and an excursion ends, after this many consecutive readings not beyond warning. */
export const CLEAR_READINGS = 2

interface TimelinePoint extends Point {
  isKnown: boolean
  level: Level
}

/** Readings beyond warning without two consecutive normal readings between them. */
interface Excursion {
  /** the readings beyond warning, ascending */
  members: TimelinePoint[]
  /** the neighbours include the end of the previous excursion, or the first of all readings */
  isStartSeen: boolean
  isEndSeen: boolean
  /** the late readings divide it from another excursion; before, both were one with one alert */
  isNewlyDivided: boolean
}

/**
 * An excursion that needs more stored readings to find its alerts: Unix ms of its first and last reading, and the ends where it
 * continues.
 */
export interface OpenExcursion {
  first: number
  last: number
  back: boolean
  forward: boolean
}

/** Number of stored readings that are loaded on either side of an anchor. */
export const NEIGHBOUR_COUNT = 2
/** Two readings further apart than this multiple of the smallest step may have others between them. */
const GAP = 1.5

/**
 * The instants of the late readings whose two stored neighbours on either side {@link evaluateLate} needs. These are the readings
 * beyond warning, and the first and last of each run. Readings stored between the regular steps of a run are ignored.
 * @returns Unix ms
 */
export function lateAnchors(rule: Thresholds, late: readonly Point[]): number[] {
  const step = (i: number) =>
    (late[i]?.timestamp ?? Number.POSITIVE_INFINITY) - (late[i - 1]?.timestamp ?? Number.NEGATIVE_INFINITY)
  let smallest = Number.POSITIVE_INFINITY
  for (let i = 1; i < late.length; i++) smallest = Math.min(smallest, step(i))
  const isAtGap = (i: number) => step(i) > GAP * smallest || step(i + 1) > GAP * smallest
  return late
    .filter((p, i) => i === 0 || i === late.length - 1 || isAtGap(i) || levelOf(p.value, rule) !== 'normal')
    .map((p) => p.timestamp)
}

/**
 * Divides late readings and their stored neighbours into pieces. Between two pieces the series has more stored readings than
 * `known`. `known` has two stored readings on either side of each of {@link lateAnchors}. Hence four between two late readings
 * may be all of them or not.
 */
export function splitAtGaps(late: readonly Point[], known: readonly Point[]): { late: Point[]; known: Point[] }[] {
  const pieces: { late: Point[]; known: Point[] }[] = []
  let [piece, k] = [{ late: [] as Point[], known: [] as Point[] }, 0]
  late.forEach((point, i) => {
    const between: Point[] = []
    for (let next = known[k]; next && next.timestamp < point.timestamp; next = known[++k]) between.push(next)
    if (i > 0 && between.length >= 2 * NEIGHBOUR_COUNT) {
      piece.known.push(...between.slice(0, NEIGHBOUR_COUNT))
      pieces.push(piece)
      piece = { late: [], known: [] }
      piece.known.push(...between.slice(-NEIGHBOUR_COUNT))
    } else piece.known.push(...between)
    piece.late.push(point)
  })
  piece.known.push(...known.slice(k))
  return [...pieces, piece]
}

/** The excursions that need more than two stored readings on either side. */
export function openExcursions(
  rule: Thresholds,
  late: readonly Point[],
  around: Pick<Neighbours, 'known' | 'isFromStart'>,
): OpenExcursion[] {
  return excursionsOf(rule, late, around)
    .filter((e) => e.isNewlyDivided || (concerns(e) && e.members.some(isStored) && unalerted(e, []).length > 0))
    .map(({ members, isStartSeen, isEndSeen }) => ({
      first: (members[0] as TimelinePoint).timestamp,
      last: (members.at(-1) as TimelinePoint).timestamp,
      back: !isStartSeen,
      forward: !isEndSeen,
    }))
}

/**
 * Evaluates late readings while no condition stands. They may belong to excursions, or divide one in two. Each of these
 * excursions has one alert for each level that it reaches on the way up, in whatever order its readings arrive.
 * @returns the alerts that are missing
 * @param late new readings, ascending; none newer than the newest evaluated
 */
export function evaluateLate(
  rule: Thresholds,
  late: readonly Point[],
  around: Neighbours,
): { level: 'warning' | 'critical'; point: Point }[] {
  return excursionsOf(rule, late, around)
    .filter(concerns)
    .flatMap((excursion) => unalerted(excursion, around.alerted))
    .map(({ level, timestamp, value }) => ({ level: level as 'warning' | 'critical', point: { timestamp, value } }))
}

/** whether new readings belong to an excursion or divide it from another */
const concerns = ({ members, isNewlyDivided }: Excursion) => isNewlyDivided || !members.every(isStored)
const isStored = ({ isKnown }: TimelinePoint) => isKnown

/**
 * The first reading without alert of each level on the way up. An excursion that began before `known` has the alerts of its known
 * readings.
 */
function unalerted({ members, isStartSeen }: Excursion, alerted: Neighbours['alerted']): TimelinePoint[] {
  const [from, to] = [(members[0] as TimelinePoint).timestamp, (members.at(-1) as TimelinePoint).timestamp]
  const ranks = alerted.filter((a) => a.timestamp >= from && a.timestamp <= to).map((a) => RANK[a.level])
  if (!isStartSeen) ranks.push(...members.filter(isStored).map((m) => RANK[m.level]))
  let reached = Math.max(0, ...ranks)
  return members.filter(({ level }) => {
    if (RANK[level] <= reached) return false
    reached = RANK[level]
    return true
  })
}

function excursionsOf(
  rule: Thresholds,
  late: readonly Point[],
  { known, isFromStart }: Pick<Neighbours, 'known' | 'isFromStart'>,
): Excursion[] {
  const timeline = [...late.map((p) => ({ ...p, isKnown: false })), ...known.map((p) => ({ ...p, isKnown: true }))].sort(
    (a, b) => a.timestamp - b.timestamp,
  )
  const excursions: Excursion[] = []
  let open: Excursion | undefined
  /** normal readings since the last one beyond warning, and stored ones since the last stored one beyond warning */
  let [normal, storedNormal] = [0, 0]
  let stored: Excursion | undefined
  for (const point of timeline) {
    const level = levelOf(point.value, rule)
    if (level === 'normal') {
      normal++
      if (point.isKnown) storedNormal++
      if (open && normal === CLEAR_READINGS) {
        open.isEndSeen = true
        open = undefined
      }
      continue
    }
    if (!open) {
      // a new reading without a stored one before it is the first
      const isStartSeen = normal >= CLEAR_READINGS || !point.isKnown || (isFromStart && excursions.length === 0)
      open = { members: [], isStartSeen, isEndSeen: false, isNewlyDivided: false }
      excursions.push(open)
    }
    if (point.isKnown) {
      if (stored && stored !== open && storedNormal < CLEAR_READINGS) stored.isNewlyDivided = open.isNewlyDivided = true
      stored = open
      storedNormal = 0
    }
    normal = 0
    open.members.push({ ...point, level })
  }
  return excursions
}
