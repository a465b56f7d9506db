import type { Level } from '../../../db/tables/alerts.ts'
import { BACK_READINGS, judgeLate, type Surroundings } from './late.ts'
import { levelOf, type Point, RANK, type Thresholds } from './level.ts'

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

/** What follows from a reading: an alert of this level, or the end of the condition. */
export type Verdict =
  | { kind: 'raise'; level: 'warning' | 'critical'; point: Point; threshold: number; clearedAtOnce: boolean }
  | { kind: 'clear' }

export const freshCondition: Condition = { standing: 'normal', current: 'normal', backCount: 0, judgedAt: null }

/** Those of these readings that are older than the newest judged and can raise: none while something stands. */
export function lateReadings(condition: Condition, newest: Point | null, readings: readonly Point[]): Point[] {
  if (condition.standing !== 'normal') return []
  const judgedTo = condition.judgedAt ?? newest?.timestamp ?? Number.NEGATIVE_INFINITY
  return readings.filter((p) => p.timestamp <= judgedTo)
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
 * @param around what is stored around those of {@link lateReadings}: none is judged without
 */
export function evaluate(
  rule: Thresholds,
  before: Condition,
  newest: Point | null,
  fresh: readonly Point[],
  around: readonly Surroundings[] = [],
): { after: Condition; verdicts: Verdict[] } {
  const judgedTo = before.judgedAt ?? newest?.timestamp ?? Number.NEGATIVE_INFINITY
  const after = { ...before }
  const verdicts: Verdict[] = []
  const newestLevel = newest ? levelOf(newest.value, rule) : 'normal'
  const isStillBeyond = before.judgedAt === null && newestLevel !== 'normal'
  const late = lateReadings(before, newest, fresh)
  const within = ({ first, last }: Surroundings) => late.filter((p) => p.timestamp >= first && p.timestamp <= last)
  for (const { level, point } of around.flatMap((piece) => judgeLate(rule, within(piece), piece))) {
    verdicts.push({ kind: 'raise', level, point, threshold: rule[level], clearedAtOnce: !isStillBeyond })
    if (isStillBeyond)
      Object.assign(after, { standing: level, current: newestLevel, backCount: 0, judgedAt: newest?.timestamp ?? null })
  }
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
