/**
 * The formulas of overall equipment effectiveness. Times are milliseconds, ratios 0 to 1.
 *
 * Source: ISO 22400-2:2014, 7.4.2 availability, 7.4.3 effectiveness, 7.4.4 quality ratio, 7.4.5 OEE index. Its terms: planned busy time
 * (PBT) is our planned time, actual production time (APT) our run time, planned run time per item (PRI) the ideal cycle, produced
 * quantity (PQ) the total count, good quantity (GQ) the good count.
 */

/** The time of a window, and the parts of it that were lost; each instant belongs to one part at most. */
export interface TimeLosses {
  lengthMs: number
  notScheduledMs: number
  availabilityMs: number
  performanceMs: number
  qualityMs: number
}

/** What the counters of a machine say about a window; null where it reports none. */
export interface Counts {
  total: number | null
  good: number | null
  idealCycleSeconds: number | null
}

/** Counts with how they were read. */
export interface WindowCounts extends Counts {
  /** readings of both counters that were ignored as dips */
  ignoredDips: number
  /** the next reading of a counter may change the counts: the last one is below the one before */
  hasOpenDrop: boolean
}

export const NO_COUNTS: WindowCounts = {
  total: null,
  good: null,
  idealCycleSeconds: null,
  ignoredDips: 0,
  hasOpenDrop: false,
}

/** Null: undefined, because its divisor is 0. */
export interface Oee {
  availability: number | null
  performance: number | null
  quality: number | null
  oee: number | null
}

/** PBT: the window less what was not scheduled. */
export const plannedMs = ({ lengthMs, notScheduledMs }: TimeLosses): number => Math.max(0, lengthMs - notScheduledMs)

/** APT: planned time less availability losses. */
export const runMs = (losses: TimeLosses): number => Math.max(0, plannedMs(losses) - losses.availabilityMs)

const ratio = (part: number, whole: number) => Math.min(1, Math.max(0, part / whole))

/**
 * Effectiveness (performance), `PRI x PQ / APT`, at most 1; without a total count or an ideal cycle from time losses,
 * `(APT - performance losses) / APT`. Null without run time.
 */
export function performanceOf(losses: TimeLosses, { total, idealCycleSeconds }: Counts): number | null {
  const run = runMs(losses)
  if (run === 0) return null
  if (total !== null && idealCycleSeconds !== null) return ratio(idealCycleSeconds * 1_000 * total, run)
  return ratio(run - losses.performanceMs, run)
}

/**
 * Quality ratio, `GQ / PQ`, at most 1; without both counts from time losses: net run time is run time less performance losses, and
 * quality is `(net run time - quality losses) / net run time`. Where nothing was made there is nothing bad: 1. Null without run time.
 */
export function qualityOf(losses: TimeLosses, { total, good }: Counts): number | null {
  const run = runMs(losses)
  if (run === 0) return null
  if (total !== null && good !== null) return total === 0 ? 1 : ratio(good, total)
  const net = run - losses.performanceMs
  return net <= 0 ? 1 : ratio(net - losses.qualityMs, net)
}

/**
 * Availability `APT / PBT`, and the OEE index: the product of the three. From time losses alone it equals good time over planned time,
 * because each divisor is the dividend of the factor before. Null without planned time; without run time availability and OEE are 0.
 */
export function oeeOf(losses: TimeLosses, counts: Counts): Oee {
  const planned = plannedMs(losses)
  if (planned === 0) return { availability: null, performance: null, quality: null, oee: null }
  const availability = ratio(runMs(losses), planned)
  const performance = performanceOf(losses, counts)
  const quality = qualityOf(losses, counts)
  return { availability, performance, quality, oee: availability * (performance ?? 0) * (quality ?? 0) }
}

/**
 * The losses by which planned time becomes the OEE: run time that performance leaves out, and of the rest what quality leaves out,
 * whether the factors come from counters or from time losses. Planned time less these losses is planned time times OEE.
 */
export function effectiveLosses(losses: TimeLosses, counts: Counts): TimeLosses {
  const run = runMs(losses)
  const net = run * (performanceOf(losses, counts) ?? 0)
  return { ...losses, performanceMs: run - net, qualityMs: net * (1 - (qualityOf(losses, counts) ?? 0)) }
}

/** Counts of several windows as one: the ideal cycle is the mean by parts, or the last one without parts. */
export function addCounts(windows: readonly WindowCounts[]): WindowCounts {
  const sum = (of: (window: WindowCounts) => number | null) =>
    windows.reduce<number | null>((total, window) => {
      const one = of(window)
      return one === null ? total : (total ?? 0) + one
    }, null)
  const timed = windows.filter(({ idealCycleSeconds }) => idealCycleSeconds !== null)
  const parts = timed.reduce((total, one) => total + (one.total ?? 0), 0)
  const seconds = timed.reduce((total, one) => total + (one.total ?? 0) * (one.idealCycleSeconds as number), 0)
  return {
    total: sum(({ total }) => total),
    good: sum(({ good }) => good),
    idealCycleSeconds: parts > 0 ? seconds / parts : (timed.at(-1)?.idealCycleSeconds ?? null),
    ignoredDips: sum(({ ignoredDips }) => ignoredDips) ?? 0,
    hasOpenDrop: windows.some(({ hasOpenDrop }) => hasOpenDrop),
  }
}
