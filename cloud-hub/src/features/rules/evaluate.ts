import type { Level } from '../../db/tables/alerts.ts'

/** Two thresholds that differ. Critical above warning watches for high values, below for low ones. */
export interface Thresholds {
  warning: number
  critical: number
}

/** How a rule stands for one machine and unit (table rule_conditions). */
export interface Condition {
  /** highest level alerted since the condition began to stand; `normal` when nothing stands */
  standing: Level
  /** level of the newest reading judged */
  current: Level
  /** consecutive newest readings not beyond warning while standing */
  backCount: number
  /** Unix ms of the newest reading judged; null: judge afresh */
  judgedAt: number | null
}

export interface Point {
  /** Unix ms */
  timestamp: number
  value: number
}

/** What follows from a reading: an alert of this level, or the end of the condition. */
export type Verdict =
  | { kind: 'raise'; level: 'warning' | 'critical'; point: Point; threshold: number; clearedAtOnce: boolean }
  | { kind: 'clear' }

/** A condition clears after this many consecutive readings not beyond warning. */
const BACK_READINGS = 2
const RANK: Record<Level, number> = { normal: 0, warning: 1, critical: 2 }

export const freshCondition: Condition = { standing: 'normal', current: 'normal', backCount: 0, judgedAt: null }

/** The level of a value: beyond means strictly beyond. */
export function levelOf(value: number, { warning, critical }: Thresholds): Level {
  const beyond = critical > warning ? (limit: number) => value > limit : (limit: number) => value < limit
  return beyond(critical) ? 'critical' : beyond(warning) ? 'warning' : 'normal'
}

/** Do these new readings contain any that only {@link evaluate} with their stored neighbours can judge? Their timestamps. */
export function lateCrossings(rule: Thresholds, condition: Condition, newest: Point | null, fresh: readonly Point[]): number[] {
  const judgedTo = condition.judgedAt ?? newest?.timestamp ?? Number.NEGATIVE_INFINITY
  if (condition.standing !== 'normal') return []
  return fresh.filter((p) => p.timestamp <= judgedTo && levelOf(p.value, rule) !== 'normal').map((p) => p.timestamp)
}

/**
 * Judges new readings of one series against one rule. Pure: the same input gives the same verdicts in every replica.
 *
 * A condition advances only in reading time. Readings newer than any judged before walk the state: a level above the standing one
 * raises, two consecutive readings that are back clear. Older ones can raise, never clear, and only when nothing stands: a late
 * excursion raises one alert, which ends at once because newer readings are back.
 *
 * @param newest the newest reading of the series stored before these, or null
 * @param fresh new readings, ascending by timestamp, none of them stored before
 * @param neighbours readings stored before, ascending, around each of {@link lateCrossings}: two on either side
 */
export function evaluate(
  rule: Thresholds,
  before: Condition,
  newest: Point | null,
  fresh: readonly Point[],
  neighbours: readonly Point[] = [],
): { after: Condition; verdicts: Verdict[] } {
  const judgedTo = before.judgedAt ?? newest?.timestamp ?? Number.NEGATIVE_INFINITY
  const after = { ...before }
  const verdicts: Verdict[] = []
  const late = fresh.filter((p) => p.timestamp <= judgedTo)
  if (late.length > 0 && before.standing === 'normal') verdicts.push(...judgeLate(rule, after, newest, late, neighbours))
  for (const point of fresh) if (point.timestamp > judgedTo) advance(rule, after, point, verdicts)
  return { after, verdicts }
}

function advance(rule: Thresholds, state: Condition, point: Point, verdicts: Verdict[]): void {
  const level = levelOf(point.value, rule)
  state.current = level
  state.judgedAt = point.timestamp
  if (level === 'normal') {
    if (state.standing === 'normal') return
    state.backCount++
    if (state.backCount < BACK_READINGS) return
    state.standing = 'normal'
    state.backCount = 0
    verdicts.push({ kind: 'clear' })
    return
  }
  state.backCount = 0
  if (RANK[level] <= RANK[state.standing]) return
  state.standing = level
  verdicts.push({ kind: 'raise', level, point, threshold: rule[level], clearedAtOnce: false })
}

/**
 * Late readings that go beyond while nothing stands. They are walked in time order together with their stored neighbours, by the same
 * rule of two readings back, so that an excursion that was alerted before, earlier or later in time, is not alerted again.
 */
function judgeLate(
  rule: Thresholds,
  state: Condition,
  newest: Point | null,
  late: readonly Point[],
  neighbours: readonly Point[],
): Verdict[] {
  const timeline = [...late.map((p) => ({ ...p, known: false })), ...neighbours.map((p) => ({ ...p, known: true }))].sort(
    (a, b) => a.timestamp - b.timestamp,
  )
  const verdicts: Verdict[] = []
  const newestLevel = newest ? levelOf(newest.value, rule) : 'normal'
  const stillBeyond = state.judgedAt === null && newestLevel !== 'normal'
  let [standing, back]: [Level, number] = ['normal', 0]
  timeline.forEach((point, i) => {
    const level = levelOf(point.value, rule)
    if (level === 'normal') {
      if (standing !== 'normal' && ++back >= BACK_READINGS) [standing, back] = ['normal', 0]
      return
    }
    back = 0
    if (RANK[level] <= RANK[standing]) return
    standing = level
    if (point.known || alertedLater(rule, timeline.slice(i + 1), level)) return
    verdicts.push({
      kind: 'raise',
      level,
      point: { timestamp: point.timestamp, value: point.value },
      threshold: rule[level],
      clearedAtOnce: !stillBeyond,
    })
    if (stillBeyond)
      Object.assign(state, { standing: level, current: newestLevel, backCount: 0, judgedAt: newest?.timestamp ?? null })
  })
  return verdicts
}

/** Does the excursion go on to a reading stored before that had this level? Then its alert exists. */
function alertedLater(rule: Thresholds, rest: readonly (Point & { known: boolean })[], level: Level): boolean {
  let back = 0
  for (const point of rest) {
    const next = levelOf(point.value, rule)
    if (next === 'normal') {
      if (++back >= BACK_READINGS) return false
    } else {
      back = 0
      if (point.known && RANK[next] >= RANK[level]) return true
    }
  }
  return false
}
