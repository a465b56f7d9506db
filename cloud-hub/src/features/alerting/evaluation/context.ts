import type { Claimed, ReadingStore, SeriesSpan, SortedReadings } from '../../../readings/index.ts'
import type { CompositeRule } from './composite/state.ts'
import type { Point } from './threshold/level.ts'
import type { ThresholdRule } from './threshold/state.ts'

/** A machine as alerts describe it. */
export interface EvaluatedMachine {
  id: string
  name: string
  identifier: string
  location: string | null
}

/** A series of a flush with the active rules that concern it. */
export interface EvaluatedSeries {
  tenantId: string
  machine: EvaluatedMachine
  seriesId: number
  metric: string
  unit: string
  /** `tenants.facts_version`: a change of it makes all fields stale except rule states, which change without it */
  factsVersion: number
  rules: ThresholdRule[]
  /** ids of composite rules; one may concern several series */
  composites: string[]
}

/** Composite rules by id. */
export type CompositeRules = ReadonlyMap<string, CompositeRule>

/** The rules by which a flush evaluates its readings. */
export interface RuleContext {
  /** by slot of {@link SeriesSpan}; null: its readings are rejected, and no span has this slot */
  series: readonly (EvaluatedSeries | null)[]
  composites: CompositeRules
  /** rule states come from a cache; otherwise their rows are locked */
  areCached: boolean
}

/** The settings and the store that evaluation needs. */
export interface EvaluationDeps {
  store: Pick<ReadingStore, 'isLive' | 'neighbours' | 'columnsByMetric'>
  /** age after which machines are offline and values are unknown to composite rules */
  machineOfflineAfterSeconds: number
}

/** One reading per instant of a span. @param only includes only readings with these indexes; null: all */
export function contextPointsOf(
  { timestamps, values }: SortedReadings,
  { from, to }: SeriesSpan,
  only: ReadonlySet<number> | null,
): Point[] {
  const result: Point[] = []
  for (let i = from; i < to; i++) {
    if (only ? !only.has(i) : i > from && timestamps[i] === timestamps[i - 1]) continue
    result.push({ timestamp: timestamps[i] as number, value: values[i] as number })
  }
  return result
}

/** The indexes of the new readings of a claimed span; null: all of them are new. */
export const newIndexes = (claimed: Claimed | null, span: SeriesSpan): ReadonlySet<number> | null =>
  claimed?.spans.has(span) ? claimed.fresh : null
