import type { OeeLossCategory, ReasonType } from '../../../db/enums.ts'
import { attributeTime, byStart, sumByKey, type TimeInterval } from '../time-attribution/index.ts'
import type { TimeLosses } from './formula.ts'

/** A downtime record; an ongoing one ends at infinity. */
export interface Stop extends TimeInterval {
  id: string
  reasonType: ReasonType
  /** that of its reason code; null: it has none */
  lossCategory: OeeLossCategory | null
}

/** As a statement selects it. */
export type StopRow = Omit<Stop, 'start' | 'end'> & { start: Date; end: Date | null }

export const stopOf = ({ start, end, ...row }: StopRow): Stop => ({
  ...row,
  start: start.getTime(),
  end: end?.getTime() ?? Number.POSITIVE_INFINITY,
})

/** Of overlapping records the first of these counts: a time in which nothing was planned is no loss. */
const PRECEDENCE: readonly OeeLossCategory[] = ['not_scheduled', 'availability_loss', 'performance_loss', 'quality_loss']

/** The category of the reason code counts; without one, `planned` downtime was not scheduled and the rest are availability losses. */
export const categoryOf = ({ lossCategory, reasonType }: Pick<Stop, 'lossCategory' | 'reasonType'>): OeeLossCategory =>
  lossCategory ?? (reasonType === 'planned' ? 'not_scheduled' : 'availability_loss')

const byCategory = (a: Stop, b: Stop) => PRECEDENCE.indexOf(categoryOf(a)) - PRECEDENCE.indexOf(categoryOf(b)) || byStart(a, b)

/**
 * The losses of a window and its downtime. Every instant counts once, whatever records overlap. The result does not depend on the
 * order of the records.
 * Source: ISO 22400-2:2014, 6.4 (time model for work units); SEMI E10-0814, 4 (each instant is in one state)
 */
export function timeLosses(window: TimeInterval, stops: readonly Stop[]): TimeLosses & { downtimeMs: number } {
  const segments = attributeTime(window, stops, byCategory)
  const sums = sumByKey(segments, categoryOf)
  const of = (category: OeeLossCategory) => sums.get(category) ?? 0
  return {
    lengthMs: window.end - window.start,
    notScheduledMs: of('not_scheduled'),
    availabilityMs: of('availability_loss'),
    performanceMs: of('performance_loss'),
    qualityMs: of('quality_loss'),
    downtimeMs: segments.reduce((sum, { start, end }) => sum + end - start, 0),
  }
}

/** Adds up the losses of windows that do not overlap. */
export const addLosses = <T extends TimeLosses & { downtimeMs: number }>(
  parts: readonly T[],
): TimeLosses & { downtimeMs: number } => {
  const sum = (key: keyof T) => parts.reduce((total, part) => total + (part[key] as number), 0)
  return {
    lengthMs: sum('lengthMs'),
    notScheduledMs: sum('notScheduledMs'),
    availabilityMs: sum('availabilityMs'),
    performanceMs: sum('performanceMs'),
    qualityMs: sum('qualityMs'),
    downtimeMs: sum('downtimeMs'),
  }
}
