import type { Level } from '../../../db/tables/alerts.ts'
import { levelOf, type Point, RANK, type Thresholds } from './level.ts'

/** Late readings between two instants (Unix ms), and what the database holds around them. */
export interface Surroundings {
  first: number
  last: number
  /** stored before, ascending, with nothing left out between them */
  known: readonly Point[]
  /** nothing is stored before the first of `known` */
  isFromStart: boolean
  alerted: readonly { timestamp: number; level: Level }[]
}

/** A condition clears, and an excursion ends, after this many consecutive readings not beyond warning. */
export const BACK_READINGS = 2

interface TimelinePoint extends Point {
  isKnown: boolean
  level: Level
}

/** Readings beyond warning that no two consecutive readings back divide. */
interface Excursion {
  /** those beyond, ascending */
  members: TimelinePoint[]
  /** what ended the one before, or the beginning of all readings, was seen */
  isStartSeen: boolean
  isEndSeen: boolean
  /** it was one with the one before or after, and one alert was enough for both, until these readings divided them */
  isNewlyDivided: boolean
}

/** An excursion whose alerts can be told only with more of what is stored: Unix ms of its first and last reading, and where it goes on. */
export interface OpenExcursion {
  first: number
  last: number
  back: boolean
  forward: boolean
}

/** So many stored readings on either side are looked for. */
export const NEIGHBOURS = 2
/** Two readings further apart than so many times the smallest step may have others between them. */
const GAP = 1.5

/**
 * The readings on whose either side {@link judgeLate} has to know the two stored ones: those beyond, and the first and last of each run. A
 * reading stored in the middle of a run's regular steps is not looked for.
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
 * Late readings with the stored ones around them, in pieces: between two pieces more is stored than is known. Known are two stored readings
 * on either side of each of {@link lateAnchors}, so four between two late readings may be all or not.
 */
export function piecesOf(late: readonly Point[], known: readonly Point[]): { late: Point[]; known: Point[] }[] {
  const pieces: { late: Point[]; known: Point[] }[] = []
  let [piece, k] = [{ late: [] as Point[], known: [] as Point[] }, 0]
  late.forEach((point, i) => {
    const between: Point[] = []
    for (let next = known[k]; next && next.timestamp < point.timestamp; next = known[++k]) between.push(next)
    if (i > 0 && between.length >= 2 * NEIGHBOURS) {
      piece.known.push(...between.slice(0, NEIGHBOURS))
      pieces.push(piece)
      piece = { late: [], known: [] }
      piece.known.push(...between.slice(-NEIGHBOURS))
    } else piece.known.push(...between)
    piece.late.push(point)
  })
  piece.known.push(...known.slice(k))
  return [...pieces, piece]
}

/** Those excursions for which two stored readings on either side are not enough. */
export function openExcursions(
  rule: Thresholds,
  late: readonly Point[],
  around: Pick<Surroundings, 'known' | 'isFromStart'>,
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
 * Late readings while nothing stands. Each excursion that they are part of, or that they divide from another, has one alert for each level
 * it reaches on the way up, whatever the order in which its readings arrive: those that are missing are returned.
 * @param late new readings, ascending; none newer than the newest judged
 */
export function judgeLate(
  rule: Thresholds,
  late: readonly Point[],
  around: Surroundings,
): { level: 'warning' | 'critical'; point: Point }[] {
  return excursionsOf(rule, late, around)
    .filter(concerns)
    .flatMap((excursion) => unalerted(excursion, around.alerted))
    .map(({ level, timestamp, value }) => ({ level: level as 'warning' | 'critical', point: { timestamp, value } }))
}

/** One that the new readings neither belong to nor divide is none of their business. */
const concerns = ({ members, isNewlyDivided }: Excursion) => isNewlyDivided || !members.every(isStored)
const isStored = ({ isKnown }: TimelinePoint) => isKnown

/** The first reading of each level on the way up that has no alert. An excursion that began before what is known has those of its known readings. */
function unalerted({ members, isStartSeen }: Excursion, alerted: Surroundings['alerted']): TimelinePoint[] {
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
  { known, isFromStart }: Pick<Surroundings, 'known' | 'isFromStart'>,
): Excursion[] {
  const timeline = [...late.map((p) => ({ ...p, isKnown: false })), ...known.map((p) => ({ ...p, isKnown: true }))].sort(
    (a, b) => a.timestamp - b.timestamp,
  )
  const excursions: Excursion[] = []
  let open: Excursion | undefined
  /** readings back since the last one beyond, and stored ones since the last stored one beyond */
  let [back, storedBack] = [0, 0]
  let stored: Excursion | undefined
  for (const point of timeline) {
    const level = levelOf(point.value, rule)
    if (level === 'normal') {
      back++
      if (point.isKnown) storedBack++
      if (open && back === BACK_READINGS) {
        open.isEndSeen = true
        open = undefined
      }
      continue
    }
    if (!open) {
      // where nothing stored comes before new readings, there is nothing
      const isStartSeen = back >= BACK_READINGS || !point.isKnown || (isFromStart && excursions.length === 0)
      open = { members: [], isStartSeen, isEndSeen: false, isNewlyDivided: false }
      excursions.push(open)
    }
    if (point.isKnown) {
      if (stored && stored !== open && storedBack < BACK_READINGS) stored.isNewlyDivided = open.isNewlyDivided = true
      stored = open
      storedBack = 0
    }
    back = 0
    open.members.push({ ...point, level })
  }
  return excursions
}
