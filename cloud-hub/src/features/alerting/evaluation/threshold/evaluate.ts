import type { Level } from '../../../../db/enums.ts'
import { CLEAR_READINGS, evaluateLate, type Neighbours } from './late.ts'
import { levelOf, type Point, RANK, type Thresholds } from './level.ts'

/** The state of a rule for one machine and unit (table threshold_conditions). */
export interface ThresholdState {
  /** highest level alerted since the condition began to stand; `normal` without a standing condition */
  standing: Level
  /** level of the newest evaluated reading */
  current: Level
  /** consecutive newest readings not beyond warning while standing */
  normalCount: number
  /**
   * Unix ms of a reading that was evaluated, and all before it; null: no reading was evaluated yet. Readings that change nothing else are
   * evaluated without changing it, so that they cost no write.
   */
  evaluatedAt: number | null
}

/** The outcome of a reading: an alert of this level, or the end of the condition. */
export type ThresholdTransition =
  | { kind: 'raise'; level: 'warning' | 'critical'; point: Point; threshold: number; clearedAtOnce: boolean }
  | { kind: 'clear' }

export const INITIAL_THRESHOLD_STATE: ThresholdState = {
  standing: 'normal',
  current: 'normal',
  normalCount: 0,
  evaluatedAt: null,
}

/** Unix ms of the newest evaluated reading: each flush evaluates what it stores. -Infinity for none. */
const evaluatedTo = ({ evaluatedAt }: ThresholdState, newest: Point | null): number =>
  Math.max(evaluatedAt ?? Number.NEGATIVE_INFINITY, newest?.timestamp ?? Number.NEGATIVE_INFINITY)

/** The readings that are older than the newest evaluated one and can raise an alert. None while a condition stands. */
export function lateReadings(state: ThresholdState, newest: Point | null, readings: readonly Point[]): Point[] {
  if (state.standing !== 'normal') return []
  const to = evaluatedTo(state, newest)
  return readings.filter((p) => p.timestamp <= to)
}

/** Whether a state has to be stored: it differs in more than the instant up to which readings were evaluated. */
export const isChanged = (before: ThresholdState, after: ThresholdState): boolean =>
  before.standing !== after.standing ||
  before.current !== after.current ||
  before.normalCount !== after.normalCount ||
  (before.evaluatedAt === null) !== (after.evaluatedAt === null)

/** Whether readings of these values leave the state as it is, so that nothing has to be evaluated. */
export function isUnchangedBy(
  rule: Thresholds,
  { standing, current, evaluatedAt }: ThresholdState,
  values: Float64Array,
): boolean {
  return (
    evaluatedAt !== null &&
    standing === 'normal' &&
    current === 'normal' &&
    values.every((value) => levelOf(value, rule) === 'normal')
  )
}

/**
 * Evaluates new readings of one series by one rule. Pure: the same input gives the same transitions in every replica.
 *
 * Readings newer than the evaluated ones advance the state in order of time. A level above the standing one raises an alert. Two
 * consecutive readings not beyond warning clear it. Late readings can raise, never clear, and only while no condition stands. A
 * late excursion raises one alert, which ends at once because newer readings returned to normal.
 *
 * @param newest the newest reading of the series stored before these, or null
 * @param fresh new readings, ascending by timestamp, none of them stored before
 * @param around the stored neighbours of {@link lateReadings}: a late reading without them is not evaluated
 */
export function evaluateThreshold(
  rule: Thresholds,
  before: ThresholdState,
  newest: Point | null,
  fresh: readonly Point[],
  around: readonly Neighbours[] = [],
): { after: ThresholdState; transitions: ThresholdTransition[] } {
  const to = evaluatedTo(before, newest)
  const after = { ...before }
  const transitions: ThresholdTransition[] = []
  const newestLevel = newest ? levelOf(newest.value, rule) : 'normal'
  const isStillBeyond = before.evaluatedAt === null && newestLevel !== 'normal'
  const late = lateReadings(before, newest, fresh)
  const within = ({ first, last }: Neighbours) => late.filter((p) => p.timestamp >= first && p.timestamp <= last)
  for (const { level, point } of around.flatMap((piece) => evaluateLate(rule, within(piece), piece))) {
    transitions.push({ kind: 'raise', level, point, threshold: rule[level], clearedAtOnce: !isStillBeyond })
    if (isStillBeyond)
      Object.assign(after, { standing: level, current: newestLevel, normalCount: 0, evaluatedAt: newest?.timestamp ?? null })
  }
  for (const point of fresh) if (point.timestamp > to) advance(rule, after, point, transitions)
  return { after, transitions }
}

function advance(rule: Thresholds, state: ThresholdState, point: Point, transitions: ThresholdTransition[]): void {
  const level = levelOf(point.value, rule)
  state.current = level
  state.evaluatedAt = point.timestamp
  if (level === 'normal') {
    if (state.standing === 'normal') return
    state.normalCount++
    if (state.normalCount < CLEAR_READINGS) return
    state.standing = 'normal'
    state.normalCount = 0
    transitions.push({ kind: 'clear' })
    return
  }
  state.normalCount = 0
  if (RANK[level] <= RANK[state.standing]) return
  state.standing = level
  transitions.push({ kind: 'raise', level, point, threshold: rule[level], clearedAtOnce: false })
}
